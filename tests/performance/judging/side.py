"""One side of the comparison, in a process of its own: ``python -m tests.performance.judging.side SIDE URL SAMPLES``.

Prints one JSON object: the seconds and the processor's seconds of judging, without imports, and the most memory held by
the whole process, with them.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

IN_FLIGHT = 64
MODEL = "judge"
Scores = Mapping[str, float | None]


def ours(kind: str, url: str, samples: Sequence[Mapping[str, Any]]) -> Callable[[], object]:
    """Rulings by the house's scheduler, kept in a ledger on the disk."""
    import openai  # noqa: F401  # imported when the first call is made, and imports are not measured

    from benchmark.domain import Chunk, Hit, Outcome, Query, Question, RelevancyScale, Response, Span
    from benchmark.models.endpoints.chat import ChatModel
    from benchmark.models.endpoints.embedding import EmbeddingModel
    from benchmark.models.endpoints.transport import Transport
    from benchmark.models.judges import rule
    from benchmark.models.judges.llm import LlmJudge
    from benchmark.models.judges.ragas import RagasJudge
    from benchmark.storage.ledger import Ledger
    from benchmark.turns import as_finished

    folder = TemporaryDirectory()
    ledger = Ledger(Path(folder.name) / "ledger.sqlite")
    transport = Transport(in_flight=IN_FLIGHT)
    llm = ChatModel(name=MODEL, model=MODEL, base_url=url, memory=ledger, transport=transport, temperature=0.01)
    embedder = EmbeddingModel(model="e", base_url=url, memory=ledger, transport=transport)
    judge = (
        RagasJudge(llm=llm, embedder=embedder)
        if kind == "ragas"
        else LlmJudge(llm=llm, embedder=embedder, language="es")
    )
    judge.name  # noqa: B018  # the prompts are read, and the library imported

    def outcome(sample: Mapping[str, Any]) -> Outcome:
        passages = enumerate(sample["contexts"])
        hits = tuple(Hit(Chunk(f"c{place}", Span("d", place, place + 1), text), 1.0) for place, text in passages)
        asked = Question(Query(sample["id"], sample["question"]), sample["reference"], True, (), language="es")
        return Outcome(asked, Response(sample["answer"], False, hits, ()))

    def judged() -> None:
        outcomes = [outcome(sample) for sample in samples]
        scale = RelevancyScale()
        for rulings in as_finished(outcomes, lambda one: rule(judge, one, scale=scale), at_once=IN_FLIGHT):
            assert not rulings.failures, rulings.failures
        folder.cleanup()

    return judged


def library(url: str, samples: Sequence[Mapping[str, Any]]) -> Callable[[], object]:
    """The library's ``evaluate`` with the same four metrics, and as many workers as we have calls in flight."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings
    from ragas import EvaluationDataset, RunConfig, evaluate
    from ragas.embeddings import LangchainEmbeddingsWrapper
    from ragas.llms import LangchainLLMWrapper
    from ragas.metrics._answer_relevance import ResponseRelevancy
    from ragas.metrics._context_precision import LLMContextPrecisionWithReference
    from ragas.metrics._context_recall import LLMContextRecall
    from ragas.metrics._faithfulness import Faithfulness

    rows = [
        {
            "user_input": sample["question"],
            "response": sample["answer"],
            "reference": sample["reference"],
            "retrieved_contexts": sample["contexts"],
        }
        for sample in samples
    ]
    dataset = EvaluationDataset.from_list(rows)
    key: Any = "none"
    llm = LangchainLLMWrapper(ChatOpenAI(model=MODEL, base_url=url, api_key=key))
    embeddings = LangchainEmbeddingsWrapper(
        OpenAIEmbeddings(model="e", base_url=url, api_key=key, check_embedding_ctx_length=False)
    )
    metrics = [Faithfulness(), ResponseRelevancy(), LLMContextPrecisionWithReference(), LLMContextRecall()]

    def judged() -> None:
        config = RunConfig(max_workers=IN_FLIGHT)
        found = evaluate(dataset, metrics, llm=llm, embeddings=embeddings, run_config=config, show_progress=False)
        scores = [value for row in found.scores for value in row.values()]
        assert all(value == value for value in scores), "a score is NaN"

    return judged


def main(side: str, url: str, file: str) -> None:
    samples = json.loads(Path(file).read_text(encoding="utf-8"))
    judged = library(url, samples) if side == "library" else ours(side, url, samples)
    imported = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began, burnt = perf_counter(), process_time()
    judged()
    told = {
        "seconds": perf_counter() - began,
        "cpu": process_time() - burnt,
        "imported": imported,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
