"""``ragsweep compare A B`` on real runs of the fakes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.conftest import FAKES, Called

Ragsweep = Callable[..., Called]
ARGUMENTS = (*FAKES, "judge=none")


def test_two_sweeps_are_paired_by_architecture_and_the_changed_knob_is_told(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep("-m", *ARGUMENTS, "architecture=bm25,hybrid", "name=one")
    ragsweep("-m", *ARGUMENTS, "architecture=bm25,dense,hybrid", "k=1", "name=two")
    called = ragsweep("compare", "one", "two")
    assert called.exit_code == 0, called.err
    assert "knob: k: 5 -> 1\n" in called.out
    assert "only in B: dense" in called.out
    assert "Cannot tell better from worse with 5 questions" in called.out


def test_runs_that_a_sweep_tells_apart_by_a_knob_find_their_partner_in_a_sweep_without_it(
    ragsweep: Ragsweep, house: Path
) -> None:
    ragsweep("-m", *ARGUMENTS, "architecture=bm25", "k=1,3", "name=one")
    ragsweep("-m", *ARGUMENTS, "architecture=bm25,dense", "k=3", "chunker.size=20", "name=two")
    found = json.loads(ragsweep("compare", "one", "two", "--json").out)
    assert {row["run"] for row in found["metrics"]} == {"bm25 k=3"}
    assert (found["only in a"], found["only in b"]) == (["bm25 k=1"], ["dense"])
    assert ["chunker", "chunker.size"] in [[one["input"], one["name"]] for one in found["changes"]["bm25 k=3"]]


def test_two_runs_are_compared_by_their_paths_whatever_they_are(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep("-m", *ARGUMENTS, "architecture=bm25,dense")
    paths = [str(next((house / "results" / "runs" / "tiny").glob(f"{name}/*/*"))) for name in ("bm25", "dense")]
    page = ragsweep("compare", *paths, "--markdown").out
    assert "- architecture: architecture: bm25 -> dense" in page
    assert "bm25 -> dense |" in page


def test_other_documents_with_the_same_exam_are_compared_and_told(ragsweep: Ragsweep, house: Path) -> None:
    other = shutil.copytree(house / "corpora" / "tiny", house / "corpora" / "other")
    (other / "documents" / "extra.md").write_text("Nada que ver.\n", encoding="utf-8")
    for name in ("tiny", "other"):
        ragsweep(*ARGUMENTS, "corpus=folder", f"corpus.path=corpora/{name}", f"name={name}")
    called = ragsweep("compare", "tiny", "other")
    assert called.exit_code == 0, called.err
    assert "corpus: digest: " in called.out


def test_different_exams_are_refused_with_what_differs(ragsweep: Ragsweep, house: Path) -> None:
    other = shutil.copytree(house / "corpora" / "tiny", house / "corpora" / "other")
    exam = other / "questions.jsonl"
    exam.write_text(
        exam.read_text(encoding="utf-8").replace("La dosis de carga es de 4 g", "Son 4 g"), encoding="utf-8"
    )
    for name in ("tiny", "other"):
        ragsweep(*ARGUMENTS, "corpus=folder", f"corpus.path=corpora/{name}", f"name={name}")
    called = ragsweep("compare", "tiny", "other")
    assert (called.exit_code, "another reference in mag-1" in called.err) == (2, True)


def test_runs_of_which_none_belong_together_are_refused(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep("-m", *ARGUMENTS, "architecture=bm25,dense", "name=one")
    ragsweep("-m", *ARGUMENTS, "architecture=hybrid,closed_book", "name=two")
    called = ragsweep("compare", "one", "two")
    assert (called.exit_code, "found:  bm25, dense; and hybrid, closed_book" in called.err) == (2, True)


def test_three_sweeps_are_too_many(ragsweep: Ragsweep) -> None:
    assert ragsweep("compare", "a", "b", "c").exit_code == 2
