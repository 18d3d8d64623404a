"""What was spent, what may be, and what would be: never more than the budget, also not by calls in flight."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, replace
from time import sleep
from typing import Protocol

from benchmark.domain import UserError
from benchmark.models.endpoints.faults import RejectedError

Amounts = tuple[float, ...]

_LOOK_AGAIN = 0.02  # seconds between looks at what other processes have in flight


@dataclass(frozen=True, slots=True)
class Spent:
    """``money``: of the calls whose price is known; ``unpriced`` counts the others."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float = 0.0
    unpriced: int = 0

    @classmethod
    def of(cls, amounts: Amounts) -> Spent:
        """From the amounts in the fields' order."""
        calls, prompt, completion, money, unpriced = amounts
        return cls(int(calls), int(prompt), int(completion), float(money), int(unpriced))

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.money + other.money,
            self.unpriced + other.unpriced,
        )

    def __sub__(self, other: Spent) -> Spent:
        return self + Spent(-other.calls, -other.prompt_tokens, -other.completion_tokens, -other.money, -other.unpriced)

    def told(self, times: float = 1.0) -> str:
        """In words, such as "3 calls, 120 tokens, 0.0021 of money"."""
        money = "unknown" if self.calls and self.unpriced == self.calls else f"{self.money * times:.4f}"
        money += " and some unknown" if 0 < self.unpriced < self.calls else ""
        calls = round(self.calls * times)
        return f"{calls:,} call{'s' * (calls != 1)}, {round(self.tokens * times):,} tokens, money {money}"


class BudgetSpentError(UserError):
    """The next call might cost more than is left."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What one call of the command may spend, over all its jobs and models; ``None`` is no bound."""

    money: float | None = None
    tokens: int | None = None
    calls: int | None = None

    def __post_init__(self) -> None:
        for name in ("money", "tokens", "calls"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise UserError(f"budget.{name} is {value}: it is null or a number that is not below 0")

    def lacking(self, spent: Spent) -> str | None:
        """The name of the bound that this would exceed."""
        for name in ("calls", "tokens", "money"):
            bound = getattr(self, name)
            if bound is not None and getattr(spent, name) > bound:
                return name
        return None


@dataclass(slots=True)
class Held:
    """A call that is being made; what it ``spent`` is the most that it may until more is known."""

    spent: Spent


class Book(Protocol):
    """What processes that share a budget have spent together; amounts are those of a ``Spent``, in its order."""

    def hold(self, model: str, most: Amounts, allows: Callable[[Amounts], bool]) -> tuple[int | None, bool]: ...
    def settle(self, number: int, spent: Amounts) -> None: ...
    def expect(self, model: str, key: str, most: Amounts) -> None: ...
    def by_model(self, *, expected: bool) -> dict[str, Amounts]: ...


@dataclass(slots=True)
class Account:
    """What is spent of one budget, by model, and what the calls in flight may come to."""

    budget: Budget
    by_model: dict[str, Spent] = field(default_factory=dict)
    expected: dict[str, Spent] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    _held: Spent = Spent()
    _change: threading.Condition = field(default_factory=threading.Condition)

    @property
    def spent(self) -> Spent:
        return sum(self.by_model.values(), Spent())

    @contextmanager
    def holding(self, model: str, most: Spent) -> Iterator[Held]:
        """A block that makes one call, which may cost ``most``; it waits while calls in flight may leave enough.

        Raises:
            BudgetSpentError: it would not fit even if nothing else came.
        """
        if self.budget.money is not None and most.unpriced:
            raise UserError(
                f"budget.money is set, but no price of {model} is known.\n"
                "    to do:  add it to a table of conf/prices, or bound budget.tokens or budget.calls instead"
            )
        number = self._hold(model, most)
        held = Held(most)
        try:
            yield held
        except (UserError, RejectedError):  # refused, and not charged
            held.spent = Spent(calls=most.calls, unpriced=most.unpriced)
            raise
        finally:
            with self._change:
                self._held -= most
                # Money is a sum of fractions: what is left of nothing must be nothing.
                self._held = replace(self._held, money=max(0.0, self._held.money)) if self._held.calls else Spent()
                self.by_model[model] = self.by_model.get(model, Spent()) + held.spent
                self._change.notify_all()
            if _book is not None and number is not None:
                _book.settle(number, astuple(held.spent))

    def _hold(self, model: str, most: Spent) -> int | None:
        """Wait until the call fits; returns its number in the book, where there is one."""
        number = None
        while _book is not None and number is None:
            number, in_flight = _book.hold(model, astuple(most), lambda sums: self._fits(Spent.of(sums) + most))
            if number is None:
                if not in_flight:
                    raise self._too_much(most, sum(by_model(expected=False).values(), Spent()))
                sleep(_LOOK_AGAIN)
        with self._change:
            while _book is None and not self._fits(self.spent + self._held + most):
                if self._held == Spent():
                    raise self._too_much(most, self.spent)
                self._change.wait()
            self._held += most
        return number

    def _fits(self, spent: Spent) -> bool:
        return self.budget.lacking(spent) is None

    def _too_much(self, most: Spent, spent: Spent) -> BudgetSpentError:
        name = self.budget.lacking(spent + most) or "calls"
        return BudgetSpentError(
            f"budget.{name}={getattr(self.budget, name)} does not allow the next call, which may cost {most.told()}. "
            f"Spent so far: {spent.told()}"
        )

    def expect(self, model: str, key: str, most: Spent) -> None:
        """Note a call that would be made, once for each key."""
        with self._change:
            if key not in self._seen:
                self._seen.add(key)
                self.expected[model] = self.expected.get(model, Spent()) + most
                if _book is not None:
                    _book.expect(model, key, astuple(most))


_accounts: dict[Budget, Account] = {}
_lock = threading.Lock()
_book: Book | None = None


def share(book: Book | None) -> None:
    """Spend by this book from now on, together with all processes that do."""
    global _book  # as the accounts, it is the process's
    _book = book


def account_of(budget: Budget) -> Account:
    """One per budget, since the last ``new_accounts``."""
    with _lock:
        return _accounts.setdefault(budget, Account(budget))


def new_accounts() -> None:
    """Begin anew: a budget is that of one call of the command."""
    share(None)
    with _lock:
        _accounts.clear()


def spent() -> Spent:
    """Over all accounts of this process."""
    return sum((account.spent for account in _accounts.values()), Spent())


def by_model(*, expected: bool) -> dict[str, Spent]:
    """What was spent, or what would be, over all accounts; by the book where there is one."""
    if _book is not None:
        return {model: Spent.of(sums) for model, sums in _book.by_model(expected=expected).items()}
    found: dict[str, Spent] = {}
    for account in _accounts.values():
        for model, sum_of in (account.expected if expected else account.by_model).items():
            found[model] = found.get(model, Spent()) + sum_of
    return dict(sorted(found.items()))
