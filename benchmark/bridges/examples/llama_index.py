"""Retrievers of LlamaIndex, as its users build them: ``pipeline=benchmark.bridges.examples.llama_index:NAME``.

Where LlamaIndex leaves the choice, it is the house's: its BM25 and FAISS (``retrievers``), its tokens and sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.indices.query.query_transform import HyDEQueryTransform
from llama_index.core.llms import LLM
from llama_index.core.node_parser import (
    HierarchicalNodeParser,
    SentenceSplitter,
    SentenceWindowNodeParser,
    get_leaf_nodes,
)
from llama_index.core.postprocessor import MetadataReplacementPostProcessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers.no_text import NoText
from llama_index.core.retrievers import AutoMergingRetriever, QueryFusionRetriever, TransformRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import BaseNode, Document

from benchmark.text import pieces, tokens


def fusion(
    retrievers: Mapping[str, BaseRetriever],
    writer: LLM,
    candidates: int,
    mode: str = "reciprocal_rerank",
    queries: int = 1,
    bm25: float = 0.5,
    dense: float = 0.5,
) -> BaseRetriever:
    """BM25 and FAISS fused; ``mode``: reciprocal_rerank, relative_score, dist_based_score or simple.

    ``queries``: wordings of the question, its own among them; ``bm25`` and ``dense``: weights of the scores.
    """
    return QueryFusionRetriever(
        [retrievers["bm25"], retrievers["dense"]],
        llm=writer,
        mode=FUSION_MODES(mode),
        similarity_top_k=candidates,
        num_queries=queries,
        use_async=False,
        retriever_weights=[bm25, dense],
    )


def hyde(chunks: Sequence[BaseNode], embedder: BaseEmbedding, writer: LLM, candidates: int) -> BaseRetriever:
    """Passages near the mean of the question and a passage that the writer imagines as the answer."""
    index = VectorStoreIndex(list(chunks), embed_model=embedder)
    return TransformRetriever(index.as_retriever(similarity_top_k=candidates), HyDEQueryTransform(llm=writer))


def sentence_window(
    documents: Sequence[Document], embedder: BaseEmbedding, writer: LLM, language: str, candidates: int, window: int = 2
) -> BaseQueryEngine:
    """Sentences are searched, and ``window`` more on either side of each are read."""
    parser = SentenceWindowNodeParser.from_defaults(
        sentence_splitter=partial(pieces, language=language), window_size=window
    )
    index = VectorStoreIndex(_worded(parser.get_nodes_from_documents(list(documents))), embed_model=embedder)
    return RetrieverQueryEngine(
        index.as_retriever(similarity_top_k=candidates),
        NoText(llm=writer),
        [MetadataReplacementPostProcessor(target_metadata_key="window")],
    )


def auto_merging(
    documents: Sequence[Document], embedder: BaseEmbedding, language: str, candidates: int, ratio: float = 0.5
) -> BaseRetriever:
    """Small pieces are searched; where more than ``ratio`` of a larger one's are found, it takes their place."""
    parsers: dict[str, Any] = {
        str(size): SentenceSplitter(
            chunk_size=size,
            chunk_overlap=0,
            tokenizer=tokens,
            chunking_tokenizer_fn=partial(pieces, language=language),
        )
        for size in (512, 128, 32)
    }
    parser = HierarchicalNodeParser.from_defaults(node_parser_ids=list(parsers), node_parser_map=parsers)
    nodes = parser.get_nodes_from_documents(list(documents))
    context = StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    index = VectorStoreIndex(_worded(get_leaf_nodes(nodes)), storage_context=context, embed_model=embedder)
    searching: Any = index.as_retriever(similarity_top_k=candidates)
    return AutoMergingRetriever(searching, context, simple_ratio_thresh=ratio)


def bm25(chunks: Sequence[BaseNode], language: str, candidates: int) -> BaseRetriever:
    """LlamaIndex's own BM25, with its own words and stemmer (the extra ``llama_index``)."""
    from llama_index.retrievers.bm25 import BM25Retriever
    from Stemmer import Stemmer

    nodes = list(chunks)
    retriever: BaseRetriever = BM25Retriever(
        nodes, stemmer=Stemmer(language), language=language, similarity_top_k=min(candidates, len(nodes))
    )
    return retriever


def _worded(nodes: Sequence[BaseNode]) -> list[BaseNode]:
    """An embedder has nothing to say of white space."""
    return [node for node in nodes if node.get_content().strip()]
