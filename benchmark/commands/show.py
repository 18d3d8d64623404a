"""``ragsweep show QUESTION [RUNS]``: what each run made of one question, stage by stage."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from benchmark.commands import about
from benchmark.commands.arguments import add_runs
from benchmark.commands.progress import tell
from benchmark.compare import Comparison, comparisons, find_runs
from benchmark.config import introduce
from benchmark.domain import Record, UserError
from benchmark.report.phrases import LANGUAGES, Phrases, phrases
from benchmark.report.terminal import question_lines
from benchmark.rootcause import RootCause, trace
from benchmark.storage.record_lines import to_line
from benchmark.suggestions import meant


def command(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("ragsweep show", description=about(__doc__))
    parser.add_argument("question", help="the id of a question, as in failures.csv")
    add_runs(parser)
    parser.add_argument("--whole", action="store_true", help="passages at full length")
    parser.add_argument("--json", action="store_true", help="for a program: the records, and the way of the evidence")
    parser.add_argument("--language", default="en", help=f"{' or '.join(LANGUAGES)} (en)")
    chosen = parser.parse_args(list(arguments))
    say = phrases(chosen.language)
    introduce()
    found = comparisons(find_runs(chosen.runs, chosen.results, tell))
    asked = dict.fromkeys(record.question.id for one in found for run in one.runs.values() for record in run.records)
    if chosen.question not in asked:
        near = meant(chosen.question, asked) or f"\n    there are: {', '.join(list(asked)[:10])} ..."
        raise UserError(f"no run at {chosen.runs!r} was asked the question {chosen.question!r}.{near}")
    if chosen.json:
        told = [one for comparison in found for one in _plain(comparison, chosen.question)]
        print(json.dumps(told, ensure_ascii=False, indent=2))
        return 0
    for comparison in found:
        _show(comparison, chosen.question, say, whole=chosen.whole)
    return 0


def _plain(comparison: Comparison, question: str) -> Iterator[dict[str, object]]:
    """Each run's record as it is kept, and where its evidence stood."""
    for name, (record, root) in _records(comparison, question).items():
        way = [
            {**asdict(trail.evidence), "places": [asdict(place) for place in trail.places], "lost_at": trail.lost_at}
            for trail in root.trails
        ]
        yield {
            "corpus": comparison.corpus,
            "run": name,
            "record": json.loads(to_line(record, comparison.runs[name].folder.fingerprint)),
            "evidence": way,
            "in_its_place": None if root.instead is None else asdict(root.instead.chunk),
            "remedy": root.remedy,
        }


def _records(comparison: Comparison, question: str) -> dict[str, tuple[Record, RootCause]]:
    return {
        name: (record, trace(record, diagnosis=comparison.diagnoses[name]))
        for name, run in comparison.runs.items()
        for record in run.records
        if record.question.id == question
    }


def _show(comparison: Comparison, question: str, say: Phrases, *, whole: bool) -> None:
    records = _records(comparison, question)
    if records:
        corpus = next(iter(comparison.runs.values())).corpus
        documents = {document.id: document for document in corpus.documents}
        asked = next(iter(records.values()))[0].question
        print("\n".join(question_lines(asked, records, documents, say, whole=whole)))
