"""What a judge's verdicts on a labelled case come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from benchmark.domain import Judge, UserError, Verdict
from benchmark.models.judges.labelled import rule_on
from benchmark.models.judges.local import LocalJudge
from benchmark.models.judges.panel import Panel
from benchmark.readings.people import Case, Labelled, Ruled
from tests.fakes import HashEmbedder


@dataclass(frozen=True)
class Saying(LocalJudge):
    """A judge that has its verdicts said beforehand."""

    name: str = "saying"
    verdicts: tuple[tuple[bool, float | None], ...] = ()
    error: Exception | None = None

    def statements(self, question: str, answer: str) -> tuple[str, ...]:
        return tuple(f"part {place}" for place in range(len(self.verdicts)))

    def supported(self, statements: Sequence[str], context: Sequence[str]) -> tuple[Verdict, ...]:
        if self.error:
            raise self.error
        return tuple(Verdict("claim", holds, "so", sure) for holds, sure in self.verdicts)


def saying(*verdicts: tuple[bool, float | None], name: str = "saying", error: Exception | None = None) -> Saying:
    return Saying(HashEmbedder(), "es", name=name, verdicts=verdicts, error=error)


def ruled(judge: Judge, claim: str | None = None) -> Ruled:
    [(_, one)] = rule_on(judge, [Labelled(Case("1", "¿?", ("Se dan 4 g.",), "Son 4 g.", claim, "es"), (True,))])
    return one


def test_an_answer_holds_if_all_of_it_does_and_its_support_is_the_mean() -> None:
    found = ruled(saying((True, 0.9), (False, 0.3)))
    assert found.holds is False
    assert found.support == pytest.approx(0.6)


def test_a_judge_that_does_not_say_how_sure_it_is_is_sure() -> None:
    assert [ruled(saying((holds, None)), "Son 4 g.").support for holds in (True, False)] == [1.0, 0.0]


def test_a_panels_confidence_is_in_its_ruling_so_that_one_against_is_little_support() -> None:
    judges = [saying((holds, None), name=str(place)) for place, holds in enumerate((False, False, True))]
    found = ruled(Panel(judges={judge.name: judge for judge in judges}), "Son 4 g.")
    assert found.holds is False
    assert found.support == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("judge", "claim", "why"),
    [
        (saying(error=TimeoutError("it hung up")), "Son 4 g.", "it hung up"),
        (saying((True, None), (True, None)), "Son 4 g.", "the judge gave 2 verdicts on 1 statements"),
        (saying(), None, "the judge finds no statement in the answer"),
    ],
)
def test_a_case_that_cannot_be_ruled_on_says_why(judge: Judge, claim: str | None, why: str) -> None:
    found = ruled(judge, claim)
    assert (found.holds, found.support, found.reason) == (None, None, why)


def test_what_the_user_must_mend_ends_the_check() -> None:
    with pytest.raises(UserError, match="the key is refused"):
        ruled(saying(error=UserError("the key is refused")), "Son 4 g.")


def test_a_case_without_a_label_is_not_ruled_on() -> None:
    case = Case("1", "", ("Se dan 4 g.",), "", "Son 4 g.", "es")
    assert list(rule_on(saying((True, None)), [Labelled(case, (True, False))])) == []
