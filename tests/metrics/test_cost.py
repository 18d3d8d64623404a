"""What an answer cost."""

from __future__ import annotations

from dataclasses import replace

from benchmark.domain import Asked, Completion, Embedded, Outcome, Rulings, Step
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


def embedding(money: float | None, *completions: Completion) -> Outcome:
    asked = stages(Step("generate", 0, completions=completions))
    return replace(asked, response=replace(asked.response, embedded=Embedded(3, 40, money)))


def test_money_is_that_of_completions_and_embeddings() -> None:
    score = cost.money(embedding(0.5, replace(COUNTED, money=0.25)), UNJUDGED)
    assert (score.value, score.why) == (0.75, "over 1 completions and 3 embedded texts")


def test_an_unknown_price_of_embedding_is_not_nothing() -> None:
    score = cost.money(embedding(None, replace(COUNTED, money=0.25)), UNJUDGED)
    assert (score.value, score.why) == (None, "no price is known of 3 embedded texts")
    score = cost.money(embedding(None, COUNTED), UNJUDGED)
    assert (score.value, score.why) == (None, "no price is known of 1 of 1 completions and of 3 embedded texts")


def test_to_embed_is_no_call_and_no_token_of_a_model_that_writes() -> None:
    metrics = (cost.prompt_tokens, cost.completion_tokens, cost.calls)
    assert [metric(embedding(0.5, COUNTED), UNJUDGED).value for metric in metrics] == [100, 7, 1]


def test_the_judges_money_is_that_of_its_calls_and_its_embeddings() -> None:
    parts = [Embedded(1, 10, 0.5), Embedded(2, 20, 0.125)]
    asked = cost.total_of([replace(COUNTED, money=0.25)], parts)
    assert asked == Asked(1, 100, 7, 0.875, Embedded(3, 30, 0.625))
    score = cost.judge_money(stages(), Rulings(cost=asked))
    assert (score.value, score.why) == (0.875, "over 1 calls of the judge and 3 texts it embedded")


def test_a_judge_that_only_embeds_at_an_endpoint_costs_what_that_costs() -> None:
    assert cost.total_of([], [Embedded(1, 10, 0.5)]) == Asked(0, 0, 0, 0.5, Embedded(1, 10, 0.5))
    assert cost.total_of([], [Embedded(1, 10, None)]) == Asked(0, 0, 0, None, Embedded(1, 10, None))
    assert cost.total_of([], []) is None


def test_the_sum_of_embeddings_is_to_the_bit_the_same_in_any_order() -> None:
    parts = [Embedded(1, place, 0.1 * 3.0**place) for place in range(30)]
    assert Embedded.sum_of(parts) == Embedded.sum_of(parts[::-1])
