"""Numbers as reports write them."""

from __future__ import annotations

from collections.abc import Iterable

from benchmark.report.phrases import Phrases
from benchmark.statistics import Estimate


def number(value: float, digits: int = 2) -> str:
    """A figure without a sign where it rounds to 0.

    >>> number(-1e-17), number(0.456), number(1519.3, 0)
    ('0.00', '0.46', '1519')
    """
    return f"{round(value, digits) + 0.0:.{digits}f}"


def interval(one: Estimate, digits: int = 2) -> str | None:
    """
    >>> from benchmark.statistics import estimate
    >>> interval(estimate([1.0] * 10, on_unit_scale=True, seed=7)), interval(estimate([], on_unit_scale=True, seed=7))
    ('0.69–1.00', None)
    """
    if one.low is None or one.high is None:
        return None
    between = " – " if one.low < 0 else "–"  # a dash at a minus sign is read as one
    return f"{number(one.low, digits)}{between}{number(one.high, digits)}"


def doubted(one: Estimate, digits: int = 2) -> str | None:
    """An interval, with ``?`` where it holds the true mean less often than it says.

    >>> from benchmark.statistics import estimate
    >>> doubted(estimate([0.0, 0.5, 0.5, 1.0, 0.75], on_unit_scale=True, seed=7))
    '0.20–0.80?'
    """
    ends = interval(one, digits)
    return ends and ends + ("?" if one.caution else "")


def doubt_note(estimates: Iterable[Estimate], say: Phrases) -> str | None:
    """What ``?`` says of these intervals; ``None`` where none has it."""
    cautious = [one for one in estimates if one.caution]
    held = [100 * one.coverage for one in cautious if one.coverage is not None]
    if not held:
        return say("note.too_few") if cautious else None
    ends = dict.fromkeys(f"{share:.0f}" for share in (min(held), max(held)))
    return say("note.caution", held=f"{'–'.join(ends)} %")


def digits_of(key: str) -> int:
    """How many decimals the means of a metric are worth."""
    if key in ("cost/money", "cost/judge_money"):
        return 4
    return 0 if key in ("cost/context_tokens", "cost/prompt_tokens", "cost/completion_tokens") else 2
