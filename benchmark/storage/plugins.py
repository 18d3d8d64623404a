"""What other installed packages bring by the entry point ``ragsweep``: corpora, and whatever ``conf`` may hold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from benchmark.domain import UserError

GROUP = "ragsweep"


@cache
def packages() -> Mapping[str, Path]:
    """By the entry point's name the folder of the package that it names, in the order of the names. None is imported.

    Raises:
        UserError: an installed package names a package that is not there.
    """
    found = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            spec = find_spec(point.value)
        except ImportError:  # a package above it is missing
            spec = None
        if spec is None or not spec.submodule_search_locations:
            distribution = point.dist.name if point.dist else point.name
            raise UserError(
                f"the installed package {distribution} names {point.value} for ragsweep, and there is "
                f"no such package.\n    to do:  pip uninstall {distribution}, or correct its entry point {point.name}"
            )
        found[point.name] = Path(next(iter(spec.submodule_search_locations)))
    return MappingProxyType(found)


def folders(name: str) -> dict[str, Path]:
    """By package its folder of that name, ``conf`` or ``corpora``, where it has one."""
    return {package: folder / name for package, folder in packages().items() if (folder / name).is_dir()}
