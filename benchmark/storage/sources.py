"""What a configuration points at outside itself: the code of parts that are the user's, and files such as weights."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path

from benchmark.digest import file_digest, text_digest
from benchmark.storage.places import PACKAGE

_NO_FILES = ("corpus", "memory", "tracking", "results")
"""Parts whose files are known by other means, or grow with every run."""
_ONE_FILE_EACH = "architectures"  # no file imports another there
_NAMED = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")
"""``module:name``, as architectures over other libraries name a user's function; what is no module yields no code."""
_INSTALLED = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib"))


def sources(settings: Mapping[str, object]) -> dict[str, str]:
    """Digests by the name of what they are of, wherever in the resolved ``settings`` it is named.

    Of a ``_target_`` or a ``module:name`` outside this package: its module, and of a user's package all modules, since
    they import each other; not what lies beside them. Of a value that is the path of an existing file: that file.
    """
    code = {name: file for target in dict.fromkeys(_targets(settings)) for name, file in _code(target)}
    files = dict(_files(settings))
    return {name: text_digest(file) for name, file in code.items()} | {v: file_digest(f) for v, f in files.items()}


def _targets(node: object) -> Iterator[str]:
    if isinstance(node, Mapping):
        if isinstance(target := node.get("_target_"), str):
            yield target
        for part in node.values():
            yield from _targets(part)
    elif isinstance(node, Sequence) and not isinstance(node, str):
        for part in node:
            yield from _targets(part)
    elif isinstance(node, str) and _NAMED.fullmatch(node):
        yield node.replace(":", ".")


def _code(target: str) -> Iterator[tuple[str, Path]]:
    """Names and files of the modules that a target stands in; none of this package, whose code counts as a whole."""
    module, origin = _module(target)
    if origin is None or origin.is_relative_to(PACKAGE):
        return
    package = module if origin.name == "__init__.py" else module.rpartition(".")[0]
    folder = origin.parent
    if not package or package == _ONE_FILE_EACH or any(origin.is_relative_to(place) for place in _INSTALLED):
        yield module, origin
        return
    for file in folder.rglob("*.py"):
        inside = file.relative_to(folder)
        if not any(part.startswith(".") for part in inside.parts):
            yield f"{package}/{inside.as_posix()}", file


def _module(target: str) -> tuple[str, Path | None]:
    """The longest beginning of a dotted name that is a module, and its file. Nothing is imported."""
    first, *rest = target.split(".")
    try:
        spec = find_spec(first)
    except (ImportError, ValueError):  # such as __main__, which has none
        return target, None
    name = first
    for part in rest:
        # Once imported, a package may have another path than its files say: as architectures has, the user's first.
        path = getattr(sys.modules.get(name), "__path__", spec.submodule_search_locations if spec else None)
        inside = None if path is None else PathFinder.find_spec(f"{name}.{part}", list(path))
        if inside is None:
            break
        name, spec = f"{name}.{part}", inside
    return name, Path(spec.origin).resolve() if spec and spec.has_location and spec.origin else None


def _files(node: object) -> Iterator[tuple[str, Path]]:
    """Values that look like a path (a folder before, or an ending behind) and are a file's."""
    if isinstance(node, Mapping):
        for name, part in node.items():
            if name not in _NO_FILES:
                yield from _files(part)
    elif isinstance(node, str):
        path = Path(node).expanduser()
        if (path.suffix or os.sep in node) and _is_file(path):
            yield node, path.resolve()
    elif isinstance(node, Sequence):
        for part in node:
            yield from _files(part)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL
        return False
