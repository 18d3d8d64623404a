"""Accounts of made-up runs: what tests of reports are told of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from benchmark.domain import (
    Cause,
    Completion,
    Document,
    Failure,
    Hit,
    Question,
    Record,
    Role,
    Rulings,
    Score,
    Step,
    Verdict,
)
from benchmark.readings import Label, analyse
from benchmark.report.account import Account, ReportedRun, measures
from benchmark.report.leaderboard import Leaderboard, Row, verdict
from benchmark.statistics import Settings
from tests.factories import evidence, hit, question, response, step
from tests.test_diagnosis import DIAGNOSIS

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)> & \"quoted\""
CHUNK = 400
KEYS = (
    *("ragas/faithfulness", "ragas/answer_relevancy", "ragas/context_precision", "ragas/context_recall"),
    *("retrieval/recall_5", "retrieval/ndcg_5", "answer/completeness", "answer/grounded", "answer/hallucinated"),
    *("answer/refused_wrongly", "answer/answered_wrongly", "cost/seconds", "cost/context_tokens", "cost/money"),
)
_BOUNDS: Mapping[str, Role] = {"random": "floor", "oracle": "ceiling"}
CAUSES = (Cause.CORRECT, Cause.NOT_RETRIEVED, Cause.NOT_USED, Cause.UNSUPPORTED, Cause.CUT_BY_K)


def document(number: int) -> Document:
    words = " ".join(f"palabra{number}-{place}" for place in range(CHUNK))
    return Document(f"doc-{number}", words, f"Document {number}")


def asked(number: int, document: Document, *, text: str = "¿Qué dosis?") -> Question:
    start = number % 3 * CHUNK + number * 37 % (CHUNK - 90)  # within one chunk
    gold = evidence(start, start + 90, document=document.id)
    return question(gold, name=f"q-{number:03d}", text=f"{text} {number}", tags=("numeric",))


def hits(asked: Question, documents: Sequence[Document], count: int, *, shift: int) -> tuple[Hit, ...]:
    found = []
    for rank in range(count):
        home = documents[(int(asked.id[2:]) + (rank + shift) // 5) % len(documents)]
        start = (rank + shift) % 5 * CHUNK
        text = home.text[start : start + CHUNK]
        found.append(hit(start, start + len(text), home.id, text=text, score=1 / (rank + 1)))
    return tuple(found)


def examined(
    asked: Question, documents: Sequence[Document], *, skill: float, candidates: int, answer: str, system: int
) -> Record:
    """One record whose scores wave around ``skill``, the same each time."""
    number = int(asked.id[2:])
    wave = 0.5 + 0.5 * math.sin(number * 12.9898 + system)
    cause = CAUSES[0] if wave < skill else CAUSES[1 + (number + system) % 4]
    found = hits(asked, documents, candidates, shift=0 if wave < skill else 3)
    scores = {key: Score(round(min(1.0, max(0.0, skill + (wave - 0.5) / 2)), 3), "2 of 3 hold") for key in KEYS[:-3]}
    scores |= {
        "cost/seconds": Score(0.5 + wave, "retrieve 0.1"),
        "cost/context_tokens": Score(400.0 + 100 * system, "house tokens of 5 passages"),
        "cost/money": Score(None, "no price is known"),
    }
    rulings = Rulings(
        statements=(f"Se dan {number} g.",),
        supported=(Verdict(f"Se dan {number} g.", wave < skill, f"passage 1 says so, {number}"),),
        useful=tuple(Verdict(one.chunk.text[:60], not rank, "it names the dose") for rank, one in enumerate(found[:5])),
        attributed=(Verdict("Se dan 4 g.", wave < skill, "stated"),),
        conveyed=(Verdict("Se dan 4 g.", wave < skill, "stated"),),
    )
    steps = (
        step(*found, name="retrieve dense", seconds=0.1),
        step(*found[: candidates // 2], name="rerank", seconds=0.1),
        Step("generate", 0.3, completions=(Completion(answer),)),
    )
    return Record(asked, response(*found[:5], answer=answer, steps=steps), rulings, scores, cause)


def records_of(
    systems: Mapping[str, float], *, questions: int, documents: int, candidates: int = 10, answer: str = "Se dan 4 g."
) -> tuple[list[Document], list[Question], dict[str, list[Record]]]:
    """Documents, questions, and for each system the records of its skill (0 to 1)."""
    shelf = [document(number) for number in range(documents)]
    exam = [asked(number, shelf[number % documents]) for number in range(questions)]
    found = {
        name: [
            examined(
                question,
                shelf,
                skill=skill,
                candidates=candidates,
                answer=f"{answer} {name} {question.id}",
                system=number,
            )
            for question in exam
        ]
        for number, (name, skill) in enumerate(systems.items())
    }
    return shelf, exam, found


def account(
    systems: Mapping[str, float] | None = None,
    *,
    questions: int = 30,
    answer: str = "Se dan 4 g.",
    bounds: Mapping[str, Role] = _BOUNDS,
    failing: int = 0,
) -> Account:
    """Runs of a made-up exam; the first ``failing`` questions of the last run failed."""
    skills = systems or {"bm25": 0.35, "hybrid": 0.75, "oracle": 0.95}
    shelf, exam, found = records_of(skills, questions=questions, documents=4, answer=answer)
    last = list(found)[-1]
    broken = [
        Record(one.question, None, Rulings(), {}, Cause.FAILED, Failure("answer", "ConnectionError", "hung up"))
        for one in found[last][:failing]
    ]
    found[last] = broken + found[last][failing:]
    rows = [
        Row(name, tuple(records), asked=questions, seconds=3.0, role=bounds.get(name, "rival"), k=5)
        for name, records in found.items()
    ]
    settings = Settings(seed=7)
    board = Leaderboard.of(rows, seed=7)
    return Account(
        corpus="obstetrics",
        digest="abc123def456789",
        source="A guideline, 2013",
        documents={one.id: one for one in shelf},
        questions=tuple(exam),
        runs=tuple(
            ReportedRun(
                row,
                chosen={"architecture": row.name, "generator": "extractive"},
                knobs={"k": "5", "architecture.depth": str(len(row.name))},
                fingerprint=f"fingerprint-{row.name}",
                index_seconds=1.0,
                diagnosis=DIAGNOSIS,
                environment={"python": "3.11.7", "packages": {"numpy": "2.4.6"}},
            )
            for row in rows
        ),
        board=board,
        measures=measures(rows, settings=settings),
        verdict=tuple(verdict(board, lambda key, value: None)),
        analysis=analyse(
            found,
            labels={row.name: Label(row.name, "extractive", row.role, row.k, "local") for row in rows},
            keys={key: {row.name: row.own(key) for row in rows} for key in board.qualities},
            headline=board.headline,
            settings=settings,
        ),
        judge_checks=(),
        common_cautions=(),
        settings=settings,
        prompts={"answer": "Answer from the passages."},
        command="ragsweep report",
    )
