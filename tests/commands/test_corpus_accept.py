"""``ragsweep corpus accept``: reviewed drafts become an exam, once."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.storage import corpora
from benchmark.storage.drafts import write_drafts
from benchmark.storage.reviews import write_review
from tests.conftest import Called
from tests.drafting.drafted import DRAFTS, HEIGHT, KEEPER

Ragsweep = Callable[..., Called]
TO = ("--to", "corpora/costa")


@pytest.fixture
def drafted(house: Path) -> Path:
    """A folder of drafts with its sheet."""
    write_drafts(house / "drafts", DRAFTS)
    write_review(house / "drafts", DRAFTS, "<html>")
    return house


def decide(house: Path, who: str, **decisions: str | dict[str, str]) -> str:
    """A sheet with these decisions, by the drafts' ids with _ for -."""
    with (house / "drafts" / "review.csv").open(encoding="utf-8-sig", newline="") as opened:
        rows = list(csv.DictReader(opened))
    for row in rows:
        told = decisions.get(row["draft"].replace("-", "_"), {})
        row |= {"decision": told} if isinstance(told, str) else told
    with (house / f"review-{who}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return f"review-{who}.csv"


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in sorted(folder.rglob("*")) if file.is_file()
    }


def test_accepted_and_mended_drafts_become_a_new_corpus_that_says_where_each_comes_from(
    drafted: Path, ragsweep: Ragsweep
) -> None:
    sheet = decide(drafted, "ana", d_1={"decision": "mend", "mended_reference": "Treinta metros"}, d_2="accept")
    called = ragsweep("corpus", "accept", "drafts", sheet, *TO)
    assert called.exit_code == 0, called.err
    assert called.out.splitlines() == [
        "3 drafts: 2 accepted, 0 rejected, 0 in dispute, 1 not decided",
        "added 2 questions (1 mended) to corpora/costa/questions.jsonl, a new corpus with the documents",
        "who wrote and who reviewed each: corpora/costa/provenance.jsonl",
        "Check: ragsweep corpus check corpora/costa",
    ]
    made = corpora.load("costa", name="costa", documents_language="es", language="es")
    assert made.documents == DRAFTS.documents
    assert made.questions == (replace(HEIGHT.proposed, reference="Treinta metros"), KEEPER.proposed)
    assert all("synthetic" in question.tags for question in made.questions)
    kept = [json.loads(line) for line in (drafted / "corpora/costa/provenance.jsonl").read_text().splitlines()]
    assert kept[0] == {
        "question": "d-1",
        "model": "gemma_270m",
        "prompt": "fact.es",
        "prompt_digest": "abc123",
        "date": "2026-11-30",
        "decision": "mended",
        "reviewers": ["review-ana"],
        "notes": [],
    }
    card = (drafted / "corpora/costa/card.md").read_text(encoding="utf-8")
    assert "drafted by `gemma_270m` on 2026-11-30" in card
    assert "| Questions | 2: 1 answerable, 1 not |" in card


def test_once_more_changes_nothing_and_a_later_review_adds(drafted: Path, ragsweep: Ragsweep) -> None:
    sheet = decide(drafted, "ana", d_1="accept")
    ragsweep("corpus", "accept", "drafts", sheet, *TO)
    before = files(drafted / "corpora" / "costa")
    again = ragsweep("corpus", "accept", "drafts", sheet, *TO)
    assert (again.exit_code, files(drafted / "corpora" / "costa")) == (0, before)
    assert "nothing to add to corpora/costa\nthere already, as they were accepted: d-1" in again.out
    other = decide(drafted, "ben", d_1="accept", d_2="accept")
    assert "added 1 question (0 mended)" in ragsweep("corpus", "accept", "drafts", sheet, other, *TO).out
    kept = [json.loads(line) for line in (drafted / "corpora/costa/provenance.jsonl").read_text().splitlines()]
    assert [(one["question"], one["reviewers"]) for one in kept] == [
        ("d-1", ["review-ana", "review-ben"]),
        ("d-2", ["review-ben"]),
    ]
    assert "| Questions | 2:" in (drafted / "corpora/costa/card.md").read_text(encoding="utf-8")
    assert ragsweep("corpus", "check", "corpora/costa").out == "2 documents and 2 questions: nothing found\n"


def test_what_reviewers_differ_on_is_listed_and_not_merged(drafted: Path, ragsweep: Ragsweep) -> None:
    ana = decide(drafted, "ana", d_1="accept", d_2="accept")
    ben = decide(drafted, "ben", d_1="accept", d_2={"decision": "reject", "note": "se responde", "reviewer": "ben"})
    called = ragsweep("corpus", "accept", "drafts", ana, ben, *TO)
    assert called.exit_code == 1
    assert "1 accepted, 0 rejected, 1 in dispute, 1 not decided" in called.out
    assert "in dispute, not merged: d-2: review-ana: accept; ben: reject (se responde)" in called.out
    assert (drafted / "corpora/costa/questions.jsonl").read_text(encoding="utf-8").count("\n") == 1


def test_a_corpus_keeps_its_questions_and_its_words(drafted: Path, ragsweep: Ragsweep) -> None:
    folder = drafted / "corpora" / "costa"
    (folder / "documents").mkdir(parents=True)
    front = "---\ntitle: El faro\nlanguage: es\n---\n"
    (folder / "documents/faro.md").write_text(front + DRAFTS.documents[0].text, encoding="utf-8")
    (folder / "documents/puerto.md").write_text(
        "---\ntitle: El puerto\n---\n" + DRAFTS.documents[1].text, encoding="utf-8"
    )
    own = '{"id":"mine",  "question": "¿Quién?", "answerable": false}'
    (folder / "questions.jsonl").write_text(own, encoding="utf-8")
    (folder / "card.md").write_text("# Costa\n\nProse.\n", encoding="utf-8")
    called = ragsweep("corpus", "accept", "drafts", decide(drafted, "ana", d_1="accept"), *TO)
    assert called.exit_code == 0, called.err
    first, second = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    assert (first, json.loads(second)["id"]) == (own, "d-1")
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert card.startswith("# Costa\n\nProse.\n")
    assert "| Questions | 2: 1 answerable, 1 not |" in card
    assert not (folder / "documents.jsonl").exists()


def test_other_documents_are_refused_and_nothing_is_written(drafted: Path, ragsweep: Ragsweep) -> None:
    sheet = decide(drafted, "ana", d_1="accept")
    folder = drafted / "corpora" / "costa"
    folder.mkdir(parents=True)
    (folder / "documents.jsonl").write_text('{"id": "faro", "text": "Otro."}\n{"id": "x", "text": "X"}\n')
    before = files(folder)
    called = ragsweep("corpus", "accept", "drafts", sheet, *TO)
    assert (called.exit_code, called.out, files(folder)) == (2, "", before)
    assert "(1 missing there, such as 'puerto'; 1 only there, such as 'x'; 1 changed, such as 'faro')" in called.err
    assert "the documents of costa as they were on 2026-11-30" in called.err


def test_another_question_of_the_same_id_is_refused_and_a_rejected_one_is_told(
    drafted: Path, ragsweep: Ragsweep
) -> None:
    ragsweep("corpus", "accept", "drafts", decide(drafted, "ana", d_1="accept", d_2="accept"), *TO)
    before = files(drafted / "corpora" / "costa")
    mended = decide(drafted, "ana", d_1={"decision": "mend", "mended_reference": "31 m"}, d_3="accept")
    called = ragsweep("corpus", "accept", "drafts", mended, *TO)
    assert (called.exit_code, files(drafted / "corpora" / "costa")) == (2, before)
    assert "questions.jsonl, line 1: the exam has another question 'd-1'" in called.err
    rejected = ragsweep("corpus", "accept", "drafts", decide(drafted, "ana", d_2="reject"), *TO)
    assert rejected.exit_code == 0
    assert "rejected, and in the exam: d-2\n    to do:  take their lines out of questions.jsonl" in rejected.out


def test_nothing_accepted_makes_no_corpus(drafted: Path, ragsweep: Ragsweep) -> None:
    called = ragsweep("corpus", "accept", "drafts", decide(drafted, "ana", d_1="reject"), *TO)
    assert called.exit_code == 0
    assert "nothing to add to corpora/costa" in called.out
    assert not (drafted / "corpora/costa").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("drafts", "drafts/review.csv", *TO), "no row has a decision"),
        (("drafts", "none.csv", *TO), "none.csv: there is no such file"),
        (("nowhere", "drafts/review.csv", *TO), "there is no such folder"),
        (("drafts", "drafts/review.csv", "--to", "drafts"), "the folder of drafts"),
    ],
)
def test_what_is_wrong_is_told(drafted: Path, ragsweep: Ragsweep, arguments: tuple[str, ...], said: str) -> None:
    called = ragsweep("corpus", "accept", *arguments)
    assert (called.exit_code, called.out) == (2, "")
    assert said in called.err
    assert not (drafted / "corpora/costa").exists()
