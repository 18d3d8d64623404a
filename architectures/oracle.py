"""The gold evidence itself: what a generator makes of perfect retrieval. The ceiling; not a system to choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchmark.domain import Chunk, Document, Generator, Hit, Pipeline, Query, Response, Span, Step
from benchmark.pipelines import read


@dataclass(frozen=True, kw_only=True)
class Oracle:
    """Read the spans of the exam that support the answer, bound neither by ``k`` nor by ``context_tokens``.

    Its yaml says ``role.gold: true``: the harness hands the spans over only to an architecture that asks so.
    """

    gold: Mapping[str, Sequence[Span]] = field(default_factory=dict)

    def with_gold(self, gold: Mapping[str, Sequence[Span]]) -> Oracle:
        return replace(self, gold=gold)

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:
        return ReadGold(generator, {document.id: document for document in documents}, self.gold)


@dataclass(frozen=True)
class ReadGold:
    generator: Generator
    documents: Mapping[str, Document]
    gold: Mapping[str, Sequence[Span]]

    def answer(self, query: Query) -> Response:
        hits = tuple(Hit(self._chunk(span), 1.0) for span in self.gold.get(query.id, ()) if self._may_read(query, span))
        return read(self.generator, query, hits, [Step("retrieve", 0.0, hits=hits)])

    def _may_read(self, query: Query, span: Span) -> bool:
        document = self.documents.get(span.document_id)
        return document is not None and document.tenant in (None, query.tenant)

    def _chunk(self, span: Span) -> Chunk:
        document = self.documents[span.document_id]
        identity = f"{document.id}:{span.start}-{span.end}"
        return Chunk(identity, span, document.text[span.start : span.end], document.tenant)
