"""How a judge's rulings agree with people's labels: the figures, by numbers known beforehand and by scikit-learn's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, cohen_kappa_score, roc_auc_score

from benchmark.readings.people import (
    Case,
    Labelled,
    Ruled,
    annotators,
    best_threshold,
    breakdown,
    figures,
    threshold_on_halves,
    worst,
)
from benchmark.statistics import How


def case(number: int, *, context: str | None = None, language: str = "es", words: int = 3) -> Case:
    return Case(str(number), "¿?", (context or f"c{number}",), "palabra " * words, None, language)


def ruled(number: int, label: bool, support: float | None, **about: object) -> Ruled:
    holds = None if support is None else support >= 0.5
    return Ruled(case(number, **about), label, holds, support, "so")  # type: ignore[arg-type]  # a test's own


def some(count: int, *, seed: int = 1) -> list[Ruled]:
    random = np.random.default_rng(seed)
    labels = random.random(count) < 0.4
    support = np.clip(random.normal(0.35 + 0.3 * labels, 0.2), 0, 1)
    return [ruled(i, bool(label), float(one)) for i, (label, one) in enumerate(zip(labels, support, strict=True))]


def test_the_figures_are_scikit_learns() -> None:
    cases = some(120)
    found = figures("all", cases, seed=7)
    labels, holds = [one.label for one in cases], [one.holds for one in cases]
    assert found.accuracy.mean == pytest.approx(accuracy_score(labels, holds))
    assert found.balanced_accuracy.mean == pytest.approx(balanced_accuracy_score(labels, holds))
    assert found.kappa.mean == pytest.approx(cohen_kappa_score(labels, holds))
    assert found.auc.mean == pytest.approx(roc_auc_score(labels, [one.support for one in cases]))
    for one in (found.accuracy, found.balanced_accuracy, found.auc, found.kappa):
        assert one.low is not None
        assert one.mean is not None
        assert one.high is not None
        assert one.low < one.mean < one.high
        assert one.n == 120


def test_what_the_judge_could_not_rule_on_is_missing_and_no_disagreement() -> None:
    cases = [ruled(0, True, 0.9), ruled(1, False, 0.1), ruled(2, True, None)]
    found = figures("all", cases, seed=7)
    assert (found.n, found.missing, found.supported, found.accuracy.mean) == (2, 1, 1, 1.0)
    assert found.accuracy.how is How.CLOPPER_PEARSON
    assert found.accuracy.low == pytest.approx(0.158, abs=1e-3)


def test_labels_of_one_kind_alone_leave_auc_balanced_accuracy_and_kappa_unmeasured() -> None:
    found = figures("all", [ruled(i, True, 0.2 + i / 10) for i in range(5)], seed=7)
    assert found.accuracy.mean == 0.4
    assert [found.auc.mean, found.balanced_accuracy.mean] == [None, None]
    assert str(found.auc) == "not measured"


def test_an_auc_of_cases_that_are_all_told_apart_has_no_interval_of_no_width() -> None:
    found = figures("all", [ruled(i, i < 4, 0.9 if i < 4 else 0.1) for i in range(8)], seed=7).auc
    assert (found.mean, found.low, found.how) == (1.0, None, How.NO_SPREAD)


def test_no_case_at_all_is_not_measured() -> None:
    found = figures("all", [], seed=7)
    assert [found.n, found.accuracy.mean, found.kappa.mean, found.auc.mean] == [0, None, None, None]


def test_cases_of_one_context_make_a_wider_interval_than_as_many_contexts() -> None:
    apart = some(20)
    repeated = [ruled(i, one.label, one.support, context=f"c{i % 20}") for i, one in enumerate(apart * 10)]
    wide, narrow = figures("all", repeated, seed=7).kappa, figures("all", some(200), seed=7).kappa
    assert wide.low is not None
    assert wide.high is not None
    assert narrow.low is not None
    assert narrow.high is not None
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_the_best_threshold_recognises_a_judge_that_is_too_strict() -> None:
    labels = [False, False, True, True, True]
    assert best_threshold([0.05, 0.1, 0.2, 0.3, 0.9], labels) == pytest.approx(0.15)


def test_a_threshold_is_found_on_one_half_and_measured_on_the_other() -> None:
    strict = [ruled(i, i % 2 == 0, 0.3 + i / 1000 if i % 2 == 0 else 0.1 + i / 1000) for i in range(80)]
    found = threshold_on_halves(strict, seed=7)
    assert (found.found_on, found.measured_on) == (40, 40)
    assert found.value == pytest.approx(0.24, abs=0.05)
    assert found.balanced_accuracy is not None
    assert found.own is not None
    assert (found.balanced_accuracy.mean, found.own.mean) == (1.0, 0.5)


def test_a_threshold_found_on_noise_is_not_told_as_better_than_chance() -> None:
    random = np.random.default_rng(5)
    noise = [ruled(i, bool(random.random() < 0.5), float(random.random())) for i in range(300)]
    found = threshold_on_halves(noise, seed=7)
    assert found.balanced_accuracy is not None
    assert found.balanced_accuracy.low is not None
    assert found.balanced_accuracy.high is not None
    assert found.balanced_accuracy.low < 0.5 < found.balanced_accuracy.high


def test_without_both_labels_in_each_half_there_is_no_threshold_but_a_reason() -> None:
    found = threshold_on_halves([ruled(0, True, 0.4), ruled(1, True, 0.6)], seed=7)
    assert (found.value, found.why) == (None, "supported and unsupported cases are wanted in each half")


def votes(*of_cases: Sequence[bool | None]) -> list[Labelled]:
    return [Labelled(case(number), tuple(one)) for number, one in enumerate(of_cases)]


def test_the_label_is_the_majoritys_and_a_tie_is_none() -> None:
    [most, tie, unsure] = votes((True, True, False), (True, False), (None, None))
    assert (most.label, tie.label, unsure.label) == (True, None, None)


def test_annotators_agree_by_fleisss_kappa() -> None:
    # Fleiss by hand: pairs agree in (1 + 1 + 1/3 + 1) / 4 = 5/6; of 12 labels 5 are True: chance (5/12)^2 + (7/12)^2.
    found = annotators(
        votes((True, True, True), (False, False, False), (True, True, False), (False, False, False)), seed=7
    )
    chance = (5 / 12) ** 2 + (7 / 12) ** 2
    assert found.cases == 4
    assert found.accuracy.mean == pytest.approx(5 / 6)
    assert found.kappa.mean == pytest.approx((5 / 6 - chance) / (1 - chance))


def test_one_label_for_each_case_says_nothing_of_annotators() -> None:
    found = annotators(votes((True,), (False, None)), seed=7)
    assert (found.cases, found.kappa.mean) == (0, None)


def test_cases_are_told_apart_by_language_and_by_thirds_of_length() -> None:
    cases = [ruled(i, i % 2 == 0, 0.9, language="es" if i < 6 else "en", words=i + 1) for i in range(12)]
    assert [(part.name, part.n) for part in breakdown(cases, seed=7)] == [
        ("language: es", 6),
        ("language: en", 6),
        ("length: up to 4 tokens", 4),
        ("length: 5 to 8 tokens", 4),
        ("length: over 8 tokens", 4),
    ]


def test_the_worst_disagreements_are_those_of_which_the_judge_was_surest() -> None:
    cases = [
        ruled(0, True, 0.4),
        ruled(1, False, 0.99),
        ruled(2, True, 0.9),
        ruled(3, True, 0.05),
        ruled(4, True, None),
    ]
    assert [one.case.id for one in worst(cases, 2)] == ["1", "3"]
