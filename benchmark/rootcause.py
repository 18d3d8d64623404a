"""Where a question was lost on its way from the corpus to the answer, what stands in its place, and what to try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmark.diagnosis import Diagnosis
from benchmark.domain import Cause, Evidence, Hit, Outcome, Question, Record, Response, Rulings, Span, Step
from benchmark.text import passage_numbers

REMEDIES: Mapping[Cause, str] = {
    Cause.LUCKY: "It is no merit of retrieval: see with architecture=closed_book whether the model knows the answer by "
    "heart, and whether the exam names every passage that answers.",
    Cause.NOT_IN_CORPUS: "Add the missing documents to the corpus, or mark the question as unanswerable.",
    Cause.SPLIT_BY_CHUNKING: "Use larger chunks or more overlap (chunker.size, chunker.overlap), or read whole "
    "sections (chunker=sections, architecture=parent).",
    Cause.NOT_RETRIEVED: "Search by words and by meaning together (architecture=hybrid), reword the question "
    "(architecture=multi_query, hyde), try another embedder, or raise candidates.",
    Cause.LOST_IN_FUSION: "Raise candidates, give the arm that found it more weight (weight in retriever/hybrid), or "
    "fuse by the other rule (fusion=min_max).",
    Cause.LOST_IN_RERANKING: "Try another reranker, or the same architecture without one.",
    Cause.CUT_BY_K: "Raise k, or rerank the candidates (architecture=reranked) so that it comes within k.",
    Cause.CUT_BY_TOKENS: "Raise context_tokens, or use smaller chunks (chunker.size), so that it fits.",
    Cause.NOT_USED: "Try another generator, or a prompt that asks for what the passages say; a lower k puts fewer "
    "passages before it.",
    Cause.UNSUPPORTED: "Use a stricter prompt (only what the passages say), a lower temperature, or another generator.",
    Cause.WRONGLY_REFUSED: "Let the generator abstain less readily (by its prompt or threshold): it had the evidence.",
    Cause.WRONGLY_ANSWERED: "Let the generator abstain where no passage answers (by its prompt or threshold).",
    Cause.NO_RETRIEVAL: "Use an architecture that retrieves: the generator alone does not know it.",
    Cause.NO_GOLD: "Name the passages that answer (evidence in questions.jsonl): without them nobody knows where it "
    "was lost.",
    Cause.NOT_JUDGED: "Run it with a judge that rules on answers (judge=local): the evidence was read, and nobody "
    "said whether the answer is right.",
    Cause.FAILED: "Mend what the failure's message names, then repeat the command: only what failed is asked again.",
}
"""What to try, for every cause but those of an answer that is as it should be."""

UNKNOWN = frozenset({Cause.NO_GOLD, Cause.NOT_JUDGED})
"""The causes that say what was missing to name one."""

LOST = frozenset(REMEDIES) - UNKNOWN - {Cause.LUCKY}
"""The causes of a question that was lost."""

_ALONG_THE_WAY = (
    Cause.NOT_RETRIEVED,
    Cause.SPLIT_BY_CHUNKING,
    Cause.LOST_IN_FUSION,
    Cause.LOST_IN_RERANKING,
    Cause.CUT_BY_K,
    Cause.CUT_BY_TOKENS,
)
"""Of several lost spans the one that came furthest names the cause: it is the nearest to a cure."""

_SEARCH, _FUSION = "retrieve", "fuse"
_RANKING = (_SEARCH, _FUSION, "rerank", "widen")
CONTEXT = "context"
"""What the last stage of a trail is called: the passages that the generator was given."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a span stands at one stage of ``of`` passages.

    ``rank`` (from 1) of the first passage that holds all of it, ``part`` of the first that holds some of it; ``None``
    where there is none.
    """

    stage: str
    of: int
    rank: int | None
    part: int | None


@dataclass(frozen=True, slots=True)
class Trail:
    """One piece of evidence on its way: its place at every stage and in the context, which stands last.

    ``loss`` is ``None`` where it was read whole; ``lost_at`` names the stage that lost it, and ``instead`` is the
    passage in its place: for a cut the last that was taken, for fusion and reranking the one at its former rank, for
    chunking the first part of it, for retrieval the first that was found.
    """

    evidence: Evidence
    places: tuple[Place, ...]
    loss: Cause | None = None
    lost_at: str | None = None
    instead: Hit | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """A ranking; ``into``: the place of the stage that was made of it, ``None`` for the last."""

    name: str
    hits: tuple[Hit, ...]
    into: int | None = None

    @property
    def kind(self) -> str:
        return _kind(self.name)


@dataclass(frozen=True, slots=True)
class RootCause:
    """Where a question was lost. ``deciding`` is the trail that names the cause, where a lost passage does.

    ``stages``: what each stage ranked, and last the context. ``trails`` of all its evidence, each with a place for
    every stage; below ``min_grade`` evidence is on topic only and decides nothing.
    ``instead``: the passage in the place of the evidence; of an answer that did not use what it had, the passage that
    it cites, or else the first that is none of the evidence.
    """

    question: Question
    cause: Cause
    stages: tuple[Stage, ...]
    trails: tuple[Trail, ...]
    deciding: Trail | None
    instead: Hit | None
    why: str
    min_grade: int

    @property
    def relevant(self) -> tuple[Trail, ...]:
        return tuple(trail for trail in self.trails if trail.evidence.grade >= self.min_grade)

    @property
    def remedy(self) -> str | None:
        """What to try; ``None`` where nothing was lost."""
        return REMEDIES.get(self.cause)


def cause(outcome: Outcome, rulings: Rulings, /, *, diagnosis: Diagnosis) -> Cause:
    """Where a question was lost on its way from the corpus to the answer, or that it was not.

    Evidence that never reached the context is lost whether or not a judge spoke: an answer that nobody judged is taken
    to be wrong there, and is ``NOT_JUDGED`` only with its evidence in context. An answerable question without gold
    is ``NO_GOLD``: that nobody named a passage does not prove that there is none. ``NOT_IN_CORPUS`` is one whose gold
    is in documents that the corpus does not have.
    """
    question, response = outcome.question, outcome.response
    if not question.answerable:
        return Cause.RIGHTLY_REFUSED if response.abstained else Cause.WRONGLY_ANSWERED
    relevant = [item for item in question.evidence if item.grade >= diagnosis.min_grade]
    if not relevant:
        return Cause.NOT_IN_CORPUS if question.absent else Cause.NO_GOLD
    right = _is_right(outcome, rulings, diagnosis)
    if right:
        seen = any(hit.chunk.span.overlaps(item.span) for hit in response.context for item in relevant)
        return _of_answer(rulings, diagnosis, sound=Cause.CORRECT) if seen else Cause.LUCKY
    if not response.retrieves:
        return Cause.NO_RETRIEVAL
    decided = _deciding([_trail(item, response, diagnosis.k) for item in relevant], diagnosis)
    if decided is not None and decided.loss is not None:
        return decided.loss
    if right is None:
        return Cause.NOT_JUDGED
    if response.abstained:
        return Cause.WRONGLY_REFUSED
    return _of_answer(rulings, diagnosis, sound=Cause.NOT_USED)


def trace(record: Record, /, *, diagnosis: Diagnosis) -> RootCause:
    """The evidence of a question stage by stage, and what stands in its place; the cause is the record's own."""
    question, response = record.question, record.response
    if response is None:
        return RootCause(question, record.cause, (), (), None, None, str(record.failure or ""), diagnosis.min_grade)
    trails = tuple(_trail(item, response, diagnosis.k) for item in question.evidence)
    relevant = [trail for trail in trails if trail.evidence.grade >= diagnosis.min_grade]
    deciding = _deciding(relevant, diagnosis) if record.cause in _ALONG_THE_WAY else None
    instead = _read_instead(record, response, relevant) if deciding is None else deciding.instead
    stages = (*_stages(response.steps), Stage(CONTEXT, response.context))
    return RootCause(question, record.cause, stages, trails, deciding, instead, _why(record), diagnosis.min_grade)


# ------------------------------------------------------------------------------------------------------- the evidence


def _kind(name: str) -> str:
    return name.split(" ", 1)[0]


def _stages(steps: Sequence[Step]) -> list[Stage]:
    """The rankings of an answer, and which was made of which.

    Searches that follow each other feed the stage behind them; a stage behind another that is no search is made of all
    that no stage has taken yet: ``retrieve a, retrieve b, fuse, retrieve a, retrieve b, fuse, fuse`` ends in a fusion
    of the two fusions.
    """
    ranked = [step for step in steps if step.hits or _kind(step.name) in _RANKING]
    into: dict[int, int] = {}
    waiting: list[int] = []
    searches = 0
    for place, step in enumerate(ranked):
        if _kind(step.name) == _SEARCH:
            searches += 1
        else:
            taken = searches or len(waiting)
            into.update(dict.fromkeys(waiting[len(waiting) - taken :], place))
            del waiting[len(waiting) - taken :]
            searches = 0
        waiting.append(place)
    return [Stage(step.name, step.hits, into.get(place)) for place, step in enumerate(ranked)]


def _trail(evidence: Evidence, response: Response, k: int) -> Trail:
    """What stands among the first ``k`` of the last list and was not read did not fit into ``context_tokens``."""
    span, context, stages = evidence.span, response.context, _stages(response.steps)
    places = tuple(_place(stage.name, span, stage.hits) for stage in (*stages, Stage(CONTEXT, context)))
    if not response.retrieves or places[-1].rank is not None:
        return Trail(evidence, places)
    holding = [at for at, place in enumerate(places[:-1]) if place.rank is not None]
    if not holding:
        parts = [stage.hits[place.part - 1] for stage, place in zip(stages, places, strict=False) if place.part]
        parts += [context[places[-1].part - 1]] if places[-1].part else []
        if parts:
            return Trail(evidence, places, Cause.SPLIT_BY_CHUNKING, "chunking", parts[-1])
        found = context or (stages[-1].hits if stages else ())
        return Trail(evidence, places, Cause.NOT_RETRIEVED, _SEARCH, found[0] if found else None)
    last, rank = holding[-1], places[holding[-1]].rank or 0
    if last == len(stages) - 1:
        if rank > k:
            return Trail(evidence, places, Cause.CUT_BY_K, CONTEXT, stages[last].hits[k - 1])
        return Trail(evidence, places, Cause.CUT_BY_TOKENS, CONTEXT, context[-1] if context else None)
    return _lost_between(evidence, places, stages, last)


def _lost_between(evidence: Evidence, places: tuple[Place, ...], stages: Sequence[Stage], last: int) -> Trail:
    """Evidence that the stage at ``last`` held whole, and the stage made of it does not.

    Rankings that no stage joined were joined by what the pipeline did behind them: that counts as fusion.
    """
    taker = stages[last].into
    if taker is None:
        return Trail(evidence, places, Cause.LOST_IN_FUSION, _FUSION, _at(stages[-1].hits, places[last].rank))
    loser, part = stages[taker], places[taker].part
    known = {hit.chunk.span for stage in stages[:taker] for hit in stage.hits}
    if part is not None and loser.hits[part - 1].chunk.span not in known:  # it cut other passages, and through this one
        return Trail(evidence, places, Cause.SPLIT_BY_CHUNKING, loser.name, loser.hits[part - 1])
    loss = Cause.LOST_IN_FUSION if loser.kind == _FUSION else Cause.LOST_IN_RERANKING
    return Trail(evidence, places, loss, loser.name, _at(loser.hits, places[last].rank))


def _at(hits: Sequence[Hit], rank: int | None) -> Hit | None:
    """The hit of that rank, or the last of a shorter list."""
    return hits[min(rank or 1, len(hits)) - 1] if hits else None


def _place(stage: str, span: Span, hits: Sequence[Hit]) -> Place:
    whole = (rank for rank, hit in enumerate(hits, start=1) if _holds(hit, span))
    part = (rank for rank, hit in enumerate(hits, start=1) if hit.chunk.span.overlaps(span) and not _holds(hit, span))
    return Place(stage, len(hits), next(whole, None), next(part, None))


def _holds(hit: Hit, span: Span) -> bool:
    place = hit.chunk.span
    return place.document_id == span.document_id and place.start <= span.start and span.end <= place.end


def _deciding(trails: Sequence[Trail], diagnosis: Diagnosis) -> Trail | None:
    """The trail that names the loss; ``None`` where all was read, or a piece that answers alone was."""
    lost = [trail for trail in trails if trail.loss is not None]
    if not lost or any(trail.evidence.grade >= diagnosis.alone_grade for trail in trails if trail.loss is None):
        return None
    return max(lost, key=_how_far)


def _how_far(trail: Trail) -> tuple[int, int]:
    """How far along the way it came, and how high it stood where it was last seen."""
    ranks = [place.rank for place in trail.places if place.rank is not None]
    return _ALONG_THE_WAY.index(trail.loss or Cause.NOT_RETRIEVED), -(ranks or [0])[-1]


# --------------------------------------------------------------------------------------------------------- the answer


def _is_right(outcome: Outcome, rulings: Rulings, diagnosis: Diagnosis) -> bool | None:
    """Whether the answer conveys enough of the reference; ``None`` where no judge said."""
    if outcome.response.abstained:
        return False
    if not rulings.conveyed:
        return None
    return sum(verdict.holds for verdict in rulings.conveyed) / len(rulings.conveyed) >= diagnosis.right_share


def _of_answer(rulings: Rulings, diagnosis: Diagnosis, *, sound: Cause) -> Cause:
    """The cause of an answer that had its evidence: ``sound`` unless too few of its statements are supported."""
    if rulings.statements is None or (rulings.statements and not rulings.supported):
        return Cause.NOT_JUDGED
    if not rulings.supported:
        return sound
    supported = sum(verdict.holds for verdict in rulings.supported) / len(rulings.supported)
    return sound if supported >= diagnosis.supported_share else Cause.UNSUPPORTED


def _read_instead(record: Record, response: Response, relevant: Sequence[Trail]) -> Hit | None:
    """The passage that an answer rests on though it is none of the evidence; its citations say which, if it has any."""
    if record.cause not in (Cause.NOT_USED, Cause.UNSUPPORTED, Cause.WRONGLY_ANSWERED):
        return None
    context = response.context
    cited = [context[number - 1] for number in passage_numbers(response.answer) if 0 < number <= len(context)]
    read = cited or (() if record.cause is Cause.UNSUPPORTED else context)
    gold = [trail.evidence.span for trail in relevant]
    return next((hit for hit in read if not any(hit.chunk.span.overlaps(span) for span in gold)), None)


def _why(record: Record) -> str:
    """What a judge said that names the cause of an answer that had its evidence; empty for other causes."""
    rulings = record.rulings
    verdicts = {Cause.NOT_USED: rulings.conveyed, Cause.UNSUPPORTED: rulings.supported}.get(record.cause) or ()
    said = [f"{verdict.claim} ({verdict.reason or 'no reason given'})" for verdict in verdicts if not verdict.holds]
    if said and record.cause is Cause.UNSUPPORTED:
        return f"not supported: {'; '.join(said)}"
    return f"not conveyed: {'; '.join(said)}" if said else ""
