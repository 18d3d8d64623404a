"""``ragsweep corpus questions``: an exam drafted over the tiny corpus by a model at an endpoint."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import endpoint as replies
from tests.authoring.examiner import Examiner
from tests.conftest import Called
from tests.endpoint import Endpoint, serving

Ragsweep = Callable[..., Called]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789abcdef")
    with serving(Examiner()) as endpoint:
        yield endpoint


@pytest.fixture
def draft(ragsweep: Ragsweep, endpoint: Endpoint) -> Callable[..., Called]:
    """The command over the tiny corpus, with the model of the endpoint."""
    parts = ("generator=openai", f"generator.base_url={endpoint.url}", "generator.transport.backoff=0.01")

    def call(*more: str, source: str = "tiny", to: str = "drafts") -> Called:
        return ragsweep("corpus", "questions", source, "--to", to, *parts, "embedder=hash", "--language", "es", *more)

    return call


def drafts_in(folder: str = "drafts") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(folder, "drafts.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_draft_of_every_kind_passes_and_says_who_made_it(draft: Callable[..., Called]) -> None:
    called = draft("--count", "5")
    assert called.exit_code == 0, called.err
    assert "5 drafts, of which 5 passed every filter" in called.out
    assert "ragsweep corpus accept drafts drafts/review.csv --to corpora/NAME" in called.out
    assert "runs on this machine" not in called.out
    found = {one["tags"][0]: one for one in drafts_in()}
    assert list(found) == ["fact", "numeric", "comparison", "several", "unanswerable"]
    assert set(found["fact"]["filters"]) == {
        *("verbatim", "wording", "proofread", "supported", "passage_alone", "closed_book", "duplicate")
    }
    assert set(found["unanswerable"]["filters"]) == {"wording", "proofread", "unanswered", "duplicate"}
    assert [one["grade"] for one in found["several"]["evidence"]] == [2, 2]
    assert found["fact"]["made"]["model"] == "gpt-4.1-mini"
    assert found["fact"]["made"]["prompt"] == "chat_draft_fact"
    assert found["fact"]["tags"] == ["fact", "synthetic"]
    assert not found["unanswerable"]["answerable"]
    assert found["unanswerable"]["nearest"]["why"] == "Habla de ello y no dice cuánto cuesta."
    about = json.loads(Path("drafts/drafts.json").read_text(encoding="utf-8"))
    assert {"chat_draft_fact", "judge_relevance"} <= set(about["prompts"])
    assert about["turned_down"] == dict.fromkeys(about["turned_down"], 0)
    assert Path("drafts/review.html").is_file()


def test_what_was_accepted_is_an_exam_in_which_corpus_check_finds_nothing(
    ragsweep: Ragsweep, draft: Callable[..., Called]
) -> None:
    assert draft("--count", "5").exit_code == 0
    with Path("drafts/review.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with Path("reviewed.csv").open("w", encoding="utf-8", newline="") as file:
        sheet = csv.DictWriter(file, list(rows[0]))
        sheet.writeheader()
        sheet.writerows({**row, "decision": "accept", "reviewer": "ana"} for row in rows)
    accepted = ragsweep("corpus", "accept", "drafts", "reviewed.csv", "--to", "corpora/mine")
    assert accepted.exit_code == 0, accepted.err
    checked = ragsweep("corpus", "check", "corpora/mine", "--language", "es")
    assert (checked.exit_code, checked.out.strip()) == (0, "4 documents and 5 questions: nothing found")


def test_a_pool_is_graded_and_what_also_holds_the_answer_is_told(draft: Callable[..., Called], house: Path) -> None:
    documents = house / "corpora/tiny/documents"
    text = (documents / "hierro.md").read_text(encoding="utf-8").partition("# Hierro\n\n")[2]
    (documents / "copia.md").write_text(f"# Otra\n\n{text}", encoding="utf-8")
    assert draft("--kinds", "fact", "--count", "3").exit_code == 0
    [iron] = [one for one in drafts_in() if one["passages"][0]["document"] == "hierro"]
    assert {one["document"]: one["grade"] for one in iron["relevance"]} == {"hierro": 3, "copia": 3, "magnesio": 0}


def test_the_same_command_pays_nothing_twice(draft: Callable[..., Called], endpoint: Endpoint) -> None:
    assert draft("--count", "5").exit_code == 0
    asked = len(endpoint.bodies)
    assert draft("--count", "5", to="again").exit_code == 0
    assert len(endpoint.bodies) == asked
    assert drafts_in("again") == drafts_in("drafts")


def test_a_folder_that_is_there_is_never_written_over(draft: Callable[..., Called], endpoint: Endpoint) -> None:
    Path("drafts").mkdir()
    Path("drafts/review.csv").write_text("mine", encoding="utf-8")
    called = draft()
    assert called.exit_code == 2
    assert "--to is drafts, which is there" in called.err
    assert endpoint.bodies == []


def test_a_dry_run_counts_the_most_calls_and_sends_and_writes_nothing(
    draft: Callable[..., Called], endpoint: Endpoint
) -> None:
    called = draft("--count", "5", "dry_run=true")
    assert called.exit_code == 0, called.err
    # 5 drafts; of 4 the support is ruled on, and two answers with a ruling on each; 2 rulings on quotes by themselves;
    # one is read over its pool; 5 pools.
    assert re.search(r"gpt-4.1-mini +33 ", called.out)
    assert endpoint.bodies == []
    assert not Path("drafts").exists()


def test_a_budget_that_is_spent_stops_the_drafting_which_goes_on_with_a_higher_one(
    draft: Callable[..., Called], endpoint: Endpoint
) -> None:
    assert draft("--count", "5", "results=elsewhere", to="whole").exit_code == 0
    whole = len(endpoint.bodies)
    endpoint.bodies.clear()
    stopped = draft("--count", "5", "budget.calls=7")
    assert stopped.exit_code == 1
    assert "With a higher bound the same command goes on" in stopped.err
    assert not Path("drafts").exists()
    assert len(endpoint.bodies) == 7
    assert draft("--count", "5", f"budget.calls={whole - 7}").exit_code == 0
    assert len(endpoint.bodies) == whole
    assert drafts_in() == drafts_in("whole")


def test_one_call_that_breaks_loses_one_draft_and_is_told(draft: Callable[..., Called], endpoint: Endpoint) -> None:
    endpoint.script.append(replies.status(400, "this passage is refused"))
    called = draft("--kinds", "fact", "--count", "2", "generator.transport.in_flight=1")
    assert called.exit_code == 1
    assert "not drafted or not graded" in called.err
    assert "this passage is refused" in called.err
    assert len(drafts_in()) == 1


def test_documents_without_an_exam_are_drafted_over(draft: Callable[..., Called], house: Path) -> None:
    Path("corpora/tiny/questions.jsonl").unlink()
    called = draft("--kinds", "fact", "--count", "9", source="corpora/tiny")
    assert called.exit_code == 0, called.err
    assert "Only 2 could be drafted: no further passage suits these kinds." in called.out


@pytest.mark.parametrize(
    ("more", "found"),
    [
        (("--kinds", "numric"), "Did you mean numeric?"),
        (("--kinds", ","), "--kinds names no kind"),
        (("--count", "0"), "--count is 0"),
        (("corpus=obstetrics",), "the corpus is SOURCE"),
        (("judge=none",), "judge=none rules on nothing"),
        (("chunker.size=4", "chunker.overlap=0"), "no passage of tiny can be drafted from"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(
    draft: Callable[..., Called], endpoint: Endpoint, more: tuple[str, ...], found: str
) -> None:
    called = draft(*more)
    assert called.exit_code == 2
    assert found in called.err
    assert endpoint.bodies == []


def test_a_generator_that_only_answers_leaves_the_drafting_to_the_writer(ragsweep: Ragsweep) -> None:
    drafts = ("corpus", "questions", "tiny", "--to", "drafts", "--language", "es", "--kinds", "fact", "--count", "2")
    called = ragsweep(*drafts, "generator=echo", "writer=babble", "embedder=hash")
    assert called.exit_code == 0, called.err
    assert "babble runs on this machine. Small models write few questions worth asking: 0 of 2 stand," in called.out
    assert [one["made"]["prompt"] for one in drafts_in()] == ["draft_fact", "draft_fact"]


def test_where_no_reply_becomes_a_draft_nothing_is_written(ragsweep: Ragsweep) -> None:
    drafts = ("corpus", "questions", "tiny", "--to", "drafts", "--language", "es", "--kinds", "several")
    called = ragsweep(*drafts, "generator=echo", "writer=babble", "embedder=hash")
    assert called.exit_code == 1
    assert "No draft came of 2 of the replies: it has not the 4 lines of its form" in called.out
    assert not Path("drafts").exists()


@pytest.mark.slow
def test_the_local_model_drafts_offline_and_says_how_weak_it_is(ragsweep: Ragsweep) -> None:
    pytest.importorskip("xllamacpp")
    called = ragsweep("corpus", "questions", "tiny", "--to", "drafts", "--language", "es", "--count", "2")
    assert called.exit_code == 0, called.err
    assert "gemma_270m runs on this machine" in called.out
    assert json.loads(Path("drafts/drafts.json").read_text(encoding="utf-8"))["model"] == "gemma_270m"
