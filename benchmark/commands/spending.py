"""What was sent to endpoints, or would be, by model: for the terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmark.models.endpoints.budget import Spent, by_model


def show_spending(*, dry: bool) -> None:
    """Print a table, if there is anything to say. ``dry``: what would be sent, replies at their longest."""
    expected = by_model(expected=True) if dry else {}
    sent = expected or by_model(expected=False)
    if not sent:
        if dry:
            print("No call to an endpoint would be sent: there is none in it, or the ledger keeps them all.")
        return
    table = Table(header_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    written = "tokens out, at most" if expected else "tokens out"
    for number, head in enumerate(
        ("would be sent to" if expected else "sent to", "calls", "tokens in", written, "money")
    ):
        table.add_column(head, justify="right" if number else "left", no_wrap=True)
    for model, spent in sent.items():
        table.add_row(model, *_cells(spent))
    if len(sent) > 1:
        table.add_row("all", *_cells(sum(sent.values(), Spent())))
    Console(highlight=False, width=120).print(table)


def _cells(spent: Spent) -> tuple[str, ...]:
    money = f"{spent.money:.4f}" if spent.unpriced < spent.calls else "unknown"
    money += f" and {spent.unpriced} of unknown price" if 0 < spent.unpriced < spent.calls else ""
    return f"{spent.calls:,}", f"{spent.prompt_tokens:,}", f"{spent.completion_tokens:,}", money
