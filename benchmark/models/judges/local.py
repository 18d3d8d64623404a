"""A judge without a language model: word overlap, numbers, negation and embeddings, weighed by a fitted rule."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from benchmark.digest import digest
from benchmark.domain import Embedder, ImpliedQuestion, Question, RelevancyScale, Verdict
from benchmark.models.judges.features import NAMES, Comparison, compare_all
from benchmark.models.judges.reading import read
from benchmark.statistics.separation import separation
from benchmark.text import is_abstention, sentences, without_passage_numbers

Vector = NDArray[np.float64]

_ENOUGH_QUESTIONS = 3
_MOST_OTHERS = 400
"""With how many other references a question is compared; enough for a median, and a thousand questions stay cheap."""
_VERSION = 2
"""Of the features: raised when the same weights would rule otherwise."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Logistic weights per feature."""

    intercept: float
    features: Mapping[str, float]

    def probabilities(self, rows: Sequence[Sequence[float]] | NDArray[np.float64]) -> Vector:
        """How probable support is; ``rows``, shape (statements, features)."""
        weights = np.array([self.features[name] for name in NAMES])
        logits = np.asarray(rows, dtype=np.float64).reshape(-1, len(NAMES)) @ weights + self.intercept
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits, -50, 50))), dtype=np.float64)


@cache
def shipped_weights() -> Weights:
    """The weights that ``python -m benchmark.models.judges.fit`` wrote."""
    kept = json.loads(files("benchmark.models.judges").joinpath("local.json").read_text(encoding="utf-8"))
    return Weights(float(kept["intercept"]), {name: float(value) for name, value in kept["weights"].items()})


@dataclass(frozen=True)
class LocalJudge:
    """A rule, not a model: good enough to see large differences, not to publish on.

    ``threshold`` is the probability from which a statement counts as supported.
    """

    embedder: Embedder
    language: str
    threshold: float = 0.5

    @property
    def name(self) -> str:
        weights = shipped_weights()
        version = digest(_VERSION, weights.intercept, dict(weights.features), self.threshold)[:12]
        return f"local-{version}/{self.language}/{self.embedder.name}"

    def statements(self, question: str, answer: str) -> tuple[str, ...]:  # noqa: ARG002 - the verb's shape
        """The answer's sentences that state something: no abstentions, none without a content word."""
        return tuple(sentence for sentence in self._sentences(answer) if not is_abstention(sentence))

    def supported(self, statements: Sequence[str], context: Sequence[str]) -> tuple[Verdict, ...]:
        """One verdict per statement against all texts of the context together."""
        compared = compare_all(statements, context, self.embedder, self.language)
        known = [comparison.features for comparison in compared if comparison]
        chances = iter(shipped_weights().probabilities(known))
        return tuple(
            self._verdict(statement, comparison, float(next(chances)))
            if comparison
            else Verdict(statement, holds=False, reason="there is nothing to compare", confidence=0.0)
            for statement, comparison in zip(statements, compared, strict=True)
        )

    def _verdict(self, statement: str, comparison: Comparison, chance: float) -> Verdict:
        if comparison.verbatim:
            return Verdict(statement, holds=True, reason="stands word for word in the context", confidence=1.0)
        return Verdict(statement, chance >= self.threshold, comparison.reason(), round(chance, 4))

    def useful(self, question: str, passage: str, reference: str) -> Verdict:  # noqa: ARG002 - the verb's shape
        """Whether the passage supports at least one sentence of the reference."""
        verdicts = self.supported(self._sentences(reference), [passage])
        if not verdicts:
            return Verdict(reference, holds=False, reason="the reference states nothing", confidence=0.0)
        best = max(verdicts, key=lambda verdict: (verdict.holds, verdict.confidence or 0.0))
        return Verdict(reference, best.holds, f"{best.claim!r}: {best.reason}", best.confidence)

    def attributed(self, question: str, reference: str, context: Sequence[str]) -> tuple[Verdict, ...]:  # noqa: ARG002
        """One verdict per sentence of the reference against all texts of the context together."""
        return self.supported(self._sentences(reference), context)

    def implied_questions(self, question: str, answer: str, n: int) -> tuple[ImpliedQuestion, ...]:  # noqa: ARG002
        """All of the answer's sentences, which stand in for questions that a model would write.

        ``n`` is how often a model would be asked; here it counts for nothing: ``relevancy_scale`` is measured on all
        sentences of the references, and an answer is read on that scale only if all of its own count too.
        """
        found = self._sentences(answer, keep=is_abstention)
        if not found:
            return ()
        cosines = self._cosines([question], found)[0]
        return tuple(
            ImpliedQuestion(sentence, is_abstention(sentence), float(np.clip(cosine, -1.0, 1.0)))
            for sentence, cosine in zip(found, cosines, strict=True)
        )

    def relevancy_scale(self, questions: Sequence[Question]) -> RelevancyScale:
        """Zero: the median nearness of a question to another question's reference; one: to its own.

        Nearness is the mean cosine with all sentences of the reference, as ``implied_questions`` takes all of an
        answer's.
        e5 cosines of unrelated texts lie near 0.8, so the raw mean says little by itself; ``auc`` says whether even its
        order does. With fewer than three answerable questions, or where own references are no nearer, nothing changes.
        """
        pairs = [
            (question.query.text, found)
            for question in questions
            if question.answerable and question.reference and (found := self._sentences(question.reference))
        ]
        if len(pairs) < _ENOUGH_QUESTIONS:
            return RelevancyScale()
        cosines = self._cosines([text for text, _ in pairs], [sentence for _, found in pairs for sentence in found])
        starts = np.cumsum([0, *(len(found) for _, found in pairs)])[:-1]
        sizes = np.array([len(found) for _, found in pairs])
        nearness = np.add.reduceat(cosines.astype(np.float64), starts, axis=1) / sizes
        count = len(pairs)
        own = nearness.diagonal()
        others = min(count - 1, _MOST_OTHERS)
        rows = np.arange(count)
        other = np.concatenate([nearness[rows, (rows + shift) % count] for shift in range(1, others + 1)])
        # The lower of two middle values: clipped at 1, the own references then have a median of exactly 1.
        zero, one = float(np.median(other)), float(np.quantile(own, 0.5, method="lower"))
        return RelevancyScale(zero, one, separation(own, other)) if one > zero else RelevancyScale()

    def _sentences(self, text: str, keep: Callable[[str], bool] = lambda _: False) -> tuple[str, ...]:
        """Sentences, without passage numbers, that hold a content word or are to be kept for another reason."""
        found = sentences(without_passage_numbers(text), self.language)
        return tuple(sentence for sentence in found if read(sentence, self.language).stems or keep(sentence))

    def _cosines(self, questions: Sequence[str], found: Sequence[str]) -> NDArray[np.float32]:
        """Shape (questions, sentences)."""
        asked = self.embedder.embed(questions, role="query")
        return np.asarray(asked @ self.embedder.embed(found, role="passage").T, dtype=np.float32)
