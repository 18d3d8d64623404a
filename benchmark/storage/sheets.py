"""Sheets for people to fill in: CSV that any country's spreadsheet opens and saves, and takes no cell for a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmark.storage.fields import Place, read_text, shown
from benchmark.storage.runs import table, write_whole

_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    >>> cell("=1+1"), cell("1+1"), uncell(cell("=1+1")), uncell("'tis")
    ("'=1+1", '1+1', '=1+1', "'tis")
    """
    return f"'{text}" if _FORMULA.match(text) else text


def uncell(text: str) -> str:
    """The text of a cell that ``cell`` wrote."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def numbered(texts: Sequence[str]) -> str:
    """Texts in one cell.

    >>> numbered(["Now.", "Then."])
    '[1] Now.\\n\\n[2] Then.'
    """
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, start=1))


def write_sheet(file: Path, rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> bool:
    """Write a sheet; False where one is there, and stays: somebody may have filled it in."""
    if file.exists():
        return False
    write_whole(file, "\ufeff" + table(rows, columns))  # the mark is for spreadsheets
    return True


def sheet_rows(file: Path, *, column: str, columns: Sequence[str]) -> Iterator[tuple[Place, dict[str, object]]]:
    """Rows by the names in the first line; separated by what a spreadsheet of any country separates them by.

    Raises:
        UserError: it is no CSV, or it has no column of the name ``column``; ``columns`` are those that it may have.
    """
    text = read_text(file)
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=head.count), strict=True)
    try:
        names = [name.strip() for name in next(reader, [])]
        if column not in names:
            wanted = f"a first line that names the columns, of {', '.join(columns)}"
            raise Place(file, 1).wrong(f"there is no column {column} in {shown(names)}", wanted, "add the first line")
        line = reader.line_num + 1
        for row in reader:
            place, line = Place(file, line), reader.line_num + 1
            if any(cell.strip() for cell in row):
                if len(row) != len(names):
                    wanted = f"as many as the first line has, {len(names)}"
                    raise place.wrong(f"the row has {len(row)} cells", wanted, "quote texts that hold the separator")
                yield place, dict(zip(names, row, strict=True))
    except csv.Error as error:
        raise Place(file, reader.line_num).wrong(f"this is no CSV ({error})", "texts in quotes", "mend it") from None
