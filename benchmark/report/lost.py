"""Why a question was lost, in lines for a terminal or a page, and what to do about the most frequent losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from benchmark.domain import Cause, Evidence, Hit, Record, Span
from benchmark.report.phrases import Phrases
from benchmark.rootcause import LOST, REMEDIES, Place, RootCause, Trail

_REMEDIES_SHOWN = 3
_QUOTED = 160


def why_lost(root: RootCause, say: Phrases, *, quoted: int = _QUOTED) -> list[str]:
    """Each piece of evidence with its way, what stands in its place, what the judge said, and what to do.

    ``quoted``: how many characters of the passage in its place are quoted.
    """
    lines = [
        f"{say('page.evidence')} {number}: {_way(trail, root, say)}" for number, trail in enumerate(root.trails, 1)
    ]
    if root.instead is not None:
        text = _quote(root.instead.chunk.text, quoted)
        lines.append(f"{say('page.instead')}: {_where(root.instead.chunk.span)}{text}")
    if root.why:
        lines.append(say.said(root.why))
    if root.cause in LOST and root.remedy:
        lines.append(f"{say('what_to_do')} {say.said(root.remedy)}")
    return lines


def _way(trail: Trail, root: RootCause, say: Phrases) -> str:
    """Where a piece of evidence stands at each stage, and whether it decides."""
    told = [f"{say.stage(place.stage)} {_ranked(place, say)}" for place in trail.places]
    several = sum(one.evidence.grade >= root.min_grade for one in root.trails) > 1
    return " → ".join(told) + (f" ({say('page.decides')})" if several and trail is root.deciding else "")


def _ranked(place: Place, say: Phrases) -> str:
    """
    >>> from benchmark.report.phrases import phrases
    >>> _ranked(Place("rerank", 20, 3, None), phrases("en")), _ranked(Place("rerank", 20, None, 4), phrases("en"))
    ('#3 of 20', '– of 20 (a part: #4)')
    """
    part = f" ({say('page.part')}: #{place.part})" if place.rank is None and place.part is not None else ""
    return f"{'–' if place.rank is None else f'#{place.rank}'} {say('page.of')} {place.of}{part}"


def ranks_line(trail: Trail) -> str:
    """The same for a table of failures: ``retrieve 3 of 20, rerank 7 of 20, context not there``."""
    return ", ".join(f"{place.stage} {_rank(place)}" for place in trail.places)


def touched(evidence: Sequence[Evidence], hit: Hit) -> list[int]:
    """The places (from 0) of the evidence that a hit holds or touches."""
    return [place for place, item in enumerate(evidence) if hit.chunk.span.overlaps(item.span)]


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


def _quote(text: str, quoted: int) -> str:
    line = " ".join(text.split())
    whole = len(line) <= quoted
    return f": {line if whole else line[:quoted].rstrip() + ' …'}" if line else ""
