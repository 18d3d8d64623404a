"""The sheet of a review: what it says of a draft, and what people's cells become."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.domain import Evidence, UserError
from benchmark.drafting.reviews import Decision, Review
from benchmark.storage.reviews import COLUMNS, read_reviews, review_rows, write_review
from tests.drafting.drafted import DRAFTS, HEIGHT, KEEPER, LEAKED, span

Rows = dict[str, dict[str, str]]


def rows() -> Rows:
    return {row["draft"]: row for row in review_rows(DRAFTS)}


def write(file: Path, rows: Rows, *, delimiter: str = ",") -> Path:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows.values())
    file.write_text(text.getvalue(), encoding="utf-8-sig")
    return file


def review(folder: Path, of: str = "d-1", /, **cells: str) -> Review:
    """The review of one draft whose row is filled in."""
    changed = {name: {**row, **(cells if name == of else {})} for name, row in rows().items()}
    [found] = read_reviews([write(folder / "review-ana.csv", changed, delimiter=";")], DRAFTS)
    return found


def test_a_spreadsheet_opens_it_with_those_that_passed_first(tmp_path: Path) -> None:
    sheet, page = write_review(tmp_path, DRAFTS, "<html>")
    assert (sheet.read_bytes()[:3], page.read_text()) == (b"\xef\xbb\xbf", "<html>")
    assert [row["draft"] for row in csv.DictReader(sheet.open(encoding="utf-8-sig"))] == ["d-1", "d-2", "d-3"]
    told = rows()
    assert told["d-1"]["quotes"] == "[1] El faro mide 30 m.\n\n[2] El faro mide 30 m."
    assert (told["d-1"]["grades"], told["d-1"]["filters"]) == ("3 3", "")
    assert told["d-3"]["filters"] == "turned down by leakage: four of four words are the passage's"
    assert told["d-3"]["reference"] == "'=1898"
    assert told["d-2"]["nearest"] == "Lo cuida Ana.\n(no dice desde cuándo)"


def test_a_turned_down_draft_stands_behind_the_others() -> None:
    turned = replace(DRAFTS, drafts=(LEAKED, HEIGHT, KEEPER))
    assert [row["draft"] for row in review_rows(turned)] == ["d-1", "d-2", "d-3"]


def test_a_sheet_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "review.csv").write_text("mine")
    write_review(tmp_path, DRAFTS, "<html>")
    assert (tmp_path / "review.csv").read_text() == "mine"


@pytest.mark.parametrize("word", ["accept", " Accept ", "A", "aceptar"])
def test_an_accepted_draft_is_the_question_with_its_pool(tmp_path: Path, word: str) -> None:
    found = review(tmp_path, decision=word, question="spoilt by a spreadsheet")
    assert found == Review(HEIGHT, "review-ana", HEIGHT.proposed)


def test_what_is_mended_is_taken_and_the_rest_stays(tmp_path: Path) -> None:
    cells = {"mended_question": "'=¿Mide?", "mended_grades": "2,0", "reviewer": "ana", "note": "mejor así"}
    found = review(tmp_path, decision="mend", **cells)
    assert found.question is not None
    assert (found.question.query.text, found.question.reference) == ("=¿Mide?", "30 m")
    assert found.question.evidence == (Evidence(span(0, "El faro mide 30 m."), 2),)
    assert (found.by, found.note, found.decision) == ("ana", "mejor así", Decision.MEND)
    assert found.question.tags == ("fact", "synthetic")


def test_a_shorter_quote_is_meant_where_the_old_one_stands(tmp_path: Path) -> None:
    found = review(tmp_path, decision="mend", mended_quotes="[2] 30 m\n")
    assert found.question is not None
    assert found.question.evidence[1] == Evidence(span(1, "30 m"), 3)
    other = review(tmp_path, "d-3", decision="mend", mended_quotes="El faro mide 30 m.\nSe encendió en 1898.")
    assert other.question is not None
    assert other.question.evidence[0].span == span(0, "El faro mide 30 m.\nSe encendió en 1898.")


@pytest.mark.parametrize("grades", ["1 2", "1.2", "1,2", "1; 2"])
def test_grades_are_read_whatever_a_spreadsheet_made_of_them(tmp_path: Path, grades: str) -> None:
    found = review(tmp_path, decision="mend", mended_grades=grades)
    assert found.question is not None
    assert [one.grade for one in found.question.evidence] == [1, 2]


@pytest.mark.parametrize(
    ("draft", "cells", "said"),
    [
        ("d-1", {"decision": "yes"}, 'the decision is "yes"'),
        ("d-1", {"decision": "mend"}, "decision is mend and nothing is mended"),
        (
            "d-1",
            {"decision": "accept", "mended_reference": "31 m"},
            'mended_reference is filled in and decision is "acc',
        ),
        ("d-1", {"mended_reference": "31 m"}, 'mended_reference is filled in and decision is ""'),
        ("d-1", {"decision": "mend", "mended_quotes": "[1] mide 31 m"}, 'the quote "mide 31 m" of a piece of evidence'),
        ("d-1", {"decision": "mend", "mended_quotes": "mide 30 m"}, "from [1] to [2]"),
        ("d-1", {"decision": "mend", "mended_quotes": "[3] mide"}, "from [1] to [2]"),
        ("d-1", {"decision": "mend", "mended_grades": "3"}, "a grade from 0 to 3 for each of the 2 quotes"),
        ("d-1", {"decision": "mend", "mended_grades": "3 4"}, "a grade from 0 to 3 for each of the 2 quotes"),
        ("d-1", {"decision": "mend", "mended_grades": "1 1"}, "no quote of grade 2 or 3 holds it"),
        ("d-1", {"decision": "accept", "draft": "d-9"}, 'the draft "d-9" is none of these 3'),
        ("d-1", {}, "no row has a decision"),
    ],
)
def test_what_cannot_be_is_refused_with_its_row(tmp_path: Path, draft: str, cells: dict[str, str], said: str) -> None:
    with pytest.raises(UserError) as told:
        review(tmp_path, draft, **cells)
    assert said in str(told.value)
    assert "wanted: " in str(told.value)
    assert "to do: " in str(told.value)
    assert "line 2: " in str(told.value) or "no row" in said


def test_a_question_without_an_answer_has_no_quote_that_answers_it(tmp_path: Path) -> None:
    answered = replace(KEEPER, relevance=(replace(HEIGHT.relevance[0], grade=2),))
    drafts = replace(DRAFTS, drafts=(answered,))
    [row] = review_rows(drafts)
    file = write(tmp_path / "review.csv", {"d-2": {**row, "decision": "accept"}})
    with pytest.raises(UserError, match=r"line 2: the question 'd-2' has no answer(.|\n)*lower the grades"):
        read_reviews([file], drafts)
    write(file, {"d-2": {**row, "decision": "mend", "mended_grades": "1"}})
    assert read_reviews([file], drafts)[0].question is not None


def test_one_person_decides_once(tmp_path: Path) -> None:
    told = rows()
    first = write(tmp_path / "a.csv", {"d-1": {**told["d-1"], "decision": "accept", "reviewer": "ana"}})
    second = write(tmp_path / "b.csv", {"d-1": {**told["d-1"], "decision": "reject", "reviewer": "ana"}})
    assert len(read_reviews([first, first], DRAFTS)) == 1
    with pytest.raises(UserError, match="ana decided otherwise on the draft 'd-1' before"):
        read_reviews([first, second], DRAFTS)


def test_a_sheet_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such file"):
        read_reviews([tmp_path / "none.csv"], DRAFTS)
    (tmp_path / "other.csv").write_text("question,answer\na,b\n")
    with pytest.raises(UserError, match="line 1: there is no column decision"):
        read_reviews([tmp_path / "other.csv"], DRAFTS)
