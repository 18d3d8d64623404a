"""Values as MLflow takes them: parameters, metrics, tables and data sets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING

from benchmark.domain import Corpus
from benchmark.storage.runs import index_cost_of

if TYPE_CHECKING:
    from mlflow.entities import DatasetInput, RunData

BATCH = 100
"""Parameters or tags that MLflow takes at once (``mlflow.utils.validation``)."""

_LONGEST_VALUE = 6000
_LONGEST_TAG = 8000
_LONGEST_KEY = 250
_LONGEST_DIGEST = 36


@dataclass(frozen=True, slots=True)
class TrackedCorpus:
    """What MLflow keeps of a corpus: its name, its digest and how many documents and questions it has."""

    name: str
    digest: str
    documents: int
    questions: int

    @classmethod
    def of(cls, corpus: Corpus) -> TrackedCorpus:
        return cls(corpus.name, corpus.digest, len(corpus.documents), len(corpus.questions))


def number(value: object) -> float | None:
    """A finite number, or ``None``; true and false are none.

    >>> number(2), number("2"), number(float("nan"))
    (2.0, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return float(value)


def flat(config: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """The knobs of a nested configuration under dotted names.

    >>> flat({"k": 5, "chunker": {"size": 200, "marks": [".", ";"]}})
    {'k': 5, 'chunker.size': 200, 'chunker.marks': ['.', ';']}
    """
    knobs: dict[str, object] = {}
    for name, value in config.items():
        if isinstance(value, Mapping) and value:
            knobs.update(flat({str(part): inner for part, inner in value.items()}, f"{prefix}{name}."))
        else:
            knobs[f"{prefix}{name}"] = value
    return knobs


def parameters(knobs: Mapping[str, object]) -> dict[str, str]:
    """Knobs as MLflow's parameters, which are texts and never ``None``.

    >>> parameters({"k": 5, "seed": None, "strict": True, "marks": ["."]})
    {'k': '5', 'seed': 'null', 'strict': 'true', 'marks': '["."]'}
    """
    return {_key(name): _text(value) for name, value in knobs.items()}


def _key(name: str) -> str:
    name = re.sub(r"[^\w\-. :/]", "_", name)
    return name if len(name) <= _LONGEST_KEY else f"{name[: _LONGEST_KEY - 13]}.{_short(name)}"


def _text(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return cut(text, longest=_LONGEST_VALUE)


def cut(text: str, *, longest: int = _LONGEST_TAG) -> str:
    """A text that is not too long; one that was cut ends with a digest of all of it, so that two stay two.

    >>> len(cut("a" * 9000)), cut("a" * 9000) == cut("a" * 9001)
    (8000, False)
    """
    if len(text) <= longest:
        return text
    end = f" ... (cut; sha256 {_short(text)})"
    return text[: longest - len(end)] + end


def _short(text: str) -> str:
    return sha256(text.encode("utf-8", errors="replace")).hexdigest()[:12]


def metrics(summary: Mapping[str, object]) -> tuple[dict[str, float], list[str]]:
    """MLflow's metrics of a ``summary.json``, and the keys whose mean is not measured: those are not among them.

    >>> metrics({"metrics": {"a/b": {"mean": 0.5, "n": 2}, "c": {"mean": None, "n": 0}}, "seconds": 3})
    ({'a/b': 0.5, 'measured/a/b': 2.0, 'measured/c': 0.0, 'run/seconds': 3.0}, ['c'])
    """
    logged: dict[str, float] = {}
    missing: list[str] = []
    for key, fields in _mappings(summary.get("metrics")):
        mean = number(fields.get("mean"))
        if mean is None:
            missing.append(key)
        else:
            logged[key] = mean
        logged[f"measured/{key}"] = number(fields.get("n")) or 0.0
    for name, fields in _mappings(summary.get("stages")):
        seconds = number(fields.get("seconds"))
        if seconds is not None:
            logged[f"stage/{name}/seconds"] = seconds
    for name in ("questions", "failures", "judge_failures", "seconds", "index_seconds"):
        value = number(summary.get(name))
        if value is not None:
            logged[f"run/{name}"] = value
    cost = index_cost_of(summary)
    if cost is not None and cost.money is not None:
        logged["run/index_money"] = cost.money
    if cost is not None and cost.embedded is not None and cost.embedded.tokens is not None:
        logged["run/index_tokens"] = float(cost.embedded.tokens)
    return logged, missing


def _mappings(value: object) -> Iterator[tuple[str, Mapping[str, object]]]:
    for key, fields in value.items() if isinstance(value, Mapping) else ():
        if isinstance(fields, Mapping):
            yield str(key), fields


def columns(rows: Sequence[Mapping[str, object]]) -> list[str]:
    """The columns of rows that need not have the same, in the order in which they are met."""
    return list(dict.fromkeys(str(name) for row in rows for name in row))


def table_json(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows in the form of ``mlflow.log_table``: pandas' orient ``split`` without an index.

    >>> table_json([{"id": "a", "score": None}, {"id": "b", "score": 0.5}])
    '{"columns": ["id", "score"], "data": [["a", null], ["b", 0.5]]}'
    """
    names = columns(rows)
    data = [[_cell(row.get(name)) for name in names] for row in rows]
    return json.dumps({"columns": names, "data": data}, allow_nan=False)


def _cell(value: object) -> str | float | int | None:
    if isinstance(value, float):
        return number(value)
    return value if value is None or isinstance(value, str | int) else _text(value)


def dataset(corpus: TrackedCorpus) -> DatasetInput:
    """The corpus as a data set that runs are evaluated on; its digest is cut to what MLflow takes."""
    from mlflow.entities import Dataset, DatasetInput, InputTag

    fields = ("question", "reference")
    entity = Dataset(
        name=corpus.name,
        digest=corpus.digest[:_LONGEST_DIGEST],
        source_type="local",
        source=json.dumps({"uri": f"corpora/{corpus.name}"}),
        schema=json.dumps({"mlflow_colspec": [{"type": "string", "name": name, "required": True} for name in fields]}),
        profile=json.dumps({"num_rows": corpus.questions, "documents": corpus.documents}),
    )
    return DatasetInput(entity, [InputTag("mlflow.data.context", "evaluation")])


def contradicts(old: RunData, parameters: Mapping[str, str], metrics: Mapping[str, float]) -> bool:
    """Whether a run holds a value that the new one would not have."""
    return any(parameters.get(key) != value for key, value in old.params.items()) or any(
        key not in metrics for key in old.metrics
    )
