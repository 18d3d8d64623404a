"""Checks of judges against people's labels, kept in ``results/judge/checks`` under the digest of the judge's name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmark.digest import digest
from benchmark.domain import UserError
from benchmark.storage.runs import plain_json, write_whole


@dataclass(frozen=True, slots=True)
class Check:
    """One judge against one set of labels; ``sentence`` says how it did, ``labels`` is the digest of the set."""

    judge: str
    labels: str
    files: tuple[str, ...]
    date: str
    sentence: str
    figures: Mapping[str, object]


def keep(results: Path, check: Check) -> Path:
    """Keep a check in the place of an earlier one of the same judge against the same labels, and as the latest."""
    others = [one for one in checks_of(results, check.judge) if one.labels != check.labels]
    file = _file(results, check.judge)
    write_whole(file, plain_json({"judge": check.judge, "checks": [asdict(one) for one in [*others, check]]}))
    return file


def checks_of(results: Path, judge: str) -> tuple[Check, ...]:
    """The checks of a judge, the latest last; none where it was never checked.

    Raises:
        UserError: the file does not say what ``keep`` writes.
    """
    file = _file(results, judge)
    if not file.is_file():
        return ()
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))["checks"]
        return tuple(Check(**{**one, "files": tuple(one["files"])}) for one in kept)
    except (ValueError, KeyError, TypeError):
        raise UserError(
            f"{file} is no check that this version of ragsweep wrote.\n    to do:  delete it and repeat the check"
        ) from None


def _file(results: Path, judge: str) -> Path:
    return results / "judge" / "checks" / f"{digest(judge)[:16]}.json"
