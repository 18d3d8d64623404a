"""Runs side by side: opened, ranked, and read for patterns. Writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmark.config import load_corpus, load_diagnosis
from benchmark.diagnosis import Caution, Diagnosis, Finding, band, cautions, closed_book_cautions, findings, is_reliable
from benchmark.domain import Asked, Corpus, Record, Role, UserError, role_of
from benchmark.readings import Analysis, Label, analyse
from benchmark.report.leaderboard import Leaderboard, Row, as_markdown, verdict
from benchmark.report.lost import remedy_lines
from benchmark.report.patterns import as_lines, causes_line, caution_lines, failure_lines
from benchmark.report.readings import judge_lines, together_lines
from benchmark.statistics import Settings, mean, measured
from benchmark.storage.checks import checks_of
from benchmark.storage.records import read
from benchmark.storage.runs import RunFolder, index_cost_of, run_folders
from benchmark.storage.sweeps import SweptRun, read_sweep, sweep_names
from benchmark.storage.tracked_values import flat, number
from benchmark.suggestions import meant


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """A run as its folder tells it; ``names`` as chosen on the command line, ``settings`` as they were resolved.

    ``asked``: ids of the questions that it is looked at for; those without a record are not finished. ``notices``: what
    of its records could not be read.
    """

    folder: RunFolder
    names: Mapping[str, str]
    settings: Mapping[str, Any]
    role: Role
    corpus_digest: str
    corpus: Corpus
    asked: tuple[str, ...]
    records: tuple[Record, ...]
    index_seconds: float
    index_cost: Asked | None = None
    notices: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """What the run costs when nothing is kept."""
        responses = [record.response for record in self.records if record.response is not None]
        return self.index_seconds + sum(step.seconds for response in responses for step in response.steps)

    @property
    def relevancy_auc(self) -> float | None:
        return next((record.rulings.scale.auc for record in self.records), None)

    @property
    def yardstick(self) -> bool:
        return self.role != "rival"

    @property
    def retrieves(self) -> bool:
        return any(record.response.retrieves for record in self.records if record.response is not None)

    def means(self) -> dict[str, float | None]:
        keys = dict.fromkeys(key for record in self.records for key in record.scores)
        return {key: mean(measured(self.records, key).values()) for key in keys}

    @property
    def k(self) -> int:
        return int(self.settings["k"])

    @property
    def exam(self) -> tuple[str, str]:
        return self.names["corpus"], self.corpus_digest

    def asked_for(self, questions: Sequence[str]) -> OpenedRun:
        """The same run looked at for these questions."""
        wanted = frozenset(questions)
        records = tuple(record for record in self.records if record.question.id in wanted)
        return replace(self, asked=tuple(questions), records=records)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs of one exam: the table, what its scores say together, and by its name what was found in each run."""

    corpus: str
    runs: Mapping[str, OpenedRun]
    board: Leaderboard
    analysis: Analysis
    findings: Mapping[str, tuple[Finding, ...]]
    cautions: Mapping[str, tuple[Caution, ...]]
    common_cautions: tuple[Caution, ...]
    diagnoses: Mapping[str, Diagnosis]

    def sections(self) -> tuple[tuple[str, list[str]], ...]:
        """What is said below the table: titles with their lines, of which those of a detail are indented."""
        records = {name: run.records for name, run in self.runs.items()}
        lost = [causes_line(name, found) for name, found in records.items()]
        said = (
            ("What failed", failure_lines(records)),
            ("Which is better", verdict(self.board, partial(band, self.diagnosis))),
            ("Where questions were lost", lost),
            ("What to do about it", remedy_lines(run.records for run in self.runs.values() if not run.yardstick)),
            ("Patterns", as_lines(self.findings)),
            ("The scores read together", together_lines(self.analysis)),
            ("How far the judge can be trusted here", [*judge_lines(self.analysis), *self.judge_checks()]),
            ("Cautions", caution_lines(self.cautions, self.common_cautions)),
        )
        return tuple((title, lines) for title, lines in said if lines)

    @property
    def diagnosis(self) -> Diagnosis:
        """The first run's, by which means are called good or poor."""
        return next(iter(self.diagnoses.values()))

    def judge_checks(self) -> list[str]:
        """Of each judge that ruled on an answer, how far it agreed with people's labels when that was checked."""
        ruled = {run.names.get("judge", "judge"): None for run in self.runs.values() if _has_ruled(run.records)}
        return [_checked(name, self.runs.values()) for name in ruled]

    @property
    def seed(self) -> int:
        """Of what is drawn at random to compare the runs."""
        return int(next(iter(self.runs.values())).settings["seed"])

    @property
    def questions(self) -> int:
        """How many any of the runs was asked."""
        return max(len(run.asked) for run in self.runs.values())

    def plain_rows(self) -> list[dict[str, object]]:
        """Means as numbers, for CSV, MLflow and programs."""
        return [
            {"corpus": self.corpus, **row, **self._headroom(name)}
            for name, row in zip(self.runs, self.board.plain_rows(), strict=True)
        ]

    def _headroom(self, name: str) -> dict[str, object]:
        plain: dict[str, object] = {}
        for key, found in self.analysis.headroom.items():
            one = found.get(name)
            ends = (None, None, None) if one is None else (one.mean, one.low, one.high)
            plain |= dict(zip((f"headroom {key}", f"low headroom {key}", f"high headroom {key}"), ends, strict=True))
        return plain

    @property
    def patterns(self) -> tuple[str, ...]:
        """Names of all patterns found, each once."""
        return tuple(dict.fromkeys(finding.name for found in self.findings.values() for finding in found))


def _has_ruled(records: Sequence[Record]) -> bool:
    return any(record.rulings.supported for record in records)


def _checked(judge: str, runs: Iterable[OpenedRun]) -> str:
    """What is known of a judge by people's labels, as its latest check in the results of the runs tells."""
    folders = dict.fromkeys(run.folder.results for run in runs if run.names.get("judge") == judge)
    found = [check for results in folders for check in checks_of(results, judge)]
    if not found:
        return f"{judge}: never checked against people's labels here (ragsweep judge sample, then ragsweep judge check)"
    last = sorted(found, key=lambda check: check.date)[-1]
    return f"{judge}: checked against people's labels on {last.date} ({', '.join(last.files)}): {last.sentence}"


def open_run(folder: RunFolder) -> OpenedRun:
    """A run with all its records.

    Raises:
        UserError: it has no configuration, or its corpus has changed since.
    """
    settings: dict[str, Any] = folder.config()
    about = settings.pop("run")
    corpus = load_corpus(settings)
    if corpus.digest != about["corpus_digest"]:
        raise UserError(
            f"{folder.path} was run on another state of the corpus {corpus.name}: its digest was "
            f"{about['corpus_digest'][:12]}, now it is {corpus.digest[:12]}. Repeat the run to compare it"
        )
    notices: list[str] = []
    records = read(folder.records, corpus, notices.append)
    summary = folder.summary() or {}
    return OpenedRun(
        folder=folder,
        names=about["names"],
        settings=settings,
        role=about.get("role") or role_of(about.get("yardstick", False)) or "rival",  # before roles: yardstick or not
        corpus_digest=corpus.digest,
        corpus=corpus,
        asked=tuple(record.question.id for record in records),
        records=records,
        index_seconds=number(summary.get("index_seconds")) or 0.0,
        index_cost=index_cost_of(summary),
        notices=tuple(notices),
    )


def find_runs(target: str, results: Path, tell: Callable[[str], object]) -> tuple[OpenedRun, ...]:
    """The runs that a path, the name of a sweep, or ``latest`` means; ``tell`` hears what could not be read of them.

    Raises:
        UserError: there are none; the message says which command makes some.
    """
    swept = read_sweep(results, target)
    if swept is not None:
        found = swept_runs(results, swept)
    else:
        found = tuple(open_run(folder) for folder in run_folders(Path(target)) if folder.records.is_file())
    if not found:
        known = sweep_names(results)
        there = f"{results / 'sweeps'} (there: {', '.join(known) or 'none yet'}).{meant(target, known)}"
        raise UserError(
            f"there are no runs at {target!r}: neither a folder with records nor a sweep in {there} "
            "A sweep makes some: ragsweep experiment=obstetrics"
        )
    for notice in (notice for run in found for notice in run.notices):
        tell(notice)
    return found


def swept_runs(results: Path, swept: Sequence[SweptRun]) -> tuple[OpenedRun, ...]:
    """The runs of a sweep's list that have records, each looked at for the questions that were asked of it."""
    folders = [(RunFolder(results / run.folder), run.questions) for run in swept]
    return tuple(open_run(folder).asked_for(asked) for folder, asked in folders if folder.records.is_file())


def comparisons(runs: Sequence[OpenedRun]) -> tuple[Comparison, ...]:
    """One comparison for each exam, in the order in which the exams are met."""
    exams = dict.fromkeys(run.exam for run in runs)
    return tuple(_compared([run for run in runs if run.exam == exam]) for exam in exams)


def _compared(runs: Sequence[OpenedRun]) -> Comparison:
    """Rank runs of one exam on all questions that any of them was asked, and read them for patterns."""
    asked = tuple(dict.fromkeys(question for run in runs for question in run.asked))
    named = dict(zip(labels(runs), (run.asked_for(asked) for run in runs), strict=True))
    diagnoses = {name: load_diagnosis(run.settings) for name, run in named.items()}
    rows = [
        Row(
            name,
            run.records,
            asked=len(asked),
            seconds=run.seconds,
            role=run.role,
            k=run.k,
            relevancy_auc=run.relevancy_auc,
            relevancy_is_reliable=is_reliable(diagnoses[name], run.relevancy_auc),
        )
        for name, run in named.items()
    ]
    board = Leaderboard.of(rows, seed=int(runs[0].settings["seed"]))
    return Comparison(
        runs[0].names["corpus"],
        named,
        board,
        _analysis(named, board, next(iter(diagnoses.values()))),
        {name: findings_of(run, diagnoses[name]) for name, run in named.items()},
        {name: cautions_of(run, diagnoses[name]) for name, run in named.items()},
        _common_cautions(named, next(iter(diagnoses.values()))),
        diagnoses,
    )


def _analysis(named: Mapping[str, OpenedRun], board: Leaderboard, diagnosis: Diagnosis) -> Analysis:
    """The means of the table, without its costs, read together; a run that lacks questions is no rival."""
    several = len({run.names["generator"] for run in named.values()}) > 1
    labelled = {
        row.name: Label(
            row.name.replace(f" · {run.names['generator']}", "", 1) if several else row.name,
            run.names["generator"],
            "yardstick" if row.role == "rival" and not row.competes else row.role,
            row.k,
            run.names.get("judge", "judge"),
        )
        for row, run in zip(board.rows, named.values(), strict=True)
    }
    return analyse(
        {row.name: row.records for row in board.rows},
        labels=labelled,
        keys={key: {row.name: row.own(key) for row in board.rows} for key in board.qualities},
        headline=board.headline,
        settings=Settings(seed=next(iter(int(run.settings["seed"]) for run in named.values()))),
        min_grade=diagnosis.min_grade,
    )


def pages(found: Sequence[Comparison]) -> str:
    """Comparisons as Markdown, each under its corpus where there are several."""
    several = len(found) > 1
    return "\n".join((f"## {one.corpus}\n\n" if several else "") + _page(one) for one in found)


def _page(comparison: Comparison) -> str:
    listed = [f"\n**{title}**\n\n" + "".join(map(_item, lines)) for title, lines in comparison.sections()]
    return as_markdown(comparison.board) + "".join(listed)


def _item(line: str) -> str:
    depth = "  " if line.startswith(" ") else ""
    return f"{depth}- {line.strip()}\n"


def findings_of(run: OpenedRun, diagnosis: Diagnosis) -> tuple[Finding, ...]:
    return findings(
        diagnosis,
        run.means(),
        run.records,
        raises_patterns=not run.yardstick,
        relevancy_auc=run.relevancy_auc,
    )


def cautions_of(run: OpenedRun, diagnosis: Diagnosis) -> tuple[Caution, ...]:
    found = cautions(
        diagnosis,
        run.means(),
        questions=len(run.records),
        asked=len(run.asked),
        raises_patterns=not run.yardstick,
        relevancy_auc=run.relevancy_auc,
        judges_itself=_judges_itself(run.settings),
    )
    return (*found, *(Caution("unread", notice) for notice in run.notices))


def _judges_itself(settings: Mapping[str, Any]) -> str | None:
    """The generator's model, if it is one of the judge's too, at whichever endpoint."""
    answering = settings.get("generator", {}).get("model")
    return answering if answering is not None and answering in set(_models_of(settings.get("judge"))) else None


def _models_of(node: object) -> Iterator[str]:
    if isinstance(node, Mapping):
        if isinstance(node.get("model"), str):
            yield node["model"]
        for part in node.values():
            yield from _models_of(part)


def _common_cautions(named: Mapping[str, OpenedRun], diagnosis: Diagnosis) -> tuple[Caution, ...]:
    """Cautions that take several runs: retrieval against none, with the same generator."""
    found: list[Caution] = []
    for run in named.values():
        if not run.retrieves and run.records:
            rivals = {
                name: other.means()
                for name, other in named.items()
                if other.retrieves and not other.yardstick and other.names["generator"] == run.names["generator"]
            }
            found.extend(closed_book_cautions(diagnosis, run.means(), rivals))
    return tuple(found)


def labels(runs: Sequence[OpenedRun], *, beside: Sequence[OpenedRun] = ()) -> list[str]:
    """Names that tell the runs apart: the architecture, the generator if there are several, the knobs that differ.

    ``beside``: another sweep's runs; what tells those apart is named here too, so that equal runs have equal names.
    """
    groups = (runs, beside)
    several = any(len({run.names["generator"] for run in group}) > 1 for group in groups)
    own, others = ([_Named(_short(run, several), _knobs(run)) for run in group] for group in groups)
    found = []
    for run in own:
        alike = [[other.knobs for other in group if other.short == run.short] for group in (own, others)]
        differing = [
            name for name in run.knobs if any(len({str(knobs.get(name)) for knobs in group}) > 1 for group in alike)
        ]
        plain = [f"{name}={run.knobs[name]}" for name in differing if "." not in name]
        told = plain or [f"{name}={run.knobs[name]}" for name in differing]
        found.append(" ".join([run.short, *told[:3]]))
    repeated = {label for label, count in Counter(found).items() if count > 1}
    return [
        f"{label} {run.folder.fingerprint[:6]}" if label in repeated else label
        for label, run in zip(found, runs, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Named:
    short: str
    knobs: Mapping[str, object]


def _short(run: OpenedRun, several: bool) -> str:
    return f"{run.names['architecture']} · {run.names['generator']}" if several else run.names["architecture"]


def _knobs(run: OpenedRun) -> dict[str, object]:
    return {name: value for name, value in flat(run.settings).items() if is_knob(name)}


def is_knob(name: str) -> bool:
    """Whether a dotted name of a configuration says how questions are answered, not which ones or where to."""
    return name not in ("name", "limit", "sample", "results", "threads") and not name.startswith(
        ("tracking", "memory", "hydra")
    )
