"""How far a judge's rulings agree with the labels that people gave the same cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from benchmark.readings.agreement import kappas
from benchmark.statistics.intervals import Estimate, How, bca_of_means, clopper_pearson
from benchmark.statistics.separation import separation, separation_interval
from benchmark.statistics.values import Matrix, Vector
from benchmark.text import count_tokens


@dataclass(frozen=True, slots=True)
class Case:
    """What is ruled on: whether ``context`` supports the ``claim``, or without one the whole answer.

    ``drawn``: how it was chosen, where cases were drawn from runs.
    """

    id: str
    question: str
    context: tuple[str, ...]
    answer: str
    claim: str | None
    language: str
    drawn: str | None = None

    @property
    def text(self) -> str:
        return self.answer if self.claim is None else self.claim


@dataclass(frozen=True, slots=True)
class Labelled:
    """A case and the label of each who read it: True for supported, ``None`` for one who could not say."""

    case: Case
    votes: tuple[bool | None, ...]

    @property
    def cast(self) -> tuple[bool, ...]:
        return tuple(vote for vote in self.votes if vote is not None)

    @property
    def label(self) -> bool | None:
        """What more than half of those who could say said; ``None`` for a tie and where nobody could."""
        supported = sum(self.cast)
        against = len(self.cast) - supported
        return None if supported == against else supported > against


@dataclass(frozen=True, slots=True)
class Ruled:
    """A case with people's label and the judge's ruling.

    ``holds``: every statement of the case is supported; ``support``: how sure the judge is of it, from 0 to 1, mean
    over the statements. Both are ``None`` where the judge could not say, and then ``reason`` says why.
    """

    case: Case
    label: bool
    holds: bool | None
    support: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Figures:
    """How a judge does on ``n`` cases that it ruled on; ``missing`` more it could not.

    The intervals of 95 % resample contexts, as cases that share one are not independent. ``kappa`` (Cohen 1960)
    corrects for chance, ``balanced_accuracy`` is the mean of the shares of either label that are recognised,
    ``auc`` how well ``support`` tells them apart, whatever the threshold.
    """

    name: str
    n: int
    missing: int
    supported: int
    accuracy: Estimate
    balanced_accuracy: Estimate
    auc: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class Threshold:
    """From which ``support`` a case is best called supported: found on one half of the contexts, measured on the other.

    ``own``: the balanced accuracy of the judge's own rulings on that other half. ``value`` is ``None`` where ``why``
    says that there was none to find.
    """

    value: float | None
    why: str
    found_on: int
    measured_on: int
    balanced_accuracy: Estimate | None = None
    own: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Annotators:
    """How far people agree with each other, over pairs of those who labelled one case.

    ``kappa`` is Fleiss's (1971) where all cases have as many labels; of two annotators it is Scott's.
    """

    cases: int
    accuracy: Estimate
    kappa: Estimate


def figures(name: str, ruled: Sequence[Ruled], *, seed: int) -> Figures:
    """The figures of these cases, with intervals."""
    told = [one for one in ruled if one.holds is not None]
    lacking = len(ruled) - len(told)
    labels = [one.label for one in told]
    tables = _by_context(told, [_cell(bool(one.holds), one.label) for one in told])

    def estimate(function: Callable[[Matrix], Vector]) -> Estimate:
        return _estimate(tables, function, n=len(told), missing=lacking, seed=seed)

    return Figures(
        name,
        len(told),
        lacking,
        sum(labels),
        estimate(accuracies),
        estimate(balanced_accuracies),
        _auc(told, missing=lacking, seed=seed),
        estimate(kappas),
    )


def breakdown(ruled: Sequence[Ruled], *, seed: int) -> tuple[Figures, ...]:
    """The figures by language, by how cases were drawn, and by thirds of length; only where there are several."""
    groups: list[tuple[str, list[Ruled]]] = []
    for key in ("language", "drawn"):
        names = dict.fromkeys(getattr(one.case, key) for one in ruled)
        if len(names) > 1:
            groups += [
                (f"{key}: {name or 'not said'}", [one for one in ruled if getattr(one.case, key) == name])
                for name in names
            ]
    groups += _by_length(ruled)
    return tuple(figures(name, members, seed=seed) for name, members in groups)


def _by_length(ruled: Sequence[Ruled]) -> Iterator[tuple[str, list[Ruled]]]:
    lengths = np.array([count_tokens(one.case.text) for one in ruled])
    limits = np.quantile(lengths, [1 / 3, 2 / 3], method="lower") if len(ruled) else np.zeros(2)
    first, second = int(limits[0]), int(limits[1])
    names = (
        f"length: up to {first} tokens",
        f"length: {first + 1} to {second} tokens",
        f"length: over {second} tokens",
    )
    parts = np.searchsorted([first, second], lengths, "left")
    if len(set(parts.tolist())) > 1:
        for part, name in enumerate(names):
            if members := [one for one, own in zip(ruled, parts, strict=True) if own == part]:
                yield name, members


def threshold_on_halves(ruled: Sequence[Ruled], *, seed: int) -> Threshold:
    """The threshold of the best balanced accuracy on half of the contexts, drawn by ``seed``, measured on the rest."""
    told = [one for one in ruled if one.support is not None]
    contexts = list(dict.fromkeys(one.case.context for one in told))
    order = np.random.default_rng(seed).permutation(len(contexts))
    chosen = {contexts[place] for place in order[: len(contexts) // 2]}
    first = [one for one in told if one.case.context in chosen]
    second = [one for one in told if one.case.context not in chosen]
    if any(len({one.label for one in half}) < 2 for half in (first, second)):
        why = "supported and unsupported cases are wanted in each half"
        return Threshold(None, why, len(first), len(second))
    value = best_threshold([one.support or 0.0 for one in first], [one.label for one in first])
    moved = [replace(one, holds=(one.support or 0.0) >= value) for one in second]
    return Threshold(
        value,
        "",
        len(first),
        len(second),
        figures("", moved, seed=seed).balanced_accuracy,
        figures("", second, seed=seed).balanced_accuracy,
    )


def best_threshold(support: Sequence[float], labels: Sequence[bool]) -> float:
    """The threshold of the best balanced accuracy, halfway between two values of ``support``; of several the middle.

    >>> best_threshold([0.1, 0.2, 0.6, 0.9], [False, False, True, True])
    0.4
    """
    values = np.unique(support)
    candidates = np.concatenate([values[:1], (values[1:] + values[:-1]) / 2])
    over = np.asarray(support)[None] >= candidates[:, None]
    is_supported = np.asarray(labels, dtype=bool)
    reached = (over[:, is_supported].mean(axis=1) + (~over[:, ~is_supported]).mean(axis=1)) / 2
    best = candidates[np.isclose(reached, reached.max())]
    return float(round(best[(len(best) - 1) // 2], 6))


def annotators(labelled: Iterable[Labelled], *, seed: int) -> Annotators:
    """How far those who labelled the same case agree; each case counts once, however many pairs it has."""
    several = [one for one in labelled if len(one.cast) > 1]
    rows = [np.mean([_pair(a, b) for a, b in combinations(one.cast, 2)], axis=0) for one in several]
    tables = _sums([one.case.context for one in several], rows)
    found = (_estimate(tables, function, n=len(several), missing=0, seed=seed) for function in (accuracies, kappas))
    return Annotators(len(several), *found)


def worst(ruled: Iterable[Ruled], count: int) -> tuple[Ruled, ...]:
    """The cases in which judge and people disagree, those first in which the judge was surest."""
    apart = [one for one in ruled if one.holds is not None and one.holds != one.label]
    return tuple(sorted(apart, key=lambda one: -abs((one.support or 0.0) - one.label))[:count])


def accuracies(tables: Matrix) -> Vector:
    """The share that agrees, of each row (both, judge alone, people alone, neither).

    >>> accuracies(np.array([[20.0, 5.0, 10.0, 15.0]]))
    array([0.7])
    """
    return np.asarray((tables[:, 0] + tables[:, 3]) / tables.sum(axis=1))


def balanced_accuracies(tables: Matrix) -> Vector:
    """Mean of the shares recognised of either label; NaN where one label does not occur.

    >>> balanced_accuracies(np.array([[20.0, 5.0, 10.0, 15.0], [3.0, 0.0, 1.0, 0.0]])).round(4)
    array([0.7083,    nan])
    """
    both, judge_alone, people_alone, neither = tables.T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((both / (both + people_alone) + neither / (neither + judge_alone)) / 2)


def _cell(judge: bool, people: bool) -> list[float]:
    return [judge and people, judge and not people, people and not judge, not (judge or people)]


def _pair(a: bool, b: bool) -> Vector:
    """Two people of whom neither is the first: both orders count half."""
    return np.asarray((np.array(_cell(a, b), dtype=float) + np.array(_cell(b, a), dtype=float)) / 2)


def _by_context(told: Sequence[Ruled], cells: Sequence[Sequence[float]]) -> Matrix:
    return _sums([one.case.context for one in told], cells)


def _sums(contexts: Sequence[tuple[str, ...]], rows: Sequence[Sequence[float] | Vector]) -> Matrix:
    """One row for each context: the sum of those of its cases, shape (contexts, 4)."""
    numbers = _numbers(contexts)
    sums = np.zeros((max(numbers, default=-1) + 1, 4))
    np.add.at(sums, np.array(numbers, dtype=int), np.array(rows, dtype=float).reshape(-1, 4))
    return sums


def _numbers(contexts: Sequence[tuple[str, ...]]) -> list[int]:
    """The number of each one's group, in the order in which groups are met."""
    known: dict[tuple[str, ...], int] = {}
    return [known.setdefault(context, len(known)) for context in contexts]


def _estimate(tables: Matrix, function: Callable[[Matrix], Vector], *, n: int, missing: int, seed: int) -> Estimate:
    found = replace(bca_of_means(tables, function, missing=missing, seed=seed), n=n)
    if function is accuracies and found.how is How.NO_SPREAD and found.mean in (0.0, 1.0):
        low, high = clopper_pearson(int(found.mean) * len(tables), len(tables))
        return replace(found, low=low, high=high, how=How.CLOPPER_PEARSON)
    return found


def _auc(told: Sequence[Ruled], *, missing: int, seed: int) -> Estimate:
    labels = np.array([one.label for one in told], dtype=bool)
    support = np.array([one.support for one in told], dtype=float)
    if len(set(labels.tolist())) < 2:
        return Estimate(None, None, None, 0, missing + len(told), How.NOT_MEASURED)
    middle = separation(support[labels], support[~labels])
    groups = np.array(_numbers([one.case.context for one in told]))
    ends = separation_interval(support, labels, groups, seed=seed)
    if ends is None:
        return Estimate(middle, None, None, len(told), missing, How.ONE_QUESTION)
    if ends[0] == ends[1]:  # all apart, or none: an interval of no width would say that it is certain
        return Estimate(middle, None, None, len(told), missing, How.NO_SPREAD)
    return Estimate(middle, *ends, len(told), missing, How.PERCENTILE)
