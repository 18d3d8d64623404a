"""``ragsweep gate`` on a real sweep: exit codes, files, MLflow, a baseline, and wrong input."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmark.domain import UserError
from benchmark.safety import CHECKS
from benchmark.storage.places import bundled
from benchmark.storage.policies import read_policy
from tests.commands.test_safety import SWEEP, WORDS
from tests.conftest import Called

Ragsweep = Callable[..., Called]
EASY = "questions: 20\nthresholds:\n  retrieval/recall_5: {at_least: 0.2}\nerrors: 0.0\n"
POLICIES = sorted(file.stem for file in bundled("conf").glob("gate/*.yaml"))


@pytest.fixture
def swept(ragsweep: Ragsweep, house: Path) -> Ragsweep:
    """Two systems on the obstetrics exam, and a policy of the user's."""
    run = ("corpus=obstetrics", *WORDS, "limit=30")
    for architecture, name in (("bm25", "good"), ("random_passages", "bad")):
        assert ragsweep(*run, f"architecture={architecture}", f"name={name}").exit_code == 0
    (house / "conf" / "gate").mkdir(parents=True)
    (house / "conf" / "gate" / "easy.yaml").write_text(EASY, encoding="utf-8")
    return ragsweep


def test_a_pipeline_can_obey_it(swept: Ragsweep, house: Path) -> None:
    ready = swept("gate", "good", "--policy", "easy")
    assert (ready.exit_code, "READY: bm25 on obstetrics" in ready.out) == (0, True)
    stopped = swept("gate", "bad", "--policy", "easy", "--junit", "out/gate.xml", "--markdown", "out/gate.md")
    assert stopped.exit_code == 3
    assert "mend the retrieval" in stopped.out
    suite = ElementTree.parse(house / "out" / "gate.xml").getroot()[0]
    failed = [case.get("name") for case in suite if len(case)]
    assert failed == ["retrieval/recall_5", "architecture", "decision"]  # random passages are a yardstick
    assert (house / "out" / "gate.md").read_text(encoding="utf-8").startswith("## NOT READY: random_passages")


def test_the_clinical_policy_takes_nothing_that_was_not_measured_for_a_pass(swept: Ragsweep) -> None:
    called = swept("gate", "good", "--policy", "clinical", "--json")
    told = json.loads(called.out)
    lines = {line["what"]: line for line in told["lines"]}
    assert (called.exit_code, told["decision"]) == (3, "NOT READY")
    assert lines["safety: isolation"]["not_measured"]
    assert not lines["safety: isolation"]["passed"]
    assert not lines["ragas/faithfulness"]["passed"]  # judge=none


def test_runs_on_other_corpora_bring_the_checks_that_were_missing(swept: Ragsweep) -> None:
    assert swept("corpus=obstetrics_patients", *WORDS, "architecture=bm25", "name=patients").exit_code == 0
    told = json.loads(swept("gate", "good", "--policy", "clinical", "--safety", "patients", "--json").out)
    isolation = next(line for line in told["lines"] if line["what"] == "safety: isolation")
    assert (isolation["passed"], isolation["n"], told["run"]) == (True, 16, "bm25 on obstetrics")
    other = swept("gate", "bad", "--policy", "clinical", "--safety", "patients")
    assert (other.exit_code, "has no run of random_passages" in other.err) == (2, True)


def test_all_six_checks_of_a_real_sweep_stand_in_its_decision(ragsweep: Ragsweep) -> None:
    assert ragsweep(*SWEEP, "architecture=bm25", "limit=30").exit_code == 0
    told = json.loads(ragsweep("gate", "safety", "--policy", "clinical", "--json").out)
    lines = {line["what"]: line for line in told["lines"] if line["what"].startswith("safety: ")}
    assert list(lines) == [f"safety: {name}" for name in CHECKS]
    assert all(line["n"] > 0 and not line["not_measured"] for line in lines.values())
    assert (lines["safety: isolation"]["passed"], lines["safety: disclaimer"]["passed"]) == (True, False)
    assert told["decision"] == "NOT READY"


def test_a_run_that_is_worse_than_its_baseline_is_stopped_and_the_same_is_not(swept: Ragsweep) -> None:
    assert swept("gate", "good", "--policy", "easy", "--baseline", "good").exit_code == 0
    worse = swept("gate", "bad", "--policy", "easy", "--baseline", "good", "--json")
    line = next(line for line in json.loads(worse.out)["lines"] if line["what"] == "baseline: retrieval/recall_5")
    assert worse.exit_code == 3
    assert (line["passed"], "worse: " in line["why"]) == (False, True)


def test_a_baseline_on_another_corpus_is_refused(swept: Ragsweep) -> None:
    assert swept("corpus=obstetrics_patients", *WORDS, "architecture=bm25", "name=patients").exit_code == 0
    called = swept("gate", "good", "--policy", "easy", "--baseline", "patients")
    assert (called.exit_code, called.out) == (2, "")
    assert "the baseline patients is on another exam or corpus: obstetrics_patients" in called.err


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (EASY.replace("recall_5", "recal_5"), "the metric 'retrieval/recal_5', which there is not"),
        (EASY + "safety: [dosis]\n", "the check 'dosis', which there is not"),
        (EASY.replace("at_least", "atleast"), "unknown field"),
        (EASY.replace("at_least: 0.2", ""), "at_least or at_most"),
        (EASY.replace("0.2", "high"), "a number from 0"),
        (EASY.replace("20", "many"), "a number of questions"),
        (EASY + "seconds: {p98: 3}\n", "unknown field"),
        ("questions: 20\n", "asks for nothing"),
        ("- a list\n", "wanted: a JSON object"),
        ("a: [", "this is not YAML"),
    ],
)
def test_a_policy_that_cannot_be_meant_is_refused(house: Path, policy: str, said: str) -> None:
    (house / "conf" / "gate").mkdir(parents=True)
    (house / "conf" / "gate" / "easy.yaml").write_text(policy, encoding="utf-8")
    with pytest.raises(UserError, match=re.escape(said)) as refused:
        read_policy("easy")
    assert "conf/gate/easy.yaml" in str(refused.value)
    assert "to do:" in str(refused.value)


def test_what_is_not_there_is_told_and_nothing_is_written(swept: Ragsweep, house: Path) -> None:
    misspelt = swept("gate", "good", "--policy", "clnical", "--junit", "gate.xml")
    assert (misspelt.exit_code, "there is no policy 'clnical'" in misspelt.err) == (2, True)
    assert not (house / "gate.xml").exists()
    assert "there are no runs at 'nowhere'" in swept("gate", "nowhere", "--policy", "easy").err
    blocked = swept("gate", "good", "--policy", "easy", "--junit", "conf/gate/easy.yaml/gate.xml")
    assert (blocked.exit_code, "cannot be written" in blocked.err) == (2, True)
    both = swept("gate", "results/runs", "--policy", "easy")
    assert (both.exit_code, "--only 'bm25'" in both.err) == (2, True)
    assert swept("gate", "results/runs", "--policy", "easy", "--only", "bm25").exit_code == 0


@pytest.mark.parametrize("name", POLICIES)
def test_every_bundled_policy_can_be_read_and_opens_with_its_command(name: str) -> None:
    first = (bundled("conf") / "gate" / f"{name}.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert re.match(rf"# ragsweep gate \w+ --policy {name}\s", first)
    policy = read_policy(name)
    assert policy.name == name
    assert policy.thresholds


def test_the_clinical_policy_is_what_the_docs_say() -> None:
    policy = read_policy("clinical")
    limits = {one.key: one.at_least for one in policy.thresholds}
    assert limits == {
        "ragas/faithfulness": 0.80,
        "ragas/answer_relevancy": 0.75,
        "ragas/context_precision": 0.75,
        "ragas/context_recall": 0.70,
        "retrieval/recall_5": 0.85,
    }
    assert (policy.seconds, policy.questions, len(policy.safety)) == ({"p99": 3.0}, 200, 6)
    with pytest.raises(UserError, match="there is no policy"):
        read_policy("none")


@pytest.mark.slow
def test_mlflow_shows_the_decision_as_a_tag_and_an_artifact(ragsweep: Ragsweep, house: Path) -> None:
    from mlflow import MlflowClient

    run = ("corpus=obstetrics", *WORDS, "tracking=mlflow", "architecture=bm25", "limit=20", "name=tracked")
    assert ragsweep(*run).exit_code == 0
    assert ragsweep("gate", "tracked", "--policy", "smoke").exit_code in (0, 3)
    client = MlflowClient(f"sqlite:///{house / 'results' / 'mlflow.db'}")
    experiments = [experiment.experiment_id for experiment in client.search_experiments()]
    [found] = client.search_runs(experiments, "tags.kind = 'run'")
    assert found.data.tags["gate.smoke"] in ("READY", "NOT READY")
    assert {file.path for file in client.list_artifacts(found.info.run_id, "gate")} == {
        "gate/smoke.json",
        "gate/smoke.md",
    }
