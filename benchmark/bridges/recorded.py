"""Answers that a system gave elsewhere, as an architecture: it says again what it said there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmark.bridges.places import Passage, Places
from benchmark.bridges.wrapped import Mapped
from benchmark.domain import Chunk, Completion, Document, Generator, Hit, Query, Response, Step
from benchmark.pipelines import abstained
from benchmark.search.tenants import PerTenant

_CURE = (
    "Retrieval metrics take them for not retrieved, and the judge does not see them: give passages as they stand in "
    "the corpus, or score without --corpus"
)


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """``path``: a file with a line for each answer; ``retrieves``: whether it has passages."""

    path: str
    retrieves: bool

    def build(self, documents: Sequence[Document], generator: Generator) -> RecordedPipeline:
        """Its passages are found in the documents by their text."""
        del generator  # the answers are the system's own
        lines = map(json.loads, Path(self.path).read_text(encoding="utf-8").splitlines())
        answers = {line["question"]: line for line in lines}
        name = Path(self.path).stem.removeprefix("answers-")
        return RecordedPipeline(name, answers, PerTenant(documents, Places.of), self.retrieves)


@dataclass(frozen=True)
class RecordedPipeline:
    """Answers by the ids of their questions."""

    name: str
    answers: Mapping[str, Mapping[str, Any]]
    places: PerTenant[Document, Places]
    retrieves: bool
    mapped: Mapped = field(default_factory=Mapped)

    def notices(self) -> tuple[str, ...]:
        return self.mapped.notices(self.name, _CURE)

    def answer(self, query: Query) -> Response:
        """What the file says.

        Raises:
            LookupError: it has no answer to the question, which is a failure of the system and no score of 0.
        """
        line = self.answers.get(query.id)
        if line is None or line["text"] is None:
            raise LookupError("the file has no answer to this question")
        text, hits = str(line["text"]), self._hits(line["contexts"], self.places.at(query.tenant))
        steps = (
            Step("retrieve", 0.0, hits=hits),
            Step("generate", 0.0, completions=(Completion(text),)),
        )
        return Response(text, abstained(text), hits, steps if self.retrieves else steps[1:], self.retrieves)

    def _hits(self, contexts: Sequence[Mapping[str, str]], places: Places) -> tuple[Hit, ...]:
        """The passages where they stand, also those that came twice."""
        passages = [Passage(one["text"], one["document"], 0) for one in contexts]
        found = [(passage, places.span(passage)) for passage in passages]
        self.mapped.count(len(passages), [passage for passage, span in found if span is None])
        return tuple(
            Hit(Chunk(f"{span.document_id}:{span.start}-{span.end}", span, document.text[span.start : span.end]), 0.0)
            for _, span in found
            if span is not None and (document := places.documents[span.document_id])
        )


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """The generator of a system that ran elsewhere: it has a name and cannot be asked."""

    name: str

    def answer(self, query: Query, context: Sequence[Hit]) -> Completion:
        raise NotImplementedError(f"{self.name} answered elsewhere and cannot be asked here")
