"""Judges behind an endpoint, from the command line to the table."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.config import Plan
from benchmark.digest import digest
from tests.conftest import FAKES, Called
from tests.endpoint import Body, Endpoint, first_passage, serving
from tests.models.judges.test_llm import obliging
from tests.models.judges.test_ragas import needs_library
from tests.performance.judging.replies import content


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
    runs = house / "results" / "runs"  # MLflow has a copy of each
    records = [json.loads(line) for file in runs.rglob("records.jsonl") for line in file.read_text().splitlines()]
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


# The bundled exam, with one address for who answers and who judges.
EXAM = ("-m", "experiment=obstetrics", "generator=openai", "judge=llm")


def swept(house: Path, called: Called, endpoint: Endpoint, questions: int) -> None:
    assert called.exit_code == 0, called.err
    runs = house / "results" / "runs"  # MLflow has a copy of each
    records = [json.loads(line) for file in runs.rglob("records.jsonl") for line in file.read_text().splitlines()]
    assert len(records) == 10 * questions
    assert not any(record["failure"] or record["rulings"]["failures"] for record in records)
    assert any(record["scores"]["ragas/mean"]["value"] is not None for record in records)
    assert "judge.llm is asked where the generator is" in called.err + called.out
    assert {body["model"] for body in endpoint.bodies} == {"gpt-4.1-mini"}
    assert any("response_format" in body for body in endpoint.bodies)


@pytest.mark.slow
def test_the_exam_is_swept_with_generator_and_judge_at_one_address(
    ragsweep: Callable[..., Called], house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    with serving(both) as endpoint:
        quick = ("embedder=hash", "writer=echo", "limit=1", "tracking=none")
        swept(house, ragsweep(*EXAM, f"generator.base_url={endpoint.url}", *quick), endpoint, 1)


@pytest.mark.slow
def test_the_exam_is_swept_so_with_the_bundled_models_too(
    ragsweep: Callable[..., Called], house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    with serving(both) as endpoint:
        swept(house, ragsweep(*EXAM, f"generator.base_url={endpoint.url}", "limit=2"), endpoint, 2)


def test_a_judge_goes_along_with_a_generator_of_the_same_key_alone(
    planned: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")

    def asked(*overrides: str) -> str:
        settings = planned("corpus=tiny", "embedder=hash", "writer=echo", "judge=llm", *overrides, fakes=()).settings
        return str(settings["judge"]["llm"]["base_url"])

    ours, openai = "http://ours/v1", "https://api.openai.com/v1"
    assert asked("generator=openai") == openai
    assert asked("generator=openai", f"generator.base_url={ours}") == ours
    assert (
        asked("generator=openai", f"generator.base_url={ours}", "judge.llm.base_url=http://its/v1") == "http://its/v1"
    )
    assert asked("generator=openai", f"generator.base_url={ours}", "generator.api_key_env=null") == openai
    assert asked("generator=ollama", "generator.model=m") == openai
    assert asked("generator=echo") == openai


@pytest.mark.parametrize("judge", ["llm", pytest.param("ragas", marks=needs_library)])
def test_a_dry_run_expects_the_calls_that_the_sweep_then_makes(
    ragsweep: Callable[..., Called], house: Path, monkeypatch: pytest.MonkeyPatch, judge: str
) -> None:
    """Where answers differ, as those of models mostly do; equal ones would be judged once."""

    def differing(body: Body) -> str:
        return content(body) if body["model"] == "judging" else f"Son {digest(body)[:8]} g [1]."

    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    with serving(differing) as endpoint:
        at = ("generator=openai", f"generator.base_url={endpoint.url}", "generator.model=answering")
        models = ("judge.llm.model=judging", "embedder=hash", "writer=echo", "corpus=tiny", "tracking=none")
        sweep = ("-m", "architecture=bm25,dense,oracle", *at, f"judge={judge}", *models)
        told = ragsweep(*sweep, "dry_run=true")
        assert not endpoint.bodies
        assert ragsweep(*sweep).exit_code == 0
        sent = Counter(body["model"] for body in endpoint.bodies)
    expected = _expected(told)
    assert expected["answering"] == sent["answering"] > 5
    assert expected["judging"] == pytest.approx(sent["judging"], rel=0.05)


def _expected(told: Called) -> dict[str, int]:
    """The calls that a dry run says of both models."""
    words = [line.split() for line in told.out.splitlines()]
    return {row[0]: int(row[1].replace(",", "")) for row in words if row[:1] in (["answering"], ["judging"])}


def test_a_dry_run_with_an_embedder_at_the_endpoint_expects_no_fewer_calls_than_the_sweep_makes(
    ragsweep: Callable[..., Called], house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is retrieved is not known before texts are embedded: it is taken to be others for another architecture."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    with serving(lambda body: content(body) if body["model"] == "judging" else f"{digest(body)[:8]}.") as endpoint:
        at = ("generator=openai", f"generator.base_url={endpoint.url}", "generator.model=answering", "judge=llm")
        models = ("judge.llm.model=judging", "embedder=openai", "writer=echo", "corpus=tiny", "tracking=none", "k=1")
        sweep = ("-m", "architecture=dense,hyde", *at, *models)
        told = ragsweep(*sweep, "dry_run=true")
        assert not endpoint.bodies
        assert ragsweep(*sweep).exit_code == 0
        sent = Counter(body["model"] for body in endpoint.bodies)
    expected = _expected(told)
    assert expected["answering"] >= sent["answering"] > 5
    assert expected["judging"] >= sent["judging"] > 20


def test_what_the_writer_and_the_judge_cost_is_in_the_records_the_summary_and_the_table(
    ragsweep: Callable[..., Called], house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    with serving(both) as endpoint:
        parts = ("generator=openai", f"generator.base_url={endpoint.url}", "judge=llm", "writer=openai")
        sweep = ("architecture=hyde", *parts, "embedder=hash", "corpus=tiny", "tracking=none")
        told = ragsweep(*sweep)
        [file] = house.rglob("records.jsonl")
        records = [json.loads(line) for line in file.read_text().splitlines()]
        summary = json.loads((file.parent / "summary.json").read_text())
        unknown = ragsweep(*sweep, "judge.llm.model=unlisted")
    costs = [record["rulings"]["cost"] for record in records]
    for record, cost in zip(records, costs, strict=True):
        assert cost["calls"] > 0 < cost["money"]
        assert record["scores"]["cost/judge_money"]["value"] == cost["money"]
        assert record["scores"]["cost/judge_calls"]["value"] == cost["calls"]
    spent = summary["money"]
    assert set(spent) == {"hypothesise", "generate", "judge"}
    assert spent["judge"] == {
        "total": pytest.approx(sum(cost["money"] for cost in costs)),
        "mean": pytest.approx(spent["judge"]["total"] / 5),
        "n": 5,
        "unknown": 0,
    }
    assert spent["hypothesise"]["total"] > 0
    assert re.search(r"Money, .*: hyde answers 0\.\d{4} \(.* a question\), judge 0\.\d{4}", " ".join(told.out.split()))
    assert re.search(r"hyde answers 0\.\d{4} \(.* a question\), judge unknown", " ".join(unknown.out.split()))
