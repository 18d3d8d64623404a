"""What embeddings at an endpoint cost, from the command line to the records, the summary and the tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from tests.commands.test_judges import both
from tests.conftest import Called
from tests.endpoint import Endpoint, serving

Ragsweep = Callable[..., Called]
Lines = list[dict[str, Any]]

PRICES = """
_target_: benchmark.models.endpoints.prices.Prices
date: "2026-01-01"
source: a test
models:
  answering: {input: 10000.0, output: 20000.0}
  judging: {input: 10000.0, output: 20000.0}
  embedding: {input: 5000.0, output: 0.0}
"""
A_WORD = 5000.0 / 1e6
"""What a word costs that is embedded: the server counts words as tokens."""
PARTS = ("corpus=tiny", "writer=echo", "tracking=none", "prices=own")


@pytest.fixture
def endpoint(house: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    (house / "conf" / "prices").mkdir()
    (house / "conf" / "prices" / "own.yaml").write_text(PRICES)
    with serving(both) as endpoint:
        yield endpoint


def parts(
    endpoint: Endpoint, *more: str, judge: str = "none", embedder: str = "openai", in_flight: int = 1
) -> tuple[str, ...]:
    """One call at a time, unless said: what a text costs that shares a request hangs on who shares it."""
    chosen = {"generator": "openai", "embedder": embedder, "judge": judge}
    names = {"generator": "answering", "embedder": "embedding", "judge.llm": "judging"}
    asked = [at for at in names if chosen[at.partition(".")[0]] in ("openai", "llm")]
    models = [f"{at}.model={names[at]}" for at in asked] + [f"{at}.transport.in_flight={in_flight}" for at in asked]
    choices = [f"{group}={option}" for group, option in chosen.items()]
    return (*PARTS, *choices, f"generator.base_url={endpoint.url}", *models, *more)


def runs(results: Path) -> dict[str, tuple[Lines, dict[str, Any]]]:
    """Records in the order of their questions, and the summary, by architecture."""
    found = {}
    for file in sorted((results / "runs").rglob("records.jsonl")):
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        summary = json.loads((file.parent / "summary.json").read_text(encoding="utf-8"))
        found[file.parts[-4]] = sorted(lines, key=lambda line: str(line["question"]["id"])), summary
    return found


def score(line: dict[str, Any], key: str) -> float:
    value = line["scores"][key]["value"]
    assert isinstance(value, float)
    return value


def requests(endpoint: Endpoint) -> list[list[str]]:
    """The texts of each request for embeddings."""
    bodies = zip(endpoint.paths, endpoint.bodies, strict=True)
    return [body["input"] for path, body in bodies if path.endswith("/embeddings")]


def embedded(endpoint: Endpoint) -> list[str]:
    return [text for texts in requests(endpoint) for text in texts]


def words(texts: Iterable[str]) -> int:
    return sum(len(text.split()) for text in texts)


def test_costs_do_not_depend_on_the_order_of_a_sweep(ragsweep: Ragsweep, house: Path, endpoint: Endpoint) -> None:
    for results, order in (("one", "dense,hybrid"), ("other", "hybrid,dense")):
        called = ragsweep("-m", *parts(endpoint, f"results={results}", judge="llm"), f"architecture={order}")
        assert called.exit_code == 0, called.err
    one, other = runs(house / "one"), runs(house / "other")
    assert one.keys() == other.keys() == {"dense", "hybrid"}
    for name in one:
        for here, there in zip(one[name][0], other[name][0], strict=True):
            for key in ("cost/money", "cost/judge_money"):
                assert here["scores"][key] == there["scores"][key]
                assert score(here, key) > 0
            assert here["response"]["embedded"] == there["response"]["embedded"]
            assert here["rulings"]["cost"] == there["rulings"]["cost"]
        assert one[name][1]["index_cost"] == other[name][1]["index_cost"]
        assert one[name][1]["money"] == other[name][1]["money"]


def test_a_record_has_the_money_of_its_embeddings_and_its_judges(
    ragsweep: Ragsweep, house: Path, endpoint: Endpoint
) -> None:
    called = ragsweep(*parts(endpoint, judge="llm"), "architecture=dense")
    assert called.exit_code == 0, called.err
    lines, summary = runs(house / "results")["dense"]
    for line in lines:
        text = line["question"]["text"]
        [together] = [texts for texts in requests(endpoint) if text in texts]  # of the scale of relevancy
        share = words(together) * len(text) / sum(len(one) for one in together)
        assert line["response"]["embedded"] == {
            "texts": 1,
            "tokens": pytest.approx(share, abs=1),
            "money": pytest.approx(share * A_WORD),
        }
        completions = [one["money"] for step in line["response"]["steps"] for one in step["completions"]]
        assert score(line, "cost/money") == fsum([*completions, line["response"]["embedded"]["money"]])
        assert line["scores"]["cost/money"]["why"] == f"over {len(completions)} completions and 1 embedded texts"
        assert score(line, "cost/calls") == len(completions)
        cost = line["rulings"]["cost"]
        implied = {one["text"] for one in line["rulings"]["implied"] or ()}
        assert cost.get("embedded", {"texts": 0})["texts"] == (len({text, *implied}) if implied else 0)
        written = cost["prompt_tokens"] * 10000.0 + cost["completion_tokens"] * 20000.0
        assert cost["money"] == pytest.approx(written / 1e6 + cost.get("embedded", {"money": 0.0})["money"])
        assert score(line, "cost/judge_money") == cost["money"]
    assert any("embedded" in line["rulings"]["cost"] for line in lines)
    assert summary["money"]["embeddings"]["total"] == pytest.approx(
        sum(line["response"]["embedded"]["money"] for line in lines)
    )


def test_records_and_index_add_up_to_what_was_sent_in_a_fresh_run(
    ragsweep: Ragsweep, house: Path, endpoint: Endpoint
) -> None:
    """Of a run in which no text is wanted twice, no call fails and nobody judges."""
    called = ragsweep(*parts(endpoint), "architecture=dense")
    lines, summary = runs(house / "results")["dense"]
    sent = embedded(endpoint)
    assert len(sent) == len(set(sent))
    passages = set(sent) - {line["question"]["text"] for line in lines}
    read = words(passages)
    index = summary["index_cost"]
    assert index["embedded"] == {"texts": len(passages), "tokens": read, "money": pytest.approx(read * A_WORD)}
    assert (index["calls"], index["money"]) == (0, index["embedded"]["money"])
    rows = [line.split() for line in called.out.splitlines()]
    table = {row[0]: float(row[-1]) for row in rows if row[:1] in (["embedding"], ["all"])}
    whole = index["money"] + sum(score(line, "cost/money") for line in lines)
    assert table["all"] == pytest.approx(whole, abs=6e-5)
    assert table["embedding"] == pytest.approx(words(sent) * A_WORD, abs=6e-5)


def test_a_replay_without_a_network_costs_the_same(ragsweep: Ragsweep, house: Path, endpoint: Endpoint) -> None:
    endpoint.latency = 0.01
    sweep = ("-m", *parts(endpoint, judge="llm", in_flight=8), "architecture=dense,hybrid")
    assert ragsweep(*sweep).exit_code == 0
    sent = len(endpoint.bodies)
    endpoint.shutdown()
    called = ragsweep("replay")
    assert (called.exit_code, called.out.count(": equal")) == (0, 2), called.out
    assert len(endpoint.bodies) == sent


def test_an_unknown_price_of_embedding_is_not_measured(ragsweep: Ragsweep, house: Path, endpoint: Endpoint) -> None:
    called = ragsweep(*parts(endpoint, "embedder.model=unlisted", judge="llm"), "architecture=dense")
    assert called.exit_code == 0, called.err
    lines, summary = runs(house / "results")["dense"]
    for line in lines:
        assert line["response"]["embedded"]["money"] is None
        assert line["scores"]["cost/money"] == {"value": None, "why": "no price is known of 1 embedded texts"}
    judged = [line for line in lines if "embedded" in line["rulings"]["cost"]]
    assert judged
    assert all(line["scores"]["cost/judge_money"]["value"] is None for line in judged)
    assert summary["money"]["embeddings"] == {"total": None, "mean": None, "n": 0, "unknown": 5}
    assert (summary["index_cost"]["money"], summary["index_cost"]["embedded"]["tokens"] > 0) == (None, True)


def test_a_finished_run_that_is_asked_again_keeps_the_cost_of_its_index(
    ragsweep: Ragsweep, house: Path, endpoint: Endpoint
) -> None:
    ragsweep(*parts(endpoint), "architecture=dense", "limit=2")
    _, first = runs(house / "results")["dense"]
    for limit in ("2", "4"):  # nothing to ask, and an index that is built again from what is kept
        assert ragsweep(*parts(endpoint), "architecture=dense", f"limit={limit}").exit_code == 0
        assert runs(house / "results")["dense"][1]["index_cost"] == first["index_cost"]
    assert len(embedded(endpoint)) == len(set(embedded(endpoint)))


def test_a_model_of_this_process_costs_no_money_and_leaves_records_as_they_were(
    ragsweep: Ragsweep, house: Path, endpoint: Endpoint
) -> None:
    called = ragsweep(*parts(endpoint, judge="llm", embedder="hash"), "architecture=dense")
    assert called.exit_code == 0, called.err
    lines, summary = runs(house / "results")["dense"]
    for line in lines:
        assert "embedded" not in line["response"]
        assert "embedded" not in line["rulings"]["cost"]
        completions = [one["money"] for step in line["response"]["steps"] for one in step["completions"]]
        assert line["scores"]["cost/money"] == {
            "value": fsum(completions),
            "why": f"over {len(completions)} completions",
        }
    assert summary["index_cost"] is None
    assert set(summary["money"]) == {"generate", "judge"}


def test_the_ledger_says_what_embeddings_cost_by_model(ragsweep: Ragsweep, house: Path, endpoint: Endpoint) -> None:
    ragsweep(*parts(endpoint), "architecture=dense")
    sent = embedded(endpoint)
    rows = [line.split() for line in ragsweep("ledger", "stats").out.splitlines()]
    [row] = [row for row in rows if row[:1] == ["embedding"]]
    assert row[1:6] == [endpoint.url, str(len(sent)), str(words(sent)), "0", f"{words(sent) * A_WORD:.4f}"]
    exported = [json.loads(line) for line in ragsweep("ledger", "export").out.splitlines()]
    assert {line["request"]["model"] for line in exported} == {"answering"}
    assert ragsweep("ledger", "prune", "--model", "embedding", "--yes").out.startswith(f"{len(sent)} entries")
    assert "embedding" not in ragsweep("ledger", "stats").out
