"""Sweeps over a model at an endpoint, as a user types them."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmark.config import Plan
from benchmark.storage.records import same
from tests import endpoint as replies
from tests.conftest import REPOSITORY, Called
from tests.endpoint import Endpoint, serving

Ragsweep = Callable[..., Called]
KEY = "sk-planted-0123456789abcdef"
PARTS = (
    "corpus=tiny",
    "embedder=hash",
    "writer=echo",
    "judge=none",
    "generator=openai",
    "generator.transport.backoff=0.01",
)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as endpoint:
        yield endpoint


def parts(endpoint: Endpoint, *more: str, tracking: str = "none") -> tuple[str, ...]:
    return (*PARTS, f"generator.base_url={endpoint.url}", f"tracking={tracking}", *more)


def lines_of(folder: Path) -> list[dict[str, object]]:
    files = sorted(folder.rglob("records.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_sweep_over_an_endpoint_runs_end_to_end(ragsweep: Ragsweep, house: Path, endpoint: Endpoint) -> None:
    called = ragsweep("-m", *parts(endpoint), "architecture=bm25,dense,closed_book")
    assert called.exit_code == 0, called.err
    lines = lines_of(house)
    assert len(lines) == 15
    assert all(line["failure"] is None for line in lines)
    assert endpoint.keys[0] == f"Bearer {KEY}"


def test_two_generators_of_one_architecture_read_the_same_context(
    ragsweep: Ragsweep, house: Path, endpoint: Endpoint
) -> None:
    ragsweep("-m", *parts(endpoint), "architecture=hyde", "generator.model=a,b")
    contexts: dict[str, list[object]] = {}
    for line in sorted(lines_of(house), key=lambda line: str(line["question"])):
        contexts.setdefault(str(line["run"]), []).append(line["response"]["context"])  # type: ignore[index]  # json
    one, other = contexts.values()
    assert one == other != []


def test_a_writer_at_an_endpoint_writes_for_retrieval(ragsweep: Ragsweep, house: Path, endpoint: Endpoint) -> None:
    ours = ("corpus=tiny", "embedder=hash", "generator=echo", "judge=none", "tracking=none")
    called = ragsweep(*ours, "writer=openai", f"writer.base_url={endpoint.url}", "architecture=hyde", "limit=2")
    assert called.exit_code == 0, called.err
    assert [body["max_tokens"] for body in endpoint.bodies] == [64, 64]


def test_the_questions_of_a_run_are_asked_at_once(ragsweep: Ragsweep, house: Path, endpoint: Endpoint) -> None:
    endpoint.latency = 0.2
    ragsweep(*parts(endpoint, "architecture=bm25", "generator.transport.in_flight=3"))
    assert endpoint.most_at_once == 3


def test_every_architecture_sends_the_same_answer_prompt(ragsweep: Ragsweep, house: Path, endpoint: Endpoint) -> None:
    ragsweep(
        "-m", *parts(endpoint, "limit=2"), "architecture=bm25,dense,hybrid,hyde,multi_query,reranked,parent,oracle"
    )
    systems = {body["messages"][0]["content"] for body in endpoint.bodies}
    shapes = {body["messages"][1]["content"].split("[1]")[0] for body in endpoint.bodies}
    assert (len(systems), shapes) == (1, {"Pasajes:\n"})


def test_how_calls_are_made_is_no_part_of_the_fingerprint(
    planned: Callable[..., Plan], endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = planned(*parts(endpoint), fakes=())
    other = planned(*parts(endpoint), "generator.transport.timeout=9", "network=never", fakes=())
    monkeypatch.setenv("OPENAI_API_KEY", "sk-another")
    assert one.fingerprint == other.fingerprint == planned(*parts(endpoint), fakes=()).fingerprint
    assert one.fingerprint != planned(*parts(endpoint), "generator.model=b", fakes=()).fingerprint
    assert one.in_flight == 8


# ------------------------------------------------------------------------------------------------------- the key


def test_the_key_is_nowhere_that_it_was_not_put(
    ragsweep: Ragsweep, house: Path, endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.script.append(replies.status(400, f"Bearer {KEY} may not do this; you sent {KEY}"))
    endpoint.script.append(replies.status(500, f"the server choked on {KEY}"))
    first = ragsweep("-m", *parts(endpoint, "architecture=bm25,dense", tracking="mlflow"))
    # Replies that are no errors of HTTP, of which the text, the refusal or the error would be kept.
    endpoint.script.append(replies.says(f"El puente {KEY} [1]."))
    endpoint.script.append(replies.says(None, refusal=f"not with {KEY}"))
    endpoint.script.append(replies.raw(json.dumps({"error": {"message": f"not with {KEY}"}}).encode()))
    more = ragsweep(*parts(endpoint, "architecture=bm25", "seed=9", "k=2", tracking="mlflow"))
    endpoint.script.append(replies.status(401, f"Incorrect API key provided: {KEY}"))
    second = ragsweep(*parts(endpoint, "architecture=bm25", "seed=8", tracking="mlflow"))
    assert (first.exit_code, more.exit_code, second.exit_code) == (1, 1, 2)
    assert "refuses the key in the variable OPENAI_API_KEY (401)" in second.err
    written = [file for file in house.rglob("*") if file.is_file()]
    assert {"config.yaml", "records.jsonl", "ledger.sqlite", "mlflow.db"} <= {file.name for file in written}
    told = [first.out, first.err, more.out, more.err, second.out, second.err, caplog.text]
    assert not [file for file in written if KEY.encode() in file.read_bytes()]
    assert not [text for text in told if KEY in text]


@pytest.mark.parametrize(
    "given",
    [
        f"generator.api_key_env={KEY}",
        f"generator.base_url=http://me:{KEY}@127.0.0.1/v1",
        f"generator.base_url=http://127.0.0.1/v1?key={KEY}",
        f"+generator.api_key={KEY}",
        f"+generator.parameters.extra_headers.Authorization={KEY}",
        f"generator.api_key_env={KEY},OPENAI_API_KEY",
        f"generator.base_url=http://me:{KEY}@127.0.0.1/v1,http://127.0.0.1/v1",
        f"generator.api_key_env={KEY};generator.api_key_env=OPENAI_API_KEY",
        f"tracking.uri=http://me:{KEY}@127.0.0.1:1",
        f"tracking.uri=postgresql://me:{KEY}@127.0.0.1/mlflow",
        f'tracking.uri="http://me:{KEY}@[127.0.0.1"',
        f'generator.base_url="http://me:{KEY}@[127.0.0.1"',
    ],
)
def test_a_key_that_is_given_in_the_open_is_refused_before_anything_is_written(
    ragsweep: Ragsweep, house: Path, endpoint: Endpoint, given: str
) -> None:
    called = ragsweep("-m", *parts(endpoint, tracking="mlflow"), "architecture=bm25,dense", *given.split(";"))
    assert called.exit_code == 2
    assert KEY not in called.out + called.err
    assert not [file for file in house.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]


# ------------------------------------------------------------------------------------------------- stops and kills


def test_what_no_call_can_get_past_stops_the_run_at_once(ragsweep: Ragsweep, house: Path, endpoint: Endpoint) -> None:
    endpoint.script.extend([replies.status(429, "exceeded", error="insufficient_quota")] * 2)
    called = ragsweep(*parts(endpoint, "architecture=bm25", "generator.transport.in_flight=2"))
    assert called.exit_code == 2
    assert len(endpoint.bodies) in (1, 2)  # the second question may have been sent before the first was refused
    assert "add credit" in called.err
    endpoint.script.clear()
    assert ragsweep(*parts(endpoint, "architecture=bm25")).exit_code == 0


def test_a_failed_call_is_one_questions_failure(ragsweep: Ragsweep, house: Path, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.says("Se", finish_reason="length"))
    called = ragsweep(*parts(endpoint, "architecture=bm25"))
    failures = [line["failure"] for line in lines_of(house) if line["failure"]]
    assert called.exit_code == 1
    assert [(failure["stage"], failure["kind"]) for failure in failures] == [("answer", "ReplyCutError")]  # type: ignore[index]  # json


def start(house: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-m", "benchmark", *arguments]
    return subprocess.Popen(
        command, cwd=house, env=environment, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )


def test_ctrl_c_stops_within_two_seconds_and_keeps_what_was_paid_for(house: Path, endpoint: Endpoint) -> None:
    late, never = threading.Event(), threading.Event()
    stuck = replies.waits_for(never)
    endpoint.script.extend([replies.usual, replies.usual, replies.waits_for(late), stuck, stuck])
    arguments = parts(endpoint, "architecture=dense")
    run = start(house, *arguments)
    deadline = time.monotonic() + 60
    while len(endpoint.bodies) < 5 or len(lines_of(house)) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    stopped = time.monotonic()
    time.sleep(0.1)
    late.set()
    _, told = run.communicate(timeout=60)
    assert time.monotonic() - stopped < 2.0
    assert (run.returncode, "Traceback" in told) == (130, False)
    never.set()
    assert len(lines_of(house)) == 3  # with the one that was in flight and came within the grace
    again = start(house, *arguments)
    assert again.communicate(timeout=60)[1]
    assert (again.returncode, len(endpoint.bodies), len(lines_of(house))) == (0, 7, 5)


@pytest.mark.slow
def test_twenty_kills_send_no_finished_call_again(house: Path, endpoint: Endpoint) -> None:
    """Each at another moment of a sweep, whose records are in the end those of an undisturbed one."""
    endpoint.latency = 0.05
    sweep = ("-m", *parts(endpoint, "generator.transport.in_flight=2"), "architecture=bm25,dense,hyde", "k=1,2")
    whole = start(house, *sweep, "results=whole")
    whole.communicate(timeout=120)
    assert whole.returncode == 0
    undisturbed = [json.dumps(body, sort_keys=True) for body in endpoint.bodies]
    assert len(undisturbed) == len(set(undisturbed))
    endpoint.bodies.clear()
    answered: list[str] = []
    content = endpoint.content

    def noting(body: replies.Body) -> str:
        answered.append(json.dumps(body, sort_keys=True))
        return content(body)

    endpoint.content = noting
    kills = 0
    while kills < 20:
        run = start(house, *sweep, "results=killed")
        begun = len(endpoint.bodies)
        deadline = time.monotonic() + 60
        while run.poll() is None and len(endpoint.bodies) < begun + 1 + kills % 3 and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(0.013 * (kills % 5))
        run.kill()
        run.wait()
        run.stdout.close() if run.stdout else None
        run.stderr.close() if run.stderr else None
        kills += 1
    last = start(house, *sweep, "results=killed")
    assert last.communicate(timeout=120)[1]
    assert last.returncode == 0
    # What was in flight at a kill (at most two calls) was never finished for us, and is sent again.
    assert set(answered) == set(undisturbed)
    assert len(endpoint.bodies) <= len(undisturbed) + 2 * kills
    for one, other in zip(
        sorted((house / "whole").rglob("records.jsonl")), sorted((house / "killed").rglob("records.jsonl")), strict=True
    ):
        assert same(one, other)


# --------------------------------------------------------------------------------------------------- what it costs


@pytest.mark.slow
def test_a_dry_run_says_what_would_be_sent_and_sends_and_writes_nothing(
    ragsweep: Ragsweep, house: Path, endpoint: Endpoint
) -> None:
    sweep = ("-m", *parts(endpoint, "generator.model=gpt-4.1-mini", tracking="mlflow"), "architecture=dense,oracle")
    called = ragsweep(*sweep, "dry_run=true")
    assert called.exit_code == 0, called.err
    [row] = [line.split() for line in called.out.splitlines() if line.split()[:1] == ["gpt-4.1-mini"]]
    assert not endpoint.bodies
    assert not (house / "results").exists()
    told = ragsweep(*sweep)
    assert int(row[1]) == len(endpoint.bodies)
    assert "sent to" in told.out
    assert "No call to an endpoint would be sent" in ragsweep(*sweep, "dry_run=true").out


def test_a_budget_stops_a_sweep_and_says_what_it_would_need(
    ragsweep: Ragsweep, house: Path, endpoint: Endpoint
) -> None:
    sweep = parts(endpoint, "architecture=dense", "generator.transport.in_flight=2")
    called = ragsweep(*sweep, "budget.calls=3")
    assert called.exit_code == 1
    assert "budget.calls=3 does not allow the next call" in called.err
    assert "3 questions of this run were finished and are kept; the other 2 would need about 2 calls" in called.err
    assert (len(endpoint.bodies), len(lines_of(house))) == (3, 3)
    assert "3 of 5" in called.out
    assert ragsweep(*sweep, "budget.calls=2").exit_code == 0
    assert len(endpoint.bodies) == 5


def test_a_run_that_its_budget_ends_before_any_question_is_finished_says_how_to_learn_what_it_needs(
    ragsweep: Ragsweep, house: Path, endpoint: Endpoint
) -> None:
    sweep = parts(endpoint, "architecture=dense")
    called = ragsweep(*sweep, "budget.tokens=10")
    assert (called.exit_code, endpoint.bodies) == (1, [])
    assert "which may cost 1 call, " in called.err
    assert "the other 5 would need more than can be said" in called.err
    assert "with dry_run=true it says what it would still send at most" in called.err
    ragsweep(*sweep, "budget.calls=3")
    [row] = [line for line in ragsweep(*sweep, "dry_run=true").out.splitlines() if "gpt-4.1-mini" in line]
    assert int(row.split()[1]) == 2


def test_the_money_of_an_answer_stands_in_its_record(ragsweep: Ragsweep, house: Path, endpoint: Endpoint) -> None:
    ragsweep(*parts(endpoint, "architecture=dense", "limit=1", "generator.model=gpt-4.1-mini"))
    [line] = lines_of(house)
    [completion] = line["response"]["steps"][-1]["completions"]  # type: ignore[index]  # json
    assert completion["money"] > 0
    assert line["scores"]["cost/money"]["value"] == completion["money"]  # type: ignore[index]  # json


def test_questions_that_fail_among_many_at_once_shift_no_others_answer(
    ragsweep: Ragsweep, house: Path, endpoint: Endpoint
) -> None:
    """Rows that were cancelled moved the results of the others in a library that is much used."""

    def echo(body: replies.Body) -> str:
        return f"Eco: {str(body['messages'][-1]['content']).rpartition('Pregunta:')[2].strip()} [1]"

    endpoint.content = echo
    refused = replies.status(400, "no")
    endpoint.script.extend([replies.hangs(0.3), refused, replies.hangs(0.1), refused, replies.usual])
    ragsweep(*parts(endpoint, "architecture=dense", "generator.transport.in_flight=5"))
    lines = lines_of(house)
    answered = [line for line in lines if line["response"] is not None]
    assert (len(lines), len(answered)) == (5, 3)
    for line in answered:
        assert line["question"]["text"] in line["response"]["answer"]  # type: ignore[index]  # json
