"""What MLflow's traces of a run take, beside MLflow's database as it comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from benchmark.job import examiner
from benchmark.run import index, run
from benchmark.storage import traces, tracked_database
from benchmark.storage.tracking import MlflowTracking
from tests.performance.measures import Figure, seconds
from tests.performance.plans import planned

QUESTIONS = 30


def measure() -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        found = traced(Path(folder))
        ours = logged(Path(folder) / "ours", found)
        with patch.object(tracked_database, "wait_seldom_for_the_disk"):
            theirs = logged(Path(folder) / "theirs", found)
    told = f"{ours:.2f} s beside {theirs:.2f} s"
    yield Figure(f"{QUESTIONS} traces in MLflow / in its database as it comes", ours / theirs, "x", 1.0, told)


def traced(results: Path) -> Sequence[traces.Trace]:
    plan = planned(results, "architecture=bm25", "generator=extractive_words", "judge=none", f"limit={QUESTIONS}")
    pipeline = index(plan.architecture, plan.corpus.documents, plan.generator).pipeline
    records = run(pipeline, plan.questions, examiner(plan))
    return [traces.trace_of(record, judge="none", scores=list(record.scores)[:5]) for record in records]


def logged(folder: Path, found: Sequence[traces.Trace]) -> float:
    """Seconds that they take in a fresh database, which is made before."""
    folder.mkdir()
    tracking = MlflowTracking(f"sqlite:///{folder}/mlflow.db", str(folder / "artifacts"), "measured")
    tracking.prepare()
    client, experiment = tracking._client(), tracking._experiment()
    first, second = (client.create_run(experiment, start_time=0).info for _ in range(2))
    traces.log(client, first, found, replace=False)  # what the first call imports and compiles
    return seconds(partial(traces.log, client, second, found, replace=False))
