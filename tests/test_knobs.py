"""A value that its knob cannot take is refused by name."""

from __future__ import annotations

import pytest

from benchmark.domain import UserError
from benchmark.knobs import check

READING = "benchmark.pipelines.Reading"


@pytest.mark.parametrize("value", [5, 1])
def test_a_value_of_the_annotated_kind_is_taken(value: object) -> None:
    check({"_target_": READING, "k": value, "context_tokens": None}, "reading")


@pytest.mark.parametrize("value", ["many", True, None, 2.5])
def test_another_kind_of_value_is_refused_by_its_knob(value: object) -> None:
    with pytest.raises(UserError, match=r"part\.reading\.k is .*: it must be a whole number"):
        check({"reading": {"_target_": READING, "k": value}}, "part")


def test_a_whole_number_is_a_number() -> None:
    check({"_target_": "benchmark.search.bm25.Bm25Recipe", "language": "es", "k1": 1}, "retriever")


@pytest.mark.parametrize("target", ["nowhere.Nothing", "benchmark.pipelines.Nothing", 5])
def test_what_cannot_be_found_is_left_to_the_making(target: object) -> None:
    check({"_target_": target, "k": "many"}, "reading")
