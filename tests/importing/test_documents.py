"""HTML, Word, text and tables as documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmark.domain import Document, UserError
from benchmark.importing import documents, extras
from tests.importing.making import docx

pytest.importorskip("bs4")
pytest.importorskip("mammoth")


def read(file: Path, **columns: str) -> list[Document]:
    pieces = documents.read(file, file.parent, chosen=columns)
    return [piece.document for piece in pieces if piece.document is not None]


def test_html_keeps_headings_and_tables_and_leaves_scripts_out(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<html lang='es-CO'><head><title>Guía</title><script>let x = 1</script></head><body><nav>Inicio</nav>"
        "<h1>Dosis</h1><table><tr><th>Fármaco</th><th>Dosis</th></tr><tr><td>Sulfato</td><td>4 g</td></tr></table>"
        "<p>Punto de corte&nbsp;130 mg/dL.</p><!-- no --></body></html>",
        encoding="utf-8",
    )
    [document] = read(tmp_path / "a.html")
    assert document.title == "Guía"
    assert document.text == (
        "# Dosis\n\n| Fármaco | Dosis |\n| --- | --- |\n| Sulfato | 4 g |\n\nPunto de corte 130 mg/dL."
    )


def test_html_is_read_in_the_encoding_that_it_declares(tmp_path: Path) -> None:
    page = "<html><head><meta charset='iso-8859-1'></head><body><p>Vía intravenosa</p></body></html>"
    (tmp_path / "a.html").write_bytes(page.encode("iso-8859-1"))
    assert read(tmp_path / "a.html")[0].text == "Vía intravenosa"


def test_word_keeps_headings_and_tables(tmp_path: Path) -> None:
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>".format
    body = (
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Doses</w:t></w:r></w:p>'
        f"<w:tbl><w:tr>{cell('Drug')}{cell('Dose')}</w:tr><w:tr>{cell('Magnesium')}{cell('4 g')}</w:tr></w:tbl>"
        "<w:p><w:r><w:t>The limit is 130 mg/dL.</w:t></w:r></w:p>"
    )
    [document] = read(docx(tmp_path / "a.docx", body))
    assert "| Magnesium | 4 g |" in document.text
    assert document.text.endswith("The limit is 130 mg/dL.")


def test_what_is_no_word_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(b"not a zip")
    with pytest.raises(UserError, match=r"save it as \.docx"):
        read(tmp_path / "a.docx")


def test_front_matter_of_markdown_is_metadata(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: Iron\nyear: 2024\n---\n# Iron\n\n30 to 60 mg.\n", encoding="utf-8")
    [document] = read(tmp_path / "a.md")
    assert (document.title, document.metadata["year"], document.text) == ("Iron", 2024, "# Iron\n\n30 to 60 mg.")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_text_is_the_same_in_whatever_encoding_it_is_saved(tmp_path: Path, encoding: str) -> None:
    text = "La dosis de inducción es de 4 g por vía intravenosa; según la evolución, 1 g/h. ¿Está indicado? Sí."
    (tmp_path / "a.txt").write_bytes(f"{text}\r\n".encode(encoding))
    assert [document.text for document in read(tmp_path / "a.txt")] == [text]


def test_a_text_that_is_cyrillic_in_an_old_encoding_is_cyrillic(tmp_path: Path) -> None:
    text = "Доза магния составляет четыре грамма внутривенно в течение двадцати минут, затем один грамм в час."
    (tmp_path / "a.txt").write_bytes(text.encode("cp1251"))
    assert read(tmp_path / "a.txt")[0].text == text


def test_a_title_stands_before_the_text_so_that_it_is_searched(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"_id": "7", "title": "Iron", "text": "30 mg."}\n', encoding="utf-8")
    [document] = read(tmp_path / "a.jsonl")
    assert (document.id, document.title, document.text) == ("7", "Iron", "Iron\n\n30 mg.")


def test_rows_of_a_table_keep_their_plain_cells_as_metadata(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("doc_id;texto;página\nd1;Dosis de 4 g;12\n", encoding="utf-8")
    [document] = read(tmp_path / "a.csv")
    assert (document.id, document.text, document.metadata) == ("d1", "Dosis de 4 g", {"página": "12"})


def test_sentences_that_numpy_printed_into_a_cell_are_lines(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("doc_id,abstract\n1,\"['One dose.'\n 'Two doses.']\"\n", encoding="utf-8")
    assert read(tmp_path / "a.csv")[0].text == "One dose.\nTwo doses."


def test_a_table_without_a_column_of_texts_shows_its_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("alpha,beta\n1,2\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"'alpha', 'beta'(.|\n)*--columns text=COLUMN"):
        read(tmp_path / "a.csv")
    assert read(tmp_path / "a.csv", text="beta")[0].text == "2"


def test_a_table_among_documents_that_looks_like_an_exam_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("question,answer\n¿Dosis?,30 mg\n¿Vía?,Oral\n", encoding="utf-8")
    first, second = documents.read(tmp_path / "a.csv", tmp_path, chosen={})
    assert "a.csv has a column 'question'" in first.notes[0]
    assert "by its column 'answer'" in first.notes[0]
    assert "--questions a.csv (corpus.questions=a.csv)" in first.notes[0]
    assert second.notes == ()
    said = documents.read(tmp_path / "a.csv", tmp_path, chosen={"text": "answer"})
    assert [piece.notes for piece in said] == [(), ()]


def test_parquet_is_read_in_batches(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({"doc_id": ["a", "b"], "contents": ["One.", ""]}).to_parquet(tmp_path / "c.parquet")
    pieces = list(documents.read(tmp_path / "c.parquet", tmp_path, chosen={}))
    assert [piece.document.id if piece.document else piece.notes for piece in pieces] == [
        "a",
        ("b has no text (row 2)",),
    ]


def test_a_missing_library_ends_with_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(extras, "import_module", missing)
    with pytest.raises(UserError) as error:
        extras.library("pypdfium2", "a PDF")
    assert str(error.value).splitlines()[-1].strip() == "pip install 'ragsweep[files]'"
