"""``ragsweep list``: what may be chosen, and where it comes from."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmark.commands import about
from benchmark.domain import UserError
from benchmark.storage.places import bundled
from benchmark.storage.plugins import folders
from benchmark.suggestions import meant


def command(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("ragsweep list", description=about(__doc__))
    parser.add_argument("group", nargs="?", help="one group, such as architecture; without it all of them")
    chosen = parser.parse_args(list(arguments))
    found = choices()
    if chosen.group is not None and chosen.group not in found:
        raise UserError(_no_group(chosen.group, found))
    width = max(8, *(len(origin) for options in found.values() for origin, _ in options.values()))
    for group in found if chosen.group is None else [chosen.group]:
        print(group)
        for name, (origin, command_line) in sorted(found[group].items()):
            print(f"  {name:<18} {origin:<{width}} {command_line}")
    return 0


def _no_group(word: str, found: Mapping[str, Mapping[str, object]]) -> str:
    options = " or ".join(f"{group}={word}" for group, names in found.items() if word in names)
    near = f" {word} is an option: {options}." if options else meant(word, found)
    return f"there is no group {word!r} to choose from.{near}\n    wanted: one of {', '.join(found)}"


def choices() -> dict[str, dict[str, tuple[str, str]]]:
    """Group -> option -> (``yours``, ``bundled`` or the package that brings it, the command in the file's first lines).

    A group is the folder below ``conf``, such as ``architecture`` or ``hydra/launcher``.
    """
    found: dict[str, dict[str, tuple[str, str]]] = {}
    shelves = [*reversed(folders("conf").items()), ("bundled", bundled("conf"))]
    if Path("conf").resolve() != bundled("conf").resolve():
        shelves.append(("yours", Path("conf")))  # last, since it wins over a bundled one of the same name
    for origin, folder in shelves:
        for file in sorted(folder.rglob("*.yaml")):
            group = file.parent.relative_to(folder).as_posix()
            if group == ".":
                continue
            comments = [line for line in file.read_text(encoding="utf-8").splitlines()[:3] if line.startswith("# ")]
            usage = next((line[2:] for line in comments if line.startswith("# ragsweep")), "")
            found.setdefault(group, {})[file.stem] = (origin, usage)
    return dict(sorted(found.items()))
