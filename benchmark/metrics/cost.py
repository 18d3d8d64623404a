"""What an answer cost: seconds, tokens and calls, as they were when its parts were made."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from benchmark.domain import Completion, Outcome, Record, Response, Rulings, Score
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


def seconds(outcome: Outcome, _: Rulings, /) -> Score:
    """Seconds over all stages; what came from memory counts with what it took when it was made."""
    stages = seconds_by_step(outcome.response)
    why = " + ".join(f"{name} {value:.3f}" for name, value in stages.items())
    return Score(fsum(stages.values()), why or "no stage")


def money_by_step(record: Record) -> dict[str, list[float | None]]:
    """What each call of a model cost, by the stage that made it, and by ``judge``; ``None``: its price is unknown."""
    found: dict[str, list[float | None]] = {}
    for step in record.response.steps if record.response else ():
        if step.completions:
            found.setdefault(step.name, []).extend(completion.money for completion in step.completions)
    if record.rulings.cost is not None:
        found["judge"] = [record.rulings.cost.money]
    return found


def prompt_tokens(outcome: Outcome, _: Rulings, /) -> Score:
    """Tokens that models read, by their own count."""
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
    """How many completions the answer took, kept ones among them."""
    completions = _completions(outcome)
    # How many were kept depends on what ran before, so it is no part of the score; the steps say it.
    return Score(float(len(completions)), f"over {len(completions)} completions")


def money(outcome: Outcome, _: Rulings, /) -> Score:
    """What the completions cost when they were made, in the currency of the price table, where all prices are known."""
    prices = [completion.money for completion in _completions(outcome)]
    known = [price for price in prices if price is not None]
    if len(known) < len(prices):
        return Score(None, f"no price is known of {len(prices) - len(known)} of {len(prices)} completions")
    return Score(fsum(known), f"over {len(prices)} completions")


def judge_calls(_: Outcome, rulings: Rulings, /) -> Score:
    """How many calls of a model the rulings on the answer took, kept ones among them."""
    return Score(float(rulings.cost.calls), "of the judge") if rulings.cost else Score(0.0, _NOBODY)


def judge_money(_: Outcome, rulings: Rulings, /) -> Score:
    """What these calls cost when they were made, where all prices are known."""
    if rulings.cost is None:
        return Score(0.0, _NOBODY)
    told = f"{rulings.cost.calls} calls of the judge"
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
