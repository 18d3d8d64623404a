"""Measure ``reranker=sentence`` for several weights: MRR and nDCG@10 before and after.

    python -m benchmark.models.fit_reranker DATA [--ledger FILE] [--set xquad|scifact|cranfield]

The weight is chosen on the even articles of XQuAD-es and reported on the odd ones; the other sets only measure (their
licences are CC BY-NC and none stated), on every seventh question, because their abstracts are long to embed.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2
from pathlib import Path
from statistics import mean

from benchmark.domain import Chunk, Embedder, Hit, Span
from benchmark.models.embedders import MultilingualE5, Remembering
from benchmark.models.fit_extractive import ranked_by_words, read_xquad
from benchmark.models.rerankers import in_order, passage_signs
from benchmark.storage.ledger import open_ledger

CANDIDATES = 20
WEIGHTS = (0.0, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)
EVERY = 7


@dataclass(frozen=True, slots=True)
class Task:
    """A question, what a retriever found for it, and the grades of the relevant passages by chunk id."""

    question: str
    found: tuple[Hit, ...]
    grades: Mapping[str, int]


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    """One over the rank of the first relevant passage; 0 where there is none.

    >>> reciprocal_rank(["a", "b"], {"b": 1})
    0.5
    """
    return next((1 / rank for rank, name in enumerate(ranking, start=1) if grades.get(name, 0) > 0), 0.0)


def ndcg(ranking: Sequence[str], grades: Mapping[str, int], k: int = 10) -> float:
    """Discounted gain of the first k over the best possible (Järvelin and Kekäläinen 2002), linear gain.

    >>> ndcg(["a", "b"], {"a": 1})
    1.0
    """
    ideal = sum(grade / log2(rank + 1) for rank, grade in enumerate(sorted(grades.values(), reverse=True)[:k], start=1))
    gained = sum(max(grades.get(name, 0), 0) / log2(rank + 1) for rank, name in enumerate(ranking[:k], start=1))
    return gained / ideal if ideal else 0.0


def tasks(questions: Mapping[str, Mapping[str, int]], passages: Sequence[Chunk], language: str) -> list[Task]:
    """BM25's first twenty for each question text, with its grades."""
    rankings = ranked_by_words(list(questions), passages, language)
    return [
        Task(
            text, tuple(Hit(passages[number], -float(rank)) for rank, number in enumerate(ranking[:CANDIDATES])), grades
        )
        for (text, grades), ranking in zip(questions.items(), rankings, strict=True)
    ]


def densely(given: Sequence[Task], passages: Sequence[Chunk], embedder: Embedder) -> list[Task]:
    """The same questions with the twenty passages of highest cosine."""
    vectors = embedder.embed([passage.text for passage in passages], role="passage")
    cosines = embedder.embed([task.question for task in given], role="query") @ vectors.T
    orders = (-cosines).argsort(axis=1, kind="stable")[:, :CANDIDATES]
    return [
        replace(task, found=tuple(Hit(passages[number], float(row[number])) for number in order))
        for task, row, order in zip(given, cosines, orders, strict=True)
    ]


def xquad(data: Path, remainder: int) -> tuple[list[Task], list[Chunk]]:
    """Every second article's questions over all paragraphs."""
    paragraphs, _, items = read_xquad(data / "xquad" / "xquad.es.json")
    asked = {item.text: {str(item.paragraph): 1} for item in items if item.article % 2 == remainder}
    return tasks(asked, paragraphs, "es"), paragraphs


def beir(folder: Path) -> list[Task]:
    """Every seventh test question of an English set in BEIR form."""
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = {row["_id"]: f"{row['title']}\n\n{row['text']}" for row in rows}
    passages = [Chunk(name, Span(name, 0, len(text)), text) for name, text in texts.items()]
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions = {row["_id"]: row["text"] for row in map(json.loads, lines)}
    grades: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            grades.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    return tasks({questions[name]: grades[name] for name in list(grades)[::EVERY]}, passages, "en")


def measure(given: Sequence[Task], rankings: Sequence[Sequence[str]]) -> str:
    """Mean reciprocal rank and mean nDCG@10."""
    pairs = list(zip(rankings, given, strict=True))
    rank = mean(reciprocal_rank(ranking, task.grades) for ranking, task in pairs)
    return f"MRR {rank:.4f}  nDCG@10 {mean(ndcg(ranking, task.grades) for ranking, task in pairs):.4f}"


def table(name: str, given: Sequence[Task], embedder: Embedder, language: str) -> str:
    """One line before, and one for each weight."""
    lines = [
        f"{name} ({len(given)} questions)",
        f"before      {measure(given, [[hit.chunk.id for hit in task.found] for task in given])}",
    ]
    found = [passage_signs(task.question, task.found, embedder=embedder, language=language) for task in given]
    for weight in WEIGHTS:
        orders = [in_order(best + weight * shares) for best, shares in found]
        rankings = [[task.found[i].chunk.id for i in order] for task, order in zip(given, orders, strict=True)]
        lines.append(f"weight {weight:.2f} {measure(given, rankings)}")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Print the tables of one set."""
    parser = argparse.ArgumentParser(prog="python -m benchmark.models.fit_reranker", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--ledger", default="results/ledger.sqlite", help="where embeddings are kept")
    parser.add_argument("--set", default="xquad", choices=["xquad", "scifact", "cranfield"])
    chosen = parser.parse_args(arguments)
    embedder = Remembering(MultilingualE5(threads=1), open_ledger(chosen.ledger))
    if chosen.set != "xquad":
        print(table(f"{chosen.set}, bm25", beir(chosen.data / chosen.set), embedder, "en"))
        return
    for half, remainder in (("chosen on", 0), ("reported on", 1)):
        by_words, paragraphs = xquad(chosen.data, remainder)
        print(table(f"xquad es, {half}, bm25", by_words, embedder, "es"))
        print(table(f"xquad es, {half}, dense", densely(by_words, paragraphs, embedder), embedder, "es"))


if __name__ == "__main__":
    main(sys.argv[1:])
