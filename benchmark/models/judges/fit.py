"""Fit the weights of the local judge on data whose licence allows it, and measure them on all: see ``--help``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmark.domain import Embedder
from benchmark.models.embedders import MultilingualE5, Remembering
from benchmark.models.judges.features import NAMES, compare_all
from benchmark.models.judges.local import Weights
from benchmark.statistics.separation import separation, separation_interval
from benchmark.storage.ledger import open_ledger
from benchmark.text import sentences, without_passage_numbers

Vector = NDArray[np.float64]
Table = NDArray[np.float64]

MEASURED = ("qags_cnndm", "xnli_es", "scifact_claims", "faithbench", "qags_xsum")
"""Non-commercial or unlicensed: never fitted on for what is shipped."""
FITTED = ("squad_es_dist", "pairs")
TRIAL = {
    "qags_cnndm": 0.92, "xnli_es": 0.79, "scifact_claims": 0.73,
    "faithbench": 0.63, "qags_xsum": 0.60, "squad_es_dist": 0.65,
}  # fmt: skip
_SPANISH = ("squad_es_dist", "xnli_es")
_AGAINST = frozenset(("missing_numbers", "negation", "opposites", "substituted"))
_FREE = frozenset(("length",))


@dataclass(frozen=True, slots=True)
class Example:
    """Statements of one answer, the context they were made from, and whether a reader found them all supported."""

    statements: tuple[str, ...]
    context: str
    language: str
    label: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """The features of a set: a row per statement, ``answer`` says whose; ``group`` is the answer's context."""

    features: Table
    verbatim: NDArray[np.bool_]
    answer: NDArray[np.intp]
    label: NDArray[np.bool_]
    group: NDArray[np.intp]

    def rows(self) -> Table:
        """Mean features of each answer, shape (answers, features)."""
        return np.stack([self.features[self.answer == index].mean(axis=0) for index in range(len(self.label))])

    def scores(self, weights: Weights) -> Vector:
        """The mean probability of each answer's statements, as the judge gives them."""
        return self.of_answers(np.where(self.verbatim, 1.0, weights.probabilities(self.features)))

    def of_answers(self, of_statements: Vector) -> Vector:
        """Means over the statements of each answer."""
        return np.bincount(self.answer, of_statements) / np.bincount(self.answer)

    def auc(self, scores: Vector) -> float:
        return separation(scores[self.label], scores[~self.label])

    def overlap(self) -> Vector:
        """Plain word overlap: the share of the answer's content words that the context holds."""
        return self.of_answers(self.features[:, NAMES.index("context_coverage")])


# ---------------------------------------------------------------------------------------------------------- data


def _lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def judged(folder: Path, name: str) -> list[Example]:
    """A set of ``DATA/judge`` without its ambiguous rows; a short answer and its question make one statement."""
    language = "es" if name in _SPANISH else "en"
    examples = []
    for row in _lines((folder / "judge" / f"{name}.jsonl").read_text(encoding="utf-8")):
        if row["label"] is None:
            continue
        answer = str(row["answer"]).strip()
        if row["question"]:
            statements: tuple[str, ...] = (f"{str(row['question']).strip(' ¿?')} {answer}",)
        else:
            statements = sentences(without_passage_numbers(answer), language)
        examples.append(Example(statements, str(row["context"]), language, row["label"] == 1))
    return examples


def own_pairs() -> list[Example]:
    """The pairs written for this project, and each supported statement against the context that follows its own."""
    rows = _lines(files("benchmark.models.judges").joinpath("pairs.jsonl").read_text(encoding="utf-8"))
    examples = [
        Example((str(row["statement"]),), str(row["context"]), str(row["language"]), row["label"] == 1) for row in rows
    ]
    return [*examples, *_elsewhere([example for example in examples if example.label])]


def _elsewhere(examples: Sequence[Example]) -> Iterator[Example]:
    """The same statements against the next context of their language: none is supported there."""
    for language in sorted({example.language for example in examples}):
        contexts = list(dict.fromkeys(example.context for example in examples if example.language == language))
        following = dict(zip(contexts, [*contexts[1:], contexts[0]], strict=True))
        for example in examples:
            if example.language == language:
                yield Example(example.statements, following[example.context], language, label=False)


def measure(examples: Sequence[Example], embedder: Embedder) -> Measured:
    """The features of every statement."""
    features: list[Sequence[float]] = []
    verbatim: list[bool] = []
    answer: list[int] = []
    groups: dict[str, int] = {}
    for index, example in enumerate(examples):
        compared = compare_all(example.statements, [example.context], embedder, example.language)
        for comparison in compared:
            features.append(comparison.features if comparison else (0.0,) * len(NAMES))
            verbatim.append(comparison is not None and comparison.verbatim)
            answer.append(index)
        groups.setdefault(example.context, len(groups))
    return Measured(
        np.array(features),
        np.array(verbatim),
        np.array(answer),
        np.array([example.label for example in examples]),
        np.array([groups[example.context] for example in examples]),
    )


# ----------------------------------------------------------------------------------------------------------- fit


def fit(sets: Sequence[tuple[Table, NDArray[np.bool_]]], *, penalty: float = 20.0) -> Weights:
    """Logistic regression in which every set, and in it either label, weighs the same.

    Coverage and similarity may only speak for support, what is missing or denied only against: the wrong answers of
    squad_es_dist are copied from their contexts, so a free fit would learn that copying is wrong.
    """
    rows = np.concatenate([features for features, _ in sets])
    labels = np.concatenate([label for _, label in sets])
    sizes = [np.where(label, 1 / label.sum(), 1 / (~label).sum()) for _, label in sets]
    importance = np.concatenate(sizes) * 250
    centre, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    scaled = (rows - centre) / spread
    signs = np.where(labels, 1.0, -1.0)

    def loss(parameters: Vector) -> tuple[float, Vector]:
        margin = signs * (scaled @ parameters[1:] + parameters[0])
        pull = -importance * signs / (1 + np.exp(margin))
        slope = np.concatenate([[pull.sum()], pull @ scaled + penalty * parameters[1:]])
        return float(importance @ np.logaddexp(0, -margin) + penalty * parameters[1:] @ parameters[1:] / 2), slope

    bounds = [(None, None), *(_bound(name) for name in NAMES)]
    found = minimize(loss, np.zeros(len(NAMES) + 1), jac=True, bounds=bounds, method="L-BFGS-B").x
    weights = found[1:] / spread
    return Weights(float(found[0] - weights @ centre), dict(zip(NAMES, map(float, weights), strict=True)))


def _bound(name: str) -> tuple[float | None, float | None]:
    if name in _FREE:
        return None, None
    return (None, 0.0) if name in _AGAINST else (0.0, None)


def fit_sets(sets: Mapping[str, Measured], names: Sequence[str]) -> Weights:
    return fit([(sets[name].rows(), sets[name].label) for name in names])


def held_out(sets: Mapping[str, Measured], name: str, *, folds: int = 5) -> Vector:
    """Scores of a fitted set by weights fitted without the contexts that they are for."""
    held = sets[name]
    rows = held.rows()
    scores = np.zeros(len(held.label))
    for fold in range(folds):
        test = held.group % folds == fold
        others = [(sets[other].rows(), sets[other].label) for other in FITTED if other != name]
        weights = fit([*others, (rows[~test], held.label[~test])])
        scores[test] = held.scores(weights)[test]
    return scores


# --------------------------------------------------------------------------------------------------------- table


@dataclass(frozen=True, slots=True)
class Line:
    """What the table says of one set: AUCs, with the 95% bootstrap interval of the shipped weights'."""

    name: str
    answers: int
    supported: int
    overlap: float
    left_out: float
    shipped: float
    low: float
    high: float


def load(folder: Path, embedder: Embedder) -> dict[str, Measured]:
    """Every set's features."""
    examples = {"squad_es_dist": judged(folder, "squad_es_dist"), "pairs": own_pairs()}
    return {name: measure(rows, embedder) for name, rows in examples.items()} | {
        name: measure(judged(folder, name), embedder) for name in MEASURED
    }


def table(sets: Mapping[str, Measured], shipped: Weights) -> list[Line]:
    """A line per set; fitted sets are scored by weights that have not seen their contexts."""
    lines = []
    for name, held in sets.items():
        scores = held_out(sets, name) if name in FITTED else held.scores(shipped)
        left_out = held.auc(held.scores(fit_sets(sets, [other for other in sets if other != name])))
        low, high = separation_interval(scores, held.label, held.group) or (0.0, 1.0)
        of_label = len(held.label), int(held.label.sum())
        lines.append(Line(name, *of_label, held.auc(held.overlap()), left_out, held.auc(scores), low, high))
    return lines


def markdown(lines: Sequence[Line]) -> str:
    """The table as it stands in the README."""
    rows = [
        "| set | answers (supported) | word overlap | trial | leave one set out | shipped weights [95%] | |",
        "|---|---|---|---|---|---|---|",
    ]
    for line in lines:
        trial = f"{TRIAL[line.name]:.2f}" if line.name in TRIAL else ""
        remark = "overlap is as good" if line.overlap >= line.low else ""
        if line.name in FITTED:
            remark = f"cross-validated by context; {remark}" if remark else "cross-validated by context"
        rows.append(
            f"| {line.name} | {line.answers} ({line.supported}) | {line.overlap:.2f} | {trial} | {line.left_out:.2f} "
            f"| {line.shipped:.2f} [{line.low:.2f}, {line.high:.2f}] | {remark} |"
        )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmark.models.judges.fit", description=__doc__)
    parser.add_argument("data", type=Path, help="the folder that holds judge/*.jsonl")
    parser.add_argument(
        "--ledger", default="results/ledger.sqlite", help="where vectors are kept (default: %(default)s)"
    )
    parser.add_argument("--measure", action="store_true", help="print the table, write no weights")
    arguments = parser.parse_args()
    embedder = Remembering(MultilingualE5(threads=1), open_ledger(arguments.ledger))
    sets = load(arguments.data, embedder)
    shipped = fit_sets(sets, FITTED)
    if not arguments.measure:
        kept = {
            "date": date.today().isoformat(),
            "command": "python -m benchmark.models.judges.fit DATA",
            "data": "squad_es_dist (Apache-2.0) and own pairs (pairs.jsonl)",
            "embedder": embedder.name,
            "intercept": round(shipped.intercept, 6),
            "weights": {name: round(value, 6) for name, value in shipped.features.items()},
        }
        path = Path(__file__).with_name("local.json")
        path.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    print(f"AUC, {date.today().isoformat()}, python -m benchmark.models.judges.fit DATA\n")
    print(markdown(table(sets, shipped)))


if __name__ == "__main__":
    main()
