"""Rows of tables: CSV with any delimiter, XLSX, parquet, JSON and JSONL, one at a time and each with its place."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import mode

from benchmark.importing.extras import library
from benchmark.importing.raw import Text, check, encoding_of, kind_of, whole
from benchmark.storage.fields import Place, shown

_DELIMITERS = (",", ";", "\t", "|")
_NO_JSON = re.compile(r"(?<=[:\[,\s])-?(?:NaN|Infinity)(?=\s*[,\]}])")
_UNNAMED = "column {}"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its cells by column, where it stands, and the share of the file that was read up to it."""

    values: Mapping[str, object]
    place: Place
    name: str
    done: float = 0.0


def rows(file: Path) -> Iterator[Row]:
    """The rows of a file by its ending, gzipped or not.

    Raises:
        UserError: it is none of these forms, or breaks its own; the message names file, line and cure.
    """
    reader = _READERS.get(kind_of(file))
    if reader is None:
        wanted = f"one of {', '.join(sorted(_READERS))}, or .gz of it"
        raise Place(file).wrong("this is no table by its ending", wanted, "save it in one of these forms")
    check(file)
    return reader(file)


def is_table(file: Path) -> bool:
    return kind_of(file) in _READERS


def about(file: Path) -> str | None:
    """How a file's text is written, where it is not plain UTF-8 with commas; for the user to see."""
    if kind_of(file) not in (".csv", ".tsv", ".tab", ".txt", ".md", ".html", ".htm", ".jsonl", ".json"):
        return None
    encoding = encoding_of(file)
    told = [] if encoding in ("utf-8", "utf-8-sig") else [f"encoding {encoding}"]
    if kind_of(file) in (".csv", ".tsv", ".tab") and (delimiter := _delimiter(Text.of(file))[0]) != ",":
        told.append(f"delimiter {'tab' if delimiter == chr(9) else delimiter}")
    return ", ".join(told) or None


# ------------------------------------------------------------------------------------------------------------- CSV


def _csv(file: Path) -> Iterator[Row]:
    csv.field_size_limit(sys.maxsize)
    text = Text.of(file)
    delimiter, skipped = _delimiter(Text.of(file))
    lines = islice(text.lines(), skipped, None)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    last = skipped
    header: list[str] | None = None
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            cure = 'close the quotation mark that opens there; write a " inside a quoted cell as ""'
            raise Place(file, last + 1).wrong(f"the record that begins here is no CSV ({error})", "CSV", cure) from None
        place, last = Place(file, last + 1), skipped + reader.line_num
        if not any(cell.strip() for cell in record):
            continue
        if header is None:
            header = _header(record, place)
        elif len(record) > len(header) and any(cell.strip() for cell in record[len(header) :]):
            found = f"the row has {len(record)} cells and the header {len(header)}"
            cure = f"put a cell that contains the delimiter {delimiter!r} in quotation marks"
            raise place.wrong(found, "as many cells as the header has", cure)
        elif len(record) < len(header):
            found = f"the row has {len(record)} cells and the header {len(header)} (it begins {shown(record[0])})"
            raise place.wrong(found, "as many cells as the header has", "add the cells, empty ones too, or the quotes")
        else:
            yield Row(dict(zip(header, record, strict=False)), place, f"line {place.line}", text.done)


def _header(record: list[str], place: Place) -> list[str]:
    names = [cell.strip() or _UNNAMED.format(number) for number, cell in enumerate(record, start=1)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise place.wrong(f"the column {twice!r} is there twice", "a name of its own for each column", "rename one")
    return names


def _delimiter(text: Text) -> tuple[str, int]:
    """The delimiter that cuts the first records into most cells alike, and how many lines before the header say it."""
    sample = list(islice(text.lines(), 400))
    told = re.match(r"sep=(.)\s*$", sample[0]) if sample else None
    if told:
        return told[1], 1

    def fitness(delimiter: str) -> tuple[float, int]:
        csv.field_size_limit(sys.maxsize)
        try:
            widths = [len(record) for record in csv.reader(sample, delimiter=delimiter) if any(record)]
        except csv.Error:
            return (0.0, 0)
        widths = widths[:-1] if len(widths) > 2 else widths  # the last may be cut by the end of the sample
        width = mode(widths) if widths else 1
        return (widths.count(width) / len(widths), width) if width > 1 else (0.0, 0)

    return max(_DELIMITERS, key=lambda delimiter: (fitness(delimiter)[0] > 0.8, *fitness(delimiter)[::-1])), 0


# ------------------------------------------------------------------------------------------------ XLSX and parquet


def _xlsx(file: Path) -> Iterator[Row]:
    openpyxl = library("openpyxl", "an .xlsx file")
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except Exception as error:  # noqa: BLE001  # its errors have no common base
        raise Place(file).wrong(f"it cannot be opened ({error})", "an .xlsx workbook", "save it again") from None
    sheet = next((one for one in book.worksheets if one.max_row and one.max_row > 1), book.worksheets[0])
    header: list[str] | None = None
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        if all(cell is None or not str(cell).strip() for cell in cells):
            continue
        place = Place(file, number)
        if header is None:
            header = _header(["" if cell is None else str(cell) for cell in cells], place)
        else:
            name = f"sheet {sheet.title}, row {number}"
            yield Row(dict(zip(header, cells, strict=False)), place, name, number / max(1, sheet.max_row or 1))


def _parquet(file: Path) -> Iterator[Row]:
    parquet = library("pyarrow.parquet", "a .parquet file")
    try:
        opened = parquet.ParquetFile(file)
    except Exception as error:  # noqa: BLE001  # its errors have no common base
        raise Place(file).wrong(f"it cannot be opened ({error})", "a parquet file", "download it again") from None
    number, total = 0, max(1, opened.metadata.num_rows)
    for batch in opened.iter_batches(batch_size=1000):
        for values in batch.to_pylist():
            number += 1
            yield Row(values, Place(file, number), f"row {number}", number / total)


# ------------------------------------------------------------------------------------------------------------ JSON


def loads(text: str, place: Place) -> object:
    """A JSON value; NaN and Infinity, which are none, are refused with their line."""

    def refuse(constant: str) -> object:
        found = _NO_JSON.search(text)
        line = (place.line or 1) + (text.count("\n", 0, found.start()) if found else 0)
        cure = "write null where there is no value"
        raise Place(place.file, line).wrong(f"{constant} is no JSON value", "a number or null", cure)

    try:
        value: object = json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        line = (place.line or 1) + error.lineno - 1
        near = shown(text.split("\n")[error.lineno - 1].strip()[:60])
        raise Place(place.file, line).wrong(f"this is not JSON: {near}", "JSON", f"mend it ({error.msg})") from None
    if "\\ud" in text.lower() and not _is_unicode(value):
        half = "half of a character (an escape from \\ud800 to \\udfff without its other half)"
        raise place.wrong(f"there is {half}", "whole characters", "write \\ufffd in its place")
    return value


def _is_unicode(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _jsonl(file: Path) -> Iterator[Row]:
    text = Text.of(file)
    for line in text.lines():
        if line.strip():
            value = loads(line.strip(), text.place)
            if not isinstance(value, dict):
                raise text.place.wrong(f"the line is {shown(value)}", "one JSON object on each line", "mend the line")
            yield Row(value, text.place, f"line {text.line}", text.done)


def _json(file: Path) -> Iterator[Row]:
    value = loads(whole(file), Place(file))
    items = _records(value)
    if items is None:
        found = f"its top level is {shown(value)}"
        raise Place(file).wrong(found, "a list of objects, one for each row", "write it as [{...}, {...}] or as JSONL")
    for number, item in enumerate(items, start=1):
        if not isinstance(item, dict):
            raise Place(file).wrong(f"item {number} is {shown(item)}", "an object", "write its fields in {}")
        yield Row(item, Place(file), f"item {number}", number / len(items))


def _records(value: object) -> list[object] | None:
    """The rows of a JSON file: a list, the one list inside an object, or columns as ``to_dict`` writes them."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict) or not value:
        return None
    lists = {name: part for name, part in value.items() if isinstance(part, list) and part}
    nested = [part for part in lists.values() if all(isinstance(item, dict) for item in part)]
    if len(nested) == 1:
        return nested[0]
    columns = {name: part.values() if isinstance(part, dict) else part for name, part in value.items()}
    if all(isinstance(part, dict | list) for part in value.values()) and len({len(c) for c in columns.values()}) == 1:
        return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    return None


_READERS: dict[str, Callable[[Path], Iterator[Row]]] = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), _csv),
    **dict.fromkeys((".jsonl", ".ndjson"), _jsonl),
    ".json": _json,
    ".xlsx": _xlsx,
    ".parquet": _parquet,
}
