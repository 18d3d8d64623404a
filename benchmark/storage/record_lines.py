"""One record as one line of JSON, and back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from benchmark.domain import (
    Asked,
    Cause,
    Chunk,
    Completion,
    Corpus,
    Document,
    Embedded,
    Failure,
    Hit,
    ImpliedQuestion,
    Question,
    Record,
    RelevancyScale,
    Response,
    Rulings,
    Score,
    Span,
    Step,
    UserError,
    Verdict,
)

SCHEMA = 1

_Json = dict[str, Any]  # what json.loads gives: the adapter of untyped data


# ------------------------------------------------------------------------------------------------------- to a line


def to_line(record: Record, run: str) -> str:
    """One line of JSON, without its line end; ``run`` is the run's fingerprint. Raises ``ValueError`` on NaN."""
    response = record.response
    fields: _Json = {
        "schema": SCHEMA,
        "run": run,
        "question": {"id": record.question.id, "text": record.question.query.text},
        "response": None if response is None else _plain_response(response),
        "rulings": _plain_rulings(record.rulings),
        "scores": {key: {"value": _number(s.value), "why": s.why} for key, s in record.scores.items()},
        "cause": record.cause.value,
        "failure": None if record.failure is None else _plain_failure(record.failure),
    }
    line = json.dumps(fields, ensure_ascii=False, allow_nan=False)
    # A model may cut a character in two; half of one cannot be written as UTF-8 but for its escape.
    return line if _is_unicode(line) else json.dumps(fields, ensure_ascii=True, allow_nan=False)


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _number(value: float | None) -> float | None:
    """A float of Python's, also where a library gave one of numpy's."""
    return None if value is None else float(value)


def _plain_response(response: Response) -> _Json:
    return {
        "answer": response.answer,
        "abstained": response.abstained,
        "retrieves": response.retrieves,
        "context": [_plain_hit(hit) for hit in response.context],
        "steps": [
            {
                "name": step.name,
                "seconds": float(step.seconds),
                "cached": step.cached,
                "hits": [_plain_hit(hit, text=False) for hit in step.hits],
                "completions": [_plain_completion(completion) for completion in step.completions],
            }
            for step in response.steps
        ],
        **({} if response.embedded is None else {"embedded": _plain_embedded(response.embedded)}),
    }


def _plain_hit(hit: Hit, *, text: bool = True) -> _Json:
    """Of the context with its text, for people; of the many candidates without, since the corpus has it."""
    span = hit.chunk.span
    where = {"document": span.document_id, "start": span.start, "end": span.end}
    words = {"text": hit.chunk.text} if text else {}
    return {"chunk": hit.chunk.id, **where, **words, "score": float(hit.score)}


def _plain_completion(completion: Completion) -> _Json:
    return {
        "text": completion.text,
        "prompt_tokens": completion.prompt_tokens,
        "completion_tokens": completion.completion_tokens,
        "seconds": float(completion.seconds),
        "cached": completion.cached,
        "finish_reason": completion.finish_reason,
        "cached_tokens": completion.cached_tokens,
        "money": _number(completion.money),
    }


def _plain_embedded(embedded: Embedded) -> _Json:
    return {"texts": embedded.texts, "tokens": embedded.tokens, "money": _number(embedded.money)}


def plain_cost(cost: Asked) -> _Json:
    """What models at endpoints cost, as JSON has it."""
    return {
        "calls": cost.calls,
        "prompt_tokens": cost.prompt_tokens,
        "completion_tokens": cost.completion_tokens,
        "money": _number(cost.money),
        **({} if cost.embedded is None else {"embedded": _plain_embedded(cost.embedded)}),
    }


def _plain_failure(failure: Failure) -> _Json:
    return {"stage": failure.stage, "kind": failure.kind, "message": failure.message}


def _plain_verdicts(verdicts: tuple[Verdict, ...] | None) -> list[_Json] | None:
    if verdicts is None:
        return None
    return [
        {"claim": v.claim, "holds": bool(v.holds), "reason": v.reason, "confidence": _number(v.confidence)}
        for v in verdicts
    ]


def _plain_rulings(rulings: Rulings) -> _Json:
    implied, scale = rulings.implied, rulings.scale
    return {
        "statements": None if rulings.statements is None else list(rulings.statements),
        "supported": _plain_verdicts(rulings.supported),
        "useful": _plain_verdicts(rulings.useful),
        "attributed": _plain_verdicts(rulings.attributed),
        "conveyed": _plain_verdicts(rulings.conveyed),
        "implied": None
        if implied is None
        else [
            {"text": i.text, "noncommittal": bool(i.noncommittal), "similarity": float(i.similarity)} for i in implied
        ],
        "scale": {"zero": float(scale.zero), "one": float(scale.one), "auc": _number(scale.auc)},
        "failures": [_plain_failure(failure) for failure in rulings.failures],
        **({} if rulings.cost is None else {"cost": plain_cost(rulings.cost)}),
    }


# ----------------------------------------------------------------------------------------------------- from a line


class CutLineError(UserError):
    """A line that does not end as it should: whoever wrote it was stopped half-way."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Rebuilds records over their corpus: a line names the question and the spans, the corpus has the rest."""

    corpus: Corpus
    _documents: dict[str, Document] = field(init=False, repr=False)
    _questions: dict[str, Question] = field(init=False, repr=False)
    _chunks: dict[tuple[str, str, int, int], Chunk] = field(init=False, repr=False)
    """Each once: the same passages are found for many questions, and at several stages of one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_documents", {document.id: document for document in self.corpus.documents})
        object.__setattr__(self, "_questions", {question.id: question for question in self.corpus.questions})
        object.__setattr__(self, "_chunks", {})

    def record(self, line: str, where: str = "the record") -> Record:
        """Raises a ``UserError`` where the line is broken (``CutLineError``: cut off) or the corpus another."""
        try:
            fields = json.loads(line)
        except ValueError as error:
            raise CutLineError(f"{where} is cut off: {error}") from None
        try:
            if fields["schema"] != SCHEMA:
                raise UserError(
                    f"{where} has the schema {fields['schema']}; this ragsweep reads {SCHEMA}.\n"
                    "    to do:  read it with the version that wrote it (environment.json beside it), or run again"
                )
            return self._record(fields, where)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(
                f"{where} is no record: {type(error).__name__}: {error}; wanted a line that ragsweep wrote.\n"
                "    to do:  take the line out; the question will be asked again"
            ) from None

    def _record(self, fields: _Json, where: str) -> Record:
        question = self._questions.get(fields["question"]["id"])
        if question is None or question.query.text != fields["question"]["text"]:
            raise self._changed(f"the question {fields['question']['id']!r}", where)
        response, failure = fields["response"], fields["failure"]
        return Record(
            question=question,
            response=None if response is None else self._response(response, where),
            rulings=_rulings(fields["rulings"]),
            scores={key: Score(score["value"], score["why"]) for key, score in fields["scores"].items()},
            cause=Cause(fields["cause"]),
            failure=None if failure is None else Failure(**failure),
        )

    def _response(self, fields: _Json, where: str) -> Response:
        return Response(
            answer=fields["answer"],
            abstained=fields["abstained"],
            retrieves=fields["retrieves"],
            context=self._hits(fields["context"], where),
            steps=tuple(
                Step(
                    name=step["name"],
                    seconds=step["seconds"],
                    cached=step["cached"],
                    hits=self._hits(step["hits"], where),
                    completions=tuple(Completion(**completion) for completion in step["completions"]),
                )
                for step in fields["steps"]
            ),
            embedded=_embedded(fields),
        )

    def _hits(self, hits: list[_Json], where: str) -> tuple[Hit, ...]:
        return tuple(self._hit(hit, where) for hit in hits)

    def _hit(self, fields: _Json, where: str) -> Hit:
        place = fields["chunk"], fields["document"], fields["start"], fields["end"]
        chunk = self._chunks.get(place)
        if chunk is None:
            chunk = self._chunks[place] = self._chunk(*place, where)
        if fields.get("text", chunk.text) != chunk.text:
            raise self._text_changed(chunk.span, where)
        return Hit(chunk, fields["score"])

    def _chunk(self, identity: str, document_id: str, start: int, end: int, where: str) -> Chunk:
        span, document = Span(document_id, start, end), self._documents.get(document_id)
        text = "" if document is None else document.text[start:end]
        if document is None or len(text) != end - start:
            raise self._text_changed(span, where)
        return Chunk(identity, span, text, document.tenant)

    def _text_changed(self, span: Span, where: str) -> UserError:
        return self._changed(f"the text of {span.document_id!r} from {span.start} to {span.end}", where)

    def _changed(self, what: str, where: str) -> UserError:
        return UserError(
            f"the corpus {self.corpus.name!r} has changed since the run: {where} has {what}, which is gone.\n"
            "    wanted: the corpus of the run, whose digest stands in environment.json beside the records\n"
            "    to do:  bring that corpus back, or run again on the new one"
        )


def _verdicts(verdicts: list[_Json] | None) -> tuple[Verdict, ...] | None:
    return None if verdicts is None else tuple(Verdict(**verdict) for verdict in verdicts)


def _embedded(fields: _Json) -> Embedded | None:
    return Embedded(**fields["embedded"]) if fields.get("embedded") else None


def cost_of(fields: _Json | None) -> Asked | None:
    """What ``plain_cost`` made."""
    return Asked(**{**fields, "embedded": _embedded(fields)}) if fields else None


def _rulings(fields: _Json) -> Rulings:
    statements, implied = fields["statements"], fields["implied"]
    return Rulings(
        statements=None if statements is None else tuple(statements),
        supported=_verdicts(fields["supported"]),
        useful=_verdicts(fields["useful"]),
        attributed=_verdicts(fields["attributed"]),
        conveyed=_verdicts(fields["conveyed"]),
        implied=None if implied is None else tuple(ImpliedQuestion(**question) for question in implied),
        scale=RelevancyScale(**fields["scale"]),
        failures=tuple(Failure(**failure) for failure in fields["failures"]),
        cost=cost_of(fields.get("cost")),
    )
