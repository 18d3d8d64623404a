"""Which inputs differ between two runs: corpus, chunker, prompt, model, judge, library, and the knobs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Input = Literal[
    "corpus",
    "questions",
    "chunker",
    "prompt",
    "model",
    "judge",
    "library",
    "architecture",
    "knob",
    "metric",
    "code",
    "machine",
]
_OF_KNOB: Mapping[str, Input] = {
    "corpus": "corpus",
    "chunker": "chunker",
    "embedder": "model",
    "reranker": "model",
    "generator": "model",
    "writer": "model",
    "judge": "judge",
    "architecture": "architecture",
    "retriever": "architecture",
    "metrics": "metric",
    "diagnosis": "metric",
}
_OF_ENVIRONMENT: Mapping[str, Input] = {
    "packages": "library",
    "python": "library",
    "prompts": "prompt",
    "code": "code",
    "git": "code",
    "machine": "machine",
}
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Stand:
    """What a run stood on.

    ``knobs``: dotted names of its configuration, and the choices of the command line under the names of their groups.
    ``environments``: one for each time that questions were asked in another one; none where that was not kept.
    """

    corpus_digest: str
    questions: int
    knobs: Mapping[str, object]
    environments: Sequence[Mapping[str, object]] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One input that differs; ``None`` where there is no such thing."""

    input: Input
    name: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        before, after = (_NONE if value is None else value for value in (self.before, self.after))
        return f"{self.name}: {before} -> {after}"


_NONE = "(none)"


def changes(before: Stand, after: Stand) -> tuple[Change, ...]:
    """In the order of ``Input``. A knob that repeats another (``reading.k`` of ``k``) is told once.

    >>> one = Stand("d1", 5, {"k": 3, "reading.k": 3, "chunker.size": 200}, [{"packages": {"numpy": "1"}}])
    >>> two = Stand("d1", 5, {"k": 5, "reading.k": 5, "chunker.size": 200}, [{"packages": {"numpy": "2"}}])
    >>> [f"{change.input}: {change}" for change in changes(one, two)]
    ['library: numpy: 1 -> 2', 'knob: k: 3 -> 5']
    """
    found = [
        *_differing("corpus", {"digest": before.corpus_digest[:12]}, {"digest": after.corpus_digest[:12]}),
        *_differing("questions", {"asked": before.questions}, {"asked": after.questions}),
        *_knobs(before.knobs, after.knobs),
        *_environments(before.environments, after.environments),
    ]
    order = {name: place for place, name in enumerate(get_args(Input))}
    return tuple(sorted(found, key=lambda change: order[change.input]))


def unknown(before: Stand, after: Stand) -> tuple[str, ...]:
    """What was kept of one of the two alone, or of neither, so that nobody can say whether it differs."""
    kept = [{name for environment in one.environments for name in environment} for one in (before, after)]
    names = ("packages", "prompts", "code")
    return tuple(name for name in names if name not in kept[0] & kept[1])


def _knobs(before: Mapping[str, object], after: Mapping[str, object]) -> list[Change]:
    names = [name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name)]
    differing = {name: (_shown(before.get(name)), _shown(after.get(name))) for name in names}
    return [
        Change(_OF_KNOB.get(name.partition(".")[0], "knob"), name, *values)
        for name, values in differing.items()
        if not any(differing.get(ending) == values for ending in _endings(name))
    ]


def _endings(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[begin:]) for begin in range(1, len(parts))]


def _environments(before: Sequence[Mapping[str, object]], after: Sequence[Mapping[str, object]]) -> list[Change]:
    found = []
    for name, of in _OF_ENVIRONMENT.items():
        sides = [[environment[name] for environment in side if name in environment] for side in (before, after)]
        if all(sides):
            found += _differing(of, *(_merged(name, side) for side in sides))
    return found


def _merged(name: str, values: Sequence[object]) -> dict[str, object]:
    """By name of the part; a value that was not always the same as all that it was."""
    parts: dict[str, list[str]] = {}
    for value in values:
        for part, inner in value.items() if isinstance(value, Mapping) else ((name, value),):
            parts.setdefault(str(part), []).append(str(_shown(inner)))
    return {part: " and ".join(dict.fromkeys(inner)) for part, inner in parts.items()}


def _differing(of: Input, before: Mapping[str, object], after: Mapping[str, object]) -> list[Change]:
    return [
        Change(of, name, _shown(before.get(name)), _shown(after.get(name)))
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    ]


def _shown(value: object) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
