"""Quotes that a model copied, found again letter by letter, or turned down."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.bridges.places import Passage, Places
from benchmark.domain import Chunk, Document, Span
from benchmark.drafting.nouns import Filtered
from benchmark.text import words

_MARKS = " \t\n\"'«»“”‘’`"
"""What models put around a quote."""
_CUT = "….[]"


def verbatim(quotes: Sequence[str], passages: Sequence[Chunk]) -> tuple[tuple[Span, ...], Filtered]:
    """Where each quote stands in its passage, and whether all do; case, white space and marks around it are mended."""
    found: list[Span] = []
    mended = False
    for quote, passage in zip(quotes, passages, strict=True):
        span = _place(quote, passage)
        if span is None:
            return tuple(found), Filtered(False, f"the quote is not in the passage: {quote!r}")
        found.append(span)
        mended |= passage.text[span.start - passage.span.start : span.end - passage.span.start] != quote
    return tuple(found), Filtered(
        True, "mended: white space, case or marks around it" if mended else "letter by letter"
    )


def _place(quote: str, passage: Chunk) -> Span | None:
    places = Places.of([Document(passage.id, passage.text)])
    for text in (quote.strip(), quote.strip(_MARKS), quote.strip(_MARKS + _CUT)):
        span = places.span(Passage(text, passage.id)) if words(text) else None
        if span is not None:
            begin = passage.span.start
            return Span(passage.span.document_id, begin + span.start, begin + span.end)
    return None
