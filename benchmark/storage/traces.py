"""A question's walk as an MLflow trace: its steps and its judge as spans with what went in and what came out."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from benchmark.digest import digest
from benchmark.domain import Hit, Record, Rulings, Step, Verdict

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import RunInfo, Span, TraceInfo
    from mlflow.tracing.client import TracingClient

BATCH = 50
"""Traces that are written in one go."""

_PREVIEW = 900
_KINDS = {"retrieve": "RETRIEVER", "fuse": "RETRIEVER", "widen": "RETRIEVER", "rerank": "RERANKER"}
_NS = 1_000_000_000
_RUN = "mlflow.sourceRun"


@dataclass(frozen=True, slots=True)
class TracedSpan:
    """One stage: ``kind`` is MLflow's type of span, ``tokens`` what the model read and wrote."""

    name: str
    kind: str
    seconds: float
    inputs: object
    outputs: object
    tokens: tuple[int, int] | None = None
    failure: str | None = None
    more: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trace:
    """One question: ``scores`` are numbers with their reasons, ``judge`` is who ruled."""

    question: str
    text: str
    answer: str | None
    spans: tuple[TracedSpan, ...]
    scores: Mapping[str, tuple[float, str]]
    judge: str
    failure: str | None
    tags: Mapping[str, str]

    @property
    def seconds(self) -> float:
        return sum(span.seconds for span in self.spans)


def trace_of(record: Record, *, judge: str, scores: Sequence[str]) -> Trace:
    """What is told of a question: its stages, the judge's rulings, and the measured ones of these scores."""
    response = record.response
    steps = response.steps if response is not None else ()
    context = [_passage(hit) for hit in response.context] if response is not None else []
    spans = list(_spans(record.question.query.text, steps, context))
    if response is not None and judge != "none":
        asked = {"answer": response.answer, "reference": record.question.reference, "passages": len(context)}
        spans.append(TracedSpan("judge", "EVALUATOR", 0.0, asked, _ruled(record.rulings)))
    if record.failure is not None:
        failed = str(record.failure)
        spans.append(TracedSpan(record.failure.stage, "UNKNOWN", 0.0, record.question.query.text, None, None, failed))
    measured = {key: record.scores[key] for key in scores if key in record.scores}
    return Trace(
        record.question.id,
        record.question.query.text,
        response.answer if response is not None else None,
        tuple(spans),
        {key: (score.value, score.why) for key, score in measured.items() if score.value is not None},
        judge,
        None if record.failure is None else str(record.failure),
        {"question": record.question.id, "cause": record.cause.value},
    )


def _spans(question: str, steps: Sequence[Step], context: Sequence[object]) -> Iterator[TracedSpan]:
    """Each stage with what it was given: a search the question, what comes after one the hits before it."""
    before: tuple[Hit, ...] = ()
    for step in steps:
        kind = _KINDS.get(step.name.partition(" ")[0], "LLM" if step.completions else "UNKNOWN")
        inputs: dict[str, object] = {"question": question}
        if step.name == "generate":
            inputs["passages"] = context
        elif before and kind != "LLM" and not step.name.startswith("retrieve"):
            inputs["candidates"] = [hit.chunk.id for hit in before]
        written = [completion.text for completion in step.completions]
        outputs: object = [_passage(hit) for hit in step.hits] if step.hits or kind == "RETRIEVER" else None
        if written:
            outputs = written[0] if len(written) == 1 else written
        prompts = [completion.prompt_tokens for completion in step.completions]
        replies = [completion.completion_tokens for completion in step.completions]
        counted = bool(written) and None not in (*prompts, *replies)
        tokens = (sum(map(int, filter(None, prompts))), sum(map(int, filter(None, replies)))) if counted else None
        yield TracedSpan(step.name, kind, step.seconds, inputs, outputs, tokens, more={"cached": step.cached})
        before = step.hits or before


def _passage(hit: Hit) -> dict[str, object]:
    """As MLflow shows what a retriever found."""
    where = {"doc_uri": hit.chunk.span.document_id, "chunk_id": hit.chunk.id, "score": float(hit.score)}
    return {"page_content": hit.chunk.text, "id": hit.chunk.id, "metadata": where}


def _ruled(rulings: Rulings) -> dict[str, object]:
    verdicts = {name: getattr(rulings, name) for name in ("supported", "useful", "attributed", "conveyed")}
    return {
        **{name: [_verdict(one) for one in found] for name, found in verdicts.items() if found is not None},
        "failures": [str(failure) for failure in rulings.failures],
    }


def _verdict(verdict: Verdict) -> dict[str, object]:
    return {"claim": verdict.claim, "holds": bool(verdict.holds), "reason": verdict.reason}


# ----------------------------------------------------------------------------------------------------- into MLflow


def fingerprint(traces: Sequence[Trace]) -> str:
    """Equal for traces that would look the same."""
    return digest(repr(traces))[:16]


def log(client: MlflowClient, info: RunInfo, traces: Sequence[Trace], *, replace: bool) -> None:
    """Write the traces of a run; ``replace``: it may have some, which go.

    Records keep how long each stage took and not when: the questions are laid end to end from the run's start on.
    """
    experiment, run = info.experiment_id, info.run_id
    if replace:
        delete(client, experiment, run)
    # No public call does this: mlflow.start_span_no_context and log_feedback write one trace and one score at a time,
    # through a global provider, and choose the trace's id. Measured with MLflow 3.17 on SQLite, five scores a question:
    # 1.3 s a question against 0.06 s by the client that they stand on (0.19 s without the scores).
    from mlflow.tracing.client import TracingClient

    writer = TracingClient(client.tracking_uri)
    begin = info.start_time * 1_000_000
    for first in range(0, len(traces), BATCH):
        batch = traces[first : first + BATCH]
        infos: list[TraceInfo] = []
        spans: list[Span] = []
        for trace in batch:
            end = begin + round(trace.seconds * _NS)
            infos.append(_info(trace, experiment, run, begin, end))
            spans += _mlflow_spans(trace, run, begin, end)
            begin = end + 1_000_000
        with _experiment_at_hand(writer):
            for started in infos:
                writer.start_trace(started)
        writer.log_spans(experiment, spans)


@contextmanager
def _experiment_at_hand(writer: TracingClient) -> Iterator[None]:
    """MLflow's store reads the same experiment for each trace, in a session of its own: a third of a trace's time."""
    store: Any = writer.store
    store.get_experiment = cache(store.get_experiment)
    try:
        yield
    finally:
        del store.get_experiment


def delete(client: MlflowClient, experiment: str, run: str) -> None:
    """Take away all traces of a run."""
    known = list[str]()
    token: str | None = None
    while True:
        found = client.search_traces(
            locations=[experiment], run_id=run, max_results=500, page_token=token, include_spans=False
        )
        known += [trace.info.trace_id for trace in found]
        token = found.token
        if not token:
            break
    for first in range(0, len(known), 100):
        client.delete_traces(experiment, trace_ids=known[first : first + 100])


def _id(trace: Trace, run: str) -> str:
    return digest("trace", run, trace.question)[:32]


def _info(trace: Trace, experiment: str, run: str, begin: int, end: int) -> TraceInfo:
    from mlflow.entities import AssessmentSource, Feedback, TraceInfo, TraceLocation, TraceState

    ruled = AssessmentSource("LLM_JUDGE" if trace.judge != "none" else "CODE", trace.judge)
    return TraceInfo(
        trace_id=f"tr-{_id(trace, run)}",
        trace_location=TraceLocation.from_experiment_id(experiment),
        request_time=begin // 1_000_000,
        state=TraceState.ERROR if trace.failure else TraceState.OK,
        request_preview=trace.text[:_PREVIEW],
        response_preview=(trace.failure or trace.answer or "")[:_PREVIEW],
        execution_duration=(end - begin) // 1_000_000,
        trace_metadata={_RUN: run},
        tags={"mlflow.traceName": trace.question, "mlflow.trace.spansLocation": "TRACKING_STORE", **trace.tags},
        assessments=[
            Feedback(name=key, value=value, rationale=why, source=ruled) for key, (value, why) in trace.scores.items()
        ],
    )


def _mlflow_spans(trace: Trace, run: str, begin: int, end: int) -> list[Span]:
    root = TracedSpan(
        trace.question, "CHAIN", trace.seconds, {"question": trace.text}, trace.answer, None, trace.failure
    )
    spans = [_mlflow_span(root, _id(trace, run), 0, begin, end)]
    at = begin
    for number, span in enumerate(trace.spans, start=1):
        after = at + round(span.seconds * _NS)
        spans.append(_mlflow_span(span, _id(trace, run), number, at, after))
        at = after
    return spans


def _mlflow_span(span: TracedSpan, trace_id: str, number: int, begin: int, end: int) -> Span:
    """The root is number 0, and the parent of all others."""
    from mlflow.entities import Span

    attributes: dict[str, object] = {
        "mlflow.traceRequestId": f"tr-{trace_id}",
        "mlflow.spanType": span.kind,
        "mlflow.spanInputs": span.inputs,
        "mlflow.spanOutputs": span.outputs,
        **span.more,
    }
    if span.tokens is not None:
        read, written = span.tokens
        usage = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
        attributes["mlflow.chat.tokenUsage"] = usage
    return Span.from_dict(
        {
            "trace_id": _base64(trace_id),
            "span_id": _base64(_span_id(trace_id, number)),
            "parent_span_id": _base64(_span_id(trace_id, 0)) if number else "",
            "name": span.name,
            "start_time_unix_nano": begin,
            "end_time_unix_nano": end,
            "events": [],
            "status": {
                "code": "STATUS_CODE_ERROR" if span.failure else "STATUS_CODE_OK",
                "message": span.failure or "",
            },
            "attributes": {key: json.dumps(value, ensure_ascii=False) for key, value in attributes.items()},
        }
    )


def _span_id(trace_id: str, number: int) -> str:
    return digest("span", trace_id, number)[:16]


def _base64(hexadecimal: str) -> str:
    return b64encode(bytes.fromhex(hexadecimal)).decode("ascii")
