"""The key, label and direction of every metric, in the order of every table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, cast, get_args

from benchmark.domain import Metric, UserError

Direction = Literal["higher", "lower", "neither"]
"""Which way is better."""

Unanswerable = Literal["exclude", "ragas"]
"""Questions without an answer in the corpus: not measured, or scored like any other as the library does."""

UNANSWERABLE = "unanswerable"
ANSWERABLE = "answerable"
NO_CONTEXT = "no context"
NO_REFERENCE = "no reference"
NO_STATEMENT = "no statement in the answer"
OUTSIDE = frozenset({UNANSWERABLE, ANSWERABLE, NO_REFERENCE})
"""Reasons that lie in the question: the metric does not apply to it, whatever a run does."""

_AT_K = {
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "hit": "Hit",
    "mrr": "MRR",
    "map": "MAP",
    "ndcg": "nDCG",
}
_HOUSE: dict[str, tuple[str, Direction]] = {
    "ragas/faithfulness": ("Faithfulness", "higher"),
    "ragas/answer_relevancy": ("Answer relevancy", "higher"),
    "ragas/context_precision": ("Context precision", "higher"),
    "ragas/context_recall": ("Context recall", "higher"),
    "ragas/mean": ("RAGAS mean", "higher"),
    "ragas/answer_relevancy_raw": ("Answer relevancy, raw cosine", "higher"),
    "ragas/answer_relevancy_answered": ("Answer relevancy where answered", "higher"),
    **{f"retrieval/{name}": (label, "higher") for name, label in _AT_K.items()},
    "retrieval/candidate_recall": ("Candidate recall", "higher"),
    "retrieval/evidence_characters": ("Evidence characters in context", "higher"),
    **{f"documents/{name}": (f"Document {label}", "higher") for name, label in _AT_K.items()},
    "answer/exact_match": ("Exact match", "higher"),
    "answer/token_f1": ("Token F1", "higher"),
    "answer/completeness": ("Completeness", "higher"),
    "answer/abstained_rightly": ("Abstained rightly", "higher"),
    "answer/answered_wrongly": ("Answered wrongly", "lower"),
    "answer/refused_wrongly": ("Refused wrongly", "lower"),
    "answer/grounded": ("Grounded", "higher"),
    "answer/hallucinated": ("Hallucinated", "lower"),
    "cost/seconds": ("Seconds", "lower"),
    "cost/prompt_tokens": ("Prompt tokens", "lower"),
    "cost/completion_tokens": ("Completion tokens", "lower"),
    "cost/context_tokens": ("Context tokens", "lower"),
    "cost/calls": ("Model calls", "lower"),
    "cost/money": ("Money", "lower"),
    "cost/judge_calls": ("Model calls of the judge", "lower"),
    "cost/judge_money": ("Money of the judge", "lower"),
}
_NO_SHARES = ("ragas/answer_relevancy_raw",)
"""Of the groups below, those that are not between 0 and 1."""
_SHARES = ("ragas", "retrieval", "documents", "answer")
_POSITIONS = {name: position for position, name in enumerate(_HOUSE)}


@dataclass(frozen=True, slots=True)
class Key:
    """A metric as tables name it: ``name`` is the key of records and MLflow, ``label`` the heading of a column."""

    name: str
    label: str
    direction: Direction
    group: str


def final_key(name: str, k: int | None) -> str:
    """The name in the yaml with the metric's own cut-off behind it, if it takes one.

    >>> final_key("retrieval/precision", 5), final_key("ragas/mean", None)
    ('retrieval/precision_5', 'ragas/mean')
    """
    return name if k is None else f"{name}_{k}"


def keys(k: int) -> tuple[Key, ...]:
    """Every metric of the house at cut-off ``k``, in order.

    >>> [key.name for key in keys(5)][6:9]
    ['ragas/answer_relevancy_answered', 'retrieval/precision_5', 'retrieval/recall_5']
    """
    return tuple(described(final_key(name, k if _takes_k(name) else None)) for name in _HOUSE)


def described(key: str) -> Key:
    """What tables say of a final key; one that the house does not know stands under its own name.

    >>> described("retrieval/ndcg_10")
    Key(name='retrieval/ndcg_10', label='nDCG@10', direction='higher', group='retrieval')
    >>> described("mine/length").direction
    'neither'
    """
    name, k = _split(key)
    label, direction = _HOUSE.get(name, (key, "neither"))
    return Key(key, label if k is None else f"{label}@{k}", direction, key.partition("/")[0])


def on_unit_scale(key: str) -> bool:
    """Whether scores of that key lie between 0 and 1; ``False`` for a key that the house does not know.

    >>> on_unit_scale("retrieval/hit_5"), on_unit_scale("cost/calls"), on_unit_scale("mine/share")
    (True, False, False)
    """
    name, _ = _split(key)
    return name in _HOUSE and name not in _NO_SHARES and name.partition("/")[0] in _SHARES


def in_order(found: Iterable[str]) -> list[str]:
    """Final keys in the order of the house; those that it does not know come last, in the order given.

    >>> in_order(["mine/length", "ragas/mean", "retrieval/hit_10", "retrieval/hit_5", "ragas/faithfulness"])
    ['ragas/faithfulness', 'ragas/mean', 'retrieval/hit_5', 'retrieval/hit_10', 'mine/length']
    """

    def place(key: str) -> tuple[int, int]:
        name, k = _split(key)
        return _POSITIONS.get(name, len(_POSITIONS)), k or 0

    return sorted(found, key=place)


def named(tree: Mapping[str, object]) -> dict[str, Metric]:
    """Metrics by their final key, in order, from ``conf/metrics/*.yaml`` once it is instantiated.

    ``tree`` nests groups (``{"retrieval": {"precision": ...}}``), so that dots on the command line reach each metric.
    Its plain values (``min_grade: 2``) are what the metrics' parameters refer to.
    """
    found = dict(_leaves(tree, ()))
    return {key: found[key] for key in in_order(found)}


def unanswerable_mode(metrics: Iterable[Metric]) -> Unanswerable:
    """``ragas`` as soon as one metric scores unanswerable questions: then a judge must rule on them as on others.

    >>> unanswerable_mode([partial(print, unanswerable="ragas"), print]), unanswerable_mode([print])
    ('ragas', 'exclude')
    """
    return "ragas" if any(_parameters(metric).get("unanswerable") == "ragas" for metric in metrics) else "exclude"


def _parameters(metric: object) -> Mapping[str, object]:
    """What a metric's yaml sets, as Hydra's partial carries it."""
    return metric.keywords if isinstance(metric, partial) else {}


def _leaves(tree: Mapping[str, object], path: tuple[str, ...]) -> Iterator[tuple[str, Metric]]:
    for name, value in tree.items():
        here = (*path, name)
        if isinstance(value, Mapping):
            yield from _leaves(value, here)
        elif callable(value):
            parameters = _parameters(value)
            mode = parameters.get("unanswerable", "exclude")
            if mode not in get_args(Unanswerable):
                raise UserError(
                    f"metrics.{'.'.join(here)}.unanswerable is {mode!r}; it may be exclude or ragas, for all metrics "
                    "together by metrics.unanswerable=ragas"
                )
            # Hydra's own partial checks its target again at every call, which takes longer than most metrics.
            metric = partial(value.func, *value.args, **value.keywords) if isinstance(value, partial) else value
            yield final_key("/".join(here), cast(int | None, parameters.get("k"))), cast(Metric, metric)
        elif path and value is not None:
            raise UserError(
                f"metrics.{'.'.join(here)} is {value!r}, but a metric is a function: give it as "
                "{_target_: module.function, _partial_: true}"
            )


def _split(key: str) -> tuple[str, int | None]:
    """The name in the yaml and the cut-off of a final key of the house; a stranger's key is left whole."""
    name, _, suffix = key.rpartition("_")
    return (name, int(suffix)) if _takes_k(name) and suffix.isdigit() else (key, None)


def _takes_k(name: str) -> bool:
    group, _, metric = name.partition("/")
    return group in ("retrieval", "documents") and metric in _AT_K
