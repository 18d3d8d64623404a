"""What calls cost, and that a budget holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from benchmark.domain import Prompt, UserError
from benchmark.models.endpoints import budget
from benchmark.models.endpoints.budget import Budget, BudgetSpentError, new_accounts, spent
from benchmark.models.endpoints.faults import CallTimeoutError
from benchmark.models.endpoints.prices import Prices
from benchmark.storage.spending import SharedBook
from tests import endpoint as replies
from tests.endpoint import Endpoint
from tests.fakes import Kept
from tests.models.endpoints.conftest import Modelled

PRICES = Prices(date="2026-01-01", source="mine", models={"tiny": {"input": 1e6, "output": 1e7, "cached": 1e5}})
ASKED = Prompt("Responde.", "¿Qué dosis?")


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    new_accounts()
    yield
    new_accounts()


def test_a_call_costs_its_tokens_by_the_table(model: Modelled) -> None:
    completion = model(transport={"prices": PRICES}).complete(ASKED)
    assert (completion.prompt_tokens, completion.completion_tokens, completion.money) == (3, 2, 23.0)


def test_tokens_in_the_endpoints_cache_cost_less(model: Modelled, endpoint: Endpoint) -> None:
    usage = b'{"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 8}}'
    endpoint.script.append(replies.raw(b'{"choices": [{"message": {"content": "4 g"}}], "usage": ' + usage + b"}"))
    completion = model(transport={"prices": PRICES}).complete(ASKED)
    assert completion.cached_tokens == 8
    assert completion.money == pytest.approx(2 + 0.8 + 10)


def test_an_unknown_price_is_none_and_so_is_that_of_a_reply_without_usage(model: Modelled, endpoint: Endpoint) -> None:
    assert model().complete(ASKED).money is None
    endpoint.script.append(replies.raw(b'{"choices": [{"message": {"content": "4 g"}}]}'))
    assert model(transport={"prices": PRICES}).complete(ASKED).money is None


def test_a_kept_call_has_the_price_of_its_making(model: Modelled) -> None:
    memory = Kept()
    model(memory=memory, transport={"prices": PRICES}).complete(ASKED)
    assert model(memory=memory).complete(ASKED).money == 23.0
    assert spent().calls == 1


def test_a_table_without_date_and_source_is_refused() -> None:
    with pytest.raises(UserError, match="date and source"):
        Prices(models={"m": {"input": 1.0, "output": 1.0}})
    with pytest.raises(UserError, match="price of m"):
        Prices(date="d", source="s", models={"m": {"input": 1.0}})


@pytest.mark.parametrize("shared", [False, True], ids=["alone", "shared"])
@pytest.mark.parametrize(
    "bounds", [{"calls": 7}, {"tokens": 2000}, {"money": 8000.0}], ids=lambda bounds: next(iter(bounds))
)
def test_a_budget_is_not_exceeded_by_calls_in_flight(
    model: Modelled, endpoint: Endpoint, bounds: dict[str, float], shared: bool, tmp_path: Path
) -> None:
    if shared:
        budget.share(SharedBook(tmp_path / "book.sqlite"))
    endpoint.latency = 0.02
    bounded = model(max_tokens=400, transport={"in_flight": 16, "prices": PRICES, "budget": Budget(**bounds)})  # type: ignore[arg-type]  # numbers
    endpoint.content = lambda _: "palabra " * 100
    with pytest.raises(BudgetSpentError, match=rf"budget\.{next(iter(bounds))}="):
        bounded.many([Prompt("", str(number)) for number in range(40)])
    [(name, bound)] = bounds.items()
    assert 0.4 * bound < getattr(spent(), name) <= bound
    assert len(endpoint.bodies) == spent().calls
    assert budget.by_model(expected=False) == {"tiny": spent()}


def test_retries_count_as_calls_and_what_was_refused_costs_nothing(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.extend([replies.status(429), replies.status(500)])
    model(transport={"prices": PRICES}).complete(ASKED)
    assert (spent().calls, spent().tokens) == (3, 5)


def test_what_may_have_been_charged_counts_at_its_most(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.hangs(2))
    with pytest.raises(CallTimeoutError):
        model(max_tokens=50, transport={"timeout": 0.2}).complete(ASKED)
    assert spent().completion_tokens == 50


def test_a_budget_of_money_wants_to_know_the_price(model: Modelled, endpoint: Endpoint) -> None:
    with pytest.raises(UserError, match="no price of tiny is known"):
        model(transport={"budget": Budget(money=1.0)}).complete(ASKED)
    assert not endpoint.bodies


class Ruling(BaseModel):
    verdicts: tuple[bool, ...]
    reason: str | None


def test_a_dry_run_counts_each_call_once_and_sends_and_keeps_nothing(model: Modelled, endpoint: Endpoint) -> None:
    memory = Kept()
    dry = model(memory=memory, max_tokens=50, transport={"network": "dry", "prices": PRICES})
    for _ in range(2):
        dry.complete(ASKED)
        assert dry.ask(ASKED, Ruling).verdicts
    expected = budget.by_model(expected=True)["tiny"]
    assert (expected.calls, expected.completion_tokens) == (2, 100)
    assert expected.money > 100
    assert not endpoint.bodies
    assert not memory
