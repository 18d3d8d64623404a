"""From drafts to an exam by the recipes of docs/build-an-exam.md: drafted by a model, decided by people, and run."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.storage.drafts import write_drafts
from benchmark.storage.reviews import write_review
from tests.authoring.examiner import Examiner
from tests.commands.test_corpus_accept import decide
from tests.conftest import FAKES, Called
from tests.drafting.drafted import DRAFTS
from tests.endpoint import serving
from tests.test_build_an_exam import FILES, RECIPES

Ragsweep = Callable[..., Called]
QUICK = ("judge=none", *(fake for fake in FAKES if not fake.startswith("corpus=")))
ACCEPT, CHECK, RUN = (shlex.split(line)[1:] for line in RECIPES["review"].splitlines())


def test_the_recipe_of_reviewing_runs(ragsweep: Ragsweep, house: Path) -> None:
    write_drafts(house / "drafts", DRAFTS)
    write_review(house / "drafts", DRAFTS, "<html>")
    decide(house, "ana", d_1="accept", d_2="accept")
    decide(house, "ben", d_1="accept", d_3="reject")
    assert "added 2 questions (0 mended)" in ragsweep(*ACCEPT).out
    assert ragsweep(*CHECK).out == "2 documents and 2 questions: nothing found\n"
    assert ragsweep(*RUN, *QUICK).exit_code == 0


def test_what_a_model_drafted_and_people_accepted_joins_the_documents_it_was_drafted_on(
    ragsweep: Ragsweep, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in FILES:
        (house / name).parent.mkdir(parents=True, exist_ok=True)
        (house / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789abcdef")
    with serving(Examiner()) as endpoint:
        draft = shlex.split(RECIPES["endpoint"].splitlines()[1])[1:]
        drafted = ragsweep(*draft, f"generator.base_url={endpoint.url}", "embedder=hash")
    assert drafted.exit_code == 0, drafted.err
    with (house / "drafts" / "review.csv").open(encoding="utf-8-sig", newline="") as sheet:
        standing = [row["draft"] for row in csv.DictReader(sheet) if not row["filters"]]
    assert standing
    decide(house, "ana", **{name.replace("-", "_"): "accept" for name in standing})
    accepted = ragsweep("corpus", "accept", "drafts", "review-ana.csv", "--to", "corpora/mine")
    assert accepted.exit_code == 0, (accepted.out, accepted.err)
    lines = (house / "corpora/mine/questions.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == standing
    assert re.search(r"documents and \d+ questions: nothing found", ragsweep("corpus", "check", "corpora/mine").out)
