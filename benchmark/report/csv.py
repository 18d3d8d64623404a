"""Every run's mean of every metric as a tidy table: one row for each of both, for any statistics program."""

from __future__ import annotations

import csv
from io import StringIO

from benchmark.report.account import Account

COLUMNS = (
    "corpus",
    "run",
    "yardstick",
    "metric",
    "mean",
    "low",
    "high",
    "interval",
    "n",
    "missing",
    "if_missing_0",
    "if_missing_1",
    "tier",
)


def as_csv(account: Account) -> str:
    """What is not measured is an empty cell, with its n of 0 beside it."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, measure in account.measures.items():
        for run in account.runs:
            one, standing = measure.statistics.estimates[run.name], measure.statistics.standings.get(run.name)
            tier = None if standing is None else standing.tier
            bound = measure.statistics.bounds.get(run.name)
            ends = (None, None) if bound is None else (bound.low, bound.high)
            row = (one.mean, one.low, one.high, str(one.how), one.n, one.missing, *ends, tier)
            writer.writerow([account.corpus, run.name, run.row.yardstick, name, *("" if v is None else v for v in row)])
    return text.getvalue()
