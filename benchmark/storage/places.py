"""Where the folders lie: those that the package brings along, and whether those of the user can be written."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import mkdtemp

import benchmark
from benchmark.domain import UserError

PACKAGE = Path(benchmark.__file__).resolve().parent


def bundled(folder: str) -> Path:
    """The bundled ``conf`` or ``corpora``: inside the package in a wheel, beside it in a source tree.

    The package is asked first: beside an installed package lie other people's folders.
    """
    inside = PACKAGE / folder
    return inside if inside.is_dir() else PACKAGE.parent / folder


def must_be_writable(folder: Path, *, knob: str) -> None:
    """Refuse a folder that cannot be made or written, before anything is asked; nothing stays in it.

    A folder is made and taken away again where it would have to be: permissions alone do not tell of a full disk, of a
    file system that is read only, or of an administrator's rights.

    Raises:
        UserError: the folder is a file, lies below one, or cannot be written; or what lies in it cannot.
    """
    there = folder.absolute()
    while not os.path.lexists(there):
        there = there.parent
    if not there.is_dir():
        raise _no_folder(f"{there} is no folder", folder, knob)
    try:
        Path(mkdtemp(prefix=".ragsweep-", dir=there)).rmdir()
    except OSError as error:
        raise _no_folder(f"{there} cannot be written ({error.strerror})", folder, knob) from None
    if folder.is_dir():
        for inside in sorted(folder.iterdir()):
            if not os.access(inside, os.W_OK):
                raise _no_folder(f"{inside} cannot be written (permission denied)", folder, knob)


def _no_folder(found: str, folder: Path, knob: str) -> UserError:
    return UserError(
        f"{knob} is {folder}, but {found}.\n"
        "    wanted: a folder that you may write, or one that can be made\n"
        f"    to do:  choose another with {knob}=..., or change its permissions"
    )


def must_be_a_plain_path(folder: Path, *, knob: str) -> None:
    """Refuse a folder that MLflow would take for another.

    Its sqlite address ends at ``?`` and has no way to quote one, and it decodes ``%`` in the address of artifacts.
    """
    signs = [sign for sign in "?%" if sign in str(folder.absolute())]
    if signs:
        raise UserError(
            f"the path {folder.absolute()} has {' and '.join(signs)} in it, which MLflow cannot have in a path.\n"
            "    wanted: a path without these signs\n"
            f"    to do:  choose another with {knob}=..., rename the folder, or go without MLflow: tracking=none"
        )
