"""The judge ``ragas`` and its metrics beside the library's legacy ones on equal replies: equal to the last bit."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, cast

import pytest

from benchmark.domain import Completion, Outcome, Prompt, Query, Question, RelevancyScale, Response, Score
from benchmark.metrics import ragas_library
from benchmark.models.endpoints.chat import ChatModel
from benchmark.models.judges import rule
from benchmark.models.judges.ragas import RagasJudge
from tests.factories import hit
from tests.fakes import HashEmbedder

os.environ["RAGAS_DO_NOT_TRACK"] = "true"  # before its import: the library sends what it is used for
pytest.importorskip("ragas")
pytestmark = pytest.mark.filterwarnings("ignore")

SEEDS = range(120)
PARTS = ["Se dan 4 g", "por la vena", 'dicho "así"', "línea\nnueva", "—", "ñandú 🦤", "\\", "[1]", "6 h.", ""]
ODD_PARTS = [*PARTS, "{sic}", "a } b", "{", "```json"]  # with which the library reads less than the reply


# ----------------------------------------------------------------------------------------- samples and replies by seed


def text(random: Random, *, odd: bool, empty: bool = False) -> str:
    made = " ".join(random.choices(ODD_PARTS if odd else PARTS, k=random.randint(1, 5))).strip()
    return made if made or empty else "Son 4 g."


@dataclass(frozen=True)
class Sample:
    question: str
    answer: str
    reference: str
    context: tuple[str, ...]
    abstained: bool = False

    @classmethod
    def of(cls, seed: int, *, odd: bool) -> Sample:
        random = Random(seed)
        passages = tuple(text(random, odd=odd) for _ in range(random.randint(0 if odd else 1, 5)))
        abstained = odd and random.random() < 0.2
        return cls(text(random, odd=odd), text(random, odd=odd, empty=odd), text(random, odd=odd), passages, abstained)

    @property
    def outcome(self) -> Outcome:
        hits = tuple(hit(place, place + 1, text=passage) for place, passage in enumerate(self.context))
        asked = Question(Query("q1", self.question), self.reference)
        return Outcome(asked, Response(self.answer, self.abstained, hits, ()))


def object_for(asked: str, random: Random, *, odd: bool) -> Any:
    """An object that fits what the library's prompt asks for, or nearly."""
    given = json.loads(asked.rpartition("\ninput: ")[2].rpartition("\nOutput: ")[0])

    def bit() -> Any:
        return random.choice([0, 1, "1", True, 2, "yes"]) if odd and random.random() < 0.1 else random.choice([0, 1])

    def some(wanted: int) -> int:
        return max(0, wanted + random.choice([-1, 1])) if odd and random.random() < 0.1 else wanted

    if "output_string" in given:  # the library's prompt for mending
        first = object_for(given["prompt_value"], random, odd=False)
        return {"text": json.dumps(first) if random.random() < 0.8 else text(random, odd=odd)}
    if "statements" in given:
        ruled = [{"statement": one, "reason": text(random, odd=odd), "verdict": bit()} for one in given["statements"]]
        return {"statements": ruled[: some(len(ruled))]}
    if "context" not in given and "answer" in given:
        return {"statements": [f"{place}: {text(random, odd=odd)}" for place in range(random.randint(0, 6))]}
    if "response" in given:
        empty = odd and random.random() < 0.2
        return {"question": "" if empty else text(random, odd=odd), "noncommittal": random.choice([0, bit()])}
    if '"attributed"' in asked:
        found = [
            {"statement": text(random, odd=odd), "reason": "", "attributed": bit()} for _ in range(random.randint(1, 6))
        ]
        return {"classifications": found[: some(len(found))]}
    return {"reason": text(random, odd=odd), "verdict": bit()}


def reply(asked: str, place: int, *, seed: int, odd: bool) -> str:
    """What both are told: by the prompt, the draw and the seed alone."""
    random = Random(f"{seed} {place} {asked}")
    said = json.dumps(
        object_for(asked, random, odd=odd), ensure_ascii=random.random() < 0.5, indent=random.choice([None, 2])
    )
    if random.random() < 0.3:
        said = f"```json\n{said}\n```"
    if odd and random.random() < 0.15:
        kind = random.randrange(4)
        said = [said[: random.randint(0, len(said))], f"Veo [1]: {said}", f"{said}\n{said}", text(random, odd=odd)][
            kind
        ]
    return said


@dataclass
class Told:
    """A ``ChatModel`` that is told what to say."""

    seed: int
    odd: bool
    name: str = "told"
    in_flight: int = 1
    asked: list[str] = field(default_factory=list)

    def has_made_up(self, text: str) -> bool:
        return False

    def complete(self, prompt: Prompt) -> Completion:
        assert not prompt.system
        self.asked.append(prompt.user)
        return Completion(reply(prompt.user, max(0, prompt.sample - 1), seed=self.seed, odd=self.odd).strip())


# ---------------------------------------------------------------------------------------------------------- the library


@pytest.fixture(scope="module")
def library() -> Callable[..., float | None]:
    """The score of one of the library's metrics on a sample; ``None`` where its ``evaluate`` would put NaN."""
    from langchain_core.outputs import Generation, LLMResult
    from ragas.dataset_schema import SingleTurnSample
    from ragas.llms.base import BaseRagasLLM
    from ragas.metrics._answer_relevance import ResponseRelevancy
    from ragas.metrics._context_precision import LLMContextPrecisionWithReference
    from ragas.metrics._context_recall import LLMContextRecall
    from ragas.metrics._faithfulness import Faithfulness

    classes: dict[str, Any] = {
        "faithfulness": Faithfulness,
        "answer_relevancy": ResponseRelevancy,
        "context_precision": LLMContextPrecisionWithReference,
        "context_recall": LLMContextRecall,
    }

    class Script(BaseRagasLLM):  # type: ignore[misc]  # the library is untyped here
        told: Told

        def generate_text(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

        async def agenerate_text(self, prompt: Any, n: int = 1, **_: Any) -> Any:
            asked = prompt.to_string()
            self.told.asked.append(asked)
            said = [reply(asked, place, seed=self.told.seed, odd=self.told.odd).strip() for place in range(n)]
            return LLMResult(generations=[[Generation(text=one) for one in said]])

        def is_finished(self, response: Any) -> bool:
            return True

    class Embeddings:
        def embed_query(self, asked: str) -> list[float]:
            return cast("list[float]", HashEmbedder().embed([asked], role="query")[0].tolist())

        def embed_documents(self, asked: list[str]) -> list[list[float]]:
            return cast("list[list[float]]", HashEmbedder().embed(asked, role="passage").tolist())

    def library(metric: str, sample: Sample, told: Told) -> float | None:
        llm = Script()
        llm.told = told
        kwargs = {"embeddings": Embeddings()} if metric == "answer_relevancy" else {}
        row = SingleTurnSample(
            user_input=sample.question,
            response=sample.answer,
            reference=sample.reference,
            retrieved_contexts=list(sample.context),
        )
        try:
            value = asyncio.run(classes[metric](llm=llm, **kwargs)._single_turn_ascore(row, None))
        except Exception:  # noqa: BLE001 - the library's evaluate turns every error into NaN
            return None
        return None if value != value else float(value)

    return library


def judged(sample: Sample, told: Told, *, as_library: bool) -> Any:
    judge = RagasJudge(llm=cast(ChatModel, told), embedder=HashEmbedder(), as_library=as_library)
    return rule(judge, sample.outcome, scale=RelevancyScale(), unanswerable="ragas")


def agree(library: Callable[..., float | None], metric: str, seed: int, *, odd: bool, as_library: bool) -> Score:
    sample = Sample.of(seed, odd=odd)
    theirs = library(metric, sample, Told(seed, odd))
    score: Score = getattr(ragas_library, metric)(
        sample.outcome, judged(sample, Told(seed, odd), as_library=as_library)
    )
    assert score.value == theirs, f"seed {seed}: {score} beside {theirs}"
    return score


# ------------------------------------------------------------------------------------------------------------ the tests


METRICS = ["faithfulness", "answer_relevancy", "context_precision", "context_recall"]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("as_library", [False, True], ids=["ours", "as_library"])
def test_on_replies_that_fit_the_scores_are_the_librarys(
    library: Callable[..., float | None], metric: str, as_library: bool
) -> None:
    scores = [agree(library, metric, seed, odd=False, as_library=as_library) for seed in SEEDS]
    measured = [score.value for score in scores if score.value is not None]
    assert len(measured) > 0.7 * len(scores)
    assert len(set(measured)) > 5


@pytest.mark.parametrize("metric", METRICS)
def test_on_replies_of_every_kind_the_scores_are_the_librarys_with_as_library(
    library: Callable[..., float | None], metric: str
) -> None:
    scores = [agree(library, metric, seed, odd=True, as_library=True) for seed in SEEDS]
    assert {score.value is None for score in scores} == {True, False}


@pytest.mark.parametrize("metric", METRICS)
def test_what_is_asked_is_what_the_library_asks(library: Callable[..., float | None], metric: str) -> None:
    for seed in range(20):
        sample, theirs, mine = Sample.of(seed, odd=True), Told(seed, True), Told(seed, True)
        library(metric, sample, theirs)
        judged(sample, mine, as_library=True)
        assert set(theirs.asked) <= set(mine.asked)
