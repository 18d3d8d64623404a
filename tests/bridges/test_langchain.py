"""LangChain's own retrievers and chains run as architectures, and their passages stand in the corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_classic.chains.retrieval import create_retrieval_chain
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.documents import Document as LangChainDocument
from langchain_core.language_models import BaseChatModel
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda

from architectures.langchain import LangChain
from benchmark.domain import Chunk, Hit, Pipeline, Query, Response, Span, UserError
from benchmark.pipelines import Noticing, Reading
from benchmark.search.fusion import reciprocal_rank_fusion
from tests.bridges.conftest import DOCUMENTS, GUIDE, Completing, Says

Built = Callable[..., Pipeline]
EXAMPLES = "benchmark.bridges.examples.langchain"
DOSE = Query("q", "¿Cuál es la dosis de carga?")


def texts(response: Response) -> list[str]:
    whole = {document.id: document.text for document in DOCUMENTS}
    spans = [hit.chunk.span for hit in response.context]
    assert [whole[span.document_id][span.start : span.end] for span in spans] == [
        hit.chunk.text for hit in response.context
    ]
    return [hit.chunk.text for hit in response.context]


def test_the_ensemble_finds_the_dose(built: Built) -> None:
    response = built(LangChain, f"{EXAMPLES}:ensemble").answer(DOSE)
    assert "dosis de carga es de 4 g" in texts(response)[0]
    assert [step.name for step in response.steps] == ["retrieve", "generate"]


def test_multi_query_searches_by_the_writers_wordings_too(built: Built) -> None:
    writer = Says(lambda _: "¿Qué se mide cada 4 horas?\nleche calcio")
    fields = {"writer": writer, "candidates": 1, "reading": Reading(k=1)}
    pipeline = built(LangChain, f"{EXAMPLES}:multi_query", **fields)
    found = pipeline.answer(DOSE).steps[0]
    assert {hit.chunk.span.document_id for hit in found.hits} == {"magnesio", "hierro"}
    assert [completion.text for completion in found.completions] == ["¿Qué se mide cada 4 horas?\nleche calcio"]
    assert len(writer.calls) == 1


def test_hyde_searches_by_what_the_writer_imagines(built: Built) -> None:
    writer = Says(lambda _: "El hierro se toma lejos de la leche y del calcio.")
    response = built(LangChain, f"{EXAMPLES}:hyde", writer=writer).answer(DOSE)
    assert response.context[0].chunk.span.document_id == "hierro"
    assert response.steps[0].completions[0].text == writer.reply("")


def test_compression_reads_only_what_the_writer_quotes(built: Built) -> None:
    writer = Says(lambda prompt: "de 4 g." if "carga es de 4 g" in prompt else "NO_OUTPUT")
    response = built(LangChain, f"{EXAMPLES}:compression", writer=writer).answer(DOSE)
    assert texts(response) == ["de 4 g."]
    assert len(response.steps[0].completions) == len(writer.calls) > 1


def test_parent_document_reads_the_larger_piece(built: Built) -> None:
    fields = {"options": {"parent": 40, "child": 8}}
    response = built(LangChain, f"{EXAMPLES}:parent_document", **fields).answer(DOSE)
    assert texts(response)[0].startswith("# Sulfato de magnesio\n\nLa dosis de carga")


# ------------------------------------------------------------------------------------------- pipelines of one's own


def made_up(documents: Sequence[LangChainDocument]) -> Runnable[str, list[LangChainDocument]]:
    """One passage verbatim, one with other spacing and case, one that stands nowhere."""
    found = ["La dosis de carga es de 4 g.", "DESPUÉS se da\n1 g por hora.", "La dosis es de 5 g."]
    return RunnableLambda(lambda _: [LangChainDocument(page_content=text) for text in found])


def test_a_passage_is_found_by_its_text_where_metadata_say_nothing(built: Built) -> None:
    response = built(LangChain, f"{__name__}:made_up").answer(DOSE)
    assert texts(response) == ["La dosis de carga es de 4 g.", "Después se da 1 g por hora."]


def test_what_stands_nowhere_is_left_out_and_told(built: Built) -> None:
    pipeline = built(LangChain, f"{__name__}:made_up")
    pipeline.answer(DOSE)
    assert isinstance(pipeline, Noticing)
    [notice] = pipeline.notices()
    assert "1 of 3 passages (33.3%) stand nowhere in the corpus" in notice
    assert "such as 'La dosis es de 5 g.'" in notice


def whole_chain(retrievers: dict[str, BaseRetriever], generator: BaseChatModel) -> Runnable[Any, Any]:
    prompt = ChatPromptTemplate.from_messages([("system", "Responde con {context}"), ("human", "{input}")])
    return create_retrieval_chain(retrievers["bm25"], create_stuff_documents_chain(generator, prompt))


def test_a_whole_chain_answers_by_itself_with_the_generator_of_the_sweep(built: Built) -> None:
    generator = Completing()
    response = built(LangChain, f"{__name__}:whole_chain", generator=generator, question="input").answer(DOSE)
    assert (response.answer, response.abstained) == ("La dosis de carga es de 4 g [1].", False)
    assert generator.calls == []
    assert "dosis de carga" in generator.prompts[0].system
    assert generator.prompts[0].user == DOSE.text
    assert [(step.name, len(step.completions)) for step in response.steps] == [("retrieve", 0), ("generate", 1)]
    assert response.steps[1].seconds == 0.5
    assert "4 g" in texts(response)[0]


def test_a_chain_that_wants_the_generator_is_refused_one_that_completes_nothing(built: Built) -> None:
    with pytest.raises(UserError, match="echo completes no prompts"):
        built(LangChain, f"{__name__}:whole_chain")


def only_text() -> Runnable[str, str]:
    return RunnableLambda(lambda _: "Cuatro gramos.")


def test_a_chain_that_shows_no_passages_has_no_retrieval_to_score(built: Built) -> None:
    response = built(LangChain, f"{__name__}:only_text").answer(DOSE)
    assert (response.answer, response.context, response.retrieves) == ("Cuatro gramos.", (), False)


def nonsense() -> Runnable[str, int]:
    return RunnableLambda(lambda _: 1)


def test_what_is_neither_passages_nor_an_answer_is_an_error(built: Built) -> None:
    with pytest.raises(TypeError, match="gave a int"):
        built(LangChain, f"{__name__}:nonsense").answer(DOSE)


def test_a_class_of_the_library_can_be_named_as_it_is(built: Built) -> None:
    store = "langchain_core.vectorstores:InMemoryVectorStore.from_documents"
    assert texts(built(LangChain, store).answer(DOSE))[0] == GUIDE.text.strip()
    assert texts(built(LangChain, store, given="chunks").answer(DOSE))[0] == "La dosis de carga es de 4 g."


# ------------------------------------------------------------------------------------------------------------ parity


def ranking(name: str, ids: Sequence[str]) -> list[Hit]:
    return [Hit(Chunk(i, Span(i, 0, 1), i), 1 / rank) for rank, i in enumerate(ids, start=1)]


@pytest.mark.parametrize(("weights", "c"), [((0.5, 0.5), 60), ((0.3, 0.7), 60), ((0.8, 0.2), 1), ((2.0, 1.0), 10)])
def test_our_hybrid_ranks_as_langchains_ensemble(weights: tuple[float, float], c: int) -> None:
    rankings = (["a", "b", "c", "d", "e"], ["e", "c", "f", "a", "g", "h"])
    theirs = EnsembleRetriever(retrievers=[RunnableLambda(lambda _: [])] * 2, weights=list(weights), c=c)
    fused = theirs.weighted_reciprocal_rank([[LangChainDocument(page_content=i) for i in ids] for ids in rankings])
    ours = reciprocal_rank_fusion([ranking("r", ids) for ids in rankings], weights, c=c)
    assert [hit.chunk.id for hit in ours] == [document.page_content for document in fused]
