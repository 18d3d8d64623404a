"""Runs side by side: read from their folders, ranked, and read for patterns. Writes nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from benchmark.config import load_corpus, load_diagnosis
from benchmark.diagnosis import Caution, Diagnosis, Finding, band, cautions, closed_book_cautions, findings, is_reliable
from benchmark.domain import Record, UserError
from benchmark.report.leaderboard import Leaderboard, Row, verdict
from benchmark.statistics import mean, measured
from benchmark.storage.records import read
from benchmark.storage.runs import RunFolder, run_folders
from benchmark.storage.tracked_values import flat


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run as its folder tells it; ``names`` as chosen on the command line, ``settings`` as they were resolved."""

    folder: RunFolder
    names: Mapping[str, str]
    settings: Mapping[str, Any]
    yardstick: bool
    corpus_digest: str
    records: tuple[Record, ...]
    index_seconds: float

    @property
    def seconds(self) -> float:
        """What the run costs when nothing is kept."""
        responses = [record.response for record in self.records if record.response is not None]
        return self.index_seconds + sum(step.seconds for response in responses for step in response.steps)

    @property
    def relevancy_auc(self) -> float | None:
        return next((record.rulings.scale.auc for record in self.records), None)

    @property
    def retrieves(self) -> bool:
        return any(record.response.retrieves for record in self.records if record.response is not None)

    def means(self) -> dict[str, float | None]:
        keys = dict.fromkeys(key for record in self.records for key in record.scores)
        return {key: mean(measured(self.records, key).values()) for key in keys}

    @property
    def k(self) -> int:
        return int(self.settings["k"])


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs of one exam: the table, and what was found in each by its name in the table."""

    runs: Mapping[str, FinishedRun]
    board: Leaderboard
    findings: Mapping[str, tuple[Finding, ...]]
    cautions: Mapping[str, tuple[Caution, ...]]
    common_cautions: tuple[Caution, ...]
    diagnosis: Diagnosis

    def verdict(self) -> list[str]:
        """Per metric the best run, how good that is, and which cannot be told apart from it."""
        return verdict(self.board, partial(band, self.diagnosis))

    @property
    def patterns(self) -> tuple[str, ...]:
        """Names of all patterns found, each once."""
        return tuple(dict.fromkeys(finding.name for found in self.findings.values() for finding in found))


def open_run(folder: RunFolder, asked: Sequence[str] | None = None) -> FinishedRun:
    """Read a run; ``asked`` keeps only the records of these questions."""
    file = folder.path / "config.yaml"
    if not file.is_file():
        raise UserError(f"{folder.path} has records but no config.yaml: it is not a run that ragsweep made")
    settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    about = settings.pop("run")
    corpus = load_corpus(settings)
    if corpus.digest != about["corpus_digest"]:
        raise UserError(
            f"{folder.path} was run on another state of the corpus {corpus.name}: its digest was "
            f"{about['corpus_digest'][:12]}, now it is {corpus.digest[:12]}. Repeat the run to compare it"
        )
    records = read(folder.records, corpus)
    if asked is not None:
        records = tuple(record for record in records if record.question.id in set(asked))
    summary = folder.summary() or {}
    index_seconds = summary.get("index_seconds", 0.0)
    return FinishedRun(
        folder,
        about["names"],
        settings,
        bool(about["yardstick"]),
        corpus.digest,
        records,
        float(index_seconds) if isinstance(index_seconds, int | float) else 0.0,
    )


def find_runs(target: str, results: Path) -> tuple[FinishedRun, ...]:
    """The runs that a path, the name of a sweep, or ``latest`` means.

    Raises:
        UserError: there are none; the message says which command makes some.
    """
    sweep = results / "sweeps" / f"{target}.json"
    if sweep.is_file():
        listed = json.loads(sweep.read_text(encoding="utf-8"))
        folders = [RunFolder(results / path) for path in listed["runs"]]
        found = [open_run(folder, listed["questions"]) for folder in folders if folder.records.is_file()]
    else:
        found = [open_run(folder) for folder in run_folders(Path(target))] if Path(target).exists() else []
    if not found:
        known = ", ".join(sorted(file.stem for file in (results / "sweeps").glob("*.json"))) or "none yet"
        raise UserError(
            f"there are no runs at {target!r}: neither a folder with records nor a sweep in {results / 'sweeps'} "
            f"(there: {known}). A sweep makes some: ragsweep experiment=obstetrics"
        )
    return tuple(found)


def compared(runs: Sequence[FinishedRun]) -> Comparison:
    """Rank runs and read them for patterns.

    Raises:
        UserError: the runs are of different corpora or exams.
    """
    exams = {(run.names["corpus"], run.corpus_digest) for run in runs}
    if len(exams) > 1:
        told = "; ".join(f"{name} ({digest[:12]})" for name, digest in sorted(exams))
        raise UserError(f"these runs sat different exams and cannot be compared: {told}. Name runs of one corpus")
    named = dict(zip(_labels(runs), runs, strict=True))
    diagnoses = {name: load_diagnosis(run.settings) for name, run in named.items()}
    rows = [
        Row(name, run.records, run.seconds, run.yardstick, run.k, is_reliable(diagnoses[name], run.relevancy_auc))
        for name, run in named.items()
    ]
    return Comparison(
        named,
        Leaderboard.of(rows, seed=int(runs[0].settings["seed"])),
        {name: findings_of(run, diagnoses[name]) for name, run in named.items()},
        {name: cautions_of(run, diagnoses[name]) for name, run in named.items()},
        _common_cautions(named, next(iter(diagnoses.values()))),
        next(iter(diagnoses.values())),
    )


def findings_of(run: FinishedRun, diagnosis: Diagnosis) -> tuple[Finding, ...]:
    return findings(
        diagnosis,
        run.means(),
        run.records,
        raises_patterns=not run.yardstick,
        relevancy_auc=run.relevancy_auc,
    )


def cautions_of(run: FinishedRun, diagnosis: Diagnosis) -> tuple[Caution, ...]:
    return cautions(
        diagnosis,
        run.means(),
        questions=len(run.records),
        raises_patterns=not run.yardstick,
        relevancy_auc=run.relevancy_auc,
    )


def _common_cautions(named: Mapping[str, FinishedRun], diagnosis: Diagnosis) -> tuple[Caution, ...]:
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


def _labels(runs: Sequence[FinishedRun]) -> list[str]:
    """Names that tell the runs apart: the architecture, the generator if there are several, the knobs that differ."""
    several = len({run.names["generator"] for run in runs}) > 1
    short = [
        f"{run.names['architecture']} · {run.names['generator']}" if several else run.names["architecture"]
        for run in runs
    ]
    knobs = [{name: value for name, value in flat(run.settings).items() if _is_knob(name)} for run in runs]
    labels = []
    for label, own in zip(short, knobs, strict=True):
        alike = [other for name, other in zip(short, knobs, strict=True) if name == label]
        differing = [name for name in own if len({str(other.get(name)) for other in alike}) > 1]
        told = [f"{name}={own[name]}" for name in differing if "." not in name] or [f"{n}={own[n]}" for n in differing]
        labels.append(" ".join([label, *told[:3]]))
    repeated = {label for label, count in Counter(labels).items() if count > 1}
    return [
        f"{label} {run.folder.fingerprint[:6]}" if label in repeated else label
        for label, run in zip(labels, runs, strict=True)
    ]


def _is_knob(name: str) -> bool:
    return name not in ("name", "limit", "sample", "results", "threads") and not name.startswith(
        ("tracking", "memory", "hydra")
    )
