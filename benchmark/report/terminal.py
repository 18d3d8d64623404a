"""One question in the terminal: its evidence, and what each run did with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import indent, shorten

from benchmark.domain import Document, Hit, Question, Record, Verdict
from benchmark.report.lost import touched, why_lost
from benchmark.report.numbers import number
from benchmark.report.phrases import Phrases
from benchmark.rootcause import RootCause

_PASSAGE = 300


def question_lines(
    question: Question,
    records: Mapping[str, tuple[Record, RootCause]],
    documents: Mapping[str, Document],
    say: Phrases,
    *,
    whole: bool = False,
) -> Iterator[str]:
    """Lines for a terminal or a pipe. ``records`` by run, each with its cause; ``whole``: passages uncut."""
    yield f"{question.id}: {question.query.text}"
    facts = (*question.tags, *filter(None, (question.difficulty, question.language)))
    yield "  " + " · ".join([say("page.answerable" if question.answerable else "page.unanswerable"), *facts])
    yield f"\n{say('page.reference')}: {question.reference or say('page.no_reference')}"
    for place, item in enumerate(question.evidence, 1):
        span = item.span
        where = f"{span.document_id}, {span.start}–{span.end}, {say('page.grade')} {item.grade}"
        yield f"\n{say('page.evidence')} {place} ({where}):"
        yield indent(documents[span.document_id].text[span.start : span.end], "  ")
    for name, (record, root) in records.items():
        yield f"\n── {name}: {say.cause(record.cause)} " + "─" * max(60 - len(name), 3)
        yield from _run_lines(record, root, say, whole=whole)


def _run_lines(record: Record, root: RootCause, say: Phrases, *, whole: bool) -> Iterator[str]:
    for failure in record.failures:
        yield f"  {failure}"
    if record.response is None:
        return
    yield from (f"  {line}" for line in why_lost(root, say))
    yield f"\n  {say('page.sent')}:" + ("" if record.response.context else f" {say('page.nothing_sent')}")
    useful = record.rulings.useful or ()
    for rank, hit in enumerate(record.response.context, 1):
        gold = touched(record.question.evidence, hit)
        yield _passage(rank, hit, gold, say, whole=whole)
        if rank <= len(useful):
            one = useful[rank - 1]
            yield f"         {_ruled(one, say)}"
    yield f"\n  {say('page.abstained' if record.response.abstained else 'page.answer')}:"
    yield indent(record.response.answer, "    ")
    for key in ("supported", "conveyed", "attributed"):
        yield from _verdicts(say(f"page.{key}"), getattr(record.rulings, key), say)
    measured = [f"{key} {number(score.value)}" for key, score in record.scores.items() if score.value is not None]
    yield f"\n  {say('page.scores')}: " + (", ".join(measured) or say("not_measured"))
    reasons: dict[str, list[str]] = {}
    for key, score in record.scores.items():
        if score.value is None:
            reasons.setdefault(score.why, []).append(key)
    for why, keys in reasons.items():
        yield f"  {say('not_measured')} ({say.said(why)}): {', '.join(keys)}"


def _passage(rank: int, hit: Hit, gold: Sequence[int], say: Phrases, *, whole: bool) -> str:
    span = hit.chunk.span
    mark = f" ★ {say('page.evidence')} {', '.join(str(place + 1) for place in gold)}" if gold else ""
    text = " ".join(hit.chunk.text.split())
    text = text if whole else shorten(text, _PASSAGE, placeholder=" …")
    return f"    #{rank} {span.document_id}, {span.start}–{span.end}, {hit.score:.4g}{mark}\n       {text}"


def _verdicts(title: str, verdicts: Sequence[Verdict] | None, say: Phrases) -> Iterator[str]:
    if verdicts:
        yield f"\n  {title}:"
        for one in verdicts:
            yield f"    {'✓' if one.holds else '✗'} {one.claim}" + (
                f"\n      {say.said(one.reason)}" if one.reason else ""
            )


def _ruled(one: Verdict, say: Phrases) -> str:
    said = say("page.useful" if one.holds else "page.not_useful")
    return f"{'✓' if one.holds else '✗'} {said}" + (f": {say.said(one.reason)}" if one.reason else "")
