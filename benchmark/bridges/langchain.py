"""LangChain's side: our documents, models and retrievers in its classes, and its results in ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler, CallbackManagerForLLMRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult, LLMResult
from langchain_core.retrievers import BaseRetriever
from langchain_core.tracers.context import register_configure_hook
from langchain_core.vectorstores import VectorStore

from benchmark.bridges.overhearing import hear, told_of
from benchmark.bridges.places import Passage
from benchmark.bridges.wrapped import Told
from benchmark.domain import Chunk, Document, Embedder, Prompt, Query, Retriever, UserError, Writer

SOURCE = "source"
"""Metadata: the document's id. With ``START``, LangChain's own splitters keep both (``add_start_index=True``)."""
START = "start_index"

OURS = "ragsweep"
"""Response metadata of the replies of our own models."""

_ANSWERS = ("answer", "result", "output_text", "output")
_PASSAGES = ("context", "source_documents", "documents")
"""Where chains put their answer and passages: ``create_retrieval_chain``, ``RetrievalQA`` and what follows them."""


class HouseEmbeddings(Embeddings):
    """An embedder of ours: passages and queries in their own roles."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self.embedder.embed(texts, role="passage").tolist()
        return rows if texts else []

    def embed_query(self, text: str) -> list[float]:
        row: list[float] = self.embedder.embed([text], role="query")[0].tolist()
        return row


class HouseChatModel(BaseChatModel):
    """A writer of ours as a chat model: system messages are the prompt's system, all others its user text."""

    writer: Any
    max_tokens: int

    @property
    def _llm_type(self) -> str:
        return f"ragsweep/{self.writer.name}"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002  # LangChain's signature
        **kwargs: Any,  # noqa: ARG002  # LangChain's signature
    ) -> ChatResult:
        system = "\n\n".join(str(message.text) for message in messages if message.type == "system")
        user = "\n\n".join(str(message.text) for message in messages if message.type != "system")
        completion = self.writer.complete(Prompt(system, user, self.max_tokens, tuple(stop or ())))
        return ChatResult(
            generations=[ChatGeneration(message=AIMessage(completion.text, response_metadata={OURS: True}))]
        )


class OwnModels(BaseCallbackHandler):
    """Hears the models that a chain brings along, with the tokens that they tell."""

    run_inline = True  # in the call's own thread, which knows for which question it is made

    def __init__(self) -> None:
        self._begun: dict[UUID, float] = {}

    def on_chat_model_start(self, *_: Any, run_id: UUID, **__: Any) -> None:
        self._begun[run_id] = perf_counter()

    def on_llm_start(self, *_: Any, run_id: UUID, **__: Any) -> None:
        self._begun[run_id] = perf_counter()

    def on_llm_error(self, *_: Any, run_id: UUID, **__: Any) -> None:
        """A call that failed was made nevertheless, and what it cost nobody tells."""
        hear("own", told_of("", None, self._seconds(run_id)))

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        seconds = self._seconds(run_id)
        first = next((one for several in response.generations for one in several), None)
        message = getattr(first, "message", None)
        if getattr(message, "response_metadata", {}).get(OURS):
            return  # heard where it was made
        usage = getattr(message, "usage_metadata", None) or (response.llm_output or {}).get("token_usage")
        hear("own", told_of(first.text if first else "", usage, seconds))

    def _seconds(self, run_id: UUID) -> float:
        now = perf_counter()
        return now - self._begun.pop(run_id, now)


_OWN_MODELS = OwnModels()
# The default of the variable, so that threads without a context have it too.
register_configure_hook(ContextVar("own_models", default=_OWN_MODELS), inheritable=True)


class HouseRetriever(BaseRetriever):
    """A retriever of ours, for one tenant."""

    retriever: Any
    tenant: str | None
    k: int

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002  # LangChain's signature
    ) -> list[LangChainDocument]:
        hits = self.retriever.search(Query("", query, self.tenant), self.k)
        return [_document(hit.chunk, {"score": hit.score}) for hit in hits]


@dataclass(frozen=True)
class LangChainLibrary:
    """``question``: the key under which a chain wants the question; ``None``: as a bare text."""

    question: str | None = None

    def documents(self, documents: Sequence[Document]) -> list[object]:
        return [
            LangChainDocument(page_content=document.text, metadata=_metadata(document), id=document.id)
            for document in documents
        ]

    def chunks(self, chunks: Sequence[Chunk], documents: Mapping[str, Document]) -> list[object]:
        return [_document(chunk, _metadata(documents[chunk.span.document_id])) for chunk in chunks]

    def embedder(self, embedder: Embedder) -> object:
        return HouseEmbeddings(embedder)

    def model(self, writer: Writer, max_tokens: int) -> object:
        return HouseChatModel(writer=writer, max_tokens=max_tokens)

    def retriever(self, retriever: Retriever, tenant: str | None, k: int) -> object:
        return HouseRetriever(retriever=retriever, tenant=tenant, k=k)

    def asker(self, pipeline: object, candidates: int) -> Callable[[str], Told]:
        if isinstance(pipeline, VectorStore):
            pipeline = pipeline.as_retriever(search_kwargs={"k": candidates})
        ask = getattr(pipeline, "invoke", pipeline)
        if not callable(ask):
            raise UserError(
                f"architecture.pipeline made a {type(pipeline).__name__}, which cannot be asked.\n"
                "    wanted: a retriever, a chain (anything with invoke), a vector store, or a function of the question"
            )
        bare = self.question is None or isinstance(pipeline, BaseRetriever)
        return lambda question: told(ask(question if bare else {self.question: question}))


def told(given: object) -> Told:
    """What a retriever or a chain gave.

    Raises:
        TypeError: it is neither passages nor an answer.
    """
    if isinstance(given, list | tuple):
        return Told(tuple(_passage(document) for document in given))
    if isinstance(given, Mapping):
        passages = next((given[key] for key in _PASSAGES if isinstance(given.get(key), list)), None)
        answer = next((given[key] for key in _ANSWERS if key in given), None)
        if passages is None and answer is None:
            raise TypeError(
                f"the chain gave {', '.join(map(str, given)) or 'nothing'}: wanted is an answer under one of "
                f"{', '.join(_ANSWERS)}, or documents under one of {', '.join(_PASSAGES)}"
            )
        return Told(
            None if passages is None else tuple(_passage(document) for document in passages),
            None if answer is None else _text(answer),
        )
    return Told(None, _text(given))


def _text(answer: object) -> str:
    if isinstance(answer, BaseMessage):
        return str(answer.text)
    if isinstance(answer, str):
        return answer
    raise TypeError(f"the chain gave a {type(answer).__name__}: wanted are documents, a text, a message or a mapping")


def _passage(document: object) -> Passage:
    if not isinstance(document, LangChainDocument):
        raise TypeError(f"the retriever gave a {type(document).__name__}: wanted are LangChain's Documents")
    source, start, score = (document.metadata.get(key) for key in (SOURCE, START, "score"))
    return Passage(
        document.page_content,
        None if source is None else str(source),
        start if isinstance(start, int) else None,
        float(score) if isinstance(score, int | float) else None,
    )


def _metadata(document: Document) -> dict[str, object]:
    return {**document.metadata, "title": document.title, SOURCE: document.id}


def _document(chunk: Chunk, metadata: Mapping[str, object]) -> LangChainDocument:
    places = {SOURCE: chunk.span.document_id, START: chunk.span.start}
    return LangChainDocument(page_content=chunk.text, metadata={**metadata, **places}, id=chunk.id)
