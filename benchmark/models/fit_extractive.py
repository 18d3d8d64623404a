"""Set the weights and thresholds of ``generator=extractive`` on XQuAD-es.

    python -m benchmark.models.fit_extractive DATA [--ledger FILE]

Every question meets five passages, as a retriever would give them: the BM25 ranking of all paragraphs. Answerable: the
first five, its own paragraph among them. Unanswerable: the first five of other articles. Hard: the other paragraphs of
its own article, which talk of the same things without answering. Articles of even number choose, those of odd number
report.

XQuAD asks in three to nine content words; real questions tell a story first. By words alone, where length matters, two
and three questions on one paragraph are therefore put together to longer ones as well, and each length counts alike.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from itertools import groupby, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmark.domain import Chunk, Embedder, FloatMatrix, Hit, Span
from benchmark.models.embedders import MultilingualE5, Remembering
from benchmark.models.extractive import Extractive, Thresholds
from benchmark.models.nearness import Weights, choose, signs, weigh
from benchmark.models.sentences import Sentence, distinct, sentences_of
from benchmark.storage.ledger import open_ledger
from benchmark.text import stems

LANGUAGE = "es"
PASSAGES = 5
LENGTHS = (1, 2, 3)
STEPS = (0.0, 0.025, 0.05, 0.075, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3)
GRID = {
    "vectors": [Weights(similarity=1.0, overlap=a, preceding=b) for a, b in product(STEPS, STEPS) if b <= a],
    "words": [Weights(similarity=0.0, overlap=1.0, preceding=b) for b in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)],
}
MARGINS = {
    "vectors": (0.0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05),
    "words": (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.8),
}


@dataclass(frozen=True, slots=True)
class Item:
    """A question, or ``joined`` questions on one paragraph put together, and that paragraph."""

    text: str
    paragraph: int
    article: int
    gold: tuple[Span, ...]
    joined: int = 1


@dataclass(frozen=True, slots=True)
class Trial:
    """The candidates of one context with their signs, and which of them hold the gold answer."""

    article: int
    candidates: tuple[Sentence, ...]
    table: FloatMatrix
    gold: tuple[bool, ...]
    joined: int = 1


@dataclass(frozen=True, slots=True)
class Trials:
    """The same questions with three kinds of context."""

    answerable: tuple[Trial, ...]
    unrelated: tuple[Trial, ...]
    hard: tuple[Trial, ...]

    def half(self, remainder: int) -> Trials:
        """The trials of every second article."""
        return self._those(lambda trial: trial.article % 2 == remainder)

    def of(self, joined: int) -> Trials:
        """The trials of questions that are so many put together."""
        return self._those(lambda trial: trial.joined == joined)

    def lengths(self) -> tuple[int, ...]:
        """How many questions were put together, each number once."""
        return tuple(sorted({trial.joined for trial in self.answerable}))

    def _those(self, wanted: Callable[[Trial], bool]) -> Trials:
        kinds = (self.answerable, self.unrelated, self.hard)
        return Trials(*(tuple(trial for trial in kind if wanted(trial)) for kind in kinds))


def read_xquad(path: Path, articles: int | None = None) -> tuple[list[Chunk], list[int], list[Item]]:
    """Paragraphs, the article of each, and the questions, of the first ``articles`` or of all."""
    paragraphs: list[Chunk] = []
    article_of: list[int] = []
    items: list[Item] = []
    for article, entry in enumerate(json.loads(path.read_text(encoding="utf-8"))["data"][:articles]):
        for paragraph in entry["paragraphs"]:
            name, text = str(len(paragraphs)), paragraph["context"]
            for asked in paragraph["qas"]:
                answer = asked["answers"][0]
                gold = Span(name, answer["answer_start"], answer["answer_start"] + len(answer["text"]))
                items.append(Item(asked["question"], len(paragraphs), article, (gold,)))
            paragraphs.append(Chunk(name, Span(name, 0, len(text)), text))
            article_of.append(article)
    return paragraphs, article_of, items


def joined(items: Sequence[Item], size: int) -> list[Item]:
    """Each ``size`` questions that follow each other on one paragraph as one question."""
    long = []
    for _, group in groupby(items, key=lambda item: item.paragraph):
        asked = list(group)
        for first in range(0, len(asked) - size + 1, size):
            parts = asked[first : first + size]
            text, gold = " ".join(part.text for part in parts), tuple(span for part in parts for span in part.gold)
            long.append(Item(text, parts[0].paragraph, parts[0].article, gold, size))
    return long


def ranked_by_words(questions: Sequence[str], paragraphs: Sequence[Chunk], language: str) -> list[list[int]]:
    """Numbers of the paragraphs in BM25's order, for each question."""
    import bm25s

    index = bm25s.BM25(method="lucene")
    index.index([stems(paragraph.text, language) for paragraph in paragraphs], show_progress=False)
    rankings = []
    for question in questions:
        wanted = stems(question, language)
        scores = index.get_scores(wanted) if wanted else np.zeros(len(paragraphs))
        rankings.append([int(number) for number in np.argsort(-scores, kind="stable")])
    return rankings


def trials(path: Path, embedder: Embedder | None, articles: int | None = None) -> Trials:
    """Every question with its three contexts."""
    paragraphs, article_of, asked = read_xquad(path, articles)
    items = asked if embedder is not None else [item for size in LENGTHS for item in joined(asked, size)]
    rankings = ranked_by_words([item.text for item in items], paragraphs, LANGUAGE)
    answerable, unrelated, hard = [], [], []
    for item, ranking in zip(items, rankings, strict=True):
        others = [number for number in ranking if article_of[number] != item.article]
        siblings = [n for n in ranking if article_of[n] == item.article and n != item.paragraph]
        first = ranking[:PASSAGES]
        own = first if item.paragraph in first else [*first[:-1], item.paragraph]
        answerable.append(_trial(item, [paragraphs[n] for n in own], embedder))
        unrelated.append(_trial(item, [paragraphs[n] for n in others[:PASSAGES]], embedder))
        hard.append(_trial(item, [paragraphs[n] for n in siblings[:PASSAGES]], embedder))
    return Trials(tuple(answerable), tuple(unrelated), tuple(hard))


def _trial(item: Item, paragraphs: Sequence[Chunk], embedder: Embedder | None) -> Trial:
    sentences = sentences_of([Hit(paragraph, 0.0) for paragraph in paragraphs], LANGUAGE)
    candidates = distinct([sentence for sentence in sentences if sentence.answers])
    table = signs(item.text, candidates, embedder=embedder, language=LANGUAGE)
    gold = tuple(any(sentence.span.overlaps(span) for span in item.gold) for sentence in candidates)
    return Trial(item.article, candidates, table, gold, item.joined)


def best_threshold(given: Trials, weights: Weights) -> tuple[float, float]:
    """Balanced share of right acts, and the threshold that gives it (in the middle of its step).

    Right is to open with a sentence that holds the gold answer, and to abstain from unrelated passages: so weights and
    threshold are chosen by one number, and a wrong answer is worth no more than an abstention. Each length of question
    counts alike, however many there are of it.
    """
    opened = [_opened(given.of(length), weights) for length in given.lengths()]
    values = np.unique(np.concatenate([np.concatenate([best, wrong]) for best, _, wrong in opened]))
    steps = (values[1:] + values[:-1]) / 2
    shares = np.mean([_right_acts(*each, steps) for each in opened], axis=0)
    at = int(np.argmax(shares))
    return float(shares[at]), float(steps[at])


def _opened(given: Trials, weights: Weights) -> tuple[FloatMatrix, NDArray[np.bool_], FloatMatrix]:
    """Of answerable questions the best score and whether it is a gold sentence's; of unrelated contexts the best."""
    opens = [weigh(trial.table, weights) for trial in given.answerable]
    best = np.array([scores.max(initial=-1.0) for scores in opens])
    pairs = zip(given.answerable, opens, strict=True)
    right = np.array([bool(len(scores)) and trial.gold[int(scores.argmax())] for trial, scores in pairs])
    wrong = np.array([weigh(trial.table, weights).max(initial=-1.0) for trial in given.unrelated])
    return best, right, wrong


def _right_acts(
    best: FloatMatrix, right: NDArray[np.bool_], wrong: FloatMatrix, steps: FloatMatrix
) -> NDArray[np.float64]:
    """The balanced share of right acts at each threshold, shape (steps,)."""
    answers = np.mean(right[None, :] & (best[None, :] >= steps[:, None]), axis=1)
    return np.asarray((answers + np.mean(wrong[None, :] < steps[:, None], axis=1)) / 2)


def f2(chosen: Sequence[bool], gold: int) -> float:
    """F measure of chosen against gold sentences with recall counting double (van Rijsbergen 1979, chapter 7).

    Double, because a sentence that is missing spoils an answer, while one too many only makes it longer.

    >>> f2([True, False], 1), f2([False], 1)
    (0.8333333333333334, 0.0)
    """
    return 5 * sum(chosen) / (4 * gold + len(chosen)) if chosen else 0.0


def chosen_by(trial: Trial, thresholds: Thresholds, limit: int) -> tuple[bool, ...]:
    """For each sentence that the generator would answer with, whether it holds the gold answer."""
    scores = weigh(trial.table, thresholds.weights)
    found = choose(trial.candidates, scores, limit=limit, nearest=thresholds.nearest, margin=thresholds.margin)
    return tuple(trial.gold[trial.candidates.index(sentence)] for sentence in found)


def fit(given: Trials, kind: str, limit: int) -> Thresholds:
    """``nearest`` and weights by the share of right acts, then ``margin`` by mean F2 on answerable questions."""
    found = [(*best_threshold(given, weights), weights) for weights in GRID[kind]]
    _, nearest, weights = max(found, key=lambda each: each[0])

    def mean_f2(margin: float) -> float:
        thresholds = Thresholds(weights, nearest, margin)
        return float(np.mean([measure(given.of(length), thresholds, limit)["mean_f2"] for length in given.lengths()]))

    return Thresholds(weights, round(nearest, 4), max(MARGINS[kind], key=mean_f2))


def measure(given: Trials, thresholds: Thresholds, limit: int) -> dict[str, float]:
    """How often it abstains on each kind of context, and what the answers are worth."""
    answers = [chosen_by(trial, thresholds, limit) for trial in given.answerable]
    given_answers = [answer for answer in answers if answer]

    def abstains(kind: Sequence[Trial]) -> float:
        return float(np.mean([not chosen_by(trial, thresholds, limit) for trial in kind]))

    figures = {
        "questions": len(answers),
        "abstains_answerable": abstains(given.answerable),
        "abstains_unrelated": abstains(given.unrelated),
        "abstains_hard": abstains(given.hard),
        "answers_with_gold": float(np.mean([any(answer) for answer in given_answers])) if given_answers else 0.0,
        "mean_sentences": float(np.mean([len(answer) for answer in given_answers])) if given_answers else 0.0,
        "mean_f2": float(np.mean([f2(a, sum(t.gold) or 1) for a, t in zip(answers, given.answerable, strict=True)])),
    }
    return {name: round(value, 4) for name, value in figures.items()}


def _by_length(given: Trials, thresholds: Thresholds, limit: int) -> dict[str, dict[str, float]]:
    return {f"{length} joined": measure(given.of(length), thresholds, limit) for length in given.lengths()}


def main(arguments: Sequence[str]) -> None:
    """Fit both kinds, write ``extractive.json`` beside this file, print what it says."""
    parser = argparse.ArgumentParser(prog="python -m benchmark.models.fit_extractive", description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with xquad/xquad.es.json")
    parser.add_argument("--ledger", default="results/ledger.sqlite", help="where embeddings are kept")
    chosen = parser.parse_args(arguments)
    limit = Extractive.sentences
    told: dict[str, object] = {
        "about": {
            "date": date.today().isoformat(),
            "command": "python -m benchmark.models.fit_extractive DATA",
            "data": "xquad/xquad.es.json (XQuAD, Spanish): weights and thresholds from the articles of even number, "
            "`reported` from those of odd number",
            "licence": "XQuAD is CC BY-SA 4.0; nothing of its text is here: these are numbers measured on it",
            "joined": "how many questions on one paragraph were put together to a longer one; for words each length "
            "counts alike, vectors are fitted on single questions",
            "sentences": limit,
            "passages": PASSAGES,
        }
    }
    remembering = Remembering(MultilingualE5(threads=1), open_ledger(chosen.ledger))
    kinds: dict[str, Embedder | None] = {"vectors": remembering, "words": None}
    for kind, embedder in kinds.items():
        given = trials(chosen.data / "xquad" / "xquad.es.json", embedder)
        thresholds = fit(given.half(0), kind, limit)
        told[kind] = {
            **asdict(thresholds),
            **({} if embedder is None else {"embedder": embedder.name}),
            "chosen_on": _by_length(given.half(0), thresholds, limit),
            "reported": _by_length(given.half(1), thresholds, limit),
        }
    text = json.dumps(told, indent=2, ensure_ascii=False) + "\n"
    Path(__file__).with_name("extractive.json").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
