"""A running service, in any language: the question goes to it over HTTP, passages and perhaps an answer come back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from benchmark.bridges.places import Passage, Places
from benchmark.bridges.wrapped import Mapped
from benchmark.digest import digest
from benchmark.domain import Completion, Document, Generator, Memory, Pipeline, Query, Response, Step
from benchmark.models.endpoints.faults import BadReplyError
from benchmark.models.endpoints.kept import once
from benchmark.models.endpoints.service import Service
from benchmark.models.endpoints.transport import Size, Transport, Usage
from benchmark.pipelines import Reading, abstained, read
from benchmark.search.tenants import PerTenant
from benchmark.stopwatch import credit, stopwatch

_MADE_UP = 600
"""Characters of a dry run's passages: about what the default chunks have."""


class ForeignPassageError(Exception):
    """The service showed a tenant's document to another."""


@dataclass(frozen=True, kw_only=True)
class Http:
    """Ask a service that has its own index over the same documents; the contract is in docs/bring-your-own-pipeline.md.

    Sent is ``{"question", "tenant", "k"}``; wanted is ``{"passages": [{"text", "document", "start", "score"}],
    "answer", "usage"}``, of which only ``passages`` and their ``text`` must be there. Without an answer the generator
    reads the passages. Replies are kept: ``version`` names the state of the service, and another asks all anew.
    """

    base_url: str
    memory: Memory
    reading: Reading
    version: str | None = None
    api_key_env: str | None = None
    transport: Transport = field(default_factory=Transport)
    service: Service = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        service = Service(base_url=self.base_url, api_key_env=self.api_key_env, transport=self.transport)
        object.__setattr__(self, "service", service)

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:
        owners = {document.id: document.tenant for document in documents}
        return AskThenRead(self, PerTenant(documents, Places.of), owners, generator, Mapped())


@dataclass(frozen=True)
class AskThenRead:
    recipe: Http
    places: PerTenant[Document, Places]
    owners: Mapping[str, str | None]
    generator: Generator
    mapped: Mapped

    def notices(self) -> tuple[str, ...]:
        return self.mapped.notices(self.recipe.base_url)

    def answer(self, query: Query) -> Response:
        if not query.text.strip():
            return read(self.generator, query, (), [Step("retrieve", 0.0)])
        with stopwatch() as watch:
            fields, seconds = self._ask(query)
        passages = _passages(fields)
        self._must_be_readable(passages, query.tenant)
        hits, lost = self.places.at(query.tenant).hits(passages)
        self.mapped.count(len(passages), lost)
        answer, usage = fields.get("answer"), Usage.of(fields)
        if answer is None:
            spent = (Completion("", usage.prompt, usage.completion, seconds, watch.cached),) if usage else ()
            found = Step("retrieve", watch.seconds, watch.cached, hits, spent)
            return read(self.generator, query, self.recipe.reading.context(hits), [found])
        if not isinstance(answer, str):
            raise BadReplyError(f"the service's answer is a {type(answer).__name__}: wanted is a text, or null")
        told = Completion(
            answer.strip(),
            usage.prompt if usage else None,
            usage.completion if usage else None,
            seconds=seconds,
            cached=watch.cached,
        )
        # How long the service took to retrieve it does not say: all its time stands where its answer does.
        steps = (Step("retrieve", 0.0, watch.cached, hits), Step("generate", watch.seconds, watch.cached, (), (told,)))
        return Response(told.text, abstained(told.text), hits, steps)

    def _ask(self, query: Query) -> tuple[Mapping[str, Any], float]:
        """The reply and the seconds that it took when it was made."""
        began = perf_counter()
        service, model = self.recipe.service, "service"
        body = {"question": query.text, "tenant": query.tenant, "k": self.recipe.reading.k}
        key = digest("service", service.where, self.recipe.version, body)
        size = Size(len(query.text.encode("utf-8", "surrogatepass")), 0)
        if self.recipe.transport.network == "dry" and self.recipe.memory.get(key) is None:
            service.expect(key, model, size)
            return self._made_up(query), 0.0

        def make() -> bytes:
            reply = service.ask(body, model=model, size=size)
            _passages(reply.fields)  # what is not to the contract is not kept
            return json.dumps({"reply": reply.fields, "seconds": reply.seconds}).encode()

        value, kept = once(self.recipe.memory, key, make)
        told = json.loads(value)
        credit(told["seconds"] - (perf_counter() - began), cached=kept)
        return told["reply"], told["seconds"]

    def _made_up(self, query: Query) -> Mapping[str, Any]:
        """A dry run's reply: passages of some length, so that what the generator would be sent is counted too."""
        readable = list(self.places.at(query.tenant).documents.values())[: self.recipe.reading.k]
        return {"passages": [{"document": document.id, "text": document.text[:_MADE_UP]} for document in readable]}

    def _must_be_readable(self, passages: Sequence[Passage], tenant: str | None) -> None:
        for passage in passages:
            owner = self.owners.get(passage.document_id or "")
            if owner not in (None, tenant):
                raise ForeignPassageError(f"the service showed {passage.document_id}, which only {owner} may read")


def _passages(fields: Mapping[str, Any]) -> list[Passage]:
    """The passages of a reply.

    Raises:
        BadReplyError: there is no list of them, or one is not to the contract.
    """
    given = fields.get("passages")
    if not isinstance(given, list):
        found = "none" if given is None else f"a {type(given).__name__}"
        raise BadReplyError(f'the reply has {found} for "passages": wanted is a list, empty where nothing was found')
    passages = []
    for place, item in enumerate(given):
        text = item.get("text") if isinstance(item, dict) else None
        if not isinstance(text, str):
            raise BadReplyError(f'passages[{place}] has no "text": wanted is {{"text": "...", "document": "its id"}}')
        document, start, score = (item.get(name) for name in ("document", "start", "score"))
        passages.append(
            Passage(
                text,
                None if document is None else str(document),
                start if isinstance(start, int) else None,
                float(score) if isinstance(score, int | float) else None,
            )
        )
    return passages
