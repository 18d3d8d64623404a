"""What an answer cost."""

from __future__ import annotations

from dataclasses import replace

from benchmark.domain import Completion, Outcome, Rulings, Step
from benchmark.metrics import cost
from tests.factories import hit, question, response

UNJUDGED = Rulings()
COUNTED, UNCOUNTED = Completion("4 g", 100, 7, cached=True), Completion("4 g")


def stages(*steps: Step) -> Outcome:
    return Outcome(question(), response(hit(0, 9, text="4 g i.v."), steps=steps))


TWO_CALLS = stages(Step("rewrite", 0.5, completions=(COUNTED,)), Step("generate", 1.5, completions=(COUNTED,)))


def test_seconds_are_those_of_all_stages() -> None:
    assert cost.seconds(TWO_CALLS, UNJUDGED).value == 2.0
    assert cost.seconds(TWO_CALLS, UNJUDGED).why == "rewrite 0.500 + generate 1.500"


def test_tokens_and_calls_add_up() -> None:
    metrics = (cost.prompt_tokens, cost.completion_tokens, cost.calls)
    assert [metric(TWO_CALLS, UNJUDGED).value for metric in metrics] == [200, 14, 2]


def test_one_unknown_count_makes_the_sum_unknown() -> None:
    score = cost.prompt_tokens(stages(Step("generate", 0, completions=(COUNTED, UNCOUNTED))), UNJUDGED)
    assert (score.value, score.why) == (None, "1 of 2 completions have no token count")


def test_without_a_call_no_token_was_spent() -> None:
    assert cost.completion_tokens(stages(), UNJUDGED).value == 0.0


def test_context_is_counted_in_tokens_of_the_house() -> None:
    assert cost.context_tokens(stages(), UNJUDGED).value == 6


def test_money_is_what_the_calls_cost_when_they_were_made() -> None:
    cheap, dear = (replace(COUNTED, money=money) for money in (0.25, 0.5))
    assert cost.money(stages(Step("generate", 0, completions=(cheap, dear))), UNJUDGED).value == 0.75
    assert cost.money(stages(), UNJUDGED).value == 0.0


def test_an_unknown_price_is_not_nothing() -> None:
    priced = replace(COUNTED, money=0.25)
    score = cost.money(stages(Step("generate", 0, completions=(priced, COUNTED))), UNJUDGED)
    assert (score.value, score.why) == (None, "no price is known of 1 of 2 completions")
