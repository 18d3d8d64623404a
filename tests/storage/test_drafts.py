"""Folders of drafts: what is written is read, and what was changed is refused with its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from benchmark.domain import Document, Evidence, NearMiss, Query, Question, Span, UserError
from benchmark.storage.corpora import Exam
from benchmark.storage.drafts import documents_digest, read_drafts, write_drafts
from benchmark.storage.fields import Place
from benchmark.storage.question_lines import question_line
from tests.drafting.drafted import DOCUMENTS, DRAFTS, HEIGHT, KEEPER


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_drafts(tmp_path / "drafts", DRAFTS)
    assert read_drafts(tmp_path / "drafts") == DRAFTS


def test_what_made_them_counts_kinds_and_what_each_filter_turned_down(tmp_path: Path) -> None:
    write_drafts(tmp_path, DRAFTS)
    about = json.loads((tmp_path / "drafts.json").read_text(encoding="utf-8"))
    assert about["kinds"] == {"fact": 2, "unanswerable": 1}
    assert about["turned_down"] == {"answerable": 0, "leakage": 1}
    assert about["unusable"] == {"no question in the reply": 2}


def test_documents_are_the_same_in_any_order() -> None:
    assert documents_digest(DOCUMENTS) == documents_digest(DOCUMENTS[::-1])
    changed = replace(DOCUMENTS[0], text=DOCUMENTS[0].text + " ")
    assert documents_digest((changed, DOCUMENTS[1])) != documents_digest(DOCUMENTS)


def test_a_question_is_read_back_from_its_line_with_every_field() -> None:
    documents = {"d": Document("d", "4 g. Nunca 4 g dos veces."), "e": Document("e", "Nada.")}
    question = Question(
        Query("q", "¿Cuánto?", "ana"),
        "4 g",
        evidence=(Evidence(Span("d", 11, 14), 3), Evidence(Span("e", 0, 5), 1)),
        language="es",
        tags=("fact",),
        difficulty="hard",
        hard_negatives=(Span("d", 0, 4),),
        nearest=NearMiss(Span("d", 6, 15), "dice cuánto no"),
        absent=("anexo",),
    )
    is_default = [one.name for one in fields(Question) if getattr(question, one.name) == one.default]
    assert is_default == ["answerable"]  # the other value goes without evidence
    line = json.loads(json.dumps(question_line(question, documents)))
    assert Exam(documents, "es", None).question(Place(Path("x")), line) == question
    assert line["evidence"][0] == {"document": "d", "quote": "4 g", "start": 11, "grade": 3}


Line = dict[str, Any]


def spoil(folder: Path, change: Callable[[Line], object]) -> None:
    """Change the first draft's line."""
    write_drafts(folder, replace(DRAFTS, drafts=(HEIGHT, KEEPER)))
    file = folder / "drafts.jsonl"
    first, *rest = file.read_text(encoding="utf-8").splitlines()
    line = json.loads(first)
    change(line)
    file.write_text("\n".join([json.dumps(line, ensure_ascii=False), *rest]), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda line: line["evidence"][0].update(quote="El faro mide 31 m."), "is not in 'faro'"),
        (lambda line: line["relevance"][0].update(grade=4), "an integer from 0 to 3"),
        (lambda line: line["relevance"][0].update(quote="nada"), 'the quote "nada" of a passage of the pool'),
        (lambda line: line["filters"]["answerable"].pop("passed"), "'passed' of the filter 'answerable': it is miss"),
        (lambda line: line["made"].pop("model"), "'model' of what made 'd-1': it is missing"),
        (lambda line: line.pop("made"), "what made 'd-1' is null"),
        (lambda line: line.update(filtres={}), 'the unknown field "filtres"'),
        (lambda line: line.update(passages=["faro"]), 'a passage of the draft is "faro"'),
        (lambda line: line.update(id="d-2"), "line 2: the draft 'd-2' was there before"),
    ],
)
def test_a_changed_line_is_refused_with_its_place(tmp_path: Path, change: Callable[[Line], object], said: str) -> None:
    spoil(tmp_path, change)
    with pytest.raises(UserError) as told:
        read_drafts(tmp_path)
    assert said in str(told.value)
    assert "drafts.jsonl, line " in str(told.value)
    assert "wanted" in str(told.value)


def test_a_line_that_is_no_object_is_refused(tmp_path: Path) -> None:
    write_drafts(tmp_path, DRAFTS)
    (tmp_path / "drafts.jsonl").write_text("[]\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 1: this is no JSON object"):
        read_drafts(tmp_path)


def test_other_documents_than_those_drafted_from_are_refused(tmp_path: Path) -> None:
    write_drafts(tmp_path, DRAFTS)
    file = tmp_path / "documents.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("1898", "1899"), encoding="utf-8")
    with pytest.raises(UserError, match=r"documents\.jsonl was changed"):
        read_drafts(tmp_path)


def test_a_folder_without_drafts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no drafts\.json"):
        read_drafts(tmp_path)
    with pytest.raises(UserError, match="there is no such folder"):
        read_drafts(tmp_path / "none")


def test_counts_that_are_none_are_refused(tmp_path: Path) -> None:
    write_drafts(tmp_path, DRAFTS)
    file = tmp_path / "drafts.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"no question in the reply": 2', '"x": "two"'))
    with pytest.raises(UserError, match="how many there were"):
        read_drafts(tmp_path)
