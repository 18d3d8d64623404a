"""Patterns, bands, failure cases and cautions of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from benchmark.diagnosis import Diagnosis, Means, band, cautions, closed_book_cautions, failure_cases, findings
from benchmark.domain import Cause, Record, UserError
from tests.factories import record

TREE = OmegaConf.create(
    {
        "k": 5,
        "metrics": {"min_grade": 2},
        "diagnosis": OmegaConf.load(Path(__file__).parents[1] / "conf" / "diagnosis" / "default.yaml"),
    }
)
DIAGNOSIS: Diagnosis = instantiate(TREE.diagnosis)
SOUND = {"faithfulness": 0.8, "answer_relevancy": 0.7, "context_precision": 0.7, "context_recall": 0.7}


def means(**changed: float | None) -> dict[str, float | None]:
    return {f"ragas/{name}": value for name, value in {**SOUND, **changed}.items()}


def patterns(changed: Means, *, auc: float | None = None, raises_patterns: bool = True) -> list[str]:
    found = findings(DIAGNOSIS, means(**changed), [], raises_patterns=raises_patterns, relevancy_auc=auc)
    return [finding.name for finding in found]


def warned(
    changed: Means = SOUND, *, questions: int = 100, asked: int | None = None, auc: float | None = None
) -> list[str]:
    found = cautions(
        DIAGNOSIS,
        means(**changed),
        questions=questions,
        asked=questions if asked is None else asked,
        raises_patterns=True,
        relevancy_auc=auc,
    )
    return [caution.name for caution in found]


def test_a_run_that_lacks_questions_is_unfinished() -> None:
    assert warned(questions=99, asked=100) == ["unfinished"]
    assert warned() == []


def test_a_sound_run_shows_no_pattern() -> None:
    assert patterns(SOUND) == []


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"context_precision": 0.81, "context_recall": 0.59}, "high_precision_low_recall"),
        ({"context_recall": 0.81, "context_precision": 0.59}, "high_recall_low_precision"),
        ({"faithfulness": 0.91, "answer_relevancy": 0.59}, "high_faithfulness_low_relevancy"),
        ({"faithfulness": 0.69, "answer_relevancy": 0.81}, "low_faithfulness_high_relevancy"),
        ({"faithfulness": 0.69}, "low_faithfulness"),
        ({"answer_relevancy": 0.59}, "low_relevancy"),
        ({"context_precision": 0.59}, "low_precision"),
        ({"context_recall": 0.59}, "low_recall"),
    ],
)
def test_each_pattern_is_raised_alone(changed: dict[str, float], name: str) -> None:
    assert patterns(changed) == [name]


def test_thresholds_are_strict() -> None:
    assert patterns({"context_precision": 0.8, "context_recall": 0.6}) == []
    assert patterns({"faithfulness": 0.9, "answer_relevancy": 0.6}) == []


def test_two_low_metrics_are_two_patterns() -> None:
    assert patterns({"context_precision": 0.5, "context_recall": 0.5}) == ["low_precision", "low_recall"]


def test_a_yardstick_raises_no_pattern() -> None:
    assert patterns({"context_recall": 0.1}, raises_patterns=False) == []


def test_what_is_not_measured_raises_no_pattern() -> None:
    assert patterns({"context_recall": None}) == []


def test_an_unreliable_scale_silences_the_patterns_that_use_relevancy_and_no_other() -> None:
    assert patterns({"faithfulness": 0.69, "answer_relevancy": 0.81}, auc=0.84) == ["low_faithfulness"]
    assert patterns({"answer_relevancy": 0.1}, auc=0.84) == []
    assert patterns({"answer_relevancy": 0.1}, auc=0.85) == ["low_relevancy"]


def scored(name: str, **changed: float | None) -> Record:
    return record(means(**changed), name=name)


def test_a_finding_names_symptom_remedy_and_the_questions_that_show_it() -> None:
    low = {"context_precision": 0.9, "context_recall": 0.2}
    [finding] = findings(
        DIAGNOSIS, means(**low), [scored("q1", **low), scored("q2")], raises_patterns=True, relevancy_auc=None
    )
    assert finding.symptom == "context precision 0.900 > 0.8 and context recall 0.200 < 0.6"
    assert "hybrid" in finding.remedy
    assert finding.questions == ("q1",)


def test_a_pattern_that_no_question_shows_whole_names_those_of_its_low_side() -> None:
    records = [scored("q1", context_recall=0.1), scored("q2", context_precision=1.0)]
    low = means(context_precision=0.9, context_recall=0.2)
    [finding] = findings(DIAGNOSIS, low, records, raises_patterns=True, relevancy_auc=None)
    assert finding.questions == ("q1",)


@pytest.mark.parametrize(
    ("metric", "value", "word"),
    [
        ("ragas/faithfulness", 0.9, "excellent"),
        ("ragas/faithfulness", 0.89, "good"),
        ("ragas/answer_relevancy", 0.65, "acceptable"),
        ("ragas/context_recall", 0.5, "needs improvement"),
        ("ragas/context_precision", 0.49, "poor"),
        ("ragas/faithfulness", None, None),
        ("retrieval/hit_5", 1.0, None),
    ],
)
def test_bands_begin_at_their_thresholds(metric: str, value: float | None, word: str | None) -> None:
    assert band(DIAGNOSIS, metric, value) == word


def test_a_failure_case_has_its_reason_and_its_cause() -> None:
    lost = record({"ragas/context_recall": 0.49, "ragas/faithfulness": 0.7}, cause=Cause.NOT_RETRIEVED)
    [case] = failure_cases(DIAGNOSIS, [lost])
    assert (case.metric, case.value, case.threshold) == ("ragas/context_recall", 0.49, 0.5)
    assert (case.why, case.cause) == ("as given", Cause.NOT_RETRIEVED)


def test_what_is_not_measured_is_no_failure_case() -> None:
    assert failure_cases(DIAGNOSIS, [record({"ragas/faithfulness": None})]) == ()


def test_few_questions_are_said() -> None:
    assert warned(questions=19) == ["unreliable", "no_readiness_claim"]
    assert warned(questions=20) == ["no_readiness_claim"]
    assert warned(questions=50) == []


def test_four_means_above_0_95_are_suspect() -> None:
    assert warned(dict.fromkeys(SOUND, 0.96)) == ["too_good"]
    assert warned({**dict.fromkeys(SOUND, 0.96), "context_recall": 0.95}) == []


def test_an_unreliable_relevancy_is_said() -> None:
    assert warned(auc=0.77) == ["unreliable_relevancy"]


def test_closed_book_as_good_as_retrieval_is_said_of_the_runs_that_it_equals() -> None:
    runs = {"bm25": {"answer/completeness": 0.5}, "dense": {"answer/completeness": 0.7}, "oracle": {}}
    [caution] = closed_book_cautions(DIAGNOSIS, {"answer/completeness": 0.5}, runs)
    assert "as well as bm25 (" in caution.message
    assert closed_book_cautions(DIAGNOSIS, {"answer/completeness": 0.4}, runs) == ()


def test_a_misspelt_metric_and_rising_bands_are_refused() -> None:
    with pytest.raises(UserError, match="'recal'"):
        replace(DIAGNOSIS, failing_below={"recal": 0.5})
    with pytest.raises(UserError, match="four falling numbers"):
        replace(DIAGNOSIS, bands={"faithfulness": [0.5, 0.7, 0.8, 0.9]})
