"""Files as people really have them, read rightly or refused with file, line, what was found and the cure."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.domain import UserError
from benchmark.importing.exams import qrels
from benchmark.importing.forms import form_of
from benchmark.importing.importer import Imported, import_corpus
from benchmark.importing.nouns import Choices

DATA = os.environ.get("RAGSWEEP_DATA")
pytestmark = pytest.mark.skipif(DATA is None, reason="RAGSWEEP_DATA is not set")
MESSY = Path(DATA or ".") / "messy"

Import = Callable[..., Imported]


@pytest.fixture
def imported(tmp_path: Path) -> Import:
    for library in ("pypdfium2", "bs4"):
        pytest.importorskip(library)

    def imported(source: str, questions: str | None = None, language: str | None = None) -> Imported:
        form = form_of(MESSY / source, None if questions is None else MESSY / questions, Choices())
        return import_corpus(form, tmp_path / "c", choices=Choices(), language=language, watch=lambda *_: None)

    return imported


@pytest.mark.parametrize(
    ("source", "questions", "language", "counts"),
    [
        ("11_autorag_corpus.parquet", "11_autorag_qa.parquet", "en", (55, 20)),
        ("12_autorag_corpus_sample.parquet", "12_autorag_qa_sample.parquet", None, (30, 10)),
        ("13_autorag_nqa.csv", None, None, (14, 14)),
        ("14_pdf_text.pdf", "10_ragas_hf_doc_qa_eval.csv", None, (1, 66)),
        ("15_pdf_table_ko.pdf", None, "en", (1, 0)),
        ("16_html_sample.html", None, None, (1, 0)),
        ("17_markdown_tables.md", None, None, (1, 0)),
        ("32_numpy_repr_lists.csv", None, None, (40, 0)),
        ("33_dup_ids_mixed_newlines.csv", None, None, (52, 0)),
    ],
)
def test_what_can_be_read_is_read(
    imported: Import, source: str, questions: str | None, language: str | None, counts: tuple[int, int]
) -> None:
    told = imported(source, questions, language)
    assert (told.documents, told.questions, told.left_out) == (*counts, ())


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("09_open_rag_eval_long_bom.csv", "line 1: .*scored by: ragsweep score 09_open"),
        ("10_ragas_hf_doc_qa_eval.csv", "questions and no passages.*--questions 10_ragas"),
        ("11_autorag_corpus.parquet", "--language"),
        ("18_qrels_negative.txt", r"-1 \(225 times\), 1 \(128 times\).*--grades"),
        ("19_qrels_cisi.rel", r"0 \(3114 times\).*--grades \"0=3\""),
        ("20_qrels_text_grades_dups.txt", r"1-Incorrect \(1436 times\).*--grades"),
        ("21_beir_qrels_crlf.tsv", "judgements, without the documents.*corpus.jsonl"),
        ("22_beir_corpus_lfs_pointer.jsonl", "line 1: this is a Git LFS pointer.*git lfs pull"),
        ("24_claims_repeated_ids.csv", "questions and no passages"),
        ("25_trec_graded.qrels", r"0 \(145 times\).*--grades"),
        ("26_trec_run.run", "line 1: this is a run of a retriever"),
        ("27_qrels.trec.gz", "judgements, without the documents"),
        ("29_results_nan.json", "line 28: NaN is no JSON value"),
        ("31_tab_separated_named.csv", "line 1: .*'question_text'.*--columns reference=COLUMN"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_cure(imported: Import, source: str, told: str) -> None:
    with pytest.raises(UserError) as error:
        imported(source)
    message = " ".join(str(error.value).split())
    assert re.search(told, message), message


@pytest.mark.parametrize(
    ("source", "grades", "repeated", "judgements"),
    [
        ("18_qrels_negative.txt", "-1=0,1=1,2=2,3=3,4=4", None, 1612),
        ("19_qrels_cisi.rel", "0=3", None, 3114),
        ("20_qrels_text_grades_dups.txt", "1-Incorrect=0,2-Related=1,3-Incomplete=2,4-Excellent=3", "highest", 945),
        ("21_beir_qrels_crlf.tsv", None, None, 339),
        ("25_trec_graded.qrels", "as-is", None, 166),
        ("27_qrels.trec.gz", None, None, 5),
    ],
)
def test_judgements_are_read_once_their_grades_are_said(
    source: str, grades: str | None, repeated: str | None, judgements: int
) -> None:
    judged = qrels.read(MESSY / source, grades=grades, repeated=repeated)
    assert sum(len(documents) for documents in judged.grades.values()) == judgements


def test_every_file_is_tried() -> None:
    tried = Path(__file__).read_text(encoding="utf-8")
    assert [file.name for file in sorted(MESSY.iterdir()) if f'"{file.name}"' not in tried] == []
