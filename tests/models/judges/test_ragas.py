"""The judge with the library's prompts: what it sends, and what it makes of bad replies."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from benchmark.config import Plan
from benchmark.domain import Outcome, RelevancyScale, Rulings, UserError
from benchmark.metrics import ragas, ragas_library
from benchmark.models.endpoints.faults import BadReplyError
from benchmark.models.judges import ragas as judges
from benchmark.models.judges import rule
from benchmark.models.judges.ragas import RagasJudge
from tests.endpoint import Body, Endpoint
from tests.factories import hit, question, response
from tests.fakes import HashEmbedder
from tests.models.judges.conftest import Modelled, say

needs_library = pytest.mark.skipif(importlib.util.find_spec("ragas") is None, reason="needs the extra ragas")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
CLAIMS = ("Se dan 4 g.", "La llave } y {.")


def judge(model: Modelled, *, as_library: bool = False, **fields: Any) -> RagasJudge:
    llm = model(temperature=0.01, sample_temperature=0.3, **fields)
    return RagasJudge(llm=llm, embedder=HashEmbedder(), as_library=as_library)


def ruled(*verdicts: object, claims: tuple[str, ...] = CLAIMS) -> dict[str, Any]:
    rulings = zip(claims, verdicts, strict=False)
    return {"statements": [{"statement": claim, "reason": "", "verdict": verdict} for claim, verdict in rulings]}


def mended(reply: object) -> dict[str, str]:
    """What the library's prompt for mending asks for."""
    return {"text": json.dumps(reply)}


def task_of(body: Body) -> str:
    """The library's task, by the instruction that its prompt opens with."""
    openings = {
        "Given a question and an answer, analyze": "statements",
        "Your task is to judge the faithfulness": "supported",
        "Given question, answer and context verify": "useful",
        "Given a context, and an answer, analyze": "attributed",
        "Generate a question for the given answer": "implied",
    }
    asked = str(body["messages"][0]["content"])
    return next(task for opening, task in openings.items() if asked.startswith(opening))


def replies(**by_task: object) -> Callable[[Body], str]:
    """A reply by task: one that fits where none is given."""
    fitting: dict[str, object] = {
        "statements": {"statements": list(CLAIMS)},
        "supported": ruled(1, 0),
        "useful": {"reason": "", "verdict": 1},
        "attributed": {"classifications": [{"statement": "Se dan 4 g.", "reason": "", "attributed": 1}]},
        "implied": {"question": "¿Qué dosis?", "noncommittal": 0},
    }

    def content(body: Body) -> str:
        return json.dumps({**fitting, **by_task}[task_of(body)], ensure_ascii=False)

    return content


def rulings_of(judge: RagasJudge, outcome: Outcome) -> Rulings:
    return rule(judge, outcome, scale=RelevancyScale(), unanswerable="ragas")


# -------------------------------------------------------------------------------------------------------- what is sent


@needs_library
def test_the_librarys_prompt_is_sent_as_it_is_and_nothing_else(model: Modelled, endpoint: Endpoint) -> None:
    from ragas.metrics._context_precision import QAC, ContextPrecisionPrompt

    endpoint.content = replies()
    judge(model).useful("¿Qué dosis?", "Son 4 g.", "4 g.")
    asked = ContextPrecisionPrompt().to_string(QAC(question="¿Qué dosis?", context="Son 4 g.", answer="4 g."))
    sent = endpoint.bodies[0]
    assert sent["messages"] == [{"role": "user", "content": asked}]
    assert asked.endswith("Output: ")
    assert "response_format" not in sent


@needs_library
def test_implied_questions_are_drawn_and_all_else_is_asked_as_coldly_as_the_library_does(
    model: Modelled, endpoint: Endpoint
) -> None:
    endpoint.content = replies()
    rulings_of(judge(model, seed=7), Outcome(question(), response(hit(0, 9))))
    drawn = [body for body in endpoint.bodies if task_of(body) == "implied"]
    cold = {body["temperature"] for body in endpoint.bodies if task_of(body) != "implied"}
    assert (cold, {body["temperature"] for body in drawn}) == ({0.01}, {0.3})
    assert len({body["seed"] for body in drawn}) == len(drawn) == 3


@needs_library
def test_its_name_has_the_librarys_version(model: Modelled) -> None:
    assert judge(model).name.startswith("ragas-0.4.3-")
    assert judge(model).name != judge(model, as_library=True).name


def test_without_the_library_it_says_what_to_type(model: Modelled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judges, "find_spec", lambda _: None)
    judges._prompt.cache_clear()
    with pytest.raises(UserError, match=r"pip install 'ragsweep\[ragas\]'"):
        _ = judge(model).name


@needs_library
def test_it_is_chosen_and_switched_by_the_yaml(planned: Callable[..., Plan], endpoint: Endpoint) -> None:
    endpoint.content = replies()
    ours = ("judge=ragas", "judge.as_library=true", f"judge.llm.base_url={endpoint.url}", "judge.llm.api_key_env=null")
    plan = planned(*ours, "metrics=as_library")
    assert cast(RagasJudge, plan.judge).as_library
    precision = plan.metrics["ragas/context_precision"]
    outcome = Outcome(question(), response(hit(0, 9)))
    assert precision(outcome, rulings_of(cast(RagasJudge, plan.judge), outcome)).value == 0.9999999999


# ------------------------------------------------------------------------------------- what users of ragas have met


@needs_library
def test_a_brace_in_a_string_loses_no_statement(model: Modelled, endpoint: Endpoint) -> None:
    said = {"statements": ["Uno.", "La llave } cierra.", "Tres."]}
    endpoint.content = replies(statements=said)
    assert judge(model).statements("¿Qué?", "Tres cosas.") == ("Uno.", "La llave } cierra.", "Tres.")
    lost = judge(model, as_library=True).statements("¿Qué?", "Tres cosas.")
    assert len(lost) < 3


@needs_library
@pytest.mark.parametrize(
    "bad",
    [ruled(1), ruled(1, 2), ruled(1, "yes"), ruled(1, 0, claims=(*CLAIMS, "x"))["statements"], "No sé."],
    ids=["fewer", "2", "yes", "a list", "prose"],
)
def test_a_bad_reply_is_mended_once_then_a_failure(model: Modelled, endpoint: Endpoint, bad: object) -> None:
    endpoint.content = say(bad, mended(ruled(1, 0)))
    assert [verdict.holds for verdict in judge(model).supported(CLAIMS, ["Se dan 4 g."])] == [True, False]
    assert "did not satisfy the constraints" in endpoint.bodies[1]["messages"][0]["content"]
    endpoint.content = say(bad, mended(bad))
    with pytest.raises(BadReplyError):
        judge(model).supported(CLAIMS, ["Se dan 4 g."])
    assert len(endpoint.bodies) == 4


@needs_library
def test_verdicts_in_another_order_are_given_to_their_statements(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.content = say(ruled(0, 1, claims=CLAIMS[::-1]))
    verdicts = judge(model).supported(CLAIMS, ["Se dan 4 g."])
    assert [(verdict.claim, verdict.holds) for verdict in verdicts] == [(CLAIMS[0], True), (CLAIMS[1], False)]


@needs_library
def test_an_empty_context_is_not_measured_but_by_the_switch(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.content = replies()
    nothing = Outcome(question(), response())
    rulings = rulings_of(judge(model), nothing)
    assert ragas.context_precision(nothing, rulings).why == "no context"
    as_library = rulings_of(judge(model, as_library=True), nothing)
    assert ragas_library.context_precision(nothing, as_library).value == 0.0
    assert ragas_library.context_recall(nothing, as_library).value == 1.0
    assert ragas_library.faithfulness(nothing, as_library).value == 0.5


@needs_library
def test_a_refusal_is_not_measured_and_says_why(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.content = replies(statements={"statements": []})
    refusal = Outcome(question(), response(hit(0, 9), answer="No puedo ayudar con eso."))
    for metric in (ragas.faithfulness, ragas_library.faithfulness):
        score = metric(refusal, rulings_of(judge(model), refusal))
        assert (score.value, score.why) == (None, "no statement in the answer")


@needs_library
def test_one_false_alarm_does_not_make_an_answer_noncommittal(model: Modelled, endpoint: Endpoint) -> None:
    seen = []

    def content(body: Body) -> str:
        seen.append(body)
        return json.dumps({"question": "¿Qué dosis?", "noncommittal": int(len(seen) == 1)})

    endpoint.content = content
    implied = judge(model, seed=1).implied_questions("¿Qué dosis?", "Depende: 4 g.", 3)
    outcome = Outcome(question(), response(hit(0, 9)))
    assert sum(one.noncommittal for one in implied) == 1
    assert (ragas.answer_relevancy(outcome, Rulings(implied=implied)).value or 0.0) > 0.99


@needs_library
def test_a_ruling_that_failed_is_seen_and_is_no_zero(model: Modelled, endpoint: Endpoint) -> None:
    def content(body: Body) -> str:
        try:
            return replies(attributed="No sé.")(body)
        except StopIteration:  # the prompt for mending
            return "No sé."

    endpoint.content = content
    outcome = Outcome(question(), response(hit(0, 9)))
    rulings = rulings_of(judge(model), outcome)
    recall = ragas.context_recall(outcome, rulings)
    assert {failure.stage for failure in rulings.failures} == {"attributed", "conveyed"}
    assert recall.value is None
    assert "no JSON object" in recall.why
    assert ragas.mean(outcome, rulings).value is None


@needs_library
def test_questions_that_are_all_empty_are_a_failure_but_by_the_switch(model: Modelled, endpoint: Endpoint) -> None:
    empty = {"question": "", "noncommittal": 0}
    endpoint.content = say(empty)
    with pytest.raises(BadReplyError):
        judge(model).implied_questions("¿Qué dosis?", "4 g.", 3)
    assert judge(model, as_library=True).implied_questions("¿Qué dosis?", "4 g.", 3) == ()
