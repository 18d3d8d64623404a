"""Records on disk: nothing lost, nothing changed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from benchmark.domain import (
    Asked,
    Cause,
    Chunk,
    Completion,
    Corpus,
    Document,
    Embedded,
    Failure,
    Hit,
    ImpliedQuestion,
    Query,
    Question,
    Record,
    RelevancyScale,
    Response,
    Rulings,
    Score,
    Span,
    Step,
    UserError,
    Verdict,
)
from benchmark.storage.record_lines import Reader, to_line
from benchmark.storage.records import RecordsFile, lines_of, read, same

DOCUMENTS = (Document("a", "Se dan 4 g.\u2028Después, 1 g/h."), Document("b", "Nada.", metadata={"tenant": "ana"}))
QUESTIONS = tuple(Question(Query(name, f"¿{name}?"), "4 g.") for name in ("q1", "q2", "q3"))
CORPUS = Corpus("trial", DOCUMENTS, QUESTIONS, "es", "digest")

texts = some.text(some.characters(), max_size=12)  # lone surrogates and line ends of every kind among them
numbers = some.floats(allow_nan=False, allow_infinity=False)
verdicts = some.none() | some.lists(
    some.builds(Verdict, texts, some.booleans(), texts, some.none() | numbers), max_size=2
).map(tuple)
failures = some.builds(Failure, texts, texts, texts)


@some.composite
def hits(draw: some.DrawFn) -> Hit:
    document = draw(some.sampled_from(DOCUMENTS))
    start = draw(some.integers(0, len(document.text)))
    end = draw(some.integers(start, len(document.text)))
    chunk = Chunk(draw(texts), Span(document.id, start, end), document.text[start:end], document.tenant)
    return Hit(chunk, draw(numbers))


lists_of_hits = some.lists(hits(), max_size=3).map(tuple)
counts = some.none() | some.integers(0, 9)
completions = some.builds(Completion, texts, counts, counts, numbers, some.booleans(), some.none() | texts)
steps = some.builds(
    Step, texts, numbers, some.booleans(), lists_of_hits, some.lists(completions, max_size=2).map(tuple)
)
embedded = some.none() | some.builds(Embedded, some.integers(1, 9), counts, some.none() | numbers)
responses = some.builds(
    Response,
    texts,
    some.booleans(),
    lists_of_hits,
    some.lists(steps, max_size=2).map(tuple),
    some.booleans(),
    embedded,
)
implied = some.lists(some.builds(ImpliedQuestion, texts, some.booleans(), numbers), max_size=2).map(tuple)
rulings = some.builds(
    Rulings,
    some.none() | some.lists(texts, max_size=2).map(tuple),
    *(verdicts, verdicts, verdicts, verdicts),
    some.none() | implied,
    some.builds(RelevancyScale, numbers, numbers, some.none() | numbers),
    some.lists(failures, max_size=2).map(tuple),
    some.none() | some.builds(Asked, some.integers(0, 9), counts, counts, some.none() | numbers, embedded),
)
scores = some.builds(Score, numbers, texts) | some.builds(Score, some.none(), some.just("no context"))
records = some.builds(
    Record,
    some.sampled_from(QUESTIONS),
    some.none() | responses,
    rulings,
    some.dictionaries(texts, scores, max_size=3),
    some.sampled_from(Cause),
    some.none() | failures,
)


def record(name: str = "q1", *, seconds: float = 0.1, answer: str = "4 g.") -> Record:
    hit = Hit(Chunk("c", Span("a", 0, 11), "Se dan 4 g."), 1.5)
    step = Step("retrieve", seconds, hits=(hit,))
    question = next(question for question in QUESTIONS if question.id == name)
    measured = {"cost/seconds": Score(seconds, f"{seconds} s"), "ragas/mean": Score(1.0, "all")}
    return Record(question, Response(answer, False, (hit,), (step,)), Rulings(), measured, Cause.CORRECT)


@given(records)
@settings(deadline=None)
def test_a_record_comes_back_from_its_line(written: Record) -> None:
    line = to_line(written, "run")
    assert "\n" not in line
    assert Reader(CORPUS).record(line.encode("utf-8").decode("utf-8")) == written


def test_a_line_has_the_fields_of_the_house() -> None:
    line = json.loads(to_line(record(), "0123"))
    assert list(line) == ["schema", "run", "question", "response", "rulings", "scores", "cause", "failure"]
    assert line["question"] == {"id": "q1", "text": "¿q1?"}
    hit = {"chunk": "c", "document": "a", "start": 0, "end": 11, "text": "Se dan 4 g.", "score": 1.5}
    assert line["response"]["context"] == [hit]


def test_what_was_not_embedded_at_an_endpoint_stands_nowhere_in_the_line() -> None:
    judged = replace(record(), rulings=Rulings(cost=Asked(3, 20, 9, 0.5)))
    line = json.loads(to_line(judged, "run"))
    assert list(line["response"]) == ["answer", "abstained", "retrieves", "context", "steps"]
    assert line["rulings"]["cost"] == {"calls": 3, "prompt_tokens": 20, "completion_tokens": 9, "money": 0.5}


def test_a_number_that_is_none_is_never_written() -> None:
    hit = Hit(Chunk("c", Span("a", 0, 2), "Se"), float("nan"))
    with pytest.raises(ValueError, match="JSON"):
        to_line(replace(record(), response=Response("", True, (hit,), ())), "run")


def test_a_librarys_float_is_written_as_a_number() -> None:
    hit = Hit(Chunk("c", Span("a", 0, 2), "Se"), np.float32(0.5))  # type: ignore[arg-type]  # as FAISS gives it
    assert '"score": 0.5' in to_line(replace(record(), response=Response("", True, (hit,), ())), "run")


def test_records_are_read_in_the_order_of_the_exam_and_the_last_of_a_question_counts(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with RecordsFile(path, run="r") as file:
        for written in (record("q3"), record("q1", answer="no"), record("q1", answer="yes")):
            file.write(written)
    assert read(path, CORPUS) == (record("q1", answer="yes"), record("q3"))


def test_a_file_that_is_not_there_has_no_records(tmp_path: Path) -> None:
    assert read(tmp_path / "records.jsonl", CORPUS) == ()


@pytest.mark.parametrize("kept", [1, 40, -1])
def test_a_half_written_line_is_cut_off_and_told(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "records.jsonl"
    line = to_line(record("q1"), "r").encode()
    path.write_bytes(line + b"\n" + line[:kept])
    assert read(path, CORPUS) == (record("q1"),)
    with RecordsFile(path, run="r") as file:
        assert file.notice is not None
        assert "cut off" in file.notice
        file.write(record("q2"))
    assert read(path, CORPUS) == (record("q1"), record("q2"))
    with RecordsFile(path, run="r") as file:
        assert file.notice is None


@pytest.mark.parametrize(
    ("cut", "half", "told"),
    [
        ([], b"", None),
        ([], b"{", "the last line is cut off"),
        ([2], b"", "line 2 is cut off"),
        ([1, 3], b"", "lines 1, 3 are cut off"),
        ([2], b"{", "line 2 and the last line are cut off"),
    ],
)
def test_lines_that_are_cut_off_are_left_out_and_told(
    tmp_path: Path, cut: list[int], half: bytes, told: str | None
) -> None:
    path, notices = tmp_path / "records.jsonl", list[str]()
    lines = [to_line(record(name), "r").encode() for name in ("q1", "q2", "q3")]
    written = [line[:90] if number in cut else line for number, line in enumerate(lines, start=1)]
    path.write_bytes(b"".join(line + b"\n" for line in written) + half)
    whole = [f"q{number}" for number in (1, 2, 3) if number not in cut]
    assert [one.question.id for one in read(path, CORPUS, notices.append)] == whole
    assert len(notices) == (told is not None)
    assert told is None or told in notices[0]
    assert len(lines_of(path, ("q1", "q2", "q3")).splitlines()) == len(whole)


@pytest.mark.parametrize("anew", [(), ("q2",), ("q1", "q2")])
def test_a_cut_line_is_taken_out_when_its_question_is_recorded_anew_and_nothing_else_changes(
    tmp_path: Path, anew: tuple[str, ...]
) -> None:
    path = tmp_path / "records.jsonl"
    first, second, third = (to_line(record(name), "r").encode() + b"\n" for name in ("q1", "q2", "q3"))
    path.write_bytes(first + second[:90] + b"\n" + third + b"\n" + first)
    with RecordsFile(path, run="r") as file:
        for name in anew:
            file.write(record(name))
        written = path.read_bytes()
        file.drop_cut_lines()
    assert path.read_bytes() == (written.replace(second[:90] + b"\n", b"") if anew else written)
    assert [one.name for one in tmp_path.iterdir()] == ["records.jsonl"]


def test_a_cut_line_that_names_no_question_stays(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(b'{"schema": 1, "ru\n' + to_line(record("q1"), "r").encode() + b"\n")
    written = path.read_bytes()
    with RecordsFile(path, run="r") as file:
        file.drop_cut_lines()
    assert path.read_bytes() == written


def test_a_file_has_one_writer(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    with RecordsFile(tmp_path / "r.jsonl", run="r"), pytest.raises(UserError, match="another ragsweep"):
        RecordsFile(tmp_path / "r.jsonl", run="r")
    RecordsFile(tmp_path / "r.jsonl", run="r").close()


def test_a_record_is_on_the_disk_before_the_file_is_closed(tmp_path: Path) -> None:
    with RecordsFile(tmp_path / "r.jsonl", run="r") as file:
        file.write(record())
        assert read(tmp_path / "r.jsonl", CORPUS) == (record(),)


@pytest.mark.parametrize(
    "corpus",
    [
        replace(CORPUS, documents=(Document("a", "Se dan 5 g."),)),
        replace(CORPUS, documents=DOCUMENTS[1:]),
        replace(CORPUS, questions=QUESTIONS[1:]),
        replace(CORPUS, questions=(Question(Query("q1", "¿otra?"), None),)),
    ],
)
def test_records_of_another_corpus_are_refused(tmp_path: Path, corpus: Corpus) -> None:
    (tmp_path / "r.jsonl").write_text(to_line(record(), "r") + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"(?s)has changed since the run: .*r.jsonl, line 1"):
        read(tmp_path / "r.jsonl", corpus)


@pytest.mark.parametrize("line", ["[]", "{}", '{"schema": 99}', "null"])
def test_a_broken_line_is_the_users_error(tmp_path: Path, line: str) -> None:
    (tmp_path / "r.jsonl").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"r\.jsonl, line 1"):
        read(tmp_path / "r.jsonl", CORPUS)


def files(folder: Path, a: list[Record], b: list[Record]) -> tuple[Path, Path]:
    paths = (folder / "a.jsonl", folder / "b.jsonl")
    for path, written in zip(paths, (a, b), strict=True):
        path.write_text("".join(to_line(one, "r") + "\n" for one in written), encoding="utf-8")
    return paths


def test_two_runs_are_the_same_but_for_order_and_clock(tmp_path: Path) -> None:
    a = [record("q1", seconds=0.1), record("q2")]
    b = [record("q2"), record("q1", seconds=0.7)]
    assert same(*files(tmp_path, a, b))


def test_another_answer_is_another_run(tmp_path: Path) -> None:
    assert not same(*files(tmp_path, [record(answer="4 g.")], [record(answer="5 g.")]))


def test_a_missing_question_is_another_run(tmp_path: Path) -> None:
    assert not same(*files(tmp_path, [record("q1"), record("q2")], [record("q1")]))
