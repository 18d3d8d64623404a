"""All that is known of every question as data for the page: each text stands once, and is meant by its number."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from benchmark.domain import Hit, Question, Record, Verdict
from benchmark.report.account import Account, ReportedRun
from benchmark.report.figures import FATE_OF
from benchmark.report.lost import touched
from benchmark.report.phrases import Phrases
from benchmark.rootcause import LOST, trace

_Json = dict[str, Any]  # data for JavaScript


class _Texts:
    """Texts by number; the same text has the same number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def questions_json(account: Account, say: Phrases) -> str:
    """JSON that may stand in a page: no answer, however it is written, ends the element around it."""
    text, records = _Texts(), account.records
    passages: dict[tuple[str, int, int], int] = {}
    keys = list(account.measures)
    by_run = {run.name: [account.measures[key].keys[run.name] for key in keys] for run in account.runs}

    def passage(hit: Hit) -> int:
        span = hit.chunk.span
        return passages.setdefault((span.document_id, span.start, span.end), len(passages))

    def walk(record: Record, run: ReportedRun) -> _Json:
        root = trace(record, diagnosis=run.diagnosis)
        response, rulings = record.response, record.rulings
        scores = [record.scores.get(key) for key in by_run[run.name]]
        return {
            "cause": text(say.cause(record.cause)),
            "fate": FATE_OF[record.cause],
            "answer": None if response is None else text(response.answer),
            "abstained": response is not None and response.abstained,
            "stages": [
                {
                    "name": text(say.stage(stage.name)),
                    "ranks": [trail.places[place].rank for trail in root.trails],
                    "parts": [trail.places[place].part for trail in root.trails],
                    "hits": [
                        [passage(hit), round(hit.score, 4), touched(record.question.evidence, hit)]
                        for hit in stage.hits
                    ],
                }
                for place, stage in enumerate(root.stages)
            ],
            "instead": None if root.instead is None else [passage(root.instead), round(root.instead.score, 4), []],
            "reason": text(say.said(root.why)),
            "todo": text(say.said(root.remedy)) if root.cause in LOST and root.remedy else None,
            "useful": _verdicts(rulings.useful, text, say),
            "supported": _verdicts(rulings.supported, text, say),
            "attributed": _verdicts(rulings.attributed, text, say),
            "conveyed": _verdicts(rulings.conveyed, text, say),
            "implied": [[text(one.text), round(one.similarity, 3)] for one in rulings.implied or ()],
            "scores": [None if score is None or score.value is None else round(score.value, 4) for score in scores],
            "why": [text("") if score is None else text(say.said(score.why)) for score in scores],
            "failures": [text(str(failure)) for failure in record.failures],
        }

    asked = [
        {
            **_question(question, account, text),
            "runs": [
                walk(record, run) if (record := records[question.id].get(run.name)) is not None else None
                for run in account.runs
            ],
        }
        for question in account.questions
    ]
    data: _Json = {
        "runs": [{"name": run.name, "yardstick": run.row.yardstick} for run in account.runs],
        "metrics": [say.said(account.measures[key].label) for key in keys],
        "questions": asked,
        "passages": [
            [text(document), start, end, text(account.documents[document].text[start:end])]
            for document, start, end in passages
        ],
        "say": {key.removeprefix("page."): value for key, value in say.own.items() if key.startswith("page.")},
        "fates": {key.removeprefix("fate."): value for key, value in say.own.items() if key.startswith("fate.")},
    }
    data["texts"] = list(text.numbers)  # last, when all of them are known
    return in_page(data)


def in_page(data: object) -> str:
    """JSON for a ``<script>`` element: nothing in it can end the element or open a comment.

    >>> in_page("</script><!--")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    plain = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        plain = plain.replace(sign, f"\\u{ord(sign):04x}")
    return plain.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _question(question: Question, account: Account, text: _Texts) -> _Json:
    return {
        "id": question.id,
        "question": text(question.query.text),
        "reference": None if question.reference is None else text(question.reference),
        "answerable": question.answerable,
        "tags": [text(tag) for tag in (*question.tags, *filter(None, (question.difficulty, question.language)))],
        "evidence": [
            {
                "document": text(item.span.document_id),
                "grade": item.grade,
                "start": item.span.start,
                "end": item.span.end,
                "text": text(account.documents[item.span.document_id].text[item.span.start : item.span.end]),
            }
            for item in question.evidence
        ],
    }


def _verdicts(verdicts: Sequence[Verdict] | None, text: _Texts, say: Phrases) -> list[list[int]] | None:
    if verdicts is None:
        return None
    return [[text(one.claim), int(one.holds), text(say.said(one.reason))] for one in verdicts]
