"""HTML and DOCX: headings, lists and tables as Markdown, without scripts and navigation.

HTML is read by Beautiful Soup and written by markdownify (both MIT); DOCX becomes HTML by mammoth (BSD-2), which knows
Word's styles, footnotes and tables, so that one path serves both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmark.domain import Document
from benchmark.importing.documents.pieces import Piece
from benchmark.importing.extras import library
from benchmark.importing.raw import check, whole
from benchmark.storage.fields import Place, clean

_UNREAD = ("script", "style", "noscript", "template", "svg", "nav", "head", "img")
_BLANKS = re.compile(r"\n{3,}")
_MARKS = re.compile(r"[ \t]+$", re.MULTILINE)


def read_html(file: Path, identity: str, *, skip: int) -> Iterator[Piece]:
    """The page as one document; its language is what the page says."""
    if not skip:
        yield _piece(file, identity, _declared(file))


def read_docx(file: Path, identity: str, *, skip: int) -> Iterator[Piece]:
    """The text of a Word file as one document.

    Raises:
        UserError: it is no .docx, or has no text.
    """
    if skip:
        return
    check(file)
    mammoth = library("mammoth", "a .docx file")
    try:
        with file.open("rb") as stream:
            html = mammoth.convert_to_html(stream).value
    except Exception as error:  # noqa: BLE001  # zip's, XML's and its own errors have no common base
        cure = "open it in a word processor and save it as .docx"
        raise Place(file).wrong(f"it cannot be opened as .docx ({error})", "a Word file", cure) from None
    yield _piece(file, identity, html)


def _declared(file: Path) -> str:
    """The page in the encoding that it declares; UTF-8 or a byte order mark win over a declaration."""
    sample = check(file)
    declared = re.search(rb"charset=[\"']?([\w-]+)", sample[:4096])
    if declared:
        try:
            return clean(file.read_bytes().decode(declared[1].decode("ascii")))
        except (LookupError, UnicodeDecodeError):
            pass
    return whole(file)


def _piece(file: Path, identity: str, html: str) -> Piece:
    soup = library("bs4", "an HTML or .docx file").BeautifulSoup(html, "html.parser")
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    language = str((soup.html or {}).get("lang", "")).split("-")[0].lower()
    for tag in soup.find_all(_UNREAD):
        tag.decompose()
    text = _markdown(soup)
    if not text.strip():
        raise Place(file).wrong("it has no text", "some text", "check that it is the right file; scripts are not run")
    metadata: dict[str, object] = {"source": file.name}
    if language:
        metadata["language"] = language
    heading = soup.find("h1")
    named = title or (" ".join(heading.get_text().split()) if heading else "") or file.stem
    return Piece(Document(identity, text, named, metadata), Place(file))


def _markdown(soup: Any) -> str:
    convert = library("markdownify", "an HTML or .docx file").MarkdownConverter(
        heading_style="ATX",
        bullets="-",
        strip=["a"],
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
        table_infer_header=True,
    )
    text = clean(convert.convert_soup(soup)).replace("\xa0", " ")
    return _BLANKS.sub("\n\n", _MARKS.sub("", text)).strip()
