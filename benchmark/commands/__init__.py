"""One file for each command; each takes its arguments and returns an exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module


def _command(module: str) -> Callable[[Sequence[str]], int]:
    """The command of a module, imported when it is called: ``--help`` must not wait for what it does not use."""

    def call(arguments: Sequence[str]) -> int:
        exit_code: int = import_module(f"benchmark.commands.{module}").command(arguments)
        return exit_code

    return call


def about(docstring: str | None) -> str:
    """A module's docstring as ``--help`` shows it."""
    return (docstring or "").replace("``", "")


COMMANDS = {
    name: _command(module)
    for name, module in {
        "run": "run",
        "compare": "compare",
        "report": "report",
        "show": "show",
        "safety": "safety",
        "gate": "gate",
        "ui": "ui",
        "list": "listing",
        "corpus": "corpus",
        "judge": "judge",
        "ledger": "ledger",
        "replay": "replay",
        "import-runs": "import_runs",
        "score": "score",
    }.items()
}
