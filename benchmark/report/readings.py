"""What scores say once they are read together, as tables for a page or a write-up and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from benchmark.readings import Analysis
from benchmark.readings.matched_tokens import AtTokens
from benchmark.report.leaderboard import label_of
from benchmark.report.numbers import doubt_note, doubted, number
from benchmark.report.phrases import Phrases, phrases
from benchmark.statistics import Comparison, Estimate

CONTESTED = 12
"""The questions on which runs differ most; the rest stand in the list of all questions."""

Cell = str | tuple[str, ...]
"""A text, or the ids of questions, to which a page leads."""


@dataclass(frozen=True, slots=True)
class Together:
    """One table. ``rows`` are empty where there is nothing to show: ``why`` says then what was lacking."""

    name: str
    title: str
    note: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    why: str


def tables(analysis: Analysis, pairs: Sequence[Comparison], say: Phrases) -> tuple[Together, ...]:
    """All of them, in the order of a report; ``pairs`` of the headline, run against run."""
    makers: dict[str, Callable[[Analysis, Phrases], _Made]] = {
        "headroom": _headroom,
        "matched": _matched,
        "variance": _variance,
        "pairs": partial(_pairs, pairs),
        "duels": _duels,
        "contested": _contested,
        "abstention": _abstention,
        "judge": _judge,
    }
    metric = say.said(label_of(analysis.headline.name)) if analysis.headline is not None else ""
    shown = []
    for name, make in makers.items():
        heads, rows = make(analysis, say)
        told = [say(f"together.{name}{part}", metric=metric) for part in ("", ".how", ".why")]
        shown.append(Together(name, told[0], told[1], tuple(heads), tuple(rows), told[2]))
    return tuple(shown)


_Made = tuple[Sequence[str], Sequence[tuple[Cell, ...]]]


def _headroom(analysis: Analysis, say: Phrases) -> _Made:
    found = analysis.headroom
    runs = [name for name in analysis.rivals if any(name in by_run for by_run in found.values())]
    heads = [say("run"), *(say.said(label_of(key)) for key in found)]
    return heads, [(name, *(_told(by_run.get(name), say) for by_run in found.values())) for name in runs]


def _matched(analysis: Analysis, say: Phrases) -> _Made:
    found = measured_budgets(analysis)
    heads = [say("run"), *(say("together.at_most", tokens=one.tokens) for one in found)]
    runs = list(found[0].recall) if found else []
    return heads, [(_named(name, analysis), *(_told(one.recall[name], say) for one in found)) for name in runs]


def _variance(analysis: Analysis, say: Phrases) -> _Made:
    shares = {
        key: {part.source: part.share for part in split.components if part.share is not None}
        for key, split in analysis.splits.items()
    }
    shares = {key: found for key, found in shares.items() if found}
    sources = dict.fromkeys(source for found in shares.values() for source in found)
    heads = [say("together.source"), *(say.said(label_of(key)) for key in shares)]
    rows: list[tuple[Cell, ...]] = []
    for source in sources:
        named = " × ".join(say(f"factor.{factor}") for factor in source.split(" x "))
        cells = (f"{100 * found[source]:.0f} %" if source in found else "–" for found in shares.values())
        rows.append((named, *cells))
    return heads, rows


def _pairs(pairs: Sequence[Comparison], _: Analysis, say: Phrases) -> _Made:
    heads = [say(f"together.pairs.{name}") for name in ("pair", "difference", "effect", "p", "wilcoxon")]
    rows: list[tuple[Cell, ...]] = []
    for one in pairs:
        effect = "–" if one.effect is None else number(one.effect)
        told = _told(one.difference, say), effect, number(one.adjusted_p, 3), number(one.wilcoxon_p, 3)
        rows.append((f"{one.a} – {one.b}", *told))
    return heads, rows


def _duels(analysis: Analysis, say: Phrases) -> _Made:
    heads = [say(f"together.duels.{name}") for name in ("pair", "first", "second", "level")]
    found = () if analysis.headline is None else analysis.headline.duels
    return heads, [(f"{one.a} – {one.b}", one.won_by_a, one.won_by_b, str(len(one.level))) for one in found]


def _contested(analysis: Analysis, say: Phrases) -> _Made:
    heads = [say(f"together.contested.{name}") for name in ("question", "gap", "best", "worst")]
    found = () if analysis.headline is None else analysis.headline.contested[:CONTESTED]
    return heads, [((one.question,), number(one.gap), ", ".join(one.best), ", ".join(one.worst)) for one in found]


def _abstention(analysis: Analysis, say: Phrases) -> _Made:
    parts = ("answered", "refused", "relevancy", "aware")
    heads = [say("run"), *(say(f"together.abstention.{part}") for part in parts)]
    found = {name: [getattr(one, part) for part in parts] for name, one in analysis.abstention.items()}
    if not any(one.mean is not None for estimates in found.values() for one in estimates):
        return heads, []
    return heads, [
        (_named(name, analysis), *(_told(one, say) for one in estimates)) for name, estimates in found.items()
    ]


def _judge(analysis: Analysis, say: Phrases) -> _Made:
    heads = [say("run"), *(say(f"together.judge.{part}") for part in ("passages", "agreeing", "kappa"))]
    return heads, [
        (_named(name, analysis), str(one.passages), f"{100 * (one.agreeing or 0.0):.0f} %", _told(one.kappa, say))
        for name, one in analysis.agreement.items()
        if one.passages
    ]


def measured_budgets(analysis: Analysis) -> tuple[AtTokens, ...]:
    """The budgets at which any run's recall was measured: none where no question has gold evidence."""
    return tuple(one for one in analysis.matched if any(found.mean is not None for found in one.recall.values()))


def _told(one: Estimate | None, say: Phrases) -> str:
    if one is None or one.mean is None:
        return say("not_measured")
    ends = doubted(one)
    return f"{number(one.mean)} ({ends})" if ends else number(one.mean)


def _named(name: str, analysis: Analysis) -> str:
    """A bound stands in brackets."""
    return name if name in analysis.rivals else f"({name})"


# ------------------------------------------------------------------------------------------------------ as lines

_TOLD = 3


def together_lines(analysis: Analysis) -> list[str]:
    """The tables in short, in English: of the headline and evidence recall, the leanest budget, the widest gaps."""
    lines: list[str] = []
    for key in dict.fromkeys((*([analysis.headline.name] if analysis.headline else []), "retrieval/recall_k")):
        if key in analysis.headroom:
            lines.append(f"Headroom recovered, {label_of(key)}: {_estimates(analysis.headroom[key])}.")
        if key in analysis.splits and (parts := analysis.splits[key].components)[0].share is not None:
            shares = ", ".join(f"{part.source} {100 * (part.share or 0.0):.0f} %" for part in parts)
            lines.append(f"Variance of {label_of(key)}: {shares}.")
    lean = _leanest(analysis)
    if lean is not None:
        rivals = {name: one for name, one in lean.recall.items() if name in analysis.rivals}
        lines.append(f"Evidence recall within {lean.tokens} tokens of context each: {_estimates(rivals)}.")
    aware = {name: one.aware for name, one in analysis.abstention.items() if name in analysis.rivals}
    if any(one.mean is not None for one in aware.values()):
        lines.append(f"Relevancy that counts refusals: {_estimates(aware)}.")
    doubt = doubt_note([*aware.values(), *(lean.recall.values() if lean else ())], phrases("en"))
    lines += [doubt] if doubt else []
    for one in (analysis.headline.contested if analysis.headline else ())[:_TOLD]:
        few = ", ".join(one.best[:_TOLD]), ", ".join(one.worst[:_TOLD])
        lines.append(f"They differ most on {one.question}: best {few[0]}; worst {few[1]}; {number(one.gap)} between.")
    return lines


def judge_lines(analysis: Analysis, said: Callable[[str], str] = str) -> list[str]:
    """Of each judge, how far its rulings on the passages of rivals agree with gold evidence."""
    return [f"{name}: {said(one.sentence)}" for name, one in analysis.judges.items() if one.passages]


def _leanest(analysis: Analysis) -> AtTokens | None:
    """The budget that the rival with the least context fills."""
    found = measured_budgets(analysis)
    used = [tokens for name, tokens in found[-1].used.items() if name in analysis.rivals] if found else []
    if len(used) < 2:
        return None
    return next((one for one in found if one.tokens >= min(used)), None)


def _estimates(found: Mapping[str, Estimate]) -> str:
    told = [(name, one.mean, doubted(one)) for name, one in found.items()]
    return ", ".join(
        f"{name} not measured" if mean is None else f"{name} {number(mean)}" + (f" ({ends})" if ends else "")
        for name, mean, ends in told
    )
