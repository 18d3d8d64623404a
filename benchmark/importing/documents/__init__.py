"""Documents of a file or a folder, each file by a reader for its form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmark.domain import UserError
from benchmark.importing.documents import markup, pdf, plain, table
from benchmark.importing.documents.pieces import Piece
from benchmark.importing.raw import check, kind_of
from benchmark.importing.tables import is_table
from benchmark.storage.corpora import visible
from benchmark.storage.fields import Place, clean

_READERS = {
    ".pdf": pdf.read,
    ".html": markup.read_html,
    ".htm": markup.read_html,
    ".xhtml": markup.read_html,
    ".docx": markup.read_docx,
    **dict.fromkeys((".md", ".markdown", ".txt", ".text"), plain.read),
}
_CURES = {
    ".doc": "open it in a word processor and save it as .docx",
    ".xls": "open it in a spreadsheet and save it as .xlsx",
    ".run": "this is a run of a retriever, not documents or judgements",
}


def files_of(source: Path) -> tuple[list[Path], list[Path]]:
    """The files that can be read, sorted, and those of other forms.

    Raises:
        UserError: there is nothing, or nothing that can be read.
    """
    if not source.exists():
        raise UserError(f"there is no file or folder {source}.\n    to do:  give the path of one that is there")
    found = sorted(visible(source, "*")) if source.is_dir() else [source]
    known = [file for file in found if is_known(file)]
    if not known:
        names = ", ".join(file.name for file in found[:3])
        others = f"only files of other forms ({names})" if source.is_dir() and found else "no documents"
        cure = next(
            (_CURES[kind_of(file)] for file in found if kind_of(file) in _CURES), "save them in one of these forms"
        )
        raise Place(source).wrong(f"it has {others}", ", ".join(sorted(_READERS)) + ", or a table", cure)
    return known, [file for file in found if file not in set(known)]


def is_known(file: Path) -> bool:
    return kind_of(file) in _READERS or is_table(file)


def read(file: Path, source: Path, *, skip: int = 0, chosen: Mapping[str, str]) -> Iterator[Piece]:
    """The documents of one file below ``source``, from the one after ``skip`` pieces.

    Raises:
        UserError: the file cannot be read; the message names file, line, what was found and the cure.
    """
    check(file)
    if is_table(file):
        yield from table.read(file, skip=skip, chosen=chosen)
        return
    inside = file.relative_to(source) if source.is_dir() else Path(file.name)
    yield from _READERS[kind_of(file)](file, clean(inside.as_posix()), skip=skip)
