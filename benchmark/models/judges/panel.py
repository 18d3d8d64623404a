"""Several judges at once: the majority rules, and says how many agreed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from benchmark.domain import ImpliedQuestion, Judge, Question, RelevancyScale, UserError, Verdict
from benchmark.models.judges import Remote
from benchmark.turns import together

Ruled = TypeVar("Ruled")


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Judges by the names that the reasons call them by.

    A claim holds if more than half of them say so; a tie does not hold, and its reason says that it is one.
    ``Verdict.confidence`` is the share of the judges that agree with the ruling. The first judge takes the answer apart
    and writes the implied questions, which are read on its scale; whether an answer is noncommittal is voted on.
    If one of them fails, the panel fails: its denominator does not shrink, and the replies of the others are kept.
    """

    judges: Mapping[str, Judge]

    def __post_init__(self) -> None:
        if len(self.judges) < 2:
            raise UserError(f"judge=panel has {len(self.judges)} judges: it wants two or more, best an odd number")
        names = [judge.name for judge in self.judges.values()]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise UserError(
                f"two judges of the panel are the same, {twice}: they would vote alike\n"
                "    to do:  choose other models, judge.judges.second.llm.model=MODEL"
            )

    @property
    def name(self) -> str:
        return f"panel({', '.join(judge.name for judge in self.judges.values())})"

    @property
    def in_flight(self) -> int:
        """As many operations at once as the judge with most room takes."""
        return max([1, *(judge.in_flight for judge in self.judges.values() if isinstance(judge, Remote))])

    def statements(self, question: str, answer: str) -> tuple[str, ...]:
        """What the first judge takes the answer apart into: all of them rule on the same statements."""
        return self._first.statements(question, answer)

    def supported(self, statements: Sequence[str], context: Sequence[str]) -> tuple[Verdict, ...]:
        """One verdict per statement."""
        return self._each(lambda judge: judge.supported(statements, context), wanted=len(statements))

    def useful(self, question: str, passage: str, reference: str) -> Verdict:
        """Whether most of the judges find the passage useful."""
        return self._vote(self._all(lambda judge: judge.useful(question, passage, reference)))

    def attributed(self, question: str, reference: str, context: Sequence[str]) -> tuple[Verdict, ...]:
        """One verdict per sentence of the reference.

        Raises:
            ValueError: the judges find different numbers of sentences, so that there is nothing to vote on.
        """
        return self._each(lambda judge: judge.attributed(question, reference, context))

    def implied_questions(self, question: str, answer: str, n: int) -> tuple[ImpliedQuestion, ...]:
        """The first judge's; each is noncommittal if to more than half of the judges all of theirs are."""
        by_judge = self._all(lambda judge: judge.implied_questions(question, answer, n))
        evasive = sum(bool(implied) and all(one.noncommittal for one in implied) for implied in by_judge.values())
        noncommittal = 2 * evasive > len(by_judge)
        return tuple(ImpliedQuestion(one.text, noncommittal, one.similarity) for one in next(iter(by_judge.values())))

    def relevancy_scale(self, questions: Sequence[Question]) -> RelevancyScale:
        """The first judge's, whose questions are read on it."""
        return self._first.relevancy_scale(questions)

    @property
    def _first(self) -> Judge:
        return next(iter(self.judges.values()))

    def _all(self, operation: Callable[[Judge], Ruled]) -> dict[str, Ruled]:
        calls = [partial(operation, judge) for judge in self.judges.values()]
        return dict(zip(self.judges, together(calls, at_once=self.in_flight), strict=True))

    def _each(
        self, operation: Callable[[Judge], tuple[Verdict, ...]], *, wanted: int | None = None
    ) -> tuple[Verdict, ...]:
        by_judge = self._all(operation)
        counts = {name: len(verdicts) for name, verdicts in by_judge.items()}
        if len({*counts.values()} | ({wanted} if wanted is not None else set())) > 1:
            told = ", ".join(f"{name} {count}" for name, count in counts.items())
            raise ValueError(f"the judges of the panel do not rule on the same claims: {told}")
        names = tuple(by_judge)
        return tuple(
            self._vote(dict(zip(names, verdicts, strict=True))) for verdicts in zip(*by_judge.values(), strict=True)
        )

    @staticmethod
    def _vote(verdicts: Mapping[str, Verdict]) -> Verdict:
        for_it = sum(verdict.holds for verdict in verdicts.values())
        against = len(verdicts) - for_it
        holds = for_it > against
        count = f"a tie, {for_it} to {against}" if for_it == against else f"{max(for_it, against)} of {len(verdicts)}"
        reasons = "; ".join(
            f"{name} ({'yes' if verdict.holds else 'no'}): {verdict.reason}" for name, verdict in verdicts.items()
        )
        claim = next(iter(verdicts.values())).claim
        return Verdict(claim, holds, f"{count}. {reasons}", max(for_it, against) / len(verdicts))
