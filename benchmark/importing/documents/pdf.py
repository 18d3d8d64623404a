"""PDF: a document for each page, without running headers, its tables as rows, its lines joined to paragraphs.

The text is PDFium's (pypdfium2, Apache-2.0/BSD-3): of the three libraries measured on a guideline of 623 pages it was
25 times as fast as pypdf and 50 times as fast as pdfplumber, and kept every number that they found. Where reading a
page by its tables would lose or repeat a word, the page is kept as plain text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmark.domain import Document
from benchmark.importing.documents import lines as layout
from benchmark.importing.documents.headers import NEAR, TOLERANCE, Line, running
from benchmark.importing.documents.pieces import Piece
from benchmark.importing.documents.ruled import Box, Table, tables
from benchmark.importing.extras import library
from benchmark.importing.raw import check
from benchmark.storage.fields import Place, clean

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"\w+")
_INSET = 1.0
"""Points by which a cell is read smaller than its rules, so that its neighbours' letters stay out."""
_BLOCK = 64
"""Pages that are looked at together."""
_LEAST = 20
"""Characters a page on average below which a PDF counts as scanned."""


def read(file: Path, identity: str, *, skip: int) -> Iterator[Piece]:
    """The pages from the one after ``skip``; a blank page has no document.

    Raises:
        UserError: the file is no PDF, is locked, or has no text.
    """
    check(file)
    pdfium = library("pypdfium2", "a PDF")
    try:
        opened = pdfium.PdfDocument(file)
    except pdfium.PdfiumError as error:
        locked = "password" in str(error).lower()
        found = "the PDF is locked by a password" if locked else f"it cannot be opened as a PDF ({error})"
        cure = "save it without a password" if locked else "download it again"
        raise Place(file).wrong(found, "a PDF that opens", cure) from None
    try:
        total = len(opened)
        _refuse_scanned(opened, file)
        for number, dropped, words in _surveyed(opened, skip):
            page = opened[number]
            text, raw = _text(page, dropped, words)
            is_blank = not text.strip()
            notes = (
                (f"{file.name}: page {number + 1} has pictures and no text",) if is_blank and _pictures(page) else ()
            )
            metadata: dict[str, object] = {"source": file.name, "page": number + 1}
            kept = "\n".join((text, *dropped))
            document = Document(f"{identity}/p{number + 1:04d}", text, file.stem, metadata)
            yield Piece(
                document=None if is_blank else document,
                place=Place(file),
                done=(number + 1) / total,
                lost=dict(numbers(raw) - numbers(kept)),
                numbers=numbers(raw).total(),
                notes=notes,
            )
            page.close()
    finally:
        opened.close()


def numbers(text: str) -> Counter[str]:
    """The numbers of a text and how often each stands there.

    >>> numbers("130 mg/dL; 0,14-0,75")
    Counter({'130': 1, '0,14': 1, '0,75': 1})
    """
    return Counter(NUMBER.findall(text))


def _refuse_scanned(opened: Any, file: Path) -> None:
    """Read as many pages as it takes to know that there is text."""
    total, characters = len(opened), 0
    for number in range(total):
        characters += len(_page_text(opened, number).strip())
        if characters >= _LEAST * total:
            return
    found = f"the PDF has next to no text ({characters} characters on {total} pages): its pages are scanned images"
    cure = f"recognise its text first, such as with: ocrmypdf {file.name} {file.stem}-text.pdf"
    raise Place(file).wrong(found, "a PDF with a text layer", cure)


def _page_text(opened: Any, number: int) -> str:
    page = opened[number]
    content = page.get_textpage()
    text = _raw(content)
    content.close()
    page.close()
    return text


def _surveyed(opened: Any, skip: int) -> Iterator[tuple[int, tuple[str, ...], frozenset[str]]]:
    """The pages after ``skip``, each with its running lines and the words that stand whole on the pages around it.

    Pages are looked at in blocks that begin at the same pages wherever reading goes on, so that a page reads the same.
    """
    for begin in range(skip - skip % _BLOCK, len(opened), _BLOCK):
        first, end = max(0, begin - NEAR), min(begin + _BLOCK, len(opened))
        edges: list[list[Line]] = []
        words: set[str] = set()
        for number in range(first, min(end + NEAR, len(opened))):
            page = opened[number]
            content = page.get_textpage()
            text = _raw(content)
            words.update(word.lower() for word in _WORD.findall(layout.without_cut_words(text)))
            edges.append(_edges(content, text))
            content.close()
            page.close()
        dropped = running(edges)
        for number in range(max(begin, skip), end):
            yield number, dropped.get(number - first, ()), frozenset(words)


def _raw(content: Any, **bounds: float) -> str:
    """PDFium's text; it marks a hyphen at a line's end by the character 2 and leaves the line end out."""
    return clean(content.get_text_bounded(**bounds)).replace("\x02", "-\n").replace("\ufffe", "-\n").replace("\0", "")


def _edges(content: Any, text: str) -> list[Line]:
    """The two topmost and two lowest lines with their heights in points."""
    found: list[Line] = []
    for line in dict.fromkeys(text.split("\n")):
        wanted = line.strip()
        if 0 < len(wanted) <= 120:
            found.append(Line(wanted, 0.0))
    if not found:
        return []
    heights: dict[str, float] = {}
    # Only lines at the page's ends in reading order can be its edges: most of a page is not asked for its place.
    for candidate in {*(line.text for line in found[:3]), *(line.text for line in found[-3:])}:
        searcher = content.search(candidate, match_case=True)
        place = searcher.get_next()
        if place is not None:
            heights[candidate] = content.get_charbox(place[0])[1]
        searcher.close()
    if not heights:
        return []
    low, high = min(heights.values()), max(heights.values())
    placed = [
        Line(text, height, min(height - low, high - height) <= TOLERANCE)
        for text, height in sorted(heights.items(), key=lambda item: item[1])
    ]
    return placed[:2] + [line for line in placed[-2:] if line not in placed[:2]]


def _text(page: Any, dropped: Sequence[str], words: frozenset[str]) -> tuple[str, str]:
    """The page's text as it is kept, and as the PDF has it."""
    content = page.get_textpage()
    raw = _raw(content)
    plain = layout.joined(_without(raw, dropped), words)
    found = tables(page)
    composed = _composed(page, content, found, dropped, words) if found else plain
    content.close()
    return (composed if Counter(_WORD.findall(plain)) == Counter(_WORD.findall(composed)) else plain), raw


def _composed(page: Any, content: Any, found: list[Table], dropped: Sequence[str], words: frozenset[str]) -> str:
    """The page from top to bottom: its tables row by row, and the text between them."""
    width, height = page.get_size()

    def within(box: Box) -> str:
        # The house's boxes are measured from the top, PDFium's from the bottom.
        return _raw(content, left=box[0], top=height - box[1], right=box[2], bottom=height - box[3])

    def cell(box: Box | None) -> str | None:
        inset = None if box is None else (box[0] + _INSET, box[1] + _INSET, box[2] - _INSET, box[3] - _INSET)
        return None if inset is None else within(inset)

    parts: list[str] = []
    top = 0.0
    for table in found:
        parts.append(layout.joined(_without(within((0.0, top, width, table.box[1])), dropped), words))
        parts.append("\n".join(filter(None, (layout.row([cell(box) for box in row], words) for row in table.rows))))
        top = table.box[3]
    parts.append(layout.joined(_without(within((0.0, top, width, height)), dropped), words))
    return "\n\n".join(part for part in parts if part.strip())


def _without(text: str, dropped: Sequence[str]) -> str:
    """The text without those lines, each once."""
    left = Counter(dropped)
    kept = []
    for line in text.split("\n"):
        if left[line.strip()] > 0:
            left[line.strip()] -= 1
        else:
            kept.append(line)
    return "\n".join(kept)


def _pictures(page: Any) -> bool:
    pdfium = library("pypdfium2.raw", "a PDF")
    return any(True for _ in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]))
