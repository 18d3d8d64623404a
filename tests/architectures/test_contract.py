"""What every architecture promises; a new yaml in ``conf/architecture`` is tested by being there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import cast

import pytest

from benchmark.config import Plan
from benchmark.domain import Document, Hit, Query, Response
from benchmark.storage.places import bundled
from tests.fakes import EchoGenerator

ARCHITECTURES = sorted(file.stem for file in bundled("conf").glob("architecture/*.yaml"))
Planned = Callable[..., Plan]

pytestmark = pytest.mark.parametrize("name", ARCHITECTURES)


def answers(plan: Plan) -> Iterator[tuple[Query, Response]]:
    pipeline = plan.architecture.build(plan.corpus.documents, plan.generator)
    for question in plan.corpus.questions:
        yield question.query, pipeline.answer(question.query)


def all_hits(response: Response) -> tuple[Hit, ...]:
    return (*response.context, *(hit for step in response.steps for hit in step.hits))


def without_clock(response: Response) -> Response:
    steps = tuple(
        replace(step, seconds=0.0, cached=False, completions=tuple(replace(c, seconds=0.0) for c in step.completions))
        for step in response.steps
    )
    return replace(response, steps=steps)


def test_every_chunk_is_its_document_at_its_span(planned: Planned, name: str) -> None:
    plan = planned(f"architecture={name}")
    texts = {document.id: document.text for document in plan.corpus.documents}
    for _, response in answers(plan):
        for hit in all_hits(response):
            span = hit.chunk.span
            assert hit.chunk.text == texts[span.document_id][span.start : span.end]


def test_at_most_k_passages_are_read_within_the_token_limit(planned: Planned, name: str) -> None:
    plan = planned(f"architecture={name}", "k=2", "chunker.size=16", "chunker.overlap=4", "context_tokens=24")
    bound = plan.names["architecture"] != "oracle"  # bound by neither limit, by its definition
    for _, response in answers(plan):
        tokens = sum(len(hit.chunk.text.split()) for hit in response.context)
        assert not bound or (len(response.context) <= 2 and tokens <= 24)


def test_every_model_call_appears_in_a_step(planned: Planned, name: str) -> None:
    plan = planned(f"architecture={name}")
    written: list[object] = getattr(getattr(plan.architecture, "writer", None), "calls", [])
    listed = sum(len(step.completions) for _, response in answers(plan) for step in response.steps)
    assert listed == len(cast(EchoGenerator, plan.generator).calls) + len(written)


def test_no_hit_belongs_to_another_tenant(planned: Planned, name: str) -> None:
    plan = planned(f"architecture={name}")
    owners = {document.id: document.tenant for document in plan.corpus.documents}
    for query, response in answers(plan):
        assert {owners[hit.chunk.span.document_id] for hit in all_hits(response)} <= {None, query.tenant}


def test_another_tenants_words_do_not_reach_the_answer(planned: Planned, name: str) -> None:
    plan = planned(f"architecture={name}")
    pipeline = plan.architecture.build(plan.corpus.documents, plan.generator)
    stranger = Query("s", "¿Qué alergia refiere el paciente 2, marcador clave2?", "p1")
    assert "clave2" not in " ".join(hit.chunk.text for hit in all_hits(pipeline.answer(stranger)))


def test_the_same_seed_gives_the_same_response(planned: Planned, name: str) -> None:
    first = [without_clock(response) for _, response in answers(planned(f"architecture={name}"))]
    assert first == [without_clock(response) for _, response in answers(planned(f"architecture={name}"))]


def test_an_empty_query_is_answered(planned: Planned, name: str) -> None:
    plan = planned(f"architecture={name}")
    response = plan.architecture.build(plan.corpus.documents, plan.generator).answer(Query("empty", "  "))
    assert isinstance(response.answer, str)


@pytest.mark.parametrize("documents", [(), (Document("blank", " \n"),)], ids=["no document", "a blank document"])
def test_an_empty_corpus_is_answered(planned: Planned, name: str, documents: tuple[Document, ...]) -> None:
    plan = planned(f"architecture={name}")
    response = plan.architecture.build(documents, plan.generator).answer(Query("q", "¿Qué dosis?"))
    assert response.context == ()
    # Only an architecture that says that it does not retrieve may ask what a model remembers.
    assert not response.retrieves or (response.abstained and not cast(EchoGenerator, plan.generator).calls)
