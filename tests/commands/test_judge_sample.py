"""``ragsweep judge sample``: from runs to labels and back."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import FAKES, REPOSITORY, Called

Ragsweep = Callable[..., Called]
Rows = list[dict[str, str]]


def rows_of(file: Path) -> Rows:
    return list(csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines(keepends=True)))


def write(file: Path, rows: Rows) -> str:
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(file)


@pytest.fixture
def sampled(ragsweep: Ragsweep, house: Path) -> Path:
    """The folder of a sample of two judged runs."""
    assert ragsweep("-m", *FAKES, "judge=local", "architecture=bm25,dense").exit_code == 0
    called = ragsweep("judge", "sample", "--lowest", "1", "--unsure", "1", "--random", "2")
    assert called.exit_code == 0, called.err
    assert "2 random" in called.out
    [folder] = (house / "results" / "judge" / "samples").iterdir()
    return folder


def test_labels_of_a_sample_are_taken_back_by_the_very_csv(sampled: Path, ragsweep: Ragsweep) -> None:
    rows = rows_of(sampled / "labels.csv")
    assert all(row["claim"] and row["context"].startswith("[1] ") and row["label"] == "" for row in rows)
    assert "holds" not in rows[0]
    labelled = [{**row, "label": str(number % 2), "context": "spoilt"} for number, row in enumerate(rows)]
    file = write(sampled / "labels.csv", labelled)
    called = ragsweep("judge", "check", "local", file, "embedder=hash", "--json")
    assert called.exit_code == 0, called.err
    found = json.loads(called.out)
    assert found["all"]["n"] == len(rows)
    contexts = {text for one in found["worst"] for text in one["case"]["context"]}
    assert "spoilt" not in contexts
    assert "only those drawn at random stand for all" in ragsweep("judge", "check", "local", file, "embedder=hash").out


def test_a_csv_that_somebody_labelled_in_stays_when_the_same_is_drawn_again(sampled: Path, ragsweep: Ragsweep) -> None:
    rows = [{**row, "label": "1"} for row in rows_of(sampled / "labels.csv")]
    write(sampled / "labels.csv", rows)
    called = ragsweep("judge", "sample", "--lowest", "1", "--unsure", "1", "--random", "2")
    assert "which was there and stays as it is" in called.out
    assert rows_of(sampled / "labels.csv") == rows


def test_other_ids_are_refused_with_their_line(sampled: Path, ragsweep: Ragsweep) -> None:
    rows = [{**row, "label": "1"} for row in rows_of(sampled / "labels.csv")]
    file = write(sampled / "labels.csv", [*rows, {**rows[0], "case": "ffffffffffff"}])
    called = ragsweep("judge", "check", "local", file, "embedder=hash")
    assert (called.exit_code, called.out) == (2, "")
    assert 'the case "ffffffffffff" was drawn by no sample of this folder of results' in called.err
    assert "take the column out" in called.err


def test_labels_without_a_label_are_refused(sampled: Path, ragsweep: Ragsweep) -> None:
    called = ragsweep("judge", "check", "local", str(sampled / "labels.csv"), "embedder=hash")
    assert (called.exit_code, "no row has a label" in called.err) == (2, True)


def test_what_cannot_be_drawn_is_told(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none", "name=unjudged", "limit=1")
    ragsweep(*FAKES, "judge=local", "name=judged", "limit=1")
    refused = {
        ("nothing",): "there are no runs at 'nothing'",
        ("--lowest", "0", "--unsure", "0", "--random", "0"): "draws nothing",
        ("--random", "-1"): "draws nothing",
        ("--language", "xx"): "wanted: --language en or es",
        ("unjudged",): "no judge has ruled on a statement of the runs at 'unjudged'",
    }
    for arguments, said in refused.items():
        called = ragsweep("judge", "sample", *arguments)
        assert (called.exit_code, called.out) == (2, "")
        assert said in called.err
    assert not (house / "results" / "judge").exists()


def test_runs_whose_judge_was_never_checked_say_so_until_it_is(sampled: Path, ragsweep: Ragsweep) -> None:
    never = "never checked against people's labels here"
    assert " ".join(ragsweep("compare").out.split()).count(never) == 1
    rows = rows_of(sampled / "labels.csv")
    file = write(sampled / "labels.csv", [{**row, "label": str(n % 2)} for n, row in enumerate(rows)])
    other = ragsweep("judge", "check", "local", file, "embedder=hash", "+judge.threshold=0.9")
    assert other.exit_code == 0, other.err
    assert never in " ".join(ragsweep("compare").out.split())  # that was another judge
    ragsweep("judge", "check", "local", file, "embedder=hash")
    told = " ".join(ragsweep("compare").out.split())
    assert never not in told
    assert "(labels.csv): balanced accuracy" in told
    assert f"on {len(rows)} cases" in told
    ragsweep("report", "--to", "html")
    [page] = (sampled.parents[2] / "reports").rglob("*.html")
    assert "checked against people" in page.read_text(encoding="utf-8")


def test_a_run_without_a_judge_says_nothing_of_checks(ragsweep: Ragsweep, house: Path) -> None:
    assert "against people" not in ragsweep(*FAKES, "judge=none", "limit=1").out


def test_the_recipe_of_the_docs_runs(ragsweep: Ragsweep, house: Path) -> None:
    told = (REPOSITORY / "docs" / "judges.md").read_text(encoding="utf-8")
    recipe = re.search(r"<!-- tested -->\n```bash\n(.*?)```", told, re.DOTALL)
    assert recipe is not None
    run, sample, check, compare = [shlex.split(line, comments=True)[1:] for line in recipe[1].splitlines()]
    assert ragsweep(*run, *FAKES).exit_code == 0
    assert ragsweep(*sample).exit_code == 0
    [drawn] = (house / "results" / "judge" / "samples").glob("*/labels.csv")
    for person in ("ana", "ben"):
        labelled = [{**row, "label": str(n % 2), "annotator": person} for n, row in enumerate(rows_of(drawn))]
        write(house / f"labels-{person}.csv", labelled)
    checked = ragsweep(*check, "embedder=hash")
    assert checked.exit_code == 0, checked.err
    assert "annotators of the same case agree in 1.00" in checked.out
    assert "checked against people's labels on" in ragsweep(*compare).out
