"""An import is whole or not there, says what it met, and goes on where it was stopped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.domain import UserError
from benchmark.importing import importer
from benchmark.importing.forms import form_of
from benchmark.importing.importer import DRAFT, Imported, import_corpus
from benchmark.importing.nouns import Choices

Import = Callable[..., Imported]


@pytest.fixture
def imported(tmp_path: Path) -> Import:
    def imported(source: Path, *, watch: importer.Watch = lambda *_: None, language: str | None = "en") -> Imported:
        form = form_of(source, None, Choices())
        return import_corpus(form, tmp_path / "corpus", choices=Choices(), language=language, watch=watch)

    return imported


def passages(file: Path, count: int) -> Path:
    lines = [json.dumps({"id": f"d{n}", "text": f"The passage {n} says something."}) for n in range(count)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def ids(corpus: Path) -> list[str]:
    lines = (corpus / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["id"] for line in lines]


@pytest.mark.parametrize("stop", [1, 7, 15])
def test_an_interrupted_import_goes_on_and_ends_as_if_it_had_not_been(
    tmp_path: Path, imported: Import, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    monkeypatch.setattr(importer, "_EVERY", 0.0)
    (tmp_path / "source").mkdir()
    for name in ("a", "b"):
        file = passages(tmp_path / "source" / f"{name}.jsonl", 10)
        file.write_text(file.read_text(encoding="utf-8").replace('"d', f'"{name}'), encoding="utf-8")

    def interrupt(done: float, documents: int, file: str) -> None:
        if documents == stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        imported(tmp_path / "source", watch=interrupt)
    assert not (tmp_path / "corpus" / "documents.jsonl").exists()
    asked: list[int] = []
    told = imported(tmp_path / "source", watch=lambda done, documents, file: asked.append(documents))
    assert asked[0] >= stop
    assert ids(tmp_path / "corpus") == [f"{name}{n}" for name in "ab" for n in range(10)]
    assert told.documents == 20
    assert not (tmp_path / "corpus" / DRAFT).exists()


def test_a_draft_of_other_files_is_begun_anew(tmp_path: Path, imported: Import) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        imported(passages(tmp_path / "a.jsonl", 5), watch=interrupt)
    imported(passages(tmp_path / "b.jsonl", 2))
    assert ids(tmp_path / "corpus") == ["d0", "d1"]


def test_a_file_that_cannot_be_read_is_left_out_whole_and_named(tmp_path: Path, imported: Import) -> None:
    (tmp_path / "source").mkdir()
    passages(tmp_path / "source" / "a.jsonl", 2)
    (tmp_path / "source" / "b.jsonl").write_text('{"id": "b0", "text": "Half."}\n{"id": \n', encoding="utf-8")
    told = imported(tmp_path / "source")
    assert ids(tmp_path / "corpus") == ["d0", "d1"]
    assert "b.jsonl, line 2: this is not JSON" in told.left_out[0]


def test_where_nothing_can_be_read_nothing_is_written(tmp_path: Path, imported: Import) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": \n', encoding="utf-8")
    with pytest.raises(UserError, match="line 1: this is not JSON"):
        imported(tmp_path / "a.jsonl")
    assert not (tmp_path / "corpus").exists()


def test_a_corpus_that_is_there_is_not_written_over(tmp_path: Path, imported: Import) -> None:
    imported(passages(tmp_path / "a.jsonl", 1))
    with pytest.raises(UserError, match="choose another with --to"):
        imported(tmp_path / "a.jsonl")


def test_one_id_for_two_texts_is_refused_and_one_document_twice_counts_once(tmp_path: Path, imported: Import) -> None:
    row = '{"id": "d0", "text": "The passage 0 says something."}\n'
    (tmp_path / "a.jsonl").write_text(row + row, encoding="utf-8")
    told = imported(tmp_path / "a.jsonl")
    assert (told.documents, told.notes) == (1, ("1 documents are there twice, id and text, and count once",))
    (tmp_path / "b.jsonl").write_text(row + row.replace("0 says", "1 says"), encoding="utf-8")
    (tmp_path / "corpus").rename(tmp_path / "other")
    with pytest.raises(UserError, match=r"b\.jsonl, line 2: the id 'd0' was used before for another text"):
        imported(tmp_path / "b.jsonl")


def test_the_language_is_that_of_the_words_or_is_asked_for(tmp_path: Path, imported: Import) -> None:
    (tmp_path / "a.txt").write_text("La dosis de carga es de cuatro gramos por vía intravenosa.", encoding="utf-8")
    assert imported(tmp_path / "a.txt", language=None).language == "es"
    (tmp_path / "b.txt").write_text("자동 투구 판정 시스템", encoding="utf-8")
    (tmp_path / "corpus").rename(tmp_path / "other")
    with pytest.raises(UserError, match="--language"):
        imported(tmp_path / "b.txt", language=None)
    assert imported(tmp_path / "b.txt").documents == 1


def test_numbers_that_are_lost_are_counted(tmp_path: Path, imported: Import, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pypdfium2")
    from benchmark.importing.documents import lines
    from tests.importing.making import page_of, pdf

    file = pdf(tmp_path / "a.pdf", [page_of("The limit is 130 mg/dL and 153 mg/dL.")])
    joined = lines.joined
    monkeypatch.setattr(lines, "joined", lambda text, words: joined(text, words).replace("130 ", ""))
    told = imported(file)
    assert (told.numbers, told.lost) == (2, {"130": 1})


SPANISH = "La dosis de hierro en el embarazo es de 60 mg al día por vía oral, y se toma lejos de las comidas."


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ("What is the dose of iron in the pregnancy?", True),
        ("¿Cuál es la dosis de hierro en el embarazo?", False),
        ("Qual é a dose de ferro na gravidez?", False),  # too near to Spanish to be sure
        ("Hierro 60 mg", False),
    ],
)
def test_questions_that_seem_to_be_in_another_language_than_the_documents_are_told(
    tmp_path: Path, asked: str, is_told: bool
) -> None:
    (tmp_path / "a.md").write_text(SPANISH, encoding="utf-8")
    exam = tmp_path / "exam.csv"
    exam.write_text(f"question,reference\n{asked},60 mg\n", encoding="utf-8")
    form = form_of(tmp_path / "a.md", exam, Choices())
    told = import_corpus(form, tmp_path / "corpus", choices=Choices(), language=None, watch=lambda *_: None)
    said = "the questions seem to be in en and the documents in es: both are taken to be in es."
    assert any(note.startswith(said) for note in told.notes) is is_told
    [line] = (tmp_path / "corpus" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["language"] == "es"
