"""Where corpora lie: the user's folder, the bundled ones, those of installed packages."""

from __future__ import annotations

import os
from pathlib import Path

from benchmark.domain import UserError
from benchmark.storage.fields import Place
from benchmark.storage.places import bundled
from benchmark.storage.plugins import folders as brought


def find(name_or_path: str) -> Path:
    """The folder of a corpus: ``./corpora/<name>``, the bundled one, that of another package, then the path itself.

    Raises a ``UserError`` that lists the corpora that there are.
    """
    shelves, folders = _searched(name_or_path)
    for folder in folders:
        if (folder / "questions.jsonl").is_file():
            return folder
    for folder in folders:
        if folder.is_dir():
            raise _without_exam(folder)
        if folder.is_file():
            raise Place(folder).wrong("this is a file", "the folder of a corpus", "give the folder that it lies in")
    names = sorted({file.parent.name for shelf in shelves for file in shelf.glob("*/questions.jsonl")})
    raise UserError(
        f"there is no corpus {name_or_path!r}: neither {shelves[0] / name_or_path} nor a bundled one.\n"
        f"    wanted: one of {', '.join(names) or '(none found)'}, or the path of a folder with questions.jsonl\n"
        "    to do:  choose one with corpus=NAME, or give the folder: corpus=folder corpus.path=FOLDER"
    )


def _without_exam(folder: Path) -> UserError:
    """What to say of a folder without questions: it may be of files that are no corpus yet."""
    there = os.path.lexists(folder / "questions.jsonl")
    found = "its questions.jsonl is no file" if there else "the folder has no questions.jsonl"
    cure = f"add the file, or let a model draft questions: ragsweep corpus questions {folder} --to drafts"
    if not _has_documents(folder):
        cure = f"add both; your files as they are become a corpus by ragsweep corpus import {folder} --to corpora/NAME"
    return Place(folder).wrong(found, "documents/ or documents.jsonl, and questions.jsonl", cure)


def _has_documents(folder: Path) -> bool:
    return (folder / "documents").is_dir() or (folder / "documents.jsonl").is_file()


def find_documents(name_or_path: str) -> Path:
    """The folder of documents, with an exam or without; searched as ``find`` does, which says what is wrong.

    Raises a ``UserError`` that lists the corpora that there are.
    """
    for folder in _searched(name_or_path)[1]:
        if _has_documents(folder):
            return folder
    return find(name_or_path)


def _searched(name_or_path: str) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The shelves, and the folders of that name on them, then the path itself."""
    shelves = (Path("corpora"), bundled("corpora"), *brought("corpora").values())
    return shelves, (*(shelf / name_or_path for shelf in shelves), Path(name_or_path)) if name_or_path else ()
