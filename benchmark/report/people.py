"""How far a judge agrees with people: a table, what is said below it, and the same for a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from benchmark.readings.people import Annotators, Figures, Ruled, Threshold
from benchmark.report.leaderboard import NOT_MEASURED
from benchmark.report.numbers import interval, number
from benchmark.statistics import Estimate, How
from benchmark.text import some

_HEADS = ("cases", "n", "supported", "accuracy", "balanced accuracy", "AUC", "kappa")
_LONGEST = 140


@dataclass(frozen=True, slots=True)
class Checked:
    """All that a check found. ``unlabelled``: cases without a label, or with a tie; ``failed``: ids, by the reason."""

    judges: tuple[str, ...]
    whole: Figures
    parts: tuple[Figures, ...]
    annotators: Annotators
    threshold: Threshold
    worst: tuple[Ruled, ...]
    unlabelled: int
    failed: Mapping[str, Sequence[str]]


def as_table(checked: Checked) -> Table:
    """For a terminal: the figures of all cases, then of their parts."""
    table = Table(header_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for place, head in enumerate(_HEADS):
        table.add_column(head, justify="left" if place == 0 else "right", no_wrap=True)
    for one in (checked.whole, *checked.parts):
        figures = (one.accuracy, one.balanced_accuracy, one.auc, one.kappa)
        table.add_row(one.name, str(one.n), str(one.supported), *(Text(told(figure)) for figure in figures))
    return table


def told(one: Estimate) -> str:
    """A figure with its interval, or that it has none."""
    if one.mean is None:
        return NOT_MEASURED
    why = "one context" if one.how is How.ONE_QUESTION else one.how  # what is resampled here
    return f"{number(one.mean)} [{interval(one) or why}]"


def sentence(figures: Figures) -> str:
    """How a judge did, in a line that is kept with the check."""
    said = [f"balanced accuracy {told(figures.balanced_accuracy)}", f"AUC {told(figures.auc)}"]
    return f"{', '.join(said)}, kappa {told(figures.kappa)} on {figures.n} cases"


def notes(checked: Checked) -> list[str]:
    """What is said below the table."""
    lines = []
    if checked.unlabelled:
        lines.append(f"{checked.unlabelled} more cases have no label, or as many for as against: they are left out")
    for why, cases in checked.failed.items():
        lines.append(f"{len(cases)} {'case' if len(cases) == 1 else 'cases'} not ruled on ({some(cases)}): {why}")
    if any(part.name.startswith("drawn: ") for part in checked.parts):
        lines.append("cases drawn as lowest or unsure are the hard ones: only those drawn at random stand for all")
    return [*lines, _annotators(checked.annotators), _threshold(checked.threshold)]


def _annotators(found: Annotators) -> str:
    if not found.cases:
        return "agreement between annotators: not measured, as no case was labelled by two"
    agree = f"{told(found.accuracy)} of the pairs, kappa {told(found.kappa)}"
    return f"annotators of the same case agree in {agree} ({found.cases} cases)"


def _threshold(found: Threshold) -> str:
    if found.value is None or found.balanced_accuracy is None or found.own is None:
        return f"threshold that serves best: not measured, as {found.why}"
    return (
        f"threshold that serves best on {found.found_on} cases: {found.value:.3g}; on the other {found.measured_on} "
        f"its balanced accuracy is {told(found.balanced_accuracy)}, that of the judge's own rulings {told(found.own)}"
    )


def worst_lines(ruled: Sequence[Ruled]) -> list[str]:
    """The disagreements, to be read: what people said, what the judge said and why."""
    lines = []
    for one in ruled:
        people, judge = ("supported" if said else "not supported" for said in (one.label, bool(one.holds)))
        lines.append(f"{one.case.id}: people say {people}, the judge {judge} ({number(one.support or 0.0)})")
        parts = {
            "question": one.case.question,
            "claim" if one.case.claim is not None else "answer": one.case.text,
            "context": " / ".join(one.case.context),
            "judge": one.reason,
        }
        lines += [f"    {name}: {_short(text)}" for name, text in parts.items() if text.strip()]
    return lines


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ..."


def plain(checked: Checked) -> dict[str, object]:
    """For a program; a figure that is not measured is ``None``."""
    return {
        "judges": list(checked.judges),
        "all": plain_figures(checked.whole),
        "parts": [plain_figures(part) for part in checked.parts],
        "annotators": asdict(checked.annotators),
        "threshold": asdict(checked.threshold),
        "unlabelled": checked.unlabelled,
        "not_ruled_on": {why: list(cases) for why, cases in checked.failed.items()},
        "worst": [asdict(one) for one in checked.worst],
    }


def plain_figures(figures: Figures) -> dict[str, object]:
    return asdict(figures)
