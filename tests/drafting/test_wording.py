from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmark.drafting.wording import MOST_SHARE, MOST_WORDS, longest_run, wording
from benchmark.storage.corpora import load
from benchmark.text import sentence_spans, stems, words

DATA = os.environ.get("RAGSWEEP_DATA")
PASSAGE = "El hierro se da de rutina a la gestante con hemoglobina menor de 14 g/dL, lejos de la leche y del calcio."


def test_a_question_in_words_of_its_own_passes() -> None:
    assert wording("¿A quién se le recomienda suplementar siempre?", PASSAGE).passed


def test_a_question_that_copies_eight_words_in_a_row_is_turned_down_with_them() -> None:
    filtered = wording(
        "¿Por qué y desde cuándo El Hierro se da de rutina a la persona que lo pide o necesita?", PASSAGE
    )
    assert not filtered.passed
    assert "'el hierro se da de rutina a la'" in filtered.reason


def test_a_short_question_that_is_mostly_the_passage_is_turned_down() -> None:
    assert not wording("¿Hemoglobina menor de qué?", PASSAGE).passed
    assert wording("¿Cuál hemoglobina menor es?", PASSAGE).passed


def quantiles(pairs: Sequence[tuple[str, str]], language: str) -> tuple[float, float, float]:
    """Of questions: run and its share, which 95 in 100 keep; share of content words, which 90 in 100 do."""
    asked = [(words(question), words(passage)) for question, passage in pairs]
    runs = [len(longest_run(question, passage)) for question, passage in asked]
    shares = [run / len(question) for run, (question, _) in zip(runs, asked, strict=True)]
    stemmed = [(set(stems(question, language)), set(stems(passage, language))) for question, passage in pairs]
    contents = [len(question & passage) / max(1, len(question)) for question, passage in stemmed]
    found = np.quantile(runs, 0.95), np.quantile(shares, 0.95), np.quantile(contents, 0.9)
    run, share, content = (round(float(value), 2) for value in found)
    return run, share, content


def test_the_bundled_exam_keeps_far_from_the_words_of_its_passages() -> None:
    corpus = load("obstetrics", name="obstetrics", documents_language="es", language="es")
    texts = {document.id: document.text for document in corpus.documents}
    best = [(one, max(one.evidence, key=lambda item: item.grade).span) for one in corpus.questions if one.answerable]
    pairs = [(one.query.text, texts[span.document_id][span.start : span.end]) for one, span in best]
    assert quantiles(pairs, "es")[:2] == (3.0, 0.09)


@pytest.mark.skipif(DATA is None, reason="RAGSWEEP_DATA is unset")
def test_the_bounds_are_what_19_of_20_questions_that_people_wrote_keep() -> None:
    told = json.loads(Path(str(DATA), "xquad", "xquad.es.json").read_text(encoding="utf-8"))["data"]
    pairs = []
    for paragraph in (paragraph for article in told for paragraph in article["paragraphs"]):
        context = paragraph["context"]
        spans = list(sentence_spans(context, "es"))
        for question in paragraph["qas"]:
            start = question["answers"][0]["answer_start"]
            pairs += [(question["question"], context[begin:end]) for begin, end in spans if begin <= start < end]
    assert len(pairs) == 1190
    assert quantiles(pairs, "es") == (MOST_WORDS, MOST_SHARE, 1.0)
