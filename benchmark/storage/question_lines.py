"""Questions written as lines of ``questions.jsonl``."""

from __future__ import annotations

from collections.abc import Mapping

from benchmark.domain import Document, Question, Span


def question_line(question: Question, documents: Mapping[str, Document]) -> dict[str, object]:
    """The line that ``storage.corpora.Exam`` reads as this question; what is absent is left out.

    A quote that occurs more than once in its document has its ``start``; a whole document is the quote ``null``.
    """
    line: dict[str, object] = {
        "id": question.id,
        "question": question.query.text,
        "reference": question.reference,
        "answerable": question.answerable,
        "language": question.language,
    }
    if question.query.tenant is not None:
        line["tenant"] = question.query.tenant
    line["evidence"] = [{**passage(one.span, documents), "grade": one.grade} for one in question.evidence]
    line["tags"] = list(question.tags)
    line["difficulty"] = question.difficulty
    if question.hard_negatives:
        line["hard_negatives"] = [passage(span, documents) for span in question.hard_negatives]
    if question.nearest is not None:
        line["nearest"] = {**passage(question.nearest.span, documents), "why": question.nearest.why}
    if question.absent:
        line["absent"] = list(question.absent)
    return line


def passage(span: Span, documents: Mapping[str, Document]) -> dict[str, object]:
    """The document and the quote of a span, as a passage of a question says them."""
    text = documents[span.document_id].text
    if (span.start, span.end) == (0, len(text)):
        return {"document": span.document_id, "quote": None}
    quote = text[span.start : span.end]
    is_once = text.find(quote) == span.start and text.find(quote, span.start + 1) < 0
    return {"document": span.document_id, "quote": quote, **({} if is_once else {"start": span.start})}
