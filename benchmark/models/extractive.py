"""A generator without a model: the sentences of the context that answer best, verbatim, with their passage numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from benchmark.domain import Completion, Embedder, Hit, Query, UserError
from benchmark.models.nearness import Weights, choose, signs, weigh
from benchmark.models.sentences import distinct, sentences_of
from benchmark.stopwatch import stopwatch
from benchmark.text import abstention


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a sentence is near enough to be an answer, and how near to it another must be to join."""

    weights: Weights
    nearest: float
    margin: float


@cache
def fitted(kind: str) -> Thresholds:
    """What ``benchmark.models.fit_extractive`` measured: ``vectors`` with multilingual-e5-small, or ``words`` alone."""
    numbers = json.loads(files("benchmark.models").joinpath("extractive.json").read_text(encoding="utf-8"))[kind]
    return Thresholds(Weights(**numbers["weights"]), numbers["nearest"], numbers["margin"])


@dataclass(frozen=True, kw_only=True)
class Extractive:
    """At most ``sentences`` sentences of the context, or the language's words for "it is not there".

    It abstains where the context is empty or its best sentence scores below ``nearest``; a further sentence joins
    within ``margin`` of the best. ``None`` takes the values of ``extractive.json``, which were set on XQuAD-es with
    multilingual-e5-small: another embedder has other cosines and wants other values. Without an embedder it goes by
    words.
    Headings, header rows, lead-ins and questions are never answers, but help the sentences that they introduce.
    """

    embedder: Embedder | None
    language: str
    sentences: int = 3
    nearest: float | None = None
    margin: float | None = None
    weights: Weights | None = None

    def __post_init__(self) -> None:
        if self.sentences <= 0:
            raise UserError(f"generator.sentences is {self.sentences}: an answer has at least one, for instance 3")

    @property
    def name(self) -> str:
        return "extractive"

    def answer(self, query: Query, context: Sequence[Hit]) -> Completion:
        """One line a sentence, each with the number of its passage: ``Se administran 4 g. [2]``."""
        with stopwatch() as watch:
            text = self._answer(query.text, context) or abstention(self.language)
        return Completion(text, 0, 0, watch.seconds, watch.cached, "stop")  # no language model reads or writes

    def answer_closed_book(self, query: Query) -> Completion:
        """It remembers nothing: it abstains."""
        return self.answer(query, ())

    def _answer(self, question: str, context: Sequence[Hit]) -> str:
        able = [sentence for sentence in sentences_of(context, self.language) if sentence.answers]
        candidates = distinct(able)
        if not question.strip() or not candidates:
            return ""
        thresholds = self.thresholds
        table = signs(question, candidates, embedder=self.embedder, language=self.language)
        chosen = choose(
            candidates,
            weigh(table, thresholds.weights),
            limit=self.sentences,
            nearest=thresholds.nearest,
            margin=thresholds.margin,
        )
        return "\n".join(f"{sentence.text} [{sentence.passage}]" for sentence in chosen)

    @property
    def thresholds(self) -> Thresholds:
        """The constructor's, and the measured ones where it gave none."""
        measured = fitted("words" if self.embedder is None else "vectors")
        return Thresholds(
            self.weights or measured.weights,
            measured.nearest if self.nearest is None else self.nearest,
            measured.margin if self.margin is None else self.margin,
        )
