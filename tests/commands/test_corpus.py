"""``ragsweep corpus``: every kind of fault is found where it was planted, and a good corpus is clean."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchmark.proofreading.marks import marks
from benchmark.proofreading.nouns import Kind
from benchmark.storage import corpora, proofs
from tests.conftest import REPOSITORY, Called

Ragsweep = Callable[..., Called]
Row = dict[str, object]

DOCUMENT = """\
---
title: Hierro
language: es
---
# Hierro

La gestante con anemia recibe 60 mg de hierro al día durante 12 semanas.

| Situación | Dosis (mg) |
|---|---|
| Prevención | 30 |

El sulfato ferroso se toma lejos de las comidas y de los lácteos.
"""
DOSE_QUOTE = "La gestante con anemia recibe 60 mg de hierro al día durante 12 semanas."
QUESTION: Row = {
    "id": "h-1",
    "question": "¿Cuánto hierro recibe una gestante anémica?",
    "reference": "60 mg al día durante 12 semanas.",
    "answerable": True,
    "evidence": [{"document": "hierro", "quote": DOSE_QUOTE, "grade": 3}],
    "translations": {"en": {"question": "How much iron?", "reference": "60 mg a day for 12 weeks."}},
}
UNANSWERABLE: Row = {
    "id": "h-2",
    "question": "¿Cuánto cuesta el sulfato ferroso en la farmacia?",
    "reference": "La guía no indica el precio.",
    "answerable": False,
}
MEDICATION: Row = {"name": "hierro", "synonyms": ["sulfato ferroso"], "documents": ["hierro"]}
DOSE: Row = {"drug": "hierro", "dose": "60", "unit": "mg", "document": "hierro", "quote": DOSE_QUOTE}


def corpus(
    folder: Path,
    *,
    documents: dict[str, str] | None = None,
    questions: Sequence[Row] = (QUESTION, UNANSWERABLE),
    medications: Sequence[Row] = (MEDICATION,),
    doses: Sequence[Row] = (DOSE,),
) -> Path:
    """A good corpus of one document, but for what is given."""
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    for name, text in (documents or {"hierro": DOCUMENT}).items():
        (folder / "documents" / f"{name}.md").write_text(text, encoding="utf-8")
    for file, rows in (("questions", questions), ("medications", medications), ("doses", doses)):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{file}.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture
def found(ragsweep: Ragsweep) -> Callable[..., list[tuple[str, int | None, str]]]:
    """File name, line and kind of every fault that the command finds."""

    def found(place: Path, *options: str) -> list[tuple[str, int | None, str]]:
        called = ragsweep("corpus", "check", str(place), "--json", *options)
        faults = json.loads(called.out)["faults"]
        assert called.exit_code == (1 if faults else 0)
        return [(Path(fault["file"]).name, fault["line"], fault["kind"]) for fault in faults]

    return found


Found = Callable[..., list[tuple[str, int | None, str]]]


def test_a_good_corpus_is_clean(tmp_path: Path, ragsweep: Ragsweep) -> None:
    called = ragsweep("corpus", "check", str(corpus(tmp_path / "good")))
    assert (called.exit_code, called.out) == (0, "1 document and 2 questions: nothing found\n")


IN_A_DOCUMENT = {
    "punto de corte mg/dL": ("Se usó un punto de corte mg/dL para el diagnóstico.", "number lost"),
    "hasta g/día": ("Se permite la ingesta de hasta g/día de alcohol puro.", "number lost"),
    "> kg/m2": ("El riesgo crece con un IMC > kg/m2 antes del embarazo.", "number lost"),
    "5 y UI": ("Las dosis de oxitocina (siendo estas 5 y UI) son altas.", "number lost"),
    "menor a semanas": ("La edad gestacional actual es menor a semanas en total.", "number lost"),
    "10 a semanas": ("Se mide el estrés a las 10 a semanas de gestación.", "number lost"),
    "entre y 29": ("Tienen menos riesgo las mujeres de entre y 29 años.", "number lost"),
    "half an interval": ("Se halló asociación con la edad (OR=1,9; IC 95%= 1,2,7).", "number lost"),
    "two hours": ("• Basal: menos de 92 mg/dL • hora: menos de 180 mg/dL en total.", "number lost"),
    "DM= ;": ("El peso al nacer aumentó (DM= ; IC 95% 1 a 3).", "number lost"),
    "cada 6 horas": ("La ampicilina se administra 500 cada 6 horas por diez días.", "number without unit"),
    "punto de corte de 130.": ("La glucemia se compara con un punto de corte de 130.", "number without unit"),
    "()": ("RECOMENDACIONES CLÍNICAS () Se recomienda una ecografía a cada gestante.", "empty brackets"),
    "space before a stop": ("No hubo diferencias entre los dos grupos del ensayo . Se repitió.", "stray punctuation"),
    "no end": ("La razón de la poca importancia que tiene la prestación de los", "cut sentence"),
    "no beginning": ("ones para la gestante que llega tarde al control prenatal.", "cut sentence"),
    "UTF-8 read as Latin-1": ("La gestaciÃ³n dura cuarenta semanas en la mayorÃ­a.", "mojibake"),
    "replacement": ("La gestaci\ufffdn dura cuarenta semanas en la mayoría.", "mojibake"),
}


@pytest.mark.parametrize(("sentence", "kind"), IN_A_DOCUMENT.values(), ids=IN_A_DOCUMENT.keys())
def test_a_mark_of_loss_is_found_on_its_line(tmp_path: Path, found: Found, sentence: str, kind: str) -> None:
    folder = corpus(tmp_path / "bad", documents={"hierro": f"{DOCUMENT}\n{sentence}\n"})
    assert set(found(folder)) == {("hierro.md", 15, kind)}


WHOLE = (
    "La presión se expresa en mmHg y el índice de masa corporal en kg/m².",
    "Se dan 10 ml por kg, 2,4 millones de UI o dos mg según el caso.",
    "La mujer con RPM recibe penicilina G entre las semanas 24 y 34.",
    "Se dan 5 o 10 UI; el parto pasó de 12 a 16 horas, o más horas todavía.",
    "¿Cuántos mg/kg de ampicilina se dan, y cuánto por cada mL adicional?",
    "Obtuvo 8 de 30 puntos: no alcanzó el punto de corte de 13.",
    "| Fármaco | mg |",
    "- [ ] hierro",
    "Se midió la glucemia, con un punto de corte de 130 mg/dL, cada 6 horas.",
    "La dosis de 2,5 mg se repite cada 8 horas (RR 0,37; IC 95%= 0,2-0,6).",
)


@pytest.mark.parametrize("text", WHOLE)
def test_whole_sentences_bear_no_mark(text: str) -> None:
    assert marks(text) == ()


def changed(row: Row, **fields: object) -> Row:
    return {**row, **fields}


def quoting(quote: str, grade: int = 3) -> list[Row]:
    return [{"document": "hierro", "quote": quote, "grade": grade}]


IN_THE_EXAM: dict[str, tuple[Row, str]] = {
    "same words": (
        changed(QUESTION, id="x", question="¿Cuánto hierro recibe una  gestante ANÉMICA?"),
        "duplicate text",
    ),
    "nearly the same": (
        changed(QUESTION, id="x", question="¿Cuánto hierro recibe la gestante anémica?"),
        "near-duplicate question",
    ),
    "same id": (changed(UNANSWERABLE, question="¿Quién vende lácteos?"), "duplicate id"),
    "paraphrased quote": (
        changed(QUESTION, id="x", question="¿Hierro?", evidence=quoting("se dan 60 mg")),
        "quote not verbatim",
    ),
    "quote that occurs twice": (
        changed(QUESTION, id="x", question="¿Hierro?", evidence=quoting("ierro")),
        "quote not verbatim",
    ),
    "one part": (
        changed(QUESTION, id="x", question="¿Hierro?", evidence=quoting(DOSE_QUOTE, 2)),
        "answer without support",
    ),
    "no evidence": (changed(QUESTION, id="x", question="¿Hierro?", evidence=[]), "answer without support"),
    "other number": (
        changed(QUESTION, id="x", question="¿Hierro?", reference="61 mg.", translations={}),
        "number not in evidence",
    ),
    "other unit": (
        changed(QUESTION, id="x", question="¿Hierro?", reference="60 g.", translations={}),
        "unit not in evidence",
    ),
    "translated number": (
        changed(
            QUESTION, id="x", question="¿Hierro?", translations={"en": {"question": "Iron?", "reference": "6 mg."}}
        ),
        "number not in evidence",
    ),
    "no abstention": (
        changed(UNANSWERABLE, id="x", question="¿Precio?", reference="Cuesta poco."),
        "reference is no abstention",
    ),
    "answered": (
        changed(UNANSWERABLE, id="x", question="¿Precio?", evidence=quoting(DOSE_QUOTE)),
        "unanswerable with evidence",
    ),
    "unknown field": (changed(UNANSWERABLE, id="x", question="¿Precio?", refrence="-"), "format"),
    "lost number": (changed(UNANSWERABLE, id="x", question="¿Se usa un punto de corte mg/dL?"), "number lost"),
}


@pytest.mark.parametrize(("row", "kind"), IN_THE_EXAM.values(), ids=IN_THE_EXAM.keys())
def test_a_fault_of_a_question_is_found_on_its_line(tmp_path: Path, found: Found, row: Row, kind: str) -> None:
    folder = corpus(tmp_path / "bad", questions=[QUESTION, UNANSWERABLE, row])
    assert found(folder) == [("questions.jsonl", 3, kind)]


def test_a_question_with_another_number_is_another_question(tmp_path: Path, found: Found) -> None:
    asked = [changed(QUESTION, id=f"w-{n}", question=f"¿Cuánto hierro se da en la semana {n}?") for n in (12, 13)]
    assert found(corpus(tmp_path / "good", questions=asked)) == []


def test_evidence_lies_in_documents_that_the_question_may_read(tmp_path: Path, found: Found) -> None:
    patient = DOCUMENT.replace("language: es", "language: es\ntenant: ana")
    asked = [changed(QUESTION, tenant="ana"), changed(QUESTION, id="x", tenant="eva"), changed(QUESTION, id="y")]
    folder = corpus(tmp_path / "bad", documents={"hierro": patient}, questions=asked)
    assert found(folder) == [("questions.jsonl", line, "evidence of another tenant") for line in (2, 3)]


IN_THE_FACTS: dict[str, tuple[str, Row, str]] = {
    "not named": ("medications", {"name": "calcio", "synonyms": [], "documents": ["hierro"]}, "medication"),
    "part of a word": ("medications", {"name": "gesta", "synonyms": [], "documents": ["hierro"]}, "medication"),
    "listed twice": ("medications", {"name": "Sulfato ferroso", "synonyms": [], "documents": ["hierro"]}, "medication"),
    "no such document": ("medications", {"name": "calcio", "synonyms": [], "documents": ["calcio"]}, "medication"),
    "unknown drug": ("doses", changed(DOSE, drug="calcio"), "dose"),
    "dose beside the quote": ("doses", changed(DOSE, dose="6"), "dose"),
    "unit beside the quote": ("doses", changed(DOSE, unit="g"), "dose"),
    "dose of no document": ("doses", changed(DOSE, document="calcio"), "dose"),
    "paraphrased": ("doses", changed(DOSE, quote="se dan 60 mg"), "quote not verbatim"),
    "misspelt": ("doses", {**DOSE, "rute": "oral"}, "format"),
}


@pytest.mark.parametrize(("file", "row", "kind"), IN_THE_FACTS.values(), ids=IN_THE_FACTS.keys())
def test_a_fault_of_a_clinical_fact_is_found_on_its_line(
    tmp_path: Path, found: Found, file: str, row: Row, kind: str
) -> None:
    medications = [MEDICATION, row] if file == "medications" else [MEDICATION]
    doses = [DOSE, row] if file == "doses" else [DOSE]
    folder = corpus(tmp_path / "bad", medications=medications, doses=doses)
    assert found(folder) == [(f"{file}.jsonl", 2, kind)]


def test_a_tables_header_holds_the_unit_of_its_rows(tmp_path: Path, found: Found) -> None:
    row = changed(DOSE, dose="30", quote="| Prevención | 30 |")
    assert found(corpus(tmp_path / "good", doses=[row])) == []


def test_every_fault_is_reported_not_only_the_first(tmp_path: Path, found: Found) -> None:
    quotes = [*quoting("se dan 60 mg"), *quoting("se dan 30 mg")]
    folder = corpus(tmp_path / "bad", questions=[changed(QUESTION, evidence=quotes), {"id": 3}, UNANSWERABLE])
    with (folder / "questions.jsonl").open("a", encoding="utf-8") as file:
        file.write("{\n")
    lines = [(line, kind) for _, line, kind in found(folder)]
    assert lines == [(1, "quote not verbatim"), (1, "quote not verbatim"), (2, "format"), (4, "format")]


def test_the_same_text_under_two_names_is_found(tmp_path: Path, found: Found) -> None:
    table = [{"id": name, "text": "El hierro se absorbe mejor en ayunas."} for name in ("a", "b", "a")]
    file = tmp_path / "documents.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in table), encoding="utf-8")
    assert [(line, kind) for _, line, kind in found(file)] == [
        (3, "duplicate id"),
        (2, "duplicate text"),
        (3, "duplicate text"),
    ]


def test_the_report_says_where_what_and_what_to_do(tmp_path: Path, ragsweep: Ragsweep) -> None:
    folder = corpus(tmp_path / "bad", doses=[changed(DOSE, drug="calcio"), changed(DOSE, dose="6")])
    called = ragsweep("corpus", "check", str(folder))
    assert called.exit_code == 1
    assert (
        f"{folder / 'doses.jsonl'}:1: dose: 'calcio' is no name or synonym of a medication\n    to do:  add it"
        in called.out
    )
    assert called.out.endswith("     2  dose\n     2  faults in 1 document and 2 questions\n")


def test_what_is_not_there_is_wrong_input(tmp_path: Path, ragsweep: Ragsweep) -> None:
    good = str(corpus(tmp_path / "good"))
    assert ragsweep("corpus", "check", "nothing").exit_code == 2
    assert ragsweep("corpus", "check", good, "--against", "nothing.txt").exit_code == 2
    assert ragsweep("corpus", "check", good, "--fixed-terms", "nothing.txt").exit_code == 2


# ------------------------------------------------------------------------------------------------- source and card


def test_eight_words_of_the_source_are_found_unless_they_are_a_fixed_term(tmp_path: Path, found: Found) -> None:
    folder = corpus(tmp_path / "bad")
    source, terms = tmp_path / "source.txt", tmp_path / "terms.txt"
    source.write_text("SE TOMA: lejos de las comidas, y de los lacteos siempre.", encoding="utf-8")
    assert found(folder, "--against", str(source)) == [("hierro.md", 13, "words of the source")]
    terms.write_text("# names\nse toma lejos de las comidas y de los lácteos\n", encoding="utf-8")
    assert found(folder, "--against", str(source), "--fixed-terms", str(terms)) == []


def test_at_most_twenty_shingles_are_excused(tmp_path: Path, ragsweep: Ragsweep) -> None:
    terms = tmp_path / "terms.txt"
    terms.write_text(" ".join(f"w{'x' * n}" for n in range(28)), encoding="utf-8")
    folder = str(corpus(tmp_path / "good"))
    called = ragsweep("corpus", "check", folder, "--against", str(terms), "--fixed-terms", str(terms))
    assert called.exit_code == 2
    assert "21 runs of 8 words" in called.err


def test_the_card_is_counted_and_its_prose_stays(tmp_path: Path, ragsweep: Ragsweep, found: Found) -> None:
    folder = corpus(tmp_path / "good")
    (folder / "card.md").write_text("# Card\n\nMade for tests.\n", encoding="utf-8")
    assert found(folder) == [("card.md", None, "card")]
    assert ragsweep("corpus", "card", str(folder)).exit_code == 0
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert card.startswith("# Card\n\nMade for tests.\n")
    assert "| Questions | 2: 1 answerable, 1 not |" in card
    assert "| Dose facts | 1 |" in card
    assert corpora.load(str(folder), name="x", documents_language="es", language="es").digest in card
    assert found(folder) == []


def test_a_card_that_counts_otherwise_is_a_fault_on_its_line(tmp_path: Path, ragsweep: Ragsweep, found: Found) -> None:
    folder = corpus(tmp_path / "good")
    ragsweep("corpus", "card", str(folder))
    card = folder / "card.md"
    lines = card.read_text(encoding="utf-8").split("\n")
    line = lines.index("| Documents | 1 |")
    lines[line] = "| Documents | 3 |"
    card.write_text("\n".join(lines), encoding="utf-8")
    assert ("card.md", line + 1, "card") in found(folder)
    before = card.read_text(encoding="utf-8")
    ragsweep("corpus", "card", str(folder))
    assert card.read_text(encoding="utf-8") == before.replace("| Documents | 3 |", "| Documents | 1 |")


@pytest.mark.parametrize("folder", sorted((REPOSITORY / "corpora").iterdir()), ids=lambda folder: folder.name)
def test_the_bundled_corpora_are_clean(found: Found, folder: Path) -> None:
    assert found(folder) == []


# ------------------------------------------------------------------------------------------------ the damaged text

DATA = Path(os.environ.get("RAGSWEEP_DATA", "")) / "obstetrics_guideline"
needs_data = pytest.mark.skipif("RAGSWEEP_DATA" not in os.environ, reason="RAGSWEEP_DATA is unset")


@needs_data
def test_the_damage_of_the_guidelines_text_is_found() -> None:
    chunks = {placed.part.id: placed.part.text for placed in proofs.read_file(DATA / "chunks.json").documents}
    kinds = [mark.kind for text in chunks.values() for mark in marks(text)]
    assert kinds.count(Kind.MISSING_NUMBER) >= 180
    assert kinds.count(Kind.EMPTY_BRACKETS) >= 39
    lost = chunks["page141_chunk4"]
    assert [lost[m.start : m.end] for m in marks(lost) if m.kind is Kind.MISSING_NUMBER] == ["corte mg/dL"]


@needs_data
def test_the_obstetrics_corpus_is_in_words_of_its_own(found: Found) -> None:
    terms = str(REPOSITORY / "tests" / "fixed_terms.txt")
    folder = REPOSITORY / "corpora" / "obstetrics"
    assert found(folder, "--against", str(DATA / "guideline.txt"), "--fixed-terms", terms) == []
