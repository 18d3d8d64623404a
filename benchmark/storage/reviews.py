"""The sheet on which people review drafts, written and read back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmark.domain import Document, Question, Span, UserError
from benchmark.drafting.nouns import Draft, Drafts
from benchmark.drafting.reviews import Decision, Review
from benchmark.storage.corpora import Exam
from benchmark.storage.fields import Place, clean, shown
from benchmark.storage.question_lines import passage, question_line
from benchmark.storage.runs import write_whole
from benchmark.storage.sheets import cell, numbered, sheet_rows, uncell, write_sheet

_MENDED = ("mended_question", "mended_reference", "mended_grades", "mended_quotes")
_FILLED_IN = ("decision", *_MENDED, "note", "reviewer")
COLUMNS = (
    *("draft", "kind", "answerable", "question", "reference", "grades", "quotes", "filters"),
    *_FILLED_IN,
    *("nearest", "passages"),
)
_WORDS = {
    Decision.ACCEPT: ("accept", "accepted", "a", "aceptar", "aceptada"),
    Decision.MEND: ("mend", "mended", "m", "corregir", "corregida"),
    Decision.REJECT: ("reject", "rejected", "r", "rechazar", "rechazada"),
}
_DECISIONS = f"{', '.join(Decision)}, or nothing for a draft that is not decided"
_GRADES = re.compile(r"[0-3](?:[\s,;.]+[0-3])*")  # a spreadsheet may take 3 1 or 3,1 for a number
_NUMBER = re.compile(r"^\[(\d+)\][ \t]*", re.MULTILINE)


def write_review(folder: Path, drafts: Drafts, page: str) -> tuple[Path, Path]:
    """Write ``review.csv`` and ``review.html``; returns the two. A CSV that is there stays."""
    sheet, shown_as = folder / "review.csv", folder / "review.html"
    write_whole(shown_as, page)
    write_sheet(sheet, review_rows(drafts), COLUMNS)
    return sheet, shown_as


def review_rows(drafts: Drafts) -> list[dict[str, str]]:
    """What the CSV says of each draft before it is reviewed: those that a filter turned down come last."""
    documents = {document.id: document for document in drafts.documents}
    return [_row(draft, documents) for draft in drafts.in_order_of_review]


def _row(draft: Draft, documents: Mapping[str, Document]) -> dict[str, str]:
    asked = draft.proposed
    down = [f"turned down by {name}: {draft.filters[name].reason}" for name in draft.turned_down]
    nearest = asked.nearest
    told = {
        "draft": draft.id,
        "kind": draft.kind,
        "answerable": "yes" if asked.answerable else "no",
        "question": asked.query.text,
        "reference": asked.reference or "",
        "grades": " ".join(str(one.grade) for one in asked.evidence),
        "quotes": numbered([_quote(one.span, documents) for one in asked.evidence]),
        "filters": "\n".join(down),
        **dict.fromkeys(_FILLED_IN, ""),
        "nearest": "" if nearest is None else f"{_quote(nearest.span, documents)}\n({nearest.why})",
        "passages": "\n\n".join(f"{span.document_id}: {_quote(span, documents)}" for span in draft.passages),
    }
    return {name: cell(text) for name, text in told.items()}


def _quote(span: Span, documents: Mapping[str, Document]) -> str:
    return documents[span.document_id].text[span.start : span.end]


# ------------------------------------------------------------------------------------------------------ read back


def read_reviews(files: Sequence[Path], drafts: Drafts) -> tuple[Review, ...]:
    """The decisions in some sheets. Who a row does not name as ``reviewer`` is called by the name of the file.

    Of a draft the sheet's own texts are not read: a spreadsheet may have changed them.

    Raises:
        UserError: a sheet cannot be read, or a row says what cannot be; the message names file, line and cure.
    """
    exam = Exam({document.id: document for document in drafts.documents}, drafts.about.language, None)
    known = {draft.id: draft for draft in drafts.drafts}
    reviews: dict[tuple[str, str], Review] = {}
    for file in files:
        if not file.is_file():
            raise Place(file).wrong("there is no such file", "a review.csv that was filled in", "correct the path")
        for place, values in sheet_rows(file, column="decision", columns=COLUMNS):
            review = _review(place, _texts(values), known, exam, file.stem)
            if review is None:
                continue
            before = reviews.setdefault((review.by, review.draft.id), review)
            if before.question != review.question:
                found = f"{review.by} decided otherwise on the draft {review.draft.id!r} before"
                raise place.wrong(found, "one decision by each reviewer", "take one out, or name another reviewer")
    if not reviews:
        raise UserError(
            f"{', '.join(map(str, files))}: no row has a decision.\n    wanted: in the column decision {_DECISIONS}\n"
            "    to do:  review the drafts in review.html or in the sheet, then give the file again"
        )
    return tuple(reviews.values())


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: clean(uncell(str(value))).strip() for name, value in values.items()}


def _review(place: Place, row: Mapping[str, str], known: Mapping[str, Draft], exam: Exam, file: str) -> Review | None:
    """The review of one row; ``None`` where nothing is decided."""
    draft = known.get(row.get("draft", ""))
    if draft is None:
        raise place.wrong(
            f"the draft {shown(row.get('draft', ''))} is none of these {len(known)}",
            "rows of the review.csv of this very folder, with their column draft as it was",
            "give the folder of drafts that the sheet is of",
        )
    decision = _decision(place, row.get("decision", ""))
    mended = [name for name in _MENDED if row.get(name)]
    if mended and decision in (None, Decision.ACCEPT):
        found = f"{mended[0]} is filled in and decision is {shown(row['decision'])}"
        raise place.wrong(found, "decision mend where something is mended", "write mend, or empty the mended cells")
    if decision is Decision.MEND and not mended:
        found = "decision is mend and nothing is mended"
        raise place.wrong(found, f"a change in one of {', '.join(_MENDED)}", "fill in one of them, or write accept")
    if decision is None:
        return None
    question = None if decision is Decision.REJECT else _question(place, row, draft, exam)
    return Review(draft, row.get("reviewer") or file, question, row.get("note", ""))


def _decision(place: Place, text: str) -> Decision | None:
    found = next((decision for decision, words in _WORDS.items() if text.lower() in words), None)
    if text and found is None:
        raise place.wrong(f"the decision is {shown(text)}", _DECISIONS, "write one of these words")
    return found


def _question(place: Place, row: Mapping[str, str], draft: Draft, exam: Exam) -> Question:
    """The question as it is to be in the exam, read as a line of ``questions.jsonl`` is."""
    asked = draft.proposed
    grades = _grades(place, row.get("mended_grades", ""), [one.grade for one in asked.evidence])
    line = question_line(asked, exam.documents)
    passages = [passage(one.span, exam.documents) for one in asked.evidence]
    for number, quote in _quotes(place, row.get("mended_quotes", ""), len(passages)):
        passages[number - 1] = _moved(asked.evidence[number - 1].span, quote, exam.documents)
    line["evidence"] = [{**one, "grade": grade} for one, grade in zip(passages, grades, strict=True) if grade]
    line["question"] = row.get("mended_question") or line["question"]
    line["reference"] = row.get("mended_reference") or line["reference"]
    best = max(grades, default=0)
    if asked.answerable and best < 2:
        raise place.wrong(
            f"the question {draft.id!r} has an answer, and no quote of grade 2 or 3 holds it",
            "a quote that holds the answer, or a part of it",
            "raise a grade in mended_grades, mend a quote, or reject the draft",
        )
    if not asked.answerable and best >= 2:
        raise place.wrong(
            f"the question {draft.id!r} has no answer in the documents, and a quote of grade {best} that answers it",
            "no grade above 1 where the documents have no answer",
            "lower the grades in mended_grades (0 takes a quote out), or reject the draft",
        )
    return exam.question(place, line)


def _grades(place: Place, text: str, before: list[int]) -> list[int]:
    if not text:
        return before
    found = [int(sign) for sign in text if sign.isdigit()] if _GRADES.fullmatch(text) else []
    if len(found) != len(before):
        raise place.wrong(
            f"mended_grades is {shown(text)}",
            f"a grade from 0 to 3 for each of the {len(before)} quotes, such as {' '.join(map(str, before)) or '3 1'}",
            "write them in the order of the quotes: 3 all of the answer, 2 a part, 1 on topic, 0 to take it out",
        )
    return found


def _quotes(place: Place, text: str, count: int) -> Iterator[tuple[int, str]]:
    """The mended quotes by their numbers; of one quote alone the number may be left out."""
    if not text:
        return
    parts = _NUMBER.split(text if _NUMBER.match(text) or count != 1 else f"[1] {text}")
    numbers = [int(number) for number in parts[1::2]]
    if parts[0].strip() or numbers != sorted(set(numbers) & set(range(1, count + 1))):
        raise place.wrong(
            f"mended_quotes is {shown(text)}",
            f"the quotes that are mended, each after its number in [], from [1] to [{count}]",
            "write them as the column quotes has them",
        )
    yield from zip(numbers, (quote.strip() for quote in parts[2::2]), strict=True)


def _moved(span: Span, quote: str, documents: Mapping[str, Document]) -> dict[str, object]:
    """A mended quote in the document of the old one; where it is a part of that, it is meant there."""
    text = documents[span.document_id].text
    inside = text.find(quote, span.start, span.end) if quote else -1
    start = {"start": inside} if inside >= 0 and text.count(quote) > 1 else {}
    return {"document": span.document_id, "quote": quote, **start}
