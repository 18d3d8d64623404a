from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import FAKES, Called

Ragsweep = Callable[..., Called]


def table_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if "bm25" in line or "dense" in line]


def test_compare_prints_from_records_what_the_sweep_printed(ragsweep: Ragsweep, house: Path) -> None:
    swept = ragsweep("-m", *FAKES, "judge=none", "architecture=bm25,dense")
    assert table_of(ragsweep("compare").out) == table_of(swept.out) != []


def test_runs_are_found_by_path_and_by_the_sweeps_name(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep("-m", *FAKES, "judge=none", "architecture=bm25,dense", "name=mine")
    by_name = ragsweep("compare", "mine")
    assert table_of(ragsweep("compare", "results/runs/tiny").out) == table_of(by_name.out) != []


def test_json_has_means_as_numbers_and_none_where_not_measured(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none")
    [row] = json.loads(ragsweep("compare", "--json").out)
    assert (row["retrieval/recall_k"], row["k"]) == (1.0, 5)
    assert row["ragas/faithfulness"] is None


def test_rivals_stand_between_the_bounds_that_the_yamls_name(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep("-m", *FAKES, "judge=none", "architecture=bm25,random_passages,oracle,closed_book", "k=1")
    rows = {row["run"]: row for row in json.loads(ragsweep("compare", "--json").out)}
    assert {name: row["role"] for name, row in rows.items()} == {
        "bm25": "rival",
        "random_passages": "floor",
        "oracle": "ceiling",
        "closed_book": "yardstick",
    }
    bm25, random, oracle = (rows[name]["retrieval/recall_k"] for name in ("bm25", "random_passages", "oracle"))
    assert rows["bm25"]["headroom retrieval/recall_k"] == (bm25 - random) / (oracle - random)
    assert rows["oracle"]["headroom retrieval/recall_k"] is None
    assert "Headroom recovered, Evidence recall at k: bm25 " in ragsweep("compare").out


def test_a_metric_is_shown_by_kind_of_question(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep("-m", *FAKES, "judge=none", "architecture=bm25,dense")
    assert "| kind | n | bm25 | dense |" in ragsweep("compare", "--by", "retrieval/recall_5", "--markdown").out
    called = ragsweep("compare", "--by", "retrieval/recal_5")
    assert (called.exit_code, "Did you mean retrieval/recall_5" in called.err) == (2, True)


def test_without_runs_the_message_says_which_command_makes_some(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep("compare", "nothing")
    assert called.exit_code == 2
    assert "ragsweep experiment=obstetrics" in called.err


def test_runs_of_different_exams_stand_in_tables_of_their_own(ragsweep: Ragsweep, house: Path) -> None:
    shutil.copytree(house / "corpora" / "tiny", house / "corpora" / "other")
    called = ragsweep(
        "-m", *FAKES, "judge=none", "corpus=folder", "corpus.path=corpora/tiny,corpora/other", "architecture=bm25,dense"
    )
    assert called.exit_code == 0, called.err
    assert [line for line in called.out.splitlines() if "─ tiny ─" in line or "─ other ─" in line] != []
    rows = json.loads(ragsweep("compare", "--json").out)
    assert [(row["corpus"], row["run"]) for row in rows] == [
        ("tiny", "bm25"),
        ("tiny", "dense"),
        ("other", "bm25"),
        ("other", "dense"),
    ]


def test_a_sweep_over_two_corpora_stands_in_mlflow_on_both_and_anew_where_the_second_changes(
    ragsweep: Ragsweep, house: Path
) -> None:
    shutil.copytree(house / "corpora" / "tiny", house / "corpora" / "other")
    [document, *_] = sorted((house / "corpora" / "other" / "documents").rglob("*.md"))
    sweep = ("-m", *FAKES[:-1], "judge=none", "corpus=folder", "corpus.path=corpora/tiny,corpora/other", "limit=1")
    for line in ("One more.", "And another."):
        document.write_text(f"{document.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
        assert ragsweep(*sweep, "architecture=bm25").exit_code == 0
    store = sqlite3.connect(house / "results" / "mlflow.db")
    found = store.execute(
        """select kind.value, inputs.destination_id, datasets.name, datasets.digest from inputs
        join datasets on datasets.dataset_uuid = inputs.source_id
        join tags as kind on kind.run_uuid = inputs.destination_id and kind.key = 'kind'"""
    ).fetchall()
    sweeps = {run: {(name, digest) for _, one, name, digest in found if one == run} for _, run, *_ in found}
    children = [sweeps[run] for kind, run, *_ in found if kind == "run"]
    parents = [one for run, one in sweeps.items() if (run in {run for kind, run, *_ in found if kind == "sweep"})]
    homes = "select experiments.name, count(*) from runs join experiments using (experiment_id) group by 1"
    assert store.execute(homes).fetchall() == [("tiny + other", 6)]
    assert [len(one) for one in children] == [1] * 4
    assert len(parents) == 2
    assert all({name for name, _ in one} == {"tiny", "other"} for one in parents)
    assert len(set.union(*parents)) == 3
    assert set.union(*parents) == set.union(*children)


def test_a_run_on_fewer_questions_is_shown_and_competes_for_nothing(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep("-m", *FAKES, "judge=none", "architecture=bm25,random_passages")
    ragsweep(*FAKES, "judge=none", "architecture=dense", "limit=2")
    out = ragsweep("compare", "results/runs").out
    assert "dense: 2 of 5 questions" in out
    assert "no run can be told apart" not in out


def test_a_few_questions_again_leave_what_is_known_of_all(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none")
    [summary] = (house / "results").rglob("summary.json")
    before = summary.read_text(encoding="utf-8")
    ragsweep(*FAKES, "judge=none", "limit=2")
    assert summary.read_text(encoding="utf-8") == before
    [row] = json.loads(ragsweep("compare", "--json").out)
    assert row["questions"] == 2


def test_why_questions_failed_is_told_in_the_table_and_in_the_file(ragsweep: Ragsweep, house: Path) -> None:
    out = ragsweep(*FAKES, "judge=none", "generator.broken=[mag-1,mag-2]").out
    reason = "failed at answer: ConnectionError: the endpoint hung up"
    assert f"bm25: 2 {reason}" in out
    [failures] = (house / "results").rglob("failures.csv")
    assert f"mag-1,,,,{reason},failed" in failures.read_text(encoding="utf-8")


def test_a_changed_corpus_is_told(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none")
    document = house / "corpora" / "tiny" / "documents" / "hierro.md"
    document.write_text(document.read_text(encoding="utf-8") + "\nMás.\n", encoding="utf-8")
    called = ragsweep("compare")
    assert called.exit_code == 2
    assert "another state of the corpus" in called.err


def test_the_list_names_every_choice_and_its_origin(ragsweep: Ragsweep, house: Path) -> None:
    out = ragsweep("list").out
    assert "hyde" in out
    assert [line.split()[1] for line in out.splitlines() if line.startswith("  echo")] == ["yours", "yours"]


def test_an_unknown_group_is_told_with_the_one_that_was_meant(ragsweep: Ragsweep) -> None:
    called = ragsweep("list", "judges")
    assert (called.exit_code, called.out, "Did you mean judge?" in called.err) == (2, "", True)


def test_an_option_for_a_group_is_told_with_its_group(ragsweep: Ragsweep) -> None:
    assert "architecture=hyde" in ragsweep("list", "hyde").err


def test_help_of_every_command_is_there(ragsweep: Ragsweep) -> None:
    assert all(ragsweep(name, "--help").exit_code == 0 for name in ("compare", "report", "show", "ui", "list"))


def test_the_ui_without_a_store_says_what_makes_one(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep("ui")
    assert (called.exit_code, "mlflow.db" in called.err) == (2, True)


def test_a_judges_agreement_with_gold_evidence_is_told_and_without_a_judge_nothing(
    ragsweep: Ragsweep, house: Path
) -> None:
    ragsweep(*FAKES, "judge=local", "name=judged")
    ragsweep(*FAKES, "judge=none", "name=unjudged")
    assert (
        "judge and gold evidence agree on 83 % of 6 passages: substantial agreement, kappa 0.67 ("
        in ragsweep("compare", "judged").out
    )
    assert "gold evidence agree" not in ragsweep("compare", "unjudged").out


@pytest.mark.parametrize(
    "asked",
    [
        ["compare"],
        ["compare", "--json"],
        ["compare", "latest", "results"],
        ["report", "--to", "md"],
        ["show", "mag-1"],
        ["safety"],
        ["replay"],
    ],
    ids=lambda asked: " ".join(asked),
)
def test_a_half_written_record_is_told_by_every_command_that_reads_it(
    ragsweep: Ragsweep, house: Path, asked: list[str]
) -> None:
    ragsweep(*FAKES, "judge=none")
    [records] = house.rglob("runs/**/records.jsonl")
    records.write_bytes(records.read_bytes()[:-50])
    called = ragsweep(*asked)
    assert "records.jsonl: the last line is cut off" in called.err
    assert "--json" not in asked or json.loads(called.out)


def test_a_table_over_a_half_written_record_carries_a_caution(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none")
    [records] = house.rglob("runs/**/records.jsonl")
    records.write_bytes(records.read_bytes()[:-50])
    assert "the last line is cut off" in ragsweep("compare", "results").out.split("Cautions")[1]
    ragsweep("report", "results", "--language", "es", "--to", "html", "--out", "es")
    assert "cortada (la última línea)" in (house / "es" / "report.html").read_text(encoding="utf-8")
