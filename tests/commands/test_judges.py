"""Judges behind an endpoint, from the command line to the table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import FAKES, Called
from tests.endpoint import Body, Endpoint, first_passage, serving
from tests.models.judges.test_llm import obliging


def both(body: Body) -> str:
    """The server answers questions and judges answers."""
    return obliging(body) if "response_format" in body else first_passage(body)


@pytest.fixture
def judged(ragsweep: Callable[..., Called]) -> Callable[..., Called]:
    """A sweep whose generator and judge are models of one server."""

    def judged(endpoint: Endpoint, *overrides: str, judge: str = "judging") -> Called:
        fakes = [fake for fake in FAKES if not fake.startswith("generator=")]
        answers = ("generator=openai", f"generator.base_url={endpoint.url}", "generator.model=answering")
        judges = ("judge=llm", f"judge.llm.base_url={endpoint.url}", f"judge.llm.model={judge}")
        keys = ("generator.api_key_env=null", "judge.llm.api_key_env=null")
        return ragsweep(*overrides, *fakes, *answers, *judges, *keys)

    return judged


def test_a_sweep_is_judged_and_a_passage_is_ruled_on_once(judged: Callable[..., Called], house: Path) -> None:
    with serving(both) as endpoint:
        called = judged(endpoint, "-m", "architecture=bm25,dense")
        asked = [json.dumps(body["messages"]) for body in endpoint.bodies]
    assert called.exit_code == 0
    records = [json.loads(line) for file in house.rglob("records.jsonl") for line in file.read_text().splitlines()]
    assert len(records) == 10
    assert not any(record["rulings"]["failures"] for record in records)
    assert any(record["scores"]["ragas/mean"]["value"] is not None for record in records)
    assert "judged its own answers" not in called.out
    useful = [one for one in asked if "<passage " in one.partition("</answer")[2]]
    assert len(useful) == len(set(useful)) > 0


def test_a_model_that_judges_its_own_answers_is_told(judged: Callable[..., Called]) -> None:
    with serving(both) as endpoint:
        called = judged(endpoint, judge="answering")
    assert "answering judged its own answers" in " ".join(called.out.split())
