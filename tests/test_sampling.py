from __future__ import annotations

from collections import Counter

import pytest

from benchmark.domain import Query, Question, UserError
from benchmark.sampling import select

EXAM = [
    Question(Query(f"q{i}", "?"), "r", answerable=i % 4 != 0, tags=(("fact", "numeric")[i % 2],)) for i in range(40)
]


def test_a_sample_keeps_the_share_of_every_kind() -> None:
    drawn = select(EXAM, limit=None, sample=20, seed=7)
    assert Counter((q.answerable, q.tags) for q in drawn) == Counter(
        {kind: count // 2 for kind, count in Counter((q.answerable, q.tags) for q in EXAM).items()}
    )


@pytest.mark.parametrize("size", range(1, 45))
def test_a_sample_has_the_size_asked_for(size: int) -> None:
    assert len(select(EXAM, limit=None, sample=size, seed=7)) == min(size, len(EXAM))


def test_the_same_seed_draws_the_same_questions_in_exam_order() -> None:
    drawn = select(EXAM, limit=None, sample=11, seed=3)
    assert drawn == select(EXAM, limit=None, sample=11, seed=3)
    assert list(drawn) == [question for question in EXAM if question in drawn]


def test_another_seed_draws_others() -> None:
    assert select(EXAM, limit=None, sample=11, seed=3) != select(EXAM, limit=None, sample=11, seed=4)


def test_the_limit_takes_the_first() -> None:
    assert select(EXAM, limit=3, sample=None, seed=7) == tuple(EXAM[:3])


@pytest.mark.parametrize("wrong", [{"limit": 0, "sample": None}, {"limit": None, "sample": -2}])
def test_fewer_than_one_question_is_refused(wrong: dict[str, int | None]) -> None:
    with pytest.raises(UserError, match="at least one question"):
        select(EXAM, seed=7, limit=wrong["limit"], sample=wrong["sample"])
