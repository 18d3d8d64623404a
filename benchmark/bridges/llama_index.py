"""LlamaIndex's side: our documents, models and retrievers in its classes, and its results in ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
from llama_index.core.base.response.schema import Response as LlamaIndexResponse
from llama_index.core.indices.base import BaseIndex
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.llm import (
    LLMChatEndEvent,
    LLMChatStartEvent,
    LLMCompletionEndEvent,
    LLMCompletionStartEvent,
    LLMPredictEndEvent,
    LLMPredictStartEvent,
)
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.schema import Document as LlamaIndexDocument
from llama_index.core.schema import (
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)
from llama_index_instrumentation import get_dispatcher

from benchmark.bridges.overhearing import hear, told_of
from benchmark.bridges.places import Passage
from benchmark.bridges.wrapped import Told
from benchmark.domain import Chunk, Document, Embedder, Prompt, Query, Retriever, UserError, Writer

SOURCE = "source"
"""Metadata: the document's id, which its node parsers hand down to every node."""


OURS = "ragsweep"
"""Among what a reply says besides its text: it is of a model of ours."""


class HouseEmbedding(BaseEmbedding):
    """An embedder of ours: passages and queries in their own roles."""

    embedder: Any

    def _get_query_embedding(self, query: str) -> list[float]:
        row: list[float] = self.embedder.embed([query], role="query")[0].tolist()
        return row

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self.embedder.embed(texts, role="passage").tolist()
        return rows


class HouseModel(CustomLLM):
    """A writer of ours as a model that completes prompts."""

    writer: Any
    max_tokens: int
    context_window: int = 8192

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(
            context_window=self.context_window, num_output=self.max_tokens, model_name=str(self.writer.name)
        )

    @llm_completion_callback()  # its events say that the call is ours
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:  # noqa: ARG002
        reply = self.writer.complete(Prompt("", prompt, self.max_tokens)).text
        return CompletionResponse(text=reply, additional_kwargs={OURS: True})

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:  # noqa: ARG002
        whole = self.complete(prompt)
        whole.delta = whole.text
        yield whole


@dataclass
class _Call:
    """A call of a model that has begun; ``told``: one that it made of itself is heard already."""

    span: str | None
    begun: float
    told: bool = False


class OwnModels(BaseEventHandler):
    """Hears the models that a pipeline brings along, with the tokens that they tell.

    One call is several events, such as ``predict`` over ``chat`` over ``complete``: the innermost is heard.
    """

    @classmethod
    def class_name(cls) -> str:
        return "OwnModels"

    def handle(self, event: BaseEvent, **_: Any) -> None:
        if isinstance(event, LLMPredictStartEvent | LLMChatStartEvent | LLMCompletionStartEvent):
            _calls.set((*_calls.get(), _Call(event.span_id, perf_counter())))
        elif isinstance(event, LLMPredictEndEvent | LLMChatEndEvent | LLMCompletionEndEvent):
            call = self._ended(event)
            if not call.told:
                reply, usage, is_ours = _reply(event)
                if not is_ours:  # those are heard where they are made
                    hear("own", told_of(reply, usage, perf_counter() - call.begun))
            for outer in _calls.get():
                outer.told = True

    def _ended(self, event: BaseEvent) -> _Call:
        """The call that ends with this event; those within it that ended with an error are forgotten."""
        calls = _calls.get()
        place = next((n for n in reversed(range(len(calls))) if calls[n].span == event.span_id), None)
        if place is None:  # it began in another context
            return _Call(event.span_id, perf_counter())
        _calls.set(calls[:place])
        return calls[place]


_calls: ContextVar[tuple[_Call, ...]] = ContextVar("calls", default=())


def _reply(event: LLMPredictEndEvent | LLMChatEndEvent | LLMCompletionEndEvent) -> tuple[str, Any, bool]:
    """The text, the usage where the model tells it, and whether the model is one of ours."""
    if isinstance(event, LLMPredictEndEvent):
        return event.output, None, False
    response = event.response
    if response is None:
        return "", None, False
    text = response.text if isinstance(response, CompletionResponse) else response.message.content or ""
    raw = response.raw
    said = raw if isinstance(raw, Mapping) else getattr(raw, "__dict__", {})
    usage = said.get("usage") or said.get("usage_metadata") or response.additional_kwargs
    message = {} if isinstance(response, CompletionResponse) else response.message.additional_kwargs
    is_ours = OURS in response.additional_kwargs or OURS in message
    return text, usage if isinstance(usage, Mapping) else getattr(usage, "__dict__", None), is_ours


get_dispatcher().add_event_handler(OwnModels())


class HouseRetriever(BaseRetriever):
    """A retriever of ours, for one tenant."""

    def __init__(self, retriever: Retriever, tenant: str | None, k: int) -> None:
        self.retriever, self.tenant, self.k = retriever, tenant, k
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self.retriever.search(Query("", query_bundle.query_str, self.tenant), self.k)
        return [NodeWithScore(node=_node(hit.chunk, {}), score=hit.score) for hit in hits]


@dataclass(frozen=True)
class LlamaIndexLibrary:
    """``max_tokens`` and all else come from what is handed in: there is nothing to choose."""

    def documents(self, documents: Sequence[Document]) -> list[object]:
        return [
            LlamaIndexDocument(doc_id=document.id, text=document.text, **_metadata(document)) for document in documents
        ]

    def chunks(self, chunks: Sequence[Chunk], documents: Mapping[str, Document]) -> list[object]:
        return [_node(chunk, _metadata(documents[chunk.span.document_id])) for chunk in chunks]

    def embedder(self, embedder: Embedder) -> object:
        return HouseEmbedding(embedder=embedder, model_name=embedder.name)

    def model(self, writer: Writer, max_tokens: int) -> object:
        return HouseModel(writer=writer, max_tokens=max_tokens)

    def retriever(self, retriever: Retriever, tenant: str | None, k: int) -> object:
        return HouseRetriever(retriever, tenant, k)

    def asker(self, pipeline: object, candidates: int) -> Callable[[str], Told]:
        if isinstance(pipeline, BaseIndex):
            pipeline = pipeline.as_retriever(similarity_top_k=candidates)
        if isinstance(pipeline, BaseRetriever):
            retriever = pipeline
            return lambda question: told(retriever.retrieve(question))
        if isinstance(pipeline, BaseQueryEngine):
            engine = pipeline
            return lambda question: told(engine.query(question))
        if not callable(pipeline):
            raise UserError(
                f"architecture.pipeline made a {type(pipeline).__name__}, which cannot be asked.\n"
                "    wanted: a retriever, a query engine, an index, or a function of the question"
            )
        ask = pipeline
        return lambda question: told(ask(question))


def told(given: object) -> Told:
    """What a retriever or a query engine gave; an engine that synthesises nothing (``no_text``) has no answer.

    Raises:
        TypeError: it is neither passages nor a response.
    """
    if isinstance(given, list | tuple):
        return Told(tuple(_passage(node) for node in given))
    if isinstance(given, LlamaIndexResponse):
        nodes = tuple(_passage(node) for node in given.source_nodes)
        return Told(nodes, given.response or (None if nodes else ""))
    if isinstance(given, str):
        return Told(None, given)
    raise TypeError(
        f"the pipeline gave a {type(given).__name__}: wanted are nodes, a Response that is whole, or a text"
    )


def _passage(scored: object) -> Passage:
    if not isinstance(scored, NodeWithScore):
        raise TypeError(f"the retriever gave a {type(scored).__name__}: wanted are LlamaIndex's NodeWithScore")
    node = scored.node
    source = node.metadata.get(SOURCE) or node.ref_doc_id
    start = getattr(node, "start_char_idx", None)
    return Passage(node.get_content(MetadataMode.NONE), source, start, scored.score)


def _metadata(document: Document) -> dict[str, Any]:
    """Metadata that is kept out of what is embedded and read: passages are compared by their text."""
    plain = {
        name: value if isinstance(value, str | int | float | bool | None) else str(value)
        for name, value in {**document.metadata, "title": document.title, SOURCE: document.id}.items()
    }
    return {
        "metadata": plain,
        "excluded_embed_metadata_keys": list(plain),
        "excluded_llm_metadata_keys": list(plain),
    }


def _node(chunk: Chunk, metadata: Mapping[str, Any]) -> TextNode:
    return TextNode(
        id_=chunk.id,
        text=chunk.text,
        start_char_idx=chunk.span.start,
        end_char_idx=chunk.span.end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=chunk.span.document_id)},
        **metadata,
    )
