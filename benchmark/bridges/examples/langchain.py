"""Retrievers of LangChain, as its users build them: ``pipeline=benchmark.bridges.examples.langchain:NAME``.

Where LangChain leaves the choice, it is the house's: its BM25 and FAISS (``retrievers``), its tokens for sizes.
langchain-community, which is being sunset, is not needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langchain_classic.chains.hyde.base import HypotheticalDocumentEmbedder
from langchain_classic.retrievers import ContextualCompressionRetriever, EnsembleRetriever, ParentDocumentRetriever
from langchain_classic.retrievers.document_compressors import LLMChainExtractor
from langchain_classic.retrievers.multi_query import MultiQueryRetriever
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from benchmark.text import count_tokens


def ensemble(
    retrievers: Mapping[str, BaseRetriever], bm25: float = 0.5, dense: float = 0.5, c: int = 60
) -> BaseRetriever:
    """BM25 and FAISS, fused by reciprocal ranks; ``bm25`` and ``dense`` are their weights."""
    arms: list[Runnable[str, list[Document]]] = [retrievers["bm25"], retrievers["dense"]]
    return EnsembleRetriever(retrievers=arms, weights=[bm25, dense], c=c)


def multi_query(retrievers: Mapping[str, BaseRetriever], writer: BaseChatModel) -> BaseRetriever:
    """The question in several wordings of the writer's, their passages joined without ranking."""
    return MultiQueryRetriever.from_llm(retriever=retrievers["dense"], llm=writer, include_original=True)


def hyde(chunks: Sequence[Document], embedder: Embeddings, writer: BaseChatModel, candidates: int) -> BaseRetriever:
    """Passages near a passage that the writer imagines as the answer."""
    imagining = HypotheticalDocumentEmbedder.from_llm(writer, embedder, prompt_key="web_search")
    store = InMemoryVectorStore.from_documents(list(chunks), imagining)
    return store.as_retriever(search_kwargs={"k": candidates})


def compression(retrievers: Mapping[str, BaseRetriever], writer: BaseChatModel) -> BaseRetriever:
    """Of each passage only what the writer says bears on the question; what it does not quote verbatim is lost."""
    return ContextualCompressionRetriever(
        base_compressor=LLMChainExtractor.from_llm(writer), base_retriever=retrievers["dense"]
    )


def parent_document(
    documents: Sequence[Document], embedder: Embeddings, candidates: int, parent: int = 256, child: int = 64
) -> BaseRetriever:
    """Small pieces are searched, the larger ones around them are read; sizes in the house's tokens."""

    def splitter(size: int) -> RecursiveCharacterTextSplitter:
        return RecursiveCharacterTextSplitter(
            chunk_size=size, chunk_overlap=0, length_function=count_tokens, add_start_index=True
        )

    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(embedder),
        docstore=InMemoryStore(),
        child_splitter=splitter(child),
        parent_splitter=splitter(parent),
        search_kwargs={"k": candidates},
    )
    retriever.add_documents(list(documents))
    return retriever
