"""Cases drawn for people to label, in ``results/judge/samples``: as they were, as CSV, and as a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from benchmark.digest import digest
from benchmark.domain import UserError
from benchmark.readings.people import Case
from benchmark.storage.fields import lines
from benchmark.storage.reports import plain_name
from benchmark.storage.runs import write_whole
from benchmark.storage.sheets import cell, numbered, write_sheet

COLUMNS = ("case", "question", "claim", "answer", "context", "language", "label", "annotator")


def folder_of(results: Path, name: str, cases: Sequence[Case]) -> Path:
    """Of this very draw: another one of the same runs lies beside it."""
    return results / "judge" / "samples" / f"{plain_name(name)}-{digest([case.id for case in cases])[:8]}"


def write_sample(folder: Path, cases: Sequence[Case], page: str) -> tuple[Path, Path]:
    """Write all; returns the CSV and the page. A CSV that is there stays: somebody may have labelled in it."""
    told = "".join(json.dumps(asdict(case), ensure_ascii=False) + "\n" for case in cases)
    write_whole(folder / "cases.jsonl", told)
    labels, shown = folder / "labels.csv", folder / "label.html"
    write_whole(shown, page)
    write_sheet(labels, [_row(case) for case in cases], COLUMNS)
    return labels, shown


def drawn_cases(results: Path) -> dict[str, Case]:
    """Every case that was drawn into a folder of results, by its id.

    Raises:
        UserError: a file does not say what ``write_sample`` writes.
    """
    found = {}
    for file in sorted((results / "judge" / "samples").glob("*/cases.jsonl")):
        for place, value in lines(file):
            try:
                fields = cast(dict[str, Any], value)
                case = Case(**{**fields, "context": tuple(fields["context"])})
            except (TypeError, KeyError):
                raise UserError(
                    f"{place.file}, line {place.line}: this is no case that this version of ragsweep drew.\n"
                    "    to do:  delete the folder and draw the sample again"
                ) from None
            found[case.id] = case
    return found


def cells(case: Case) -> dict[str, str]:
    """What the CSV says of a case before it is labelled."""
    told = {
        "question": case.question,
        "claim": case.claim or "",
        "answer": case.answer,
        "context": numbered(case.context),
    }
    return {"case": case.id, **{name: cell(text) for name, text in told.items()}, "language": case.language}


def _row(case: Case) -> dict[str, object]:
    return {**cells(case), "label": "", "annotator": ""}
