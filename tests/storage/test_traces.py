"""Questions as traces in a real MLflow database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_socket import disable_socket, enable_socket

from benchmark.domain import Cause, Completion, Failure, Record, Rulings, Score, Step
from benchmark.storage.traces import Trace, trace_of
from benchmark.storage.tracked_values import TrackedCorpus
from benchmark.storage.tracking import MlflowTracking, TrackedRun
from tests.factories import hit, question, response, statements, step

if TYPE_CHECKING:
    from mlflow.entities import Trace as Logged

FOUND = hit(0, 10, text="Se dan 4 g")
WRITTEN = Step("generate", 0.5, completions=(Completion("Se dan 4 g [1].", 70, 9),))


def traced(name: str = "q1", *, seconds: float = 0.25) -> Trace:
    steps = (step(FOUND, seconds=seconds), step(FOUND, name="rerank", seconds=0.25), WRITTEN)
    scores = {"ragas/faithfulness": Score(0.5, "1 of 2"), "ragas/context_recall": Score(None, "no reference")}
    record = Record(question(name=name), response(FOUND, steps=steps), statements(True, False), scores, Cause.CORRECT)
    return trace_of(record, judge="local", scores=list(scores))


def failed() -> Trace:
    failure = Failure("answer", "ConnectionError", "the endpoint hung up")
    return trace_of(Record(question(name="q2"), None, Rulings(), {}, Cause.FAILED, failure), judge="local", scores=())


@dataclass(frozen=True)
class Store:
    tracking: MlflowTracking
    folder: Path

    def log(self, *traces: Trace, limit: int = 2, name: str = "bm25", **more: object) -> str:
        run = TrackedRun(
            fingerprint=name,
            asked=[trace.question for trace in traces],
            name=name,
            corpus=TrackedCorpus("tiny", "d" * 64, 1, 2),
            folder=self.folder,
            config={"k": 5},
            traces=traces,
        )
        return replace(self.tracking, traces=limit).log_run(replace(run, **more))  # type: ignore[arg-type]  # fields by name

    def traces(self, run: str) -> list[Logged]:
        client = self.tracking._client()
        experiment = client.get_run(run).info.experiment_id
        return sorted(client.search_traces(locations=[experiment], run_id=run), key=lambda one: one.info.request_time)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("traced")
    disable_socket(allow_unix_socket=True)
    tracking = MlflowTracking(f"sqlite:///{folder}/mlflow.db", str(folder / "artifacts"), "trial")
    tracking.prepare()
    yield Store(tracking, folder)
    enable_socket()


def test_a_question_is_a_trace_with_a_span_for_each_stage_and_the_judge(store: Store) -> None:
    [logged, _] = store.traces(store.log(traced(), failed(), name="spans"))
    spans = [(span.name, span.span_type) for span in logged.data.spans]
    assert spans == [
        ("q1", "CHAIN"),
        ("retrieve", "RETRIEVER"),
        ("rerank", "RERANKER"),
        ("generate", "LLM"),
        ("judge", "EVALUATOR"),
    ]
    root, *stages = logged.data.spans
    assert {span.parent_id for span in stages} == {root.span_id}
    assert (root.inputs, root.outputs) == ({"question": "¿Qué dosis?"}, "Se dan 4 g [1].")


def test_spans_have_what_went_in_and_what_came_out(store: Store) -> None:
    [logged] = store.traces(store.log(traced(), name="inputs"))
    _, retrieve, rerank, generate, judge = logged.data.spans
    assert retrieve.inputs == {"question": "¿Qué dosis?"}
    assert [found["page_content"] for found in retrieve.outputs] == ["Se dan 4 g"]
    assert rerank.inputs["candidates"] == ["guide:0"]
    assert [passage["page_content"] for passage in generate.inputs["passages"]] == ["Se dan 4 g"]
    assert generate.outputs == "Se dan 4 g [1]."
    assert [verdict["holds"] for verdict in judge.outputs["supported"]] == [True, False]


def test_stages_lie_end_to_end_and_take_what_they_took(store: Store) -> None:
    first, second = store.traces(store.log(traced("q1"), traced("q2"), name="times"))
    times = [(span.start_time_ns, span.end_time_ns or 0) for span in first.data.spans[1:]]
    assert [end - start for start, end in times] == [250_000_000, 250_000_000, 500_000_000, 0]
    assert [end for _, end in times[:-1]] == [start for start, _ in times[1:]]
    assert first.info.execution_duration == 1000
    assert second.info.request_time > first.info.request_time + 1000 - 1


def test_scores_and_tokens_stand_at_the_trace_and_what_was_not_measured_does_not(store: Store) -> None:
    [logged] = store.traces(store.log(traced(), name="scores"))
    assert [(one.name, one.value, one.rationale) for one in logged.info.assessments] == [  # type: ignore[attr-defined]  # feedback has a value
        ("ragas/faithfulness", 0.5, "1 of 2")
    ]
    assert logged.info.token_usage == {"input_tokens": 70, "output_tokens": 9, "total_tokens": 79}


def test_a_question_that_failed_is_an_error_that_says_why(store: Store) -> None:
    [logged] = store.traces(store.log(failed(), name="failed"))
    assert (logged.info.state.value, logged.info.response_preview) == (
        "ERROR",
        "failed at answer: ConnectionError: the endpoint hung up",
    )


def test_a_run_that_is_logged_again_has_the_same_traces(store: Store) -> None:
    runs = [store.log(traced(), failed(), name="repeated") for _ in range(2)]
    assert runs[0] == runs[1]
    assert len(store.traces(runs[0])) == 2


def test_traces_that_changed_take_the_place_of_the_old(store: Store) -> None:
    store.log(traced(), name="changed")
    [logged] = store.traces(store.log(traced(seconds=2.0), name="changed"))
    assert logged.info.execution_duration == 2750


def test_a_run_of_more_questions_than_the_limit_has_none(store: Store) -> None:
    assert store.traces(store.log(traced("q1"), traced("q2"), name="long", limit=1)) == []
    assert store.traces(store.log(traced(), name="none", limit=0)) == []
