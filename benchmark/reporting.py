"""From a comparison to its reports: the account of its runs, and the files of each form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import cast

from benchmark.compare import Comparison, OpenedRun
from benchmark.diagnosis import band
from benchmark.domain import UserError
from benchmark.prompts import texts
from benchmark.report.account import Account, ReportedRun, measures
from benchmark.report.csv import as_csv
from benchmark.report.evaluation import as_evaluation
from benchmark.report.figures import figures
from benchmark.report.images import Form, image
from benchmark.report.latex import as_latex
from benchmark.report.leaderboard import verdict
from benchmark.report.page import as_page
from benchmark.report.phrases import phrases
from benchmark.statistics import Settings
from benchmark.storage.reports import plain_name
from benchmark.storage.tracked_values import flat

FORMS = ("html", "md", "tex", "csv", "png", "svg", "pdf")
_NO_KNOBS = ("name", "limit", "sample", "results", "threads", "tracking", "memory", "hydra", "metrics", "diagnosis")


def account_of(comparison: Comparison, *, command: str) -> Account:
    """All that reports tell of one comparison; ``command``: what makes the report again."""
    rows = comparison.board.rows
    first = next(iter(comparison.runs.values()))
    settings = Settings(seed=int(first.settings["seed"]))
    asked = set().union(*(run.asked for run in comparison.runs.values()))
    return Account(
        corpus=comparison.corpus,
        digest=first.corpus_digest,
        source=_source(first),
        documents={document.id: document for document in first.corpus.documents},
        questions=tuple(question for question in first.corpus.questions if question.id in asked),
        runs=tuple(_reported(comparison, row.name, number) for number, row in enumerate(rows)),
        board=comparison.board,
        measures=measures(rows, settings=settings),
        verdict=tuple(verdict(comparison.board, partial(band, comparison.diagnosis))),
        analysis=comparison.analysis,
        judge_checks=tuple(comparison.judge_checks()),
        common_cautions=comparison.common_cautions,
        settings=settings,
        prompts=texts(first.corpus.language),
        command=command,
    )


def _source(run: OpenedRun) -> str:
    """Where the documents come from, as their front matter says; else the corpus by its name."""
    told = [document.metadata.get("sources") or document.metadata.get("source") for document in run.corpus.documents]
    named = dict.fromkeys(str(one) for part in told if part for one in (part if isinstance(part, list) else [part]))
    rest = len(named) - 3
    return ("; ".join(list(named)[:3]) + (f" (+{rest})" if rest > 0 else "")) or run.corpus.name


def _reported(comparison: Comparison, name: str, number: int) -> ReportedRun:
    run: OpenedRun = comparison.runs[name]
    return ReportedRun(
        comparison.board.rows[number],
        chosen={group: choice for group, choice in run.names.items() if choice is not None},
        knobs={
            knob: str(value) for knob, value in flat(run.settings).items() if knob.partition(".")[0] not in _NO_KNOBS
        },
        fingerprint=run.folder.fingerprint,
        index_seconds=run.index_seconds,
        index_cost=run.index_cost,
        diagnosis=comparison.diagnoses[name],
        environment=run.folder.environment() or {},
        findings=comparison.findings[name],
        cautions=comparison.cautions[name],
    )


def folders(found: Sequence[Comparison]) -> list[str]:
    """Below which folder each comparison's files lie: nowhere for one alone, else the corpus, told apart if need be."""
    if len(found) == 1:
        return [""]
    names = Counter(one.corpus for one in found)
    digests = [next(iter(one.runs.values())).corpus_digest[:6] for one in found]
    return [
        plain_name(one.corpus if names[one.corpus] == 1 else f"{one.corpus}-{digest}") + "/"
        for one, digest in zip(found, digests, strict=True)
    ]


def chosen_forms(told: str) -> tuple[str, ...]:
    """The forms that a text such as ``html,png`` names.

    Raises:
        UserError: one of them is none.
    """
    forms = tuple(dict.fromkeys(part.strip().lower() for part in told.split(",") if part.strip()))
    for form in forms:
        if form not in FORMS:
            raise UserError(
                f"there is no form {form!r} of a report: --to takes {', '.join(FORMS)}, such as --to html,tex"
            )
    return forms or ("html",)


def report(account: Account, forms: Sequence[str], *, language: str) -> Iterator[tuple[str, bytes]]:
    """The files of a report by their name in its folder."""
    say = phrases(language)
    if "html" in forms:
        yield "report.html", as_page(account, say).encode()
    if "md" in forms:
        yield "report.md", as_evaluation(account, say).encode()
    if "tex" in forms:
        yield "tables.tex", as_latex(account, say).encode()
    if "csv" in forms:
        yield "scores.csv", as_csv(account).encode()
    images = [cast(Form, form) for form in forms if form in ("png", "svg", "pdf")]
    for drawing in figures(account, say) if images else ():
        for form in images:
            yield f"figures/{drawing.name}.{form}", image(drawing, form)
