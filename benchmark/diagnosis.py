"""What a run's means say of its answers, which questions fail, and what to try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchmark.domain import Cause, Record, UserError

FAITHFULNESS, RELEVANCY = "faithfulness", "answer_relevancy"
PRECISION, RECALL = "context_precision", "context_recall"
FOUR = (FAITHFULNESS, RELEVANCY, PRECISION, RECALL)
BANDS = ("excellent", "good", "acceptable", "needs improvement", "poor")

Means = Mapping[str, float | None]
"""A run's mean by metric key; ``None`` where no question was measured."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Means strictly above and strictly below these, by the short name of the RAGAS metric, and what that tells."""

    problem: str
    remedy: str
    above: Mapping[str, float]
    below: Mapping[str, float]

    def holds(self, values: Means) -> bool:
        """Whether every value is measured and beyond its threshold."""
        high = all(_beyond(values.get(name), limit, 1) for name, limit in self.above.items())
        return high and all(_beyond(values.get(name), limit, -1) for name, limit in self.below.items())


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The thresholds of every judgement on a run: the schema of ``conf/diagnosis/*.yaml``, which explains each."""

    patterns: Mapping[str, Pattern]
    bands: Mapping[str, Sequence[float]]
    failing_below: Mapping[str, float]
    reliable_questions: int
    ready_questions: int
    reliable_auc: float
    too_good: float
    closed_book_metric: str
    closed_book_margin: float
    min_grade: int
    alone_grade: int
    right_share: float
    supported_share: float
    k: int
    """How many passages a generator may read."""

    def __post_init__(self) -> None:
        used = [{*pattern.above, *pattern.below} for pattern in self.patterns.values()]
        for name in set().union(*used, self.bands, self.failing_below):
            if name not in FOUR:
                raise UserError(f"the diagnosis names the metric {name!r}; it knows {', '.join(FOUR)}")
        for name, limits in self.bands.items():
            if len(limits) != len(BANDS) - 1 or any(high <= low for high, low in pairwise(limits)):
                raise UserError(
                    f"diagnosis.bands.{name} is {list(limits)}; wanted four falling numbers: [0.9, 0.8, 0.7, 0.5]"
                )


@dataclass(frozen=True, slots=True)
class Finding:
    """A pattern that a run shows, and the ids of the questions that show it."""

    name: str
    symptom: str
    problem: str
    remedy: str
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Caution:
    """A reason not to trust a run's numbers as they stand."""

    name: str
    message: str


@dataclass(frozen=True, slots=True)
class FailureCase:
    """A question that scored below the threshold of one metric, or failed (no metric): a row of ``failures.csv``."""

    question_id: str
    metric: str | None
    value: float | None
    threshold: float | None
    why: str
    cause: Cause


def findings(
    diagnosis: Diagnosis,
    means: Means,
    records: Sequence[Record],
    *,
    raises_patterns: bool,
    relevancy_auc: float | None,
) -> tuple[Finding, ...]:
    """The patterns that a run shows, in the order of the configuration.

    ``raises_patterns`` is False for an architecture that is a yardstick, such as an upper bound. A pattern is left out
    where those before it speak of all its low metrics, and where it uses relevancy that is known to be unreliable.
    """
    found: list[Finding] = []
    spoken: set[str] = set()
    values = {name: means.get(f"ragas/{name}") for name in FOUR}
    for name, pattern in diagnosis.patterns.items() if raises_patterns else ():
        unreliable = RELEVANCY in {*pattern.above, *pattern.below} and not is_reliable(diagnosis, relevancy_auc)
        repeats = bool(pattern.below) and spoken.issuperset(pattern.below)
        if unreliable or repeats or not pattern.holds(values):
            continue
        spoken.update(pattern.below)
        questions = _showing(pattern, records)
        found.append(Finding(name, _symptom(pattern, values), pattern.problem, pattern.remedy, questions))
    return tuple(found)


def is_reliable(diagnosis: Diagnosis, relevancy_auc: float | None) -> bool:
    """Whether relevancy may be read: its scale tells own from other references, or was not put to the test."""
    return relevancy_auc is None or relevancy_auc >= diagnosis.reliable_auc


def band(diagnosis: Diagnosis, metric: str, value: float | None) -> str | None:
    """The word for a mean of that key; ``None`` where the mean is not measured or the metric has no bands."""
    limits = diagnosis.bands.get(metric.removeprefix("ragas/"))
    if value is None or limits is None:
        return None
    return next((word for word, limit in zip(BANDS, limits, strict=False) if value >= limit), BANDS[-1])


def failure_cases(diagnosis: Diagnosis, records: Sequence[Record]) -> tuple[FailureCase, ...]:
    """Every question that failed, and every metric below its threshold, in the order of the records."""
    return tuple(case for record in records for case in _failure_cases(diagnosis, record))


def _failure_cases(diagnosis: Diagnosis, record: Record) -> Iterator[FailureCase]:
    if record.failure is not None:
        yield FailureCase(record.question.id, None, None, None, str(record.failure), record.cause)
    for name, threshold in diagnosis.failing_below.items():
        score = record.scores.get(key := f"ragas/{name}")
        if score is not None and score.value is not None and score.value < threshold:
            yield FailureCase(record.question.id, key, score.value, threshold, score.why, record.cause)


def cautions(
    diagnosis: Diagnosis,
    means: Means,
    *,
    questions: int,
    asked: int,
    raises_patterns: bool,
    relevancy_auc: float | None,
    judges_itself: str | None = None,
) -> tuple[Caution, ...]:
    """What speaks against reading one run's means as they stand; ``questions`` of those ``asked`` have a record.

    ``judges_itself``: the model that both answered and judged, if there is one.
    """
    found = []
    if questions < asked:
        message = f"{questions} of {asked} questions: it competes for nothing until the rest was asked as well"
        found.append(Caution("unfinished", message))
    if questions < diagnosis.reliable_questions:
        wanted = diagnosis.reliable_questions
        found.append(Caution("unreliable", f"{_counted(questions)}, fewer than {wanted}: the means are unreliable"))
    if questions < diagnosis.ready_questions:
        wanted = diagnosis.ready_questions
        found.append(
            Caution("no_readiness_claim", f"{_counted(questions)}, fewer than {wanted}: no claim of readiness")
        )
    if raises_patterns and all(_beyond(means.get(f"ragas/{name}"), diagnosis.too_good, 1) for name in FOUR):
        message = f"all four RAGAS means lie above {diagnosis.too_good}: suspect leakage or an easy set of questions"
        found.append(Caution("too_good", message))
    if not is_reliable(diagnosis, relevancy_auc):
        message = f"answer relevancy is unreliable here: its AUC is {relevancy_auc:.2f}, below {diagnosis.reliable_auc}"
        found.append(Caution("unreliable_relevancy", message))
    if judges_itself is not None:
        message = f"{judges_itself} judged its own answers, and models prefer their own: let another model judge"
        found.append(Caution("self_preference", message))
    return tuple(found)


def _counted(questions: int) -> str:
    return f"{questions} question" + ("" if questions == 1 else "s")


def closed_book_cautions(
    diagnosis: Diagnosis, closed_book: Means, retrieving: Mapping[str, Means]
) -> tuple[Caution, ...]:
    """Whether a run without retrieval does as well as runs with it; ``retrieving`` has the means of each by name."""
    metric, margin = diagnosis.closed_book_metric, diagnosis.closed_book_margin
    without = closed_book.get(metric)
    if without is None:
        return ()
    matched = [
        name
        for name, means in retrieving.items()
        if (value := means.get(metric)) is not None and without >= value - margin
    ]
    if not matched:
        return ()
    message = (
        f"closed book does as well as {', '.join(matched)} ({metric} {without:.3f}): either the model knows the "
        "answers without the corpus, or retrieval does not help it"
    )
    return (Caution("closed_book_as_good", message),)


def _beyond(value: float | None, limit: float, direction: int) -> bool:
    return value is not None and direction * (value - limit) > 0


def _symptom(pattern: Pattern, values: Means) -> str:
    above = [f"{name.replace('_', ' ')} {values[name]:.3f} > {limit}" for name, limit in pattern.above.items()]
    below = [f"{name.replace('_', ' ')} {values[name]:.3f} < {limit}" for name, limit in pattern.below.items()]
    return " and ".join([*above, *below])


def _showing(pattern: Pattern, records: Sequence[Record]) -> tuple[str, ...]:
    """Questions that meet the whole pattern; where none does, since means mix questions, those of its low side."""
    values = {
        record.question.id: {name: score.value for name in FOUR if (score := record.scores.get(f"ragas/{name}"))}
        for record in records
    }
    low_side = Pattern(pattern.problem, pattern.remedy, {}, pattern.below)
    whole = tuple(question for question, scores in values.items() if pattern.holds(scores))
    return whole or tuple(question for question, scores in values.items() if low_side.holds(scores))
