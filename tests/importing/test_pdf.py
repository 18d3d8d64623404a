"""PDF: what the page says is what is kept, numbers above all."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmark.domain import UserError
from benchmark.importing.documents import pdf
from benchmark.importing.documents.headers import Line, running
from benchmark.importing.documents.lines import joined, whole_words
from tests.importing.making import Rule, Words, page_of, ruled
from tests.importing.making import pdf as made

pytest.importorskip("pypdfium2")
pytest.importorskip("pdfplumber")


def texts(file: Path) -> list[str]:
    return [piece.document.text for piece in pdf.read(file, "guide.pdf", skip=0) if piece.document is not None]


def test_a_page_is_a_document_that_knows_its_number(tmp_path: Path) -> None:
    file = made(
        tmp_path / "guide.pdf", [page_of("The first page has enough text."), page_of("The second page too, here.")]
    )
    second = list(pdf.read(file, "guide.pdf", skip=0))[1].document
    assert second is not None
    assert (second.id, second.metadata["page"], second.metadata["source"]) == ("guide.pdf/p0002", 2, "guide.pdf")


def test_lines_of_a_paragraph_are_one_line_and_a_cut_word_is_whole(tmp_path: Path) -> None:
    lines = (
        "A loading dose of 4 g is given by slow intra-",
        "venous infusion over twenty minutes, and 130 mg/dL is the limit.",
    )
    assert texts(made(tmp_path / "a.pdf", [page_of(*lines)])) == [
        "A loading dose of 4 g is given by slow intravenous infusion over twenty minutes, and 130 mg/dL is the limit."
    ]


def test_a_table_is_rows_of_cells_between_the_text_around_it(tmp_path: Path) -> None:
    marks = [
        *page_of("Doses of the guideline:", top=700),
        *ruled([("Drug", "Dose"), ("Magnesium", "4 g")], top=650),
        *page_of("All of them are given slowly.", top=560),
    ]
    [text] = texts(made(tmp_path / "a.pdf", [marks]))
    assert text == "Doses of the guideline:\n\n| Drug | Dose |\n| Magnesium | 4 g |\n\nAll of them are given slowly."


def test_rules_that_would_cut_a_word_off_leave_the_page_as_plain_text(tmp_path: Path) -> None:
    beside = Words(450, 586, "beside the table 75 mg")
    marks = [*ruled([("Drug", "Dose"), ("Magnesium", "4 g")], top=600), beside]
    [text] = texts(made(tmp_path / "a.pdf", [marks]))
    assert "beside the table 75 mg" in text
    assert "|" not in text


def test_running_headers_and_page_numbers_are_dropped_and_doses_are_not(tmp_path: Path) -> None:
    pages = [
        [
            Words(72, 760, "Guideline of care, second edition"),
            *page_of(f"Section {number} begins here.", f"{number * 7 + 2} mg of the drug are given each day.", top=700),
            Words(300, 30, str(number + 5)),
        ]
        for number in range(6)
    ]
    read = texts(made(tmp_path / "a.pdf", pages))
    assert not any("second edition" in text for text in read)
    assert read[3] == "Section 3 begins here.\n\n23 mg of the drug are given each day."


def test_a_grade_that_comes_back_at_one_height_is_no_running_header() -> None:
    assert running([[Line("1+", 60.0)] for _ in range(5)]) == {}


def test_a_scanned_pdf_says_so_and_what_to_type(tmp_path: Path) -> None:
    file = made(tmp_path / "scan.pdf", [[Rule(0, 0, 100, 100)], [Rule(0, 0, 100, 100)]])
    with pytest.raises(UserError, match=r"scanned images(.|\n)*ocrmypdf scan\.pdf scan-text\.pdf"):
        texts(file)


def test_what_is_no_pdf_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_text("<html>Not found</html>", encoding="utf-8")
    with pytest.raises(UserError, match="cannot be opened as a PDF"):
        texts(tmp_path / "a.pdf")


def test_reading_goes_on_after_the_pages_that_were_read(tmp_path: Path) -> None:
    file = made(tmp_path / "a.pdf", [page_of(f"Page number {n} has enough text.") for n in range(4)])
    assert list(pdf.read(file, "a.pdf", skip=2)) == list(pdf.read(file, "a.pdf", skip=0))[2:]


def test_no_number_of_the_text_layer_is_lost(tmp_path: Path) -> None:
    marks = [*page_of("Between 0,14 and 0,75 in 1.085 women."), *ruled([("28 - 30", "34"), ("140/90", "1+")])]
    [piece] = pdf.read(made(tmp_path / "a.pdf", [marks]), "a.pdf", skip=0)
    assert (piece.numbers, piece.lost) == (9, {})


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ("trata-\nmiento", "tratamiento"),
        ("médico-\npaciente", "médico-paciente"),
        ("12-\n16 semanas", "12-16 semanas"),
        ("COVID-\n19", "COVID-19"),
        ("grade 1-\nThe trial", "grade 1-\nThe trial"),
    ],
)
def test_a_hyphen_at_a_line_end_stays_where_it_is_part_of_the_word(cut: str, whole: str) -> None:
    assert whole_words(cut, frozenset({"médico", "paciente", "tratamiento"})) == whole


def test_list_items_keep_their_lines() -> None:
    text = "The doses of the drugs are these:\n• 4 g at first\n• 1 g each hour\nthat follows"
    assert (
        joined(text, frozenset()) == "The doses of the drugs are these:\n• 4 g at first\n• 1 g each hour that follows"
    )
