"""Arguments that several commands take alike."""

from __future__ import annotations

from argparse import Action, ArgumentError, ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from benchmark.suggestions import meant

RUNS = "a sweep's name, the path of runs, or latest"


class ChoosingParser(ArgumentParser):
    """A parser that answers a word which is none of its choices with the one that was meant; its subparsers too."""

    def _check_value(self, action: Action, value: Any) -> None:
        known = [str(choice) for choice in cast(Iterable[object], action.choices or ())]
        if known and str(value) not in known:
            raise ArgumentError(
                action, f"there is no {value!r}.{meant(str(value), known)} It is one of {', '.join(known)}"
            )


def add_runs(parser: ArgumentParser) -> None:
    """RUNS of a command that reads one target, ``latest`` unless said, and where they lie."""
    parser.add_argument("runs", nargs="?", default="latest", help=f"{RUNS} (latest)")
    add_results(parser)


def add_results(parser: ArgumentParser) -> None:
    """The folder in which runs, the ledger and what is made of them lie."""
    parser.add_argument("--results", type=Path, default=Path("results"), help="the folder of results (results)")


def add_forms(parser: ArgumentParser, *, markdown: str, json: str) -> None:
    """``--markdown`` or ``--json`` in the place of what is said to a terminal; each text says what it is for."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help=markdown)
    form.add_argument("--json", action="store_true", help=json)
