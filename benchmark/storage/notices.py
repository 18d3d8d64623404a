"""What a user should know before questions are asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from benchmark.domain import Corpus
from benchmark.storage import languages
from benchmark.storage.corpora import unread
from benchmark.storage.shelves import find
from benchmark.text import some

HIGHEST_GRADE = 3
IMPORT_REPORT = "import.json"
"""The file in which ``ragsweep corpus import`` says how it has read a corpus."""


def notices(corpus: Corpus, path: str | None) -> list[str]:
    """What a user should know of a corpus before its questions are asked; ``path``: its folder, where it has one.

    How an imported corpus was read is told too: what was guessed there is part of every score.
    """
    told = [languages.notice(corpus.language, [question.language for question in corpus.questions])]
    if path is not None:
        told.append(unread(find(path) / "documents"))
        report = find(path) / IMPORT_REPORT
        fields = json.loads(report.read_text(encoding="utf-8")) if report.is_file() else {}
        told += [*fields.get("notes", ()), *(f"left out: {reason}" for reason in fields.get("left_out", ()))]
    # A whole document with a high grade comes from a collection that has a scale of its own (Cranfield's ends at 4),
    # and nDCG is defined for any: such grades are taken as they are. A quoted passage was graded by the scale of this
    # house, where nothing is above "all of the answer": there a 9 or a 30 may be a slip that outweighs all else.
    length = {document.id: len(document.text) for document in corpus.documents}
    high = [
        f"{question.id} ({evidence.grade})"
        for question in corpus.questions
        for evidence in question.evidence
        if evidence.grade > HIGHEST_GRADE
        and evidence.span.end - evidence.span.start < length[evidence.span.document_id]
    ]
    if high:
        told.append(
            f"grades of passages are above {HIGHEST_GRADE} (1 on topic, 2 a part of the answer, 3 all of it) in "
            f"{some(high)}: nDCG weighs a passage by its grade"
        )
    return [notice for notice in told if notice is not None]


def addresses(settings: Mapping[str, Any]) -> list[str]:
    """What a user should know of where parts are asked that go along with the generator."""
    where = settings["generator"].get("base_url")
    parts = [
        ("writer", settings["writer"]),
        ("embedder", settings["embedder"]),
        *_models_of("judge", settings["judge"]),
    ]
    along = [name for name, part in parts if where is not None and part.get("base_url") == where]
    return [f"{name} is asked where the generator is, {where}: {name}.base_url=... names another" for name in along]


def _models_of(name: str, node: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every part of a judge that is a model at an endpoint, with the knob that it stands under."""
    if isinstance(node, Mapping):
        if "base_url" in node:
            yield name, node
        for part, inner in node.items():
            yield from _models_of(f"{name}.{part}", inner)
