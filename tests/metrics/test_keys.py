"""The keys of the metrics, and the yaml that names them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from benchmark.domain import Metric, Rulings, UserError
from benchmark.metrics import described, keys, named
from benchmark.metrics.answers import exact_match
from benchmark.metrics.ragas import mean
from benchmark.metrics.retrieval import hit as found
from tests.factories import evidence, hit, outcome

DEFAULT = Path(__file__).parents[2] / "conf" / "metrics" / "default.yaml"


def configured(k: int) -> dict[str, Metric]:
    tree = OmegaConf.create({"k": k, "metrics": OmegaConf.load(DEFAULT)})
    return named(instantiate(tree.metrics))


@pytest.mark.parametrize("k", [5, 10])
def test_the_default_yaml_names_every_metric_of_the_house_in_order(k: int) -> None:
    assert list(configured(k)) == [key.name for key in keys(k)]


def test_every_metric_of_the_yaml_says_how_its_score_came_about() -> None:
    answered = outcome([evidence(0, 10)], [hit(0, 20)])
    assert all(metric(answered, Rulings()).why for metric in configured(5).values())


def test_every_key_has_a_label_of_its_own() -> None:
    assert len({key.label for key in keys(5)}) == len(keys(5))


def test_a_metric_with_another_cutoff_has_another_key() -> None:
    tree = {
        "retrieval": {"hit": partial(found, k=5, min_grade=2)},
        "documents": {"hit": partial(found, k=9, min_grade=2)},
    }
    assert list(named(tree)) == ["retrieval/hit_5", "documents/hit_9"]


def test_a_metric_that_the_house_does_not_know_comes_last() -> None:
    assert list(named({"mine": {"length": exact_match}, "answer": {"exact_match": exact_match}})) == [
        "answer/exact_match",
        "mine/length",
    ]
    assert described("mine/length_9").label == "mine/length_9"


@pytest.mark.parametrize("mode", ["Ragas", "", None, True])
def test_an_unknown_way_with_unanswerable_questions_is_refused(mode: object) -> None:
    with pytest.raises(UserError, match=r"metrics\.ragas\.mean\.unanswerable is .*; it may be exclude or ragas"):
        named({"ragas": {"mean": partial(mean, **{"unanswerable": mode})}})  # type: ignore[arg-type]  # a yaml's value


def test_a_value_in_the_place_of_a_metric_is_named() -> None:
    with pytest.raises(UserError, match=r"metrics\.ragas\.mean is 3"):
        named({"ragas": {"mean": 3}})
