"""Public collections give the answers that are published for them, or that another implementation gives."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmark.storage.corpora import load
from benchmark.text import stems
from tests.conftest import Called

DATA = os.environ.get("RAGSWEEP_DATA")
pytestmark = pytest.mark.skipif(DATA is None, reason="RAGSWEEP_DATA is not set")

Ragsweep = Callable[..., Called]
AS_PUBLISHED = ("chunker=whole", "k=10", "judge=none", "tracking=none", "generator=extractive_words")


@pytest.fixture
def ndcg(ragsweep: Ragsweep, house: Path) -> Callable[..., float]:
    """nDCG@10 of BM25 on a folder of the data."""

    def ndcg(folder: str, *arguments: str) -> float:
        called = ragsweep("architecture=bm25", "corpus=beir", f"corpus.path={DATA}/{folder}", *AS_PUBLISHED, *arguments)
        assert called.exit_code == 0, called.err
        [summary] = (house / "results" / "runs").rglob("summary.json")
        value: float = json.loads(summary.read_text(encoding="utf-8"))["metrics"]["documents/ndcg_10"]["mean"]
        return value

    return ndcg


@pytest.mark.slow
def test_scifact_reaches_what_is_published_and_equals_bm25s_alone(ndcg: Callable[..., float], house: Path) -> None:
    import bm25s
    import ir_measures

    measured = ndcg("scifact")
    assert measured >= 0.66
    [folder] = (house / "results" / "corpora").iterdir()
    corpus = load(str(folder), name="scifact", documents_language="en", language="en")
    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    index.index([stems(document.text, "en") for document in corpus.documents], show_progress=False)
    run, gold = {}, {}
    for question in corpus.questions:
        scores = index.get_scores([word for word in stems(question.query.text, "en") if word in index.vocab_dict])
        first = np.argsort(-scores, kind="stable")[:10]
        run[question.id] = {corpus.documents[i].id: float(scores[i]) for i in first if scores[i] > 0}
        gold[question.id] = {evidence.span.document_id: evidence.grade for evidence in question.evidence}
    alone = ir_measures.calc_aggregate([ir_measures.nDCG @ 10], gold, run)[ir_measures.nDCG @ 10]
    assert measured == pytest.approx(alone, abs=1e-6)


def test_cranfield_runs_as_a_beir_folder_once_its_zeros_are_said(ndcg: Callable[..., float]) -> None:
    assert 0.352 <= ndcg("cranfield", "corpus.grades=as-is") <= 0.43


def test_xquad_in_spanish_runs_as_a_beir_folder(ndcg: Callable[..., float]) -> None:
    assert ndcg("xquad/beir_es", "limit=200") >= 0.93


def test_the_spans_of_xquad_are_those_of_the_file(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep("corpus", "import", f"{DATA}/xquad/xquad.es.json", "--to", "corpora/xquad")
    assert called.exit_code == 0, called.err
    corpus = load("corpora/xquad", name="xquad", documents_language="es", language="es")
    texts = {document.id: document.text for document in corpus.documents}
    spans = [(question, evidence.span) for question in corpus.questions for evidence in question.evidence]
    assert len(spans) == 1190
    assert all(texts[span.document_id][span.start : span.end] == question.reference for question, span in spans)


@pytest.mark.slow
def test_the_guideline_runs_from_its_pdf_and_no_number_is_lost(ragsweep: Ragsweep, house: Path) -> None:
    pytest.importorskip("pypdfium2")
    source = f"{DATA}/obstetrics_guideline"
    made = ragsweep(
        *("corpus", "import", f"{source}/guideline.pdf", "--questions", f"{source}/questions.json"),
        *("--to", "corpora/guideline"),
    )
    assert made.exit_code == 0, made.err
    assert "numbers: 20170 in the PDFs' text layers, 0 of them lost" in made.out
    text = (house / "corpora/guideline/documents.jsonl").read_text(encoding="utf-8")
    assert "se usó como punto de corte 130 mg/dL se incrementó la sensibilidad a 90%" in text
    arguments = ("corpus=folder", "corpus.path=corpora/guideline", "judge=none", "tracking=none")
    run = ragsweep("-m", "architecture=bm25,random_passages", "generator=extractive_words", *arguments)
    assert run.exit_code == 0, run.err
    found = {
        summary.parent.parent.parent.name: json.loads(summary.read_text(encoding="utf-8"))["metrics"]
        for summary in (house / "results" / "runs").rglob("summary.json")
    }
    assert found["bm25"]["retrieval/recall_5"]["n"] == 10
    assert found["bm25"]["retrieval/recall_5"]["mean"] > found["random_passages"]["retrieval/recall_5"]["mean"]
