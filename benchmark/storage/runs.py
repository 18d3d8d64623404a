"""The folder of one run: its records and what is known of it as a whole."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any, Literal

import yaml

from benchmark.domain import Asked, Record, UserError
from benchmark.metrics.cost import money_by_step, seconds_by_step
from benchmark.statistics import mean, measured
from benchmark.storage.record_lines import cost_of, plain_cost
from benchmark.storage.records import RecordsFile

State = Literal["running", "finished", "interrupted", "failed"]

_SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same values; Python's own takes a tenth of a second


def write_whole(path: Path, text: str) -> None:
    """Write a file wholly or not at all: a kill leaves the old one or the new one, never a half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def plain_json(value: object) -> str:
    """JSON for people and programs; raises ``ValueError`` on NaN."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> str:
    """CSV with a header, also over no rows; what is ``None`` is an empty cell.

    >>> table([{"id": "a", "value": None}], ["id", "value"])
    'id,value\\na,\\n'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(columns), lineterminator="\n", extrasaction="raise")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def summary(
    records: Sequence[Record],
    *,
    keys: Sequence[str] = (),
    seconds: float,
    index_seconds: float,
    index_cost: Asked | None = None,
    findings: Sequence[Mapping[str, object]] = (),
) -> dict[str, object]:
    """What ``summary.json`` says of a run; ``keys`` come first and stand there also where no record has them.

    A question whose record lacks a key counts as not measured: no denominator shrinks in silence.
    """
    names = dict.fromkeys([*keys, *(key for record in records for key in record.scores)])
    return {
        "questions": len(records),
        "failures": sum(record.failure is not None for record in records),
        "judge_failures": sum(record.failure is None and bool(record.failures) for record in records),
        "seconds": seconds,
        "index_seconds": index_seconds,
        "index_cost": None if index_cost is None else plain_cost(index_cost),
        "stages": _stages(records),
        "money": _money(records),
        "metrics": {key: _mean(records, key) for key in names},
        "causes": dict(sorted(Counter(record.cause.value for record in records).items())),
        "findings": [dict(finding) for finding in findings],
    }


def index_cost_of(summary: Mapping[str, Any]) -> Asked | None:
    """What indexing cost at endpoints, as a ``summary.json`` tells it; those of before told nothing of it."""
    return cost_of(summary.get("index_cost"))


def _stages(records: Sequence[Record]) -> dict[str, object]:
    """Mean seconds of each stage, over the questions that went through it."""
    passed: dict[str, list[float]] = {}
    for record in records:
        for name, seconds in seconds_by_step(record.response).items() if record.response is not None else ():
            passed.setdefault(name, []).append(seconds)
    return {name: {"seconds": mean(seconds), "n": len(seconds)} for name, seconds in passed.items()}


def _money(records: Sequence[Record]) -> dict[str, object]:
    """What the models' calls cost by stage, and their embeddings and the judge: in all, and of one question.

    ``None``: of no question all prices are known. ``unknown`` counts the questions of which they are not.
    """
    spent: dict[str, list[float | None]] = {}
    for record in records:
        for name, prices in money_by_step(record).items():
            known = [price for price in prices if price is not None]
            spent.setdefault(name, []).append(fsum(known) if len(known) == len(prices) else None)
    found: dict[str, object] = {}
    for name, sums in spent.items():
        known = [value for value in sums if value is not None]
        total = fsum(known) if known else None
        found[name] = {"total": total, "mean": mean(known), "n": len(known), "unknown": len(sums) - len(known)}
    return found


def _mean(records: Sequence[Record], key: str) -> dict[str, object]:
    values = measured(records, key)
    why = Counter(_why_missing(record, key) for record in records if record.question.id not in values)
    return {
        "mean": mean(values.values()),
        "n": len(values),
        "not_measured": why.total(),
        "why": dict(why.most_common()),
    }


def _why_missing(record: Record, key: str) -> str:
    score = record.scores.get(key)
    if score is not None:
        return score.why
    return "the metric was not asked" if record.failure is None else f"failed at {record.failure.stage}"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """``results/runs/<corpus>/<architecture>/<generator>/<fingerprint>/``."""

    path: Path

    @classmethod
    def of(cls, results: Path, *, corpus: str, architecture: str, generator: str, fingerprint: str) -> RunFolder:
        parts = [re.sub(r"[^\w.+-]+", "-", part).strip(".-") or "unnamed" for part in (corpus, architecture, generator)]
        return cls(results.joinpath("runs", *parts, fingerprint))

    @property
    def fingerprint(self) -> str:
        return self.path.name

    @property
    def results(self) -> Path:
        """The folder of results that the run lies in."""
        above = self.path.absolute().parents
        return above[min(4, len(above) - 1)]

    @property
    def records(self) -> Path:
        return self.path / "records.jsonl"

    def open_records(self) -> RecordsFile:
        return RecordsFile(self.records, run=self.fingerprint)

    def write_summary(self, fields: Mapping[str, object]) -> None:
        write_whole(self.path / "summary.json", plain_json(fields))

    def write_config(self, yaml: str) -> None:
        """``yaml``: the resolved configuration as text."""
        write_whole(self.path / "config.yaml", yaml)

    def config(self) -> dict[str, object]:
        """What ``write_config`` was given.

        Raises:
            UserError: there is none, so that nobody knows what the records stand on.
        """
        file = self.path / "config.yaml"
        if not file.is_file():
            raise UserError(f"{self.path} has records but no config.yaml: it is not a run that ragsweep made")
        config: dict[str, object] = yaml.load(file.read_text(encoding="utf-8"), Loader=_SafeLoader)
        return config

    def add_environment(self, fields: Mapping[str, object]) -> None:
        """Of the questions asked from now on; that of earlier ones, where it was another, stays under ``earlier``."""
        known = self.environment()
        earlier: list[object] = []
        if known is not None:
            before = known.pop("earlier", [])
            earlier = list(before) if isinstance(before, list) else []
            if known != json.loads(plain_json(fields)):
                earlier.append(known)
        write_whole(self.path / "environment.json", plain_json({**fields, **({"earlier": earlier} if earlier else {})}))

    def write_notices(self, notices: Sequence[str]) -> None:
        """What the parts of the run had to tell when it was last asked something."""
        write_whole(self.path / "notices.json", plain_json({"notices": notices}))

    def write_failures(self, rows: Sequence[Mapping[str, object]], *, columns: Sequence[str]) -> None:
        write_whole(self.path / "failures.csv", table(rows, columns))

    def write_status(self, state: State, message: str = "") -> None:
        write_whole(self.path / "status.json", plain_json({"state": state, "message": message}))

    def summary(self) -> dict[str, object] | None:
        """What ``write_summary`` was given; ``None`` where the run has not come so far."""
        return _read(self.path / "summary.json")

    def environment(self) -> dict[str, object] | None:
        return _read(self.path / "environment.json")

    def status(self) -> dict[str, object] | None:
        """``state`` and ``message``; a run that was killed still says ``running``."""
        return _read(self.path / "status.json")


def _read(path: Path) -> dict[str, object] | None:
    if not path.exists():
        return None
    fields: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return fields


def run_folders(path: Path) -> tuple[RunFolder, ...]:
    """Every run at or below a path, sorted by path; MLflow's copies of runs, which have no status, are none."""
    return tuple(RunFolder(file.parent) for file in sorted(path.rglob("status.json")))
