"""``ragsweep corpus import`` and ``corpus=files``: a folder of files as a new user brings it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import FAKES, Called

Ragsweep = Callable[..., Called]
RUN = ("judge=none", *(fake for fake in FAKES if not fake.startswith("corpus=")))


@pytest.fixture
def docs(house: Path) -> Path:
    """Two documents of the user's, and a spreadsheet of questions as a Spanish Excel saves it."""
    (house / "docs").mkdir()
    (house / "docs" / "magnesio.txt").write_text(
        "La dosis de carga de sulfato de magnesio es de 4 g por vía intravenosa. Luego se da 1 g por hora.\n",
        encoding="utf-8",
    )
    (house / "docs" / "hierro.html").write_text(
        "<html><body><p>En la anemia se dan 120 mg de hierro al día durante el embarazo.</p></body></html>",
        encoding="utf-8",
    )
    (house / "preguntas.csv").write_bytes(
        "Número;Pregunta;Respuesta\r\n"
        "1;¿Cuál es la dosis de carga de magnesio?;La dosis de carga es de 4 g\r\n"
        "2;¿Cuánto hierro se da en la anemia?;Se dan 120 mg de hierro\r\n".encode("cp1252")
    )
    return house / "docs"


def test_documents_and_a_spreadsheet_become_a_corpus_that_runs(ragsweep: Ragsweep, docs: Path) -> None:
    pytest.importorskip("bs4")
    made = ragsweep("corpus", "import", "docs", "--questions", "preguntas.csv", "--to", "corpora/mine")
    assert made.exit_code == 0, made.err
    assert "columns: id=Número, question=Pregunta, reference=Respuesta" in made.out
    assert "encoding cp1252, delimiter ;" in made.out
    assert "2 questions came without evidence" in made.out
    lines = (docs.parent / "corpora/mine/questions.jsonl").read_text(encoding="utf-8").splitlines()
    [first, _] = [json.loads(line) for line in lines]
    assert first["evidence"] == [
        {
            "document": "magnesio.txt",
            "quote": "La dosis de carga de sulfato de magnesio es de 4 g por vía intravenosa.",
            "grade": 3,
        }
    ]
    assert first["tags"] == ["unreviewed"]
    assert ragsweep("corpus", "check", "corpora/mine").out.startswith("2 documents and 2 questions: nothing found")
    run = ragsweep("architecture=bm25", "corpus=folder", "corpus.path=corpora/mine", *RUN)
    assert run.exit_code == 0, run.err
    assert "mine: 2 questions came without evidence" in run.err


def test_the_same_runs_without_importing_first(ragsweep: Ragsweep, docs: Path) -> None:
    pytest.importorskip("bs4")
    arguments = ("architecture=bm25", "corpus=files", "corpus.path=docs", "corpus.questions=preguntas.csv", *RUN)
    first = ragsweep(*arguments)
    assert first.exit_code == 0, first.err
    assert "1.00" in first.out  # evidence recall
    [kept] = (docs.parent / "results" / "corpora").iterdir()
    assert ragsweep(*arguments).exit_code == 0
    assert list((docs.parent / "results" / "corpora").iterdir()) == [kept]
    touched = (docs / "magnesio.txt").read_bytes()
    (docs / "magnesio.txt").write_bytes(touched)  # another time, the same corpus: the same run
    assert ragsweep(*arguments).exit_code == 0
    assert len(list((docs.parent / "results" / "runs").rglob("records.jsonl"))) == 1
    assert not (docs.parent / "corpora" / kept.name).exists()
    (docs / "magnesio.txt").write_text(
        "La dosis de carga de magnesio es de 4 g, o de 6 g en la eclampsia.", encoding="utf-8"
    )
    assert ragsweep(*arguments).exit_code == 0
    assert len(list((docs.parent / "results" / "runs").rglob("records.jsonl"))) == 2


def test_documents_without_an_exam_are_told_what_is_missing(ragsweep: Ragsweep, docs: Path) -> None:
    pytest.importorskip("bs4")
    made = ragsweep("corpus", "import", "docs", "--to", "corpora/mine")
    assert made.exit_code == 0
    assert "It has no exam" in made.out
    run = ragsweep("architecture=bm25", "corpus=files", "corpus.path=docs", *RUN)
    assert run.exit_code == 2
    assert "corpus.questions=TABLE" in run.err


def test_files_that_are_no_corpus_yet_are_told_how_to_become_one(ragsweep: Ragsweep, docs: Path) -> None:
    run = ragsweep("architecture=bm25", "corpus=folder", "corpus.path=docs", *RUN)
    assert run.exit_code == 2
    assert "your files as they are become a corpus by ragsweep corpus import docs --to corpora/NAME" in run.err
    (docs / "documents.jsonl").write_text('{"id": "a", "text": "A."}\n', encoding="utf-8")
    run = ragsweep("architecture=bm25", "corpus=folder", "corpus.path=docs", *RUN)
    assert "let a model draft questions: ragsweep corpus questions docs --to drafts" in run.err


@pytest.mark.parametrize(
    ("column", "said"), [("Pregunte", "for question. Did you mean Pregunta?\n"), ("X", "for question.\n")]
)
def test_a_column_that_is_not_there_is_told_in_whole_sentences(
    ragsweep: Ragsweep, docs: Path, column: str, said: str
) -> None:
    command = ("corpus", "import", "docs", "--questions", "preguntas.csv", "--to", "corpora/mine")
    assert said in ragsweep(*command, "--columns", f"question={column}").err


def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_there(ragsweep: Ragsweep, docs: Path) -> None:
    pytest.importorskip("bs4")
    (docs / "broken.csv").write_text('text\n"open\n', encoding="utf-8")
    (docs / "picture.png").write_bytes(b"\x89PNG")
    made = ragsweep("corpus", "import", "docs", "--to", "corpora/mine")
    assert made.exit_code == 1
    assert "broken.csv, line 2" in made.err
    assert "files of other forms were not read: picture.png" in made.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nowhere",), "there is no file or folder nowhere"),
        (("docs", "--columns", "frage=x"), "--columns has 'frage=x'"),
        (("docs", "--questions", "preguntas.csv", "--columns", "question=Preguta"), "Did you mean Pregunta?"),
        (("docs", "--language", "xx"), "the language of the documents is 'xx'"),
        (("docs", "--questions", "docs/magnesio.txt"), "questions are not read from this form"),
    ],
)
def test_a_slip_is_answered_in_one_message_and_writes_nothing(
    ragsweep: Ragsweep, docs: Path, arguments: tuple[str, ...], told: str
) -> None:
    called = ragsweep("corpus", "import", *arguments, "--to", "corpora/mine")
    assert called.exit_code == 2
    assert told in called.err
    assert "Traceback" not in called.err
    assert not (docs.parent / "corpora/mine").exists()


def test_what_the_importer_asks_for_is_told_as_the_knob_that_takes_it(ragsweep: Ragsweep, docs: Path) -> None:
    (docs.parent / "graded.csv").write_text(
        "question,document,grade\nHow much?,magnesio.txt,high\nHow much?,hierro.html,low\n", encoding="utf-8"
    )
    run = ("architecture=bm25", "corpus=files", "corpus.path=docs", "corpus.questions=graded.csv", *RUN)
    called = ragsweep(*run)
    assert called.exit_code == 2
    assert "here:   as corpus.grades=...; quote a value with = or commas twice: 'corpus.grades=" in called.err
    assert not (docs.parent / "results").exists()
    pytest.importorskip("bs4")
    assert ragsweep(*run, 'corpus.grades="high=3,low=0"').exit_code == 0


def test_a_source_that_cannot_be_read_leaves_no_folder_behind(ragsweep: Ragsweep, docs: Path) -> None:
    called = ragsweep("architecture=bm25", "corpus=files", "corpus.path=preguntas.csv", *RUN)
    assert called.exit_code == 2
    assert "it has questions and no passages" in called.err
    assert not (docs.parent / "results").exists()
