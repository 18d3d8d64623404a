"""All that reports tell of runs of one exam: plain nouns, whatever the form of the report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field

from benchmark.diagnosis import Caution, Diagnosis, Finding
from benchmark.domain import Asked, Cause, Document, Question, Record
from benchmark.metrics import described, final_key, in_order
from benchmark.readings import Analysis
from benchmark.report.leaderboard import Leaderboard, Row, label_of
from benchmark.statistics import Comparison, Estimate, MetricStatistics, Settings, estimate, summarise


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """One run: its row of the table, and what it was made of.

    ``chosen``: the option of each group (``{"architecture": "hybrid"}``). ``knobs``: every setting under its dotted
    name. ``environment``: what ``environment.json`` says, empty where there is none. ``index_cost``: of models at
    endpoints, ``None`` where none was asked to index.
    """

    row: Row
    _: KW_ONLY
    chosen: Mapping[str, str]
    knobs: Mapping[str, str]
    fingerprint: str
    index_seconds: float
    diagnosis: Diagnosis
    index_cost: Asked | None = None
    environment: Mapping[str, object] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    cautions: tuple[Caution, ...] = ()

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def records(self) -> tuple[Record, ...]:
        return self.row.records

    @property
    def causes(self) -> Mapping[Cause, int]:
        return Counter(record.cause for record in self.records)


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric over all runs. ``keys``: its key by run, as runs with another k have another."""

    name: str
    keys: Mapping[str, str]
    statistics: MetricStatistics

    @property
    def label(self) -> str:
        return label_of(self.name)


@dataclass(frozen=True, slots=True)
class Account:
    """Runs of one exam. ``documents`` by id; ``source`` of the corpus; ``prompts``: what models may be asked, by task.

    ``verdict``: what may be said of each metric, in English. ``analysis``: what the scores of the table say together.
    ``judge_checks``: of each judge, how far it agreed with people's labels.
    """

    corpus: str
    digest: str
    source: str
    documents: Mapping[str, Document]
    questions: tuple[Question, ...]
    runs: tuple[ReportedRun, ...]
    board: Leaderboard
    measures: Mapping[str, Measure]
    verdict: tuple[str, ...]
    analysis: Analysis
    judge_checks: tuple[str, ...]
    common_cautions: tuple[Caution, ...]
    settings: Settings
    prompts: Mapping[str, str]
    command: str

    @property
    def headline(self) -> str | None:
        """The quality that pictures of one quality show."""
        return self.board.headline

    @property
    def pairs(self) -> tuple[Comparison, ...]:
        """Run against run in the headline."""
        return () if self.headline is None else self.board.statistics[self.headline].pairs

    def measured_by(self, key: str) -> Mapping[str, Estimate]:
        """Estimates by run of a column of the table, or of any other metric; of none where nobody has it."""
        if key in self.board.statistics:
            return self.board.statistics[key].estimates
        found = self.measures.get(key)
        return defaultdict(_nothing) if found is None else found.statistics.estimates

    @property
    def records(self) -> Mapping[str, Mapping[str, Record]]:
        """By question, then by run."""
        found: dict[str, dict[str, Record]] = {question.id: {} for question in self.questions}
        for run in self.runs:
            for record in run.records:
                found[record.question.id][run.name] = record
        return found

    def differing(self) -> dict[str, dict[str, str]]:
        """The knobs in which the runs differ: name, then value by run; an empty text where a run has no such knob."""
        names = dict.fromkeys(name for run in self.runs for name in run.knobs)
        table = {name: {run.name: run.knobs.get(name, "") for run in self.runs} for name in names}
        return {name: values for name, values in table.items() if len(set(values.values())) > 1}


def _nothing() -> Estimate:
    return estimate([], on_unit_scale=True, seed=0)


def measures(rows: Sequence[Row], *, settings: Settings) -> dict[str, Measure]:
    """Every metric that any record has, with its statistics. Where k differs, each run is read at its own k."""
    keys: dict[str, dict[str, str]] = {}
    several = len({row.k for row in rows}) > 1
    for row in rows:
        for key in dict.fromkeys(key for record in row.records for key in record.scores):
            at_own = final_key("", row.k)
            is_at_k = several and key.endswith(at_own) and described(key).label.endswith(f"@{row.k}")
            keys.setdefault(key.removesuffix(at_own) + "_k" if is_at_k else key, {})[row.name] = key
    known = {name: _known(name) for name in keys}
    named = {known[name]: name for name in keys}
    records = {row.name: row.records for row in rows}
    by_run = {name: {row.name: keys[name].get(row.name, name) for row in rows} for name in keys}
    found = summarise(
        records,
        keys={known[name]: by_run[name] for name in keys},
        competing=frozenset(row.name for row in rows if row.competes),
        settings=settings,
    )
    return {(name := named[key]): Measure(name, by_run[name], found[key]) for key in in_order(found)}


def _known(name: str) -> str:
    """A key by which statistics know the direction and the scale; at no cut-off that a run could have as well."""
    return f"{name[:-2]}_0" if name.endswith("_k") else name


def reasons(run: ReportedRun, measure: Measure) -> Counter[str]:
    """Why questions have no value of that measure in that run, with how many."""
    key = measure.keys[run.name]
    found: Counter[str] = Counter()
    for record in run.records:
        score = record.scores.get(key)
        if score is None:
            found["the metric was not asked" if record.failure is None else str(record.failure)] += 1
        elif score.value is None:
            found[score.why] += 1
    return found
