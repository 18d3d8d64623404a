"""Where the folders lie that the package brings along."""

from __future__ import annotations

from pathlib import Path

import benchmark

PACKAGE = Path(benchmark.__file__).resolve().parent


def bundled(folder: str) -> Path:
    """The bundled ``conf`` or ``corpora``: inside the package in a wheel, beside it in a source tree.

    The package is asked first: beside an installed package lie other people's folders.
    """
    inside = PACKAGE / folder
    return inside if inside.is_dir() else PACKAGE.parent / folder
