"""How near sentences are to a question: by their vectors, by their words, and by the words that precede them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass
from math import sqrt

import numpy as np

from benchmark.domain import Embedder, FloatMatrix
from benchmark.models.sentences import Sentence
from benchmark.text import stem_set


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each sign of nearness counts for in a sentence's score.

    ``similarity``: of the cosine of question and sentence. ``overlap``: of the share of the question's content stems
    that the sentence has. ``preceding``: of the share that only the words just before it have (heading, lead-in,
    sentence before), since a sentence seldom repeats the subject that was named there.

    Tried on the choosing half of ``fit_extractive`` and left out, because the first sentence was not more often right:
    the passage's rank (less often: 0.72 for 0.74), the sentence after, the passage's overlap, the sentence's length.
    """

    similarity: float
    overlap: float
    preceding: float


def similarities(question: str, texts: Sequence[str], embedder: Embedder) -> FloatMatrix:
    """Cosines of a question with texts, shape (len(texts),)."""
    if not texts:
        return np.zeros(0, dtype=np.float32)
    row = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    cosines = embedder.embed(list(row), role="passage") @ embedder.embed([question], role="query")[0]
    return np.asarray(cosines[[row[text] for text in texts]], dtype=np.float32)


def share(wanted: Collection[str], found: Collection[str]) -> float:
    """Share of the wanted that was found; 0 where nothing is wanted.

    >>> share({"dosis", "hierro"}, {"hierro"})
    0.5
    """
    return len(set(wanted) & set(found)) / len(set(wanted)) if wanted else 0.0


def signs(question: str, sentences: Sequence[Sentence], *, embedder: Embedder | None, language: str) -> FloatMatrix:
    """Similarity, overlap and preceding overlap as columns, shape (sentences, 3); no embedder, no similarity.

    Without an embedder the shares grow with the root of the number of stems in the question: m shared of q give
    m / sqrt(q), as in the cosine of two sets of words. A long question tells of more than one sentence can answer: by
    its plain share no sentence is ever near. (Of the exponents 0 to 1, 1/2 did best on the choosing half of
    ``fit_extractive``; idf within the context did worse.)
    """
    wanted = stem_set(question, language)
    scale = 1.0 if embedder is not None else sqrt(len(wanted))
    table = np.zeros((len(sentences), 3), dtype=np.float32)
    if embedder is not None:
        table[:, 0] = similarities(question, [sentence.text for sentence in sentences], embedder)
    for row, sentence in enumerate(sentences):
        own = stem_set(sentence.text, language)
        table[row, 1] = share(wanted, own) * scale
        table[row, 2] = share(wanted, stem_set(sentence.preceding, language) - own) * scale
    return table


def weigh(table: FloatMatrix, weights: Weights) -> FloatMatrix:
    """One score a sentence, from its signs."""
    return np.asarray(table @ np.array(astuple(weights), dtype=np.float32), dtype=np.float32)


def choose(
    sentences: Sequence[Sentence], scores: FloatMatrix, *, limit: int, nearest: float, margin: float
) -> tuple[Sentence, ...]:
    """The sentences that answer: none where the best score is below ``nearest``; further ones within ``margin`` of it.

    A sentence cut by its passage's edge loses ``margin``: so it yields to any whole one that could have joined it.
    Passages come in the order of their best sentence, so that the answer opens with what answers best; within a
    passage the order is the reader's, so that "this dose" stays behind the dose that it speaks of.
    """
    if not sentences:
        return ()
    whole = np.array([sentence.whole for sentence in sentences])
    penalised = np.where(whole, scores, scores - margin)
    order = np.argsort(-penalised, kind="stable")
    best = penalised[order[0]]
    if best < nearest:
        return ()
    chosen = [sentences[i] for i in order[:limit] if penalised[i] >= max(best - margin, nearest)]
    passages = [sentence.passage for sentence in chosen]
    return tuple(sorted(chosen, key=lambda each: (passages.index(each.passage), each.span.start)))
