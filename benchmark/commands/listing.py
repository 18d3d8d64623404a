"""``ragsweep list``: what may be chosen, and where it comes from."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from benchmark.storage.places import bundled


def command(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("ragsweep list", description=__doc__)
    parser.add_argument("group", nargs="?", help="one group, such as architecture")
    chosen = parser.parse_args(list(arguments))
    for group, options in choices().items():
        if chosen.group in (None, group):
            print(group)
            for name, (origin, command_line) in sorted(options.items()):
                print(f"  {name:<18} {origin:<8} {command_line}")
    return 0


def choices() -> dict[str, dict[str, tuple[str, str]]]:
    """Group -> option -> (``yours`` or ``bundled``, the command in the file's first lines)."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    shelves = [("bundled", bundled("conf"))]
    if Path("conf").resolve() != bundled("conf").resolve():
        shelves.append(("yours", Path("conf")))  # last, since it wins over a bundled one of the same name
    for origin, folder in shelves:
        for file in sorted(folder.glob("*/*.yaml")):
            comments = [line for line in file.read_text(encoding="utf-8").splitlines()[:3] if line.startswith("# ")]
            usage = next((line[2:] for line in comments if line.startswith("# ragsweep")), "")
            found.setdefault(file.parent.name, {})[file.stem] = (origin, usage)
    return dict(sorted(found.items()))
