"""The published scores of a study of 16 systems on 10 questions, and what they can show."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmark.domain import Record
from benchmark.statistics import Settings, summarise
from benchmark.statistics.summary import MetricStatistics
from tests.factories import record

Found = dict[str, MetricStatistics]
RAGAS = ("ragas/faithfulness", "ragas/answer_relevancy", "ragas/context_precision", "ragas/context_recall")


@pytest.fixture(scope="module")
def published() -> Found:
    if "RAGSWEEP_DATA" not in os.environ:
        pytest.skip("RAGSWEEP_DATA is not set")
    path = Path(os.environ["RAGSWEEP_DATA"]) / "obstetrics_guideline" / "published_runs.json"
    runs: dict[str, list[Record]] = {}
    for question in json.loads(path.read_text("utf-8"))["question_by_question"]:
        for architecture, generators in question["rag_results"].items():
            for generator, result in generators.items():
                scores = {f"ragas/{name}": value for name, value in result["metrics"].items()}
                runs.setdefault(f"{architecture} {generator}", []).append(
                    record(scores, name=f"q{question['question_id']}")
                )
    return summarise(runs, settings=Settings(seed=7))


@pytest.mark.parametrize("key", RAGAS)
def test_none_of_120_pairs_can_be_told_apart(published: Found, key: str) -> None:
    found = published[key]
    assert (len(found.estimates), len(found.pairs), found.told_apart) == (16, 120, 0)
    assert {(one.tier, one.highest_rank, one.lowest_rank) for one in found.standings.values()} == {(1, 1, 16)}


@pytest.mark.parametrize("key", RAGAS)
def test_no_pair_could_have_been_told_apart_with_ten_questions(published: Found, key: str) -> None:
    found = published[key].resolution
    assert round(found.smallest_p, 3) == 0.234
    assert found.sentence is not None
    assert found.sentence.startswith("cannot rank with 10 questions; about ")
