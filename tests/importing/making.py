"""Files as people have them, made for the tests: small PDFs, Word files and spreadsheets."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Words:
    """A line of text at a place in points from the page's lower left corner."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Rule:
    """A drawn line."""

    x0: float
    y0: float
    x1: float
    y1: float


def page_of(*lines: str, left: float = 72, top: float = 720, leading: float = 14) -> list[Words | Rule]:
    """Lines below each other."""
    return [Words(left, top - leading * number, line) for number, line in enumerate(lines)]


def ruled(
    rows: Sequence[Sequence[str]], *, left: float = 72, top: float = 600, wide: float = 150
) -> list[Words | Rule]:
    """A table with rules around its cells, each a line of text."""
    high, width = 20, wide * len(rows[0])
    marks: list[Words | Rule] = []
    levels = [top - high * number for number in range(len(rows) + 1)]
    uprights = [left + wide * number for number in range(len(rows[0]) + 1)]
    marks += [Rule(left, level, left + width, level) for level in levels]
    marks += [Rule(upright, top, upright, top - high * len(rows)) for upright in uprights]
    for down, row in enumerate(rows):
        for across, cell in enumerate(row):
            marks.append(Words(left + wide * across + 5, top - high * down - 14, cell))
    return marks


def pdf(file: Path, pages: Sequence[Sequence[Words | Rule]]) -> Path:
    """A PDF of these pages in Helvetica."""
    parts: list[bytes] = [
        b"",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    kids = []
    for marks in pages:
        stream = b"\n".join(_drawn(mark) for mark in marks)
        parts.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        content = len(parts)
        parts.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % content
        )
        kids.append(b"%d 0 R" % len(parts))
    parts[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    parts[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    written, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(parts) + 1
    end = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(written))
    file.write_bytes(written + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + end)
    return file


def _drawn(mark: Words | Rule) -> bytes:
    if isinstance(mark, Rule):
        return b"%g %g m %g %g l S" % (mark.x0, mark.y0, mark.x1, mark.y1)
    text = mark.text.encode("cp1252").replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")
    return b"BT /F1 10 Tf %g %g Td (%s) Tj ET" % (mark.x, mark.y, text)


def docx(file: Path, body: str) -> Path:
    """A Word file with this XML as its body."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="word/document.xml"/></Relationships>'
    )
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("[Content_Types].xml", types)
        packed.writestr("_rels/.rels", relations)
        packed.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
    return file
