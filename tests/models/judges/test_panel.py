"""Several judges: votes, ties, and what happens if one of them fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest

from benchmark.config import Plan
from benchmark.domain import ImpliedQuestion, Outcome, Question, RelevancyScale, UserError, Verdict
from benchmark.models.judges import rule
from benchmark.models.judges.llm import LlmJudge
from benchmark.models.judges.local import LocalJudge
from benchmark.models.judges.panel import Panel
from tests.endpoint import Endpoint
from tests.factories import hit, question, response


@dataclass(frozen=True)
class Stubborn:
    """A judge that always says the same."""

    holds: bool = True
    sentences: int = 1
    breaks: bool = False
    noncommittal: bool = False
    scale: float = 0.0
    name: str = "stubborn"

    def _say(self, claim: str) -> Verdict:
        if self.breaks:
            raise TimeoutError("the judge hung up")
        return Verdict(claim, self.holds, "so" if self.holds else "not so")

    def statements(self, question: str, answer: str) -> tuple[str, ...]:
        return tuple(f"claim {place}" for place in range(self.sentences))

    def supported(self, statements: Sequence[str], context: Sequence[str]) -> tuple[Verdict, ...]:
        return tuple(map(self._say, statements))

    def useful(self, question: str, passage: str, reference: str) -> Verdict:
        return self._say(reference)

    def attributed(self, question: str, reference: str, context: Sequence[str]) -> tuple[Verdict, ...]:
        return tuple(self._say(f"claim {place}") for place in range(self.sentences))

    def implied_questions(self, question: str, answer: str, n: int) -> tuple[ImpliedQuestion, ...]:
        return (ImpliedQuestion(f"{self.name}?", self.noncommittal, 0.5),) * n

    def relevancy_scale(self, questions: Sequence[Question]) -> RelevancyScale:
        return RelevancyScale(self.scale, 1.0)


def panel(*judges: Stubborn) -> Panel:
    return Panel(
        judges={
            letter: replace(judge, name=f"judge {place}")
            for place, (letter, judge) in enumerate(zip("abcdef", judges, strict=False))
        }
    )


YES, NO = Stubborn(), Stubborn(holds=False)


@pytest.mark.parametrize(
    ("judges", "holds", "share", "told"),
    [
        ((YES, YES, NO), True, 2 / 3, "2 of 3"),
        ((NO, YES, NO), False, 2 / 3, "2 of 3"),
        ((YES, YES, YES), True, 1.0, "3 of 3"),
        ((YES, NO), False, 0.5, "a tie, 1 to 1"),
        ((YES, NO, NO, YES), False, 0.5, "a tie, 2 to 2"),
    ],
)
def test_the_majority_rules_and_a_tie_does_not_hold(
    judges: tuple[Stubborn, ...], holds: bool, share: float, told: str
) -> None:
    verdict = panel(*judges).useful("¿Qué?", "Son 4 g.", "4 g.")
    assert (verdict.claim, verdict.holds, verdict.confidence) == ("4 g.", holds, share)
    assert verdict.reason.startswith(f"{told}. ")


def test_the_reasons_of_all_are_kept_under_their_names() -> None:
    assert panel(YES, NO, YES).useful("¿Qué?", "p", "r").reason == "2 of 3. a (yes): so; b (no): not so; c (yes): so"


def test_all_rule_on_the_statements_of_the_first() -> None:
    first, second = Stubborn(sentences=3), Stubborn(sentences=2, holds=False)
    judged = panel(first, second)
    claims = judged.statements("¿Qué?", "Tres.")
    assert [verdict.claim for verdict in judged.supported(claims, ["p"])] == ["claim 0", "claim 1", "claim 2"]


def test_judges_that_find_different_sentences_cannot_vote() -> None:
    with pytest.raises(ValueError, match="do not rule on the same claims: a 3, b 2"):
        panel(Stubborn(sentences=3), Stubborn(sentences=2)).attributed("¿Qué?", "r", ["p"])


def test_if_one_fails_the_panel_fails_and_is_asked_again() -> None:
    outcome = Outcome(question(), response(hit(0, 9)))
    rulings = rule(panel(YES, YES, Stubborn(breaks=True)), outcome, scale=RelevancyScale())
    assert (rulings.useful, rulings.supported) == (None, None)
    assert {failure.message for failure in rulings.failures} == {"the judge hung up"}


@pytest.mark.parametrize(("evasive", "noncommittal"), [(0, False), (1, False), (2, True), (3, True)])
def test_one_false_alarm_does_not_make_an_answer_noncommittal(evasive: int, noncommittal: bool) -> None:
    judges = [Stubborn(noncommittal=place < evasive) for place in range(3)]
    implied = panel(*judges).implied_questions("¿Qué?", "Depende.", 2)
    assert implied == (ImpliedQuestion("judge 0?", noncommittal, 0.5),) * 2


def test_relevancy_is_read_on_the_scale_of_whom_the_questions_are() -> None:
    assert panel(Stubborn(scale=0.7), YES).relevancy_scale([]).zero == 0.7


def test_one_judge_is_no_panel() -> None:
    with pytest.raises(UserError, match="two or more"):
        panel(YES)


def test_one_judge_twice_is_no_panel() -> None:
    with pytest.raises(UserError, match="the same, stubborn"):
        Panel(judges={"a": YES, "b": NO})


def test_a_panel_of_several_kinds_is_made_by_the_yaml(planned: Callable[..., Plan], endpoint: Endpoint) -> None:
    kinds = ("judge=panel", "generator@judge.judges.first.llm=ollama", "judge@judge.judges.third=local")
    models = ("judge.judges.first.llm.model=one", "judge.judges.second.llm.model=two")
    at = ("judge.judges.second.llm.api_key_env=null", f"judge.judges.second.llm.base_url={endpoint.url}")
    judged = planned(*kinds, *models, *at).judge
    assert isinstance(judged, Panel)
    assert [type(judge) for judge in judged.judges.values()] == [LlmJudge, LlmJudge, LocalJudge]
    assert judged.name.count("llm-") == 2
