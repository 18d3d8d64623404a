"""The evaluation report in Markdown: data, every dimension, patterns, sampled failures, recommendations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from random import Random

from benchmark.domain import Cause, Record
from benchmark.report.account import Account, Measure, ReportedRun, reasons
from benchmark.report.answer import answer
from benchmark.report.lost import why_lost
from benchmark.report.numbers import digits_of, doubt_note, doubted, number
from benchmark.report.patterns import caution_lines
from benchmark.report.phrases import Phrases
from benchmark.report.readings import Cell, judge_lines, tables
from benchmark.rootcause import LOST, REMEDIES, UNKNOWN, trace

SAMPLED = 8
"""Of the lost questions so many are looked at one by one; fewer only where fewer were lost."""
LISTED = 6
"""Of the questions of a cell so many are named."""


def as_evaluation(account: Account, say: Phrases) -> str:
    """Markdown, complete on its own."""
    parts = (
        [f"# {say('md.title', corpus=account.corpus)}", ""],
        _section(say("md.dataset"), _dataset(account, say)),
        _section(say("md.answer"), [answer(account, say), "", *(f"- {say.said(line)}" for line in account.verdict)]),
        _section(say("md.dimensions"), _dimensions(account, say)),
        _section(say("section.together"), _together(account, say)),
        _section(say("md.patterns"), _patterns(account, say)),
        _section(say("md.failures"), _failures(account, say)),
        _section(say("md.recommendations"), [f"- {line}" for line in recommendations(account, say)]),
        _section(say("section.not_measured"), _not_measured(account, say)),
    )
    return "\n".join(line for part in parts for line in part)


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"## {title}", "", *lines, ""]


def flat(text: str) -> str:
    """A text that stays inside one cell or item of Markdown.

    >>> flat("one | two\\n\\nthree")
    'one \\\\| two three'
    """
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")


def _dataset(account: Account, say: Phrases) -> list[str]:
    answerable = sum(question.answerable for question in account.questions)
    size = say(
        "md.size",
        questions=len(account.questions),
        answerable=answerable,
        unanswerable=len(account.questions) - answerable,
        documents=len(account.documents),
    )
    return [f"- {size}", f"- {say('source', source=account.source, digest=account.digest[:12])}"]


def _dimensions(account: Account, say: Phrases) -> list[str]:
    names = [f"({run.name})" if run.row.yardstick else run.name for run in account.runs]
    lines = [f"| {say('metric')} | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for measure in account.measures.values():
        cells = [_cell(measure, run, say) for run in account.runs]
        lines.append(f"| {say.said(measure.label)} | {' | '.join(cells)} |")
    shown = (one for measure in account.measures.values() for one in measure.statistics.estimates.values())
    doubt = doubt_note(shown, say)
    return [*lines, "", say("note.md"), *(["", doubt] if doubt else [])]


def _cell(measure: Measure, run: ReportedRun, say: Phrases) -> str:
    one = measure.statistics.estimates[run.name]
    if one.mean is None:
        return say("not_measured")
    digits = digits_of(measure.name)
    ends = doubted(one, digits) or say.said(str(one.how))
    told = say("md.cell", mean=f"{number(one.mean, digits)}{_mark(measure, run)}", interval=ends, n=one.n)
    bound = measure.statistics.bounds.get(run.name)
    if bound is None or not bound.missing:
        return told
    low, high = number(bound.low, digits), number(bound.high, digits)
    return told + say("md.if_missing", missing=bound.missing, low=low, high=high)


def _mark(measure: Measure, run: ReportedRun) -> str:
    """``*`` for the best mean, ``=`` for one that is not told apart from it; nothing where all means are the same."""
    found = measure.statistics
    if found.is_level:
        return ""
    return "*" if run.name == found.best else "=" if run.name in found.tied else ""


def _together(account: Account, say: Phrases) -> list[str]:
    lines: list[str] = []
    for one in tables(account.analysis, account.pairs, say):
        lines += [f"### {one.title}", ""]
        if not one.rows:
            lines += [f"{say('not_measured')}: {one.why}.", ""]
            continue
        rows = [[flat(_cell_text(cell, say)) for cell in row] for row in one.rows]
        lines += [f"| {' | '.join(one.heads)} |", f"|{'---|' * len(one.heads)}"]
        lines += [f"| {' | '.join(row)} |" for row in rows]
        lines += ["", one.note, ""]
    told = [*judge_lines(account.analysis, say.said), *map(say.said, account.judge_checks)]
    return [*lines, *(f"- {line}" for line in told)]


def _cell_text(cell: Cell, say: Phrases) -> str:
    if isinstance(cell, str):
        return cell
    rest = len(cell) - LISTED
    named = f": {', '.join(cell[:LISTED])}" + (f" {say('and_more', n=rest)}" if rest > 0 else "")
    return f"{len(cell)}{named if cell else ''}" if len(cell) != 1 else cell[0]


def _patterns(account: Account, say: Phrases) -> list[str]:
    lines = []
    for run in account.runs:
        for one in run.findings:
            name = say.said(one.name.replace("_", " ").capitalize())
            lines.append(f"- **{name}** ({run.name}: {one.symptom}). {say.said(one.problem)} {say.said(one.remedy)}")
    cautions = caution_lines({run.name: run.cautions for run in account.runs}, account.common_cautions)
    return [*(lines or [say("no_pattern")]), *(f"- {say('cautions')}: {say.said(line)}" for line in cautions)]


def sampled(account: Account) -> list[tuple[ReportedRun, Record]]:
    """Lost questions of the runs that compete, turn by turn from each cause, drawn by the account's seed.

    Each question once before any comes again.
    """
    by_cause: dict[Cause, list[tuple[ReportedRun, Record]]] = {}
    for run in account.runs:
        for record in run.records if not run.row.yardstick else ():
            if record.cause in LOST:
                by_cause.setdefault(record.cause, []).append((run, record))
    random = Random(account.settings.seed)
    drawn = [random.sample(found, len(found)) for _, found in sorted(by_cause.items())]
    turns = [one for turn in zip_longest(*drawn) for one in turn if one is not None]
    new: dict[str, tuple[ReportedRun, Record]] = {}
    again = []
    for run, record in turns:
        if record.question.id in new:
            again.append((run, record))
        else:
            new[record.question.id] = run, record
    return [*new.values(), *again][:SAMPLED]


def _failures(account: Account, say: Phrases) -> list[str]:
    shown = sampled(account)
    lost = sum(record.cause in LOST for run in account.runs if not run.row.yardstick for record in run.records)
    if not shown:
        return [say("md.no_failures")]
    lines = [say("md.sampled", shown=len(shown), all=lost, seed=account.settings.seed), ""]
    for place, (run, record) in enumerate(shown, 1):
        lines += [
            f"{place}. **{record.question.id}** · {run.name}",
            *(f"   - {line}" for line in _walk(run, record, say)),
        ]
    return lines


def _walk(run: ReportedRun, record: Record, say: Phrases) -> list[str]:
    """One lost question: what was asked, why it was lost, where its evidence stood and what took its place."""
    question = record.question
    lines = [
        f"{say('md.question')}: {flat(question.query.text)}",
        f"{say('page.reference')}: {flat(question.reference or say('page.no_reference'))}",
        f"{say('md.cause')}: **{say.cause(record.cause)}**",
    ]
    if record.response is not None:
        lines.append(f"{say('page.answer')}: {flat(record.response.answer)[:400]}")
    lines += [flat(str(failure)) for failure in record.failures]
    return [*lines, *map(flat, why_lost(trace(record, diagnosis=run.diagnosis), say))]


def recommendations(account: Account, say: Phrases) -> list[str]:
    """What to do, from the patterns and from the most frequent causes; and what to do before believing either."""
    lines = []
    remedies: dict[tuple[str, str], list[str]] = {}
    for run in account.runs:
        for one in run.findings:
            remedies.setdefault((one.name, one.remedy), []).append(run.name)
    for (name, remedy), runs in remedies.items():
        pattern = say.said(name.replace("_", " ").capitalize())
        lines.append(say("md.recommend.pattern", pattern=pattern, runs=", ".join(runs), remedy=say.said(remedy)))
    rivals = [run for run in account.runs if not run.row.yardstick]
    counts = Counter(record.cause for run in rivals for record in run.records)
    for cause, count in counts.most_common():
        if cause in LOST | UNKNOWN:
            remedy = say.said(REMEDIES[cause])
            lines.append(say("md.recommend.cause", count=count, cause=say.cause(cause), remedy=remedy))
    limits = [account.board.statistics[key].resolution for key in account.board.best]
    needed = [one.needed for one in limits if one.needed is not None and not one.can_rank]
    if needed:
        lines.append(say("md.recommend.more", needed=max(needed), difference=f"{limits[0].difference:.2f}"))
    return lines or [say("md.none")]


def _not_measured(account: Account, say: Phrases) -> list[str]:
    lines = []
    for measure in account.measures.values():
        counts: Counter[str] = Counter()
        for run in account.runs:
            counts.update(reasons(run, measure))
        if counts:
            why = "; ".join(f"{say.said(reason)} ({count})" for reason, count in counts.most_common())
            whole = all(one.mean is None for one in measure.statistics.estimates.values())
            lines.append(f"- {say.said(measure.label)}: {say('not_measured') + ': ' if whole else ''}{flat(why)}")
    return [say("not_measured_how"), "", *lines] if lines else [say("all_measured")]
