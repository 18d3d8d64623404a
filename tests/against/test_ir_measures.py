"""Retrieval metrics equal those of ``ir_measures`` where each hit meets at most one span."""

from __future__ import annotations

import random

import ir_measures
import pytest
from ir_measures import AP, RR, P, R, nDCG

from benchmark.domain import Outcome, Rulings
from benchmark.metrics import retrieval
from tests.factories import evidence, hit, outcome

QUESTIONS = 200


def exam(seed: int) -> tuple[Outcome, dict[str, int], dict[str, float]]:
    """Places of ten characters: some are gold, some are found; and the same as judgements and a run."""
    chance = random.Random(seed)
    places = range(30)
    grades = {place: chance.randint(1, 3) for place in chance.sample(places, chance.randint(1, 12))}
    grades[min(grades)] = 3
    found = chance.sample(places, chance.randint(1, 20))
    gold = [evidence(20 * place, 20 * place + 10, grade) for place, grade in grades.items()]
    context = [hit(20 * place - 5, 20 * place + 5) for place in found]
    judgements = {str(place): grade for place, grade in grades.items()}
    return outcome(gold, context), judgements, {str(place): 1 / rank for rank, place in enumerate(found, start=1)}


@pytest.mark.parametrize("k", [1, 3, 5, 10])
@pytest.mark.parametrize("min_grade", [1, 2])
def test_random_runs_score_as_in_ir_measures(k: int, min_grade: int) -> None:
    exams = {str(seed): exam(seed) for seed in range(QUESTIONS)}
    judgements = {name: grades for name, (_, grades, _) in exams.items()}
    run = {name: ranked for name, (_, _, ranked) in exams.items()}
    level = {"cutoff": k, "rel": min_grade}
    theirs = {
        P(**level): retrieval.precision,
        R(**level): retrieval.recall,
        RR(**level): retrieval.mrr,
        AP(**level): retrieval.map,
        nDCG(cutoff=k): lambda case, rulings, *, k, min_grade: retrieval.ndcg(case, rulings, k=k),
    }
    values = list(ir_measures.iter_calc(list(theirs), judgements, run))
    assert len(values) == len(theirs) * QUESTIONS
    for metric in values:
        ours = theirs[metric.measure](exams[metric.query_id][0], Rulings(), k=k, min_grade=min_grade)
        assert ours.value == pytest.approx(metric.value, abs=1e-9), (metric, ours)
