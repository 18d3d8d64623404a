"""The figures of ``docs/statistics.md`` are those that the statistics themselves go by."""

from __future__ import annotations

import re

import pytest

from benchmark.statistics.coverage import COVERAGE, SIZES
from tests.conftest import REPOSITORY

DOCUMENT = (REPOSITORY / "docs" / "statistics.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("row", "shape"), [(0, "spread (normal)"), (1, "80 % ones"), (2, "95 % ones")])
def test_the_coverage_of_cautions_is_the_documented_one_of_bca_alone(row: int, shape: str) -> None:
    [line] = re.findall(rf"^\| {re.escape(shape)} \|(.*)\|$", DOCUMENT, re.MULTILINE)
    documented = [float(re.findall(r"0\.\d+", cell)[-1]) for cell in line.split("|")]
    assert documented == list(COVERAGE[row][1])
    assert len(documented) == len(SIZES)
