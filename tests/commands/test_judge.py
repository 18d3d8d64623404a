"""``ragsweep judge check``: a judge against labels, from the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.storage.checks import checks_of
from tests.conftest import Called
from tests.endpoint import Body, serving

Ragsweep = Callable[..., Called]
DATA = os.environ.get("RAGSWEEP_DATA")
README = {
    "qags_cnndm": ("0.83", "0.78", "0.87"),
    "xnli_es": ("0.80", "0.77", "0.83"),
    "scifact_claims": ("0.77", "0.73", "0.80"),
    "faithbench": ("0.58", "0.50", "0.66"),
    "qags_xsum": ("0.62", "0.52", "0.72"),
}
"""AUC with its interval of the sets that only measure, as "How far the local judge can be trusted" has them."""
DOSES = ("4 g", "5 g", "6 g", "7 g", "8 g", "9 g")


def row(number: int, dose: str, said: str, label: object, **more: object) -> dict[str, object]:
    context = f"El sulfato de magnesio {number} se administra con una dosis de carga de {dose} en 20 minutos."
    claim = f"El sulfato de magnesio {number} se administra con una dosis de carga de {said} en 20 minutos."
    about = {"question": "¿Qué dosis?", "context": context, "answer": claim, "claim": claim, "language": "es"}
    return {**about, "label": label, **more}


def labels(folder: Path, *rows: dict[str, object], name: str = "labels.jsonl") -> str:
    (folder / name).write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in rows), encoding="utf-8")
    return name


def right_and_wrong() -> list[dict[str, object]]:
    return [row(number, dose, said, int(dose == said)) for number, dose in enumerate(DOSES) for said in (dose, "40 mg")]


def test_a_judge_is_compared_with_labels_and_the_check_is_kept(ragsweep: Ragsweep, house: Path) -> None:
    file = labels(house, *right_and_wrong(), row(9, "4 g", "4 g", None), row(8, "4 g", "4 g", 0))
    called = ragsweep("judge", "check", "local", file, "embedder=hash", "--json")
    assert called.exit_code == 0, called.err
    found = json.loads(called.out)
    assert (found["all"]["n"], found["all"]["supported"], found["unlabelled"]) == (13, 6, 1)
    assert found["all"]["accuracy"]["mean"] == pytest.approx(12 / 13)
    assert found["all"]["balanced_accuracy"]["mean"] == pytest.approx((1 + 6 / 7) / 2)
    assert [one["case"]["id"] for one in found["worst"]] == ["line 14"]
    [judge] = found["judges"]
    [check] = checks_of(Path("results"), judge)
    assert (check.files, check.figures["n"]) == ((file,), 13)
    assert "on 13 cases" in check.sentence
    again = ragsweep("judge", "check", "local", file, "embedder=hash")
    assert "judge: local-" in again.out
    assert "Worst disagreements" in again.out
    assert (
        "[one context]"
        in ragsweep(
            "judge", "check", "local", labels(house, row(1, "4 g", "4 g", 1), name="one.jsonl"), "embedder=hash"
        ).out
    )
    assert "people say not supported, the judge supported (1.00)" in again.out
    assert len(checks_of(Path("results"), judge)) == 2


def test_overrides_may_stand_behind_options_and_an_option_that_there_is_not_is_refused(
    ragsweep: Ragsweep, house: Path
) -> None:
    file = labels(house, *right_and_wrong())
    assert ragsweep("judge", "check", "local", file, "--worst", "1", "embedder=hash").exit_code == 0
    for wrong in (("check", "local", file, "--wurst", "1"), ("sample", "latest", "another")):
        called = ragsweep("judge", *wrong)
        assert (called.exit_code, "unrecognized arguments" in called.err) == (2, True)


def test_each_language_is_ruled_on_by_the_judge_of_that_language(ragsweep: Ragsweep, house: Path) -> None:
    file = labels(house, *right_and_wrong(), *({**one, "language": "en"} for one in right_and_wrong()))
    found = json.loads(ragsweep("judge", "check", "local", file, "embedder=hash", "--json").out)
    assert [judge.split("/")[1] for judge in found["judges"]] == ["es", "en"]
    assert [part["name"] for part in found["parts"]][:2] == ["language: es", "language: en"]


def test_two_annotators_are_compared_with_each_other(ragsweep: Ragsweep, house: Path) -> None:
    ana = labels(house, *right_and_wrong(), name="ana.jsonl")
    ben = labels(
        house, *({**one, "label": 1} if n == 1 else one for n, one in enumerate(right_and_wrong())), name="ben.jsonl"
    )
    called = ragsweep("judge", "check", "local", ana, ben, "embedder=hash")
    assert "annotators of the same case agree in 0.92 [" in called.out
    assert "1 more cases have no label, or as many for as against" in called.out


def replied(body: Body) -> str:
    """A model that finds every claim supported that speaks of grams."""
    asked = str(body["messages"][-1]["content"])
    claim = asked.partition("<statement_1")[2].partition("</statement_1")[0]
    return json.dumps({"statement_1": {"reason": "as it says", "supported": " g " in claim}})


def test_what_an_endpoint_ruled_is_kept_and_asked_once(ragsweep: Ragsweep, house: Path) -> None:
    file = labels(house, *right_and_wrong())
    with serving(replied) as endpoint:
        knobs = (f"judge.llm.base_url={endpoint.url}", "judge.llm.model=tiny", "judge.llm.api_key_env=null")
        first = ragsweep("judge", "check", "llm", file, "embedder=hash", *knobs, "--json")
        asked = len(endpoint.bodies)
        second = ragsweep("judge", "check", "llm", file, "embedder=hash", *knobs, "--json")
        assert (asked, len(endpoint.bodies)) == (12, 12)
    assert first.exit_code == 0, first.err
    assert json.loads(first.out)["all"]["accuracy"]["mean"] == 1.0
    assert first.out == second.out


def as_library(body: Body) -> str:
    """The same model, asked by the library's prompt."""
    asked = str(body["messages"][-1]["content"])
    if "<statement_1" in asked:
        return replied(body)
    [claim] = json.loads("[" + asked.rpartition('"statements": [')[2].partition("]")[0] + "]")
    return json.dumps({"statements": [{"statement": claim, "reason": "so", "verdict": int(" g " in claim)}]})


def test_a_panel_of_several_kinds_of_judge_is_checked_like_any_other(ragsweep: Ragsweep, house: Path) -> None:
    pytest.importorskip("ragas")
    file = labels(house, *right_and_wrong())
    with serving(as_library) as endpoint:
        third = ("judge@judge.judges.second=local", "judge@judge.judges.third=ragas")
        knobs = [
            f"judge.judges.{name}.llm.{knob}"
            for name in ("first", "third")
            for knob in (f"base_url={endpoint.url}", "model=tiny", "api_key_env=null")
        ]
        called = ragsweep("judge", "check", "panel", file, "embedder=hash", *third, *knobs, "--json")
    assert called.exit_code == 0, called.err
    found = json.loads(called.out)
    assert found["all"]["accuracy"]["mean"] == 1.0
    [judge] = found["judges"]
    assert judge.startswith("panel(llm-")
    assert "ragas-" in judge


def test_cases_that_a_judge_cannot_rule_on_are_counted_with_why_and_no_check_is_kept(
    ragsweep: Ragsweep, house: Path
) -> None:
    file = labels(house, *right_and_wrong()[:2])
    with serving(lambda _: "no JSON") as endpoint:
        knobs = (f"judge.llm.base_url={endpoint.url}", "judge.llm.model=tiny", "judge.llm.api_key_env=null")
        called = ragsweep("judge", "check", "llm", file, "embedder=hash", *knobs)
    assert called.exit_code == 1
    assert "2 cases not ruled on (line 1, line 2): tiny " in " ".join(called.out.split())
    assert "not measured" in called.out
    assert not list(house.rglob("checks"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("locla", "labels.jsonl"), "Did you mean local?"),
        (("none", "labels.jsonl"), "there is no judge 'none' to check"),
        (("local", "embedder=hash"), "there are no labels among embedder=hash"),
        (("local", "missing.csv"), "there is no file missing.csv"),
        (("local", "labels.jsonl", "embeder=hash"), "Did you mean embedder"),
        (("local", "labels.jsonl", "judge.langauge=en"), "Did you mean language?"),
        (("local", "unspoken.jsonl", "embedder=hash"), "--language es"),
        (("local", "drawn.jsonl", "embedder=hash"), "was drawn by no sample of this folder of results"),
    ],
)
def test_wrong_input_is_told_and_nothing_is_written(
    ragsweep: Ragsweep, house: Path, arguments: tuple[str, ...], said: str
) -> None:
    labels(house, *right_and_wrong())
    labels(house, {**right_and_wrong()[0], "language": None}, name="unspoken.jsonl")
    labels(house, {"case": "abc", "label": 1}, name="drawn.jsonl")
    called = ragsweep("judge", "check", *arguments)
    assert (called.exit_code, called.out) == (2, "")
    assert said in called.err
    assert not (house / "results").exists()


@pytest.mark.slow
@pytest.mark.skipif(DATA is None, reason="RAGSWEEP_DATA is unset")
@pytest.mark.parametrize("name", README)
def test_the_local_judges_table_is_the_readmes(
    ragsweep: Ragsweep, house: Path, name: str, pytestconfig: pytest.Config
) -> None:
    assert pytestconfig.cache is not None
    kept = pytestconfig.cache.mkdir("judge") / "ledger.sqlite"  # the first run embeds for minutes
    language = "es" if name.endswith("_es") else "en"
    arguments = (f"{DATA}/judge/{name}.jsonl", f"memory.path={kept}", "threads=2", "--language", language, "--json")
    found = json.loads(ragsweep("judge", "check", "local", *arguments).out)["all"]["auc"]
    assert tuple(f"{found[end]:.2f}" for end in ("mean", "low", "high")) == README[name]
