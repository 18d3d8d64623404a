from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from benchmark.drafting.wording import MOST_SHARE, MOST_WORDS, longest_run, wording
from benchmark.text import sentence_spans, words

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


@pytest.mark.skipif(DATA is None, reason="RAGSWEEP_DATA is unset")
def test_the_bounds_are_what_19_of_20_questions_that_people_wrote_keep() -> None:
    told = json.loads(Path(str(DATA), "xquad", "xquad.es.json").read_text(encoding="utf-8"))["data"]
    runs, shares = [], []
    for paragraph in (paragraph for article in told for paragraph in article["paragraphs"]):
        context = paragraph["context"]
        spans = list(sentence_spans(context, "es"))
        for question in paragraph["qas"]:
            start = question["answers"][0]["answer_start"]
            asked = words(question["question"])
            for begin, end in (span for span in spans if span[0] <= start < span[1]):
                run = longest_run(asked, words(context[begin:end]))
                runs.append(len(run))
                shares.append(len(run) / len(asked))
    assert len(runs) == 1190
    found = float(np.quantile(runs, 0.95)), round(float(np.quantile(shares, 0.95)), 2)
    assert found == (MOST_WORDS, MOST_SHARE)
