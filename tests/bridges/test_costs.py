"""What the models of a user's own pipeline cost, and whose question a call belongs to that a thread made."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import Runnable, RunnableLambda, RunnableParallel
from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.schema import TextNode

from architectures.langchain import LangChain
from architectures.llama_index import LlamaIndex
from benchmark.domain import Completion, Outcome, Pipeline, Query, Response, Rulings, Score
from benchmark.metrics import cost
from benchmark.models import gguf
from benchmark.turns import as_finished
from tests.bridges.conftest import Says
from tests.factories import question
from tests.fakes import Kept

Built = Callable[..., Pipeline]
DOSE = Query("q", "¿Cuál es la dosis de carga?")


def tokens(response: Response) -> tuple[Score, Score]:
    outcome = Outcome(question(), response)
    return cost.prompt_tokens(outcome, Rulings()), cost.completion_tokens(outcome, Rulings())


# ------------------------------------------------------------------------------------------------- models of one's own


def tells() -> Runnable[Any, str]:
    usage = {"input_tokens": 30, "output_tokens": 7, "total_tokens": 37}
    message = AIMessage("Son 4 g.", usage_metadata=usage)
    return GenericFakeChatModel(messages=iter([message])) | StrOutputParser()


def tells_nothing() -> Runnable[Any, str]:
    return GenericFakeChatModel(messages=iter([AIMessage("Son 4 g.")])) | StrOutputParser()


def test_tokens_that_a_langchain_model_tells_are_the_answers_cost(built: Built) -> None:
    response = built(LangChain, f"{__name__}:tells").answer(DOSE)
    assert [score.value for score in tokens(response)] == [30, 7]
    [completion] = response.steps[-1].completions
    assert (completion.text, completion.money) == ("Son 4 g.", None)
    assert cost.money(Outcome(question(), response), Rulings()).value is None


def test_a_model_that_tells_no_tokens_is_not_measured_and_not_free(built: Built) -> None:
    response = built(LangChain, f"{__name__}:tells_nothing").answer(DOSE)
    assert [score.value for score in tokens(response)] == [None, None]
    assert tokens(response)[0].why == "1 of 1 completions have no token count"


class Own(CustomLLM):
    """A user's model; ``told``: what it says of its tokens."""

    told: dict[str, Any]

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="own")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text="Son 4 g.", raw=self.told)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError


def engine(nodes: list[TextNode], embed_model: Any, told: dict[str, Any]) -> BaseQueryEngine:
    return VectorStoreIndex(nodes, embed_model=embed_model).as_query_engine(llm=Own(told=told))


@pytest.mark.parametrize(
    ("told", "counted"),
    [({"usage": {"prompt_tokens": 30, "completion_tokens": 7}}, [30, 7]), ({}, [None, None])],
)
def test_a_llama_index_model_is_heard_once_and_with_what_it_tells(
    built: Built, told: dict[str, Any], counted: list[int | None]
) -> None:
    response = built(LlamaIndex, f"{__name__}:engine", options={"told": told}).answer(DOSE)
    assert response.answer == "Son 4 g."
    assert [completion.text for completion in response.steps[-1].completions] == ["Son 4 g."]
    assert [score.value for score in tokens(response)] == counted


# ------------------------------------------------------------------------------------------------------------- threads


class LlamaCpp:
    """A server as llama.cpp's: it echoes, and a call within another one would spoil both."""

    def __init__(self) -> None:
        self.inside, self.overlaps, self.calls = 0, 0, 0

    def handle_completions(self, request: dict[str, Any]) -> dict[str, Any]:
        self.inside, self.calls = self.inside + 1, self.calls + 1
        self.overlaps += self.inside > 1
        time.sleep(0.005)
        self.inside -= 1
        text = str(request["prompt"]).strip()
        return {
            "choices": [{"text": text, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 2, "completion_tokens": 1},
        }


def branches(writer: Any) -> Runnable[Any, str]:
    """Two branches at once, one of which asks four times at once: LangChain starts a thread for each."""

    def asking(part: str) -> Runnable[Any, str]:
        chain: Runnable[Any, str] = RunnableLambda(lambda asked: f"{part} {asked}") | writer | StrOutputParser()
        return chain

    def often(asked: str) -> str:
        return " ".join(asking("lote").batch([f"{asked} {n}" for n in range(4)]))

    both: Runnable[Any, Any] = RunnableParallel(one=asking("uno"), many=RunnableLambda(often))
    return both | RunnableLambda(lambda told: str(told["many"]))


def test_a_local_model_is_asked_by_one_thread_at_a_time_and_heard_for_its_question(
    built: Built, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    server = LlamaCpp()
    monkeypatch.setattr(gguf, "_load", lambda *_: gguf.Loaded(server))
    monkeypatch.setattr(gguf, "_engine", lambda: "1")
    monkeypatch.setattr(gguf, "require", lambda *_: None)
    (weights := tmp_path / "model.gguf").write_bytes(b"weights")
    writer = gguf.Gguf(name="local", weights=gguf.LocalFile(str(weights)), memory=Kept(), language="es")
    pipeline = built(LangChain, f"{__name__}:branches", writer=writer)
    asked = [Query(f"q{n}", f"pregunta-{n}") for n in range(6)]
    answered = dict(as_finished(asked, lambda query: (query.text, pipeline.answer(query)), at_once=3))
    for text, response in answered.items():
        heard = sorted(completion.text for completion in response.steps[0].completions)
        assert heard == [*(f"lote {text} {n}" for n in range(4)), f"uno {text}"]
    assert (server.calls, server.overlaps) == (30, 0)


def in_bare_threads(writer: Any) -> Runnable[Any, str]:
    def ask(text: str) -> str:
        with ThreadPoolExecutor(2) as pool:  # threads that are given no context
            return " ".join(reply.text for reply in pool.map(writer.invoke, [text, text]))

    return RunnableLambda(ask)


def test_a_bare_thread_is_heard_where_one_question_is_asked(built: Built) -> None:
    response = built(LangChain, f"{__name__}:in_bare_threads", writer=Says(lambda _: "nada")).answer(DOSE)
    assert [score.value for score in tokens(response)] == [None, None]  # its own answer tells nothing
    assert [completion.prompt_tokens for completion in response.steps[0].completions] == [5, 5]


def test_of_a_bare_thread_among_several_questions_nothing_is_claimed(built: Built) -> None:
    both = threading.Barrier(2, timeout=20)

    def says(prompt: str) -> str:
        both.wait()
        return "nada"

    pipeline = built(LangChain, f"{__name__}:in_bare_threads", writer=Says(says))
    with ThreadPoolExecutor(2) as pool:
        responses = list(pool.map(pipeline.answer, [DOSE, Query("r", "¿Cuánto hierro?")]))
    heard: list[Completion] = [one for response in responses for one in response.steps[0].completions]
    assert len(heard) >= 4
    assert tokens(responses[0])[0].value is None
