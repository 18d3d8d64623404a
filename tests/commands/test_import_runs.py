"""``ragsweep import-runs``: runs of other programs, compared like our own."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY, Called

Ragsweep = Callable[..., Called]
DOCUMENTED = re.search(r"```json\n(.*?)```", (REPOSITORY / "docs/importing.md").read_text(encoding="utf-8"), re.DOTALL)
RAGAS = ("Faithfulness", "Answer relevancy", "Context precision", "Context recall")


@pytest.fixture
def study() -> dict[str, Any]:
    """The example of the documentation."""
    assert DOCUMENTED is not None
    found: dict[str, Any] = json.loads(DOCUMENTED[1])
    return found


@pytest.fixture
def imported(ragsweep: Ragsweep, house: Path) -> Callable[..., Called]:
    def imported(study: object, *arguments: str) -> Called:
        (house / "runs.json").write_text(json.dumps(study), encoding="utf-8")
        return ragsweep("import-runs", "runs.json", *arguments)

    return imported


def rows(ragsweep: Ragsweep, name: str = "study") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(ragsweep("compare", name, "--json").out)
    return found


def test_the_documented_example_is_compared_like_a_run_of_ours(
    ragsweep: Ragsweep, imported: Callable[..., Called], study: dict[str, Any]
) -> None:
    called = imported(study)
    assert (called.exit_code, called.out.splitlines()[-1]) == (0, "Compare: ragsweep compare study"), called.err
    [row] = rows(ragsweep)
    assert (row["ragas/faithfulness"], row["n ragas/faithfulness"], row["ragas/context_recall"]) == (1.0, 1, None)
    assert (row["questions"], row["failed"], row["seconds"]) == (2, 1, 2.5)
    assert "the endpoint hung up" in ragsweep("compare", "study").out


def test_importing_again_changes_nothing(house: Path, imported: Callable[..., Called], study: dict[str, Any]) -> None:
    def files() -> dict[Path, bytes]:
        return {file: file.read_bytes() for file in (house / "results").rglob("*") if file.is_file()}

    imported(study)
    before = files()
    imported(study)
    assert files() == before
    assert [len(content.splitlines()) for file, content in before.items() if file.name == "records.jsonl"] == [2]


def test_two_imports_are_compared_with_each_other(
    ragsweep: Ragsweep, imported: Callable[..., Called], study: dict[str, Any]
) -> None:
    imported(study)
    study["runs"][0] |= {"judge": "llm", "knobs": {"temperature": 1}}
    imported(study, "--name", "second")
    out = ragsweep("compare", "study", "second").out
    assert "judge: judge: ragas -> llm" in out
    assert "imported.temperature: 0 -> 1" in out
    assert "Not kept with every run, so nobody can say: packages, prompts, code." in out


def test_runs_without_passages_need_no_documents(
    ragsweep: Ragsweep, imported: Callable[..., Called], study: dict[str, Any]
) -> None:
    del study["runs"][0]["answers"][0]["context"]
    imported(study)
    assert rows(ragsweep)[0]["ragas/faithfulness"] == 1.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"question": "q9"}, "the id of one of the 2 questions"),
        ({"scores": {"ragas/faithfulness": "high"}}, "as 'ragas/faithfulness'"),
        ({"answer": None}, "or the field failure"),
        ({"score": {}}, "has the unknown field"),
    ],
)
def test_what_breaks_the_form_is_told_with_its_cure(
    imported: Callable[..., Called], study: dict[str, Any], change: dict[str, object], said: str
) -> None:
    study["runs"][0]["answers"][0] |= change
    called = imported(study)
    assert (called.exit_code, said in called.err) == (2, True), called.err


def test_a_name_that_leads_out_of_the_results_is_refused(
    imported: Callable[..., Called], study: dict[str, Any]
) -> None:
    assert imported(study, "--name", "../out").exit_code == 2
    assert imported({**study, "name": "../out"}).exit_code == 2


@pytest.mark.skipif("RAGSWEEP_DATA" not in os.environ, reason="RAGSWEEP_DATA is unset")
def test_the_published_runs_cannot_be_ranked(ragsweep: Ragsweep, house: Path) -> None:
    file = Path(os.environ["RAGSWEEP_DATA"]) / "obstetrics_guideline" / "published_runs.json"
    refused = ragsweep("import-runs", str(file))
    assert (refused.exit_code, "--language es" in refused.err) == (2, True)
    assert ragsweep("import-runs", str(file), "--language", "es").exit_code == 0
    page = ragsweep("compare", "published_runs", "--markdown").out
    for metric in RAGAS:
        [line] = [line for line in page.splitlines() if line.startswith(f"- {metric}: ")]
        assert "this cannot rank with 10 questions; about " in line
        assert "(smallest attainable corrected p 0.234)" in line
        assert line.endswith(" 0 of 120 pairs are told apart.")
    assert ragsweep("report", "published_runs", "--to", "html,md,tex,csv,png,svg,pdf").exit_code == 0
    folder = house / "results" / "reports" / "published_runs"
    for name in ("report.html", "report.md"):
        told = (folder / name).read_text(encoding="utf-8")
        assert "10 questions cannot rank 16 runs on any metric: to see a difference of 0.10" in told
        assert "no judge ruled on passages of questions with gold evidence" in told
    assert (folder / "figures" / "pareto.pdf").read_bytes().startswith(b"%PDF")
    assert not (folder / "figures" / "matched.png").exists()  # nothing is known of evidence
