"""What a judge could not say is counted, and asked for again by the same command."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmark.config import Plan
from benchmark.domain import NOTHING_STATED, Cause, Failure, Record, Rulings
from benchmark.job import execute, pending
from benchmark.models.judges.local import LocalJudge
from tests.factories import question, response

BROKEN = Failure("implied", "TimeoutError", "the judge hung up")

SILENT = Failure("attributed", NOTHING_STATED, "the judge found no statement in the reference")


@pytest.mark.parametrize(
    ("failure", "rulings", "again"),
    [
        (None, Rulings(), False),
        (BROKEN, Rulings(), True),
        (None, Rulings(failures=(BROKEN,)), True),
        (None, Rulings(failures=(SILENT,)), False),
        (None, Rulings(failures=(SILENT, BROKEN)), True),
    ],
)
def test_a_record_knows_whether_a_part_must_be_asked_again(
    failure: Failure | None, rulings: Rulings, again: bool
) -> None:
    assert bool(Record(question(), response(), rulings, {}, Cause.CORRECT, failure).failures) is again


def test_a_question_whose_judge_failed_is_counted_and_asked_again(
    planned: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    def hangs_up(*_: object) -> None:
        raise TimeoutError("the judge hung up")

    plan = planned("limit=2")
    with monkeypatch.context() as patch:
        patch.setattr(LocalJudge, "implied_questions", hangs_up)
        broken = execute(plan).folder
    assert (broken.summary() or {})["judge_failures"] == 2
    assert pending(plan) == list(plan.questions)
    mended = execute(plan).folder
    assert (mended.summary() or {})["judge_failures"] == 0
    assert pending(plan) == []
