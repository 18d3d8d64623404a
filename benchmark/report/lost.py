"""Why a question was lost, in lines for a terminal or a page, and what to do about the most frequent losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from benchmark.domain import Cause, Document, Hit, Record, Span
from benchmark.rootcause import LOST, REMEDIES, Place, RootCause, Trail

_REMEDIES_SHOWN = 3
_QUOTED = 160


def why_lost(root: RootCause, documents: Mapping[str, Document], *, quoted: int = _QUOTED) -> list[str]:
    """A title, then its details indented; evidence that is only on topic is left out.

    ``documents`` by id, to quote from them at most ``quoted`` characters each.
    """
    lines = [f"{root.question.id} was {'lost' if root.cause in LOST else 'not lost'}: {named(root.cause)}"]
    for trail in root.relevant:
        span = trail.evidence.span
        text = _quote(_text(span, documents), quoted)
        decides = ", the evidence that decides" if trail is root.deciding and len(root.relevant) > 1 else ""
        lines += [f"    evidence {_where(span)} (grade {trail.evidence.grade}{decides}){text}"]
        lines += [f"        {ranks_line(trail)}"]
    if root.instead is not None:
        lines.append(f"    in its place: {_where(root.instead.chunk.span)}{_quote(root.instead.chunk.text, quoted)}")
    lines += [f"    {line}" for line in (root.why, f"to do: {root.remedy}" if root.remedy else "") if line]
    return lines


def ranks_line(trail: Trail) -> str:
    """Where a piece of evidence stands at each stage: ``retrieve 3 of 20, rerank 7 of 20, context not there``."""
    return ", ".join(f"{place.stage} {_rank(place)}" for place in trail.places)


def place_of(hit: Hit | None) -> str:
    """Where a passage stands in its document; empty for none."""
    return "" if hit is None else _where(hit.chunk.span)


def remedy_lines(runs: Iterable[Sequence[Record]]) -> list[str]:
    """What to do about the most frequent losses of all runs; empty where nothing was lost."""
    counts = Counter(record.cause for records in runs for record in records if record.cause in LOST)
    return [f"{count} {named(cause)}: {REMEDIES[cause]}" for cause, count in counts.most_common(_REMEDIES_SHOWN)]


def named(cause: Cause) -> str:
    """The words for a cause.

    >>> named(Cause.CUT_BY_K)
    'cut by k'
    """
    return cause.value.replace("_", " ")


def _rank(place: Place) -> str:
    if place.rank is not None:
        return f"{place.rank} of {place.of}"
    return f"not there (a part at {place.part} of {place.of})" if place.part is not None else "not there"


def _where(span: Span) -> str:
    return f"{span.document_id} {span.start}-{span.end}"


def _text(span: Span, documents: Mapping[str, Document]) -> str:
    document = documents.get(span.document_id)
    return "" if document is None else document.text[span.start : span.end]


def _quote(text: str, quoted: int) -> str:
    line = " ".join(text.split())
    whole = len(line) <= quoted
    return f": {line if whole else line[:quoted].rstrip() + ' …'}" if line else ""
