"""Questions, answers and passages of the bundled exam, as both sides read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.performance.plans import planned

COUNT = 100
LEAST, MOST = 3, 5  # passages of a sample


def samples(results: Path) -> list[dict[str, Any]]:
    """By BM25; the answer is the reference of the question before, as text of the right kind and length."""
    plan = planned(results, "architecture=bm25", "generator=extractive_words", "judge=none", f"k={MOST}")
    pipeline = plan.architecture.build(plan.corpus.documents, plan.generator)
    asked = [question for question in plan.corpus.questions if question.reference][:COUNT]
    found = []
    for number, question in enumerate(asked):
        context = [hit.chunk.text for hit in pipeline.answer(question.query).context]
        found.append(
            {
                "id": question.query.id,
                "question": question.query.text,
                "reference": question.reference,
                "answer": asked[number - 1].reference,
                "contexts": context[: LEAST + number % (MOST - LEAST + 1)],
            }
        )
    return found
