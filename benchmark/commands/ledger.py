"""``ragsweep ledger stats|prune|export``: what model calls and vectors are kept; fewer of them; calls as JSONL."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmark.commands.arguments import ChoosingParser, add_results
from benchmark.domain import UserError
from benchmark.storage.ledger import Entry, Ledger, open_ledger
from benchmark.storage.ledger_entries import VECTORS, call_of, model_of, totals


def command(arguments: Sequence[str]) -> int:
    parser = ChoosingParser("ragsweep ledger", description=__doc__)
    parser.add_argument("deed", choices=("stats", "prune", "export"))
    add_results(parser)
    parser.add_argument("--before", help="prune: what was kept before a day, as in 2026-01-31")
    parser.add_argument("--model", help=f"prune: what one model made, or {VECTORS} of models of this machine")
    parser.add_argument("--yes", action="store_true", help="prune: do it; without, it is only said what would go")
    chosen = parser.parse_args(list(arguments))
    file = chosen.results / "ledger.sqlite"
    if not file.is_file():
        raise UserError(
            f"there is no {file}: nothing was kept there yet. The first run makes it: ragsweep architecture=dense"
        )
    ledger = open_ledger(str(file))
    if chosen.deed == "prune":
        _prune(ledger, chosen)
    elif chosen.deed == "export":
        for line in _exported(ledger):
            print(line)
    else:
        _show(ledger)
    return 0


def _show(ledger: Ledger) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    table = Table(header_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for number, head in enumerate(("model", "endpoint", "kept", "tokens in", "tokens out", "money", "MB")):
        table.add_column(head, justify="left" if number < 2 else "right")
    for row in totals(ledger.entries()):
        money = "unknown" if row.unpriced == row.calls else f"{row.money:.4f}"
        money += f" and {row.unpriced} unknown" if 0 < row.unpriced < row.calls else ""
        counts = (f"{row.prompt_tokens:,}", f"{row.completion_tokens:,}", money)
        spent = ("", "", "") if row.model == VECTORS else counts
        table.add_row(row.model, row.endpoint, f"{row.calls:,}", *spent, f"{row.size / 1e6:.2f}")
    console.print(table)


def _prune(ledger: Ledger, chosen: Namespace) -> None:
    if chosen.before is None and chosen.model is None:
        raise UserError("prune wants to know what may go: --before 2026-01-31, --model NAME, or both")
    try:
        before = (
            None if chosen.before is None else datetime.fromisoformat(chosen.before).replace(tzinfo=UTC).timestamp()
        )
    except ValueError:
        raise UserError(f"--before is {chosen.before!r}: it is a day such as 2026-01-31") from None
    going = [entry for entry in ledger.entries() if _is_meant(entry, before, chosen.model)]
    size = sum(len(entry.value) for entry in going) / 1e6
    if not chosen.yes:
        print(
            f"{len(going):,} entries of {size:.2f} MB would go, and be paid for again when they are wanted: add --yes"
        )
        return
    ledger.remove([entry.key for entry in going])
    print(f"{len(going):,} entries of {size:.2f} MB are gone")


def _is_meant(entry: Entry, before: float | None, model: str | None) -> bool:
    is_old = before is None or entry.made is None or entry.made < before
    return is_old and model in (None, model_of(entry))


def _exported(ledger: Ledger) -> Iterator[str]:
    """Calls alone: a vector says nothing to a reader."""
    for entry in ledger.entries():
        call = call_of(entry)
        if call is not None:
            made = None if entry.made is None else datetime.fromtimestamp(entry.made, UTC).isoformat()
            fields = {"key": entry.key, "made": made, **call.asked, "completion": call.completion}
            yield json.dumps(fields, ensure_ascii=False)
