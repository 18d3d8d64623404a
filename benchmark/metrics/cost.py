"""What an answer cost: seconds, tokens, calls and money, as they were when its parts were made.

Calls and tokens are those of models that write and of rerankers at endpoints; seconds and money are of embeddings too.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from benchmark.domain import Asked, Completion, Embedded, Outcome, Record, Response, Rulings, Score
from benchmark.text import count_tokens

_NOBODY = "the judge asked no model at an endpoint"


def seconds_by_step(response: Response) -> dict[str, float]:
    """Seconds of each stage by its name; stages of the same name are added up."""
    names = dict.fromkeys(step.name for step in response.steps)
    return {name: fsum(step.seconds for step in response.steps if step.name == name) for name in names}


def known_sum(counts: Sequence[int | None]) -> int | None:
    """The sum, or ``None`` as soon as one count is not known: a sum over the rest would pass for the whole.

    >>> known_sum([3, 4]), known_sum([3, None]), known_sum([])
    (7, None, 0)
    """
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def total_of(completions: Sequence[Completion], embedded: Sequence[Embedded]) -> Asked | None:
    """What these cost together; ``None`` where no model at an endpoint was asked."""
    if not completions and not embedded:
        return None
    texts = Embedded.sum_of(embedded)
    prices = [completion.money for completion in completions] + ([texts.money] if texts else [])
    known = [price for price in prices if price is not None]
    return Asked(
        calls=len(completions),
        prompt_tokens=known_sum([completion.prompt_tokens for completion in completions]),
        completion_tokens=known_sum([completion.completion_tokens for completion in completions]),
        money=fsum(known) if len(known) == len(prices) else None,
        embedded=texts,
    )


def seconds(outcome: Outcome, _: Rulings, /) -> Score:
    """Seconds over all stages; what came from memory counts with what it took when it was made."""
    stages = seconds_by_step(outcome.response)
    why = " + ".join(f"{name} {value:.3f}" for name, value in stages.items())
    return Score(fsum(stages.values()), why or "no stage")


def money_by_step(record: Record) -> dict[str, list[float | None]]:
    """What each call of a model that writes cost, by the stage that made it; ``None``: its price is unknown.

    ``embeddings``: those at an endpoint, of all stages as one; ``judge``: all that it asked, its embeddings with it.
    """
    found: dict[str, list[float | None]] = {}
    for step in record.response.steps if record.response else ():
        if step.completions:
            found.setdefault(step.name, []).extend(completion.money for completion in step.completions)
    if record.response is not None and record.response.embedded is not None:
        found["embeddings"] = [record.response.embedded.money]
    if record.rulings.cost is not None:
        found["judge"] = [record.rulings.cost.money]
    return found


def prompt_tokens(outcome: Outcome, _: Rulings, /) -> Score:
    """Tokens that models which write read, by their own count."""
    return _tokens([completion.prompt_tokens for completion in _completions(outcome)])


def completion_tokens(outcome: Outcome, _: Rulings, /) -> Score:
    """Tokens that models wrote, by their own count."""
    return _tokens([completion.completion_tokens for completion in _completions(outcome)])


def context_tokens(outcome: Outcome, _: Rulings, /) -> Score:
    """House tokens of the context, the same for every model."""
    context = outcome.response.context
    return Score(
        float(sum(count_tokens(hit.chunk.text) for hit in context)), f"house tokens of {len(context)} passages"
    )


def calls(outcome: Outcome, _: Rulings, /) -> Score:
    """How many completions the answer took, kept ones among them; to embed a text is none."""
    completions = _completions(outcome)
    # How many were kept depends on what ran before, so it is no part of the score; the steps say it.
    return Score(float(len(completions)), f"over {len(completions)} completions")


def money(outcome: Outcome, _: Rulings, /) -> Score:
    """What completions and embeddings at endpoints cost when they were made, where all their prices are known.

    In the currency of the price table. Embeddings of models of this process cost none.
    """
    prices = [completion.money for completion in _completions(outcome)]
    known = [price for price in prices if price is not None]
    embedded = outcome.response.embedded
    texts = f"{embedded.texts} embedded texts" if embedded is not None else ""
    unknown = [f"{len(prices) - len(known)} of {len(prices)} completions"] if len(known) < len(prices) else []
    if embedded is not None and embedded.money is None:
        unknown.append(texts)
    elif embedded is not None and embedded.money is not None:
        known.append(embedded.money)
    if unknown:
        return Score(None, f"no price is known of {' and of '.join(unknown)}")
    return Score(fsum(known), f"over {len(prices)} completions{' and ' if texts else ''}{texts}")


def judge_calls(_: Outcome, rulings: Rulings, /) -> Score:
    """How many completions the rulings on the answer took, kept ones among them; to embed a text is none."""
    return Score(float(rulings.cost.calls), "of the judge") if rulings.cost else Score(0.0, _NOBODY)


def judge_money(_: Outcome, rulings: Rulings, /) -> Score:
    """What these calls and the judge's embeddings cost when they were made, where all prices are known."""
    if rulings.cost is None:
        return Score(0.0, _NOBODY)
    embedded = rulings.cost.embedded
    told = f"{rulings.cost.calls} calls of the judge" + (f" and {embedded.texts} texts it embedded" if embedded else "")
    return Score(
        rulings.cost.money, f"over {told}" if rulings.cost.money is not None else f"no price of {told} is known"
    )


def _completions(outcome: Outcome) -> list[Completion]:
    return [completion for step in outcome.response.steps for completion in step.completions]


def _tokens(counts: Sequence[int | None]) -> Score:
    total = known_sum(counts)
    if total is None:
        return Score(None, f"{sum(count is None for count in counts)} of {len(counts)} completions have no token count")
    return Score(float(total), f"over {len(counts)} completions")
