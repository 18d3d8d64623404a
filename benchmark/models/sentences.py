"""The sentences of retrieved passages: where each stands, what stands before it, and whether it can be an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from benchmark.domain import Chunk, Hit, Span
from benchmark.text import sentence_spans, words

_HEADING = re.compile(r"\s*(?:#{1,6}\s|(?:\*\*|__)[^*_]+(?:\*\*|__)\s*$)")
_LISTED = re.compile(r"\s*(?:\||(?:[-*+•>]|\d+[.)])\s)")
_TABLE_ROW = re.compile(r"\s*\|")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}[\s:|-]*$")
_CLOSERS = " \t*_)]}»”\"'"
_SHORT_LINE = 8
"""Words: a longer line without a full stop is a wrapped paragraph or a list item rather than a heading."""
_FEWEST_WORDS = 3
"""Words: what is shorter ("Sí.", "Véase") says nothing outside its place."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, verbatim; ``passage`` is the passage's number in the context, from 1.

    ``preceding`` is what a reader of the sentence has just read: the heading above it, the lead-in or header row of its
    list or table, and the sentence before it. ``answers`` is false for headings, header rows, lead-ins, questions and
    what is very short. ``whole`` is false where the passage's edge cuts the sentence.
    """

    passage: int
    span: Span
    text: str
    preceding: str
    answers: bool
    whole: bool


def sentences_of(context: Sequence[Hit], language: str) -> tuple[Sentence, ...]:
    """All sentences of all passages, in reading order; overlapping passages repeat theirs."""
    return tuple(
        replace(sentence, passage=number)
        for number, hit in enumerate(context, start=1)
        for sentence in _of(hit.chunk, language)
    )


@lru_cache(maxsize=8192)  # chunks come again and again, from question to question
def _of(chunk: Chunk, language: str) -> tuple[Sentence, ...]:
    """The sentences of a passage that is the first."""
    return tuple(_read(chunk, language))


def _read(chunk: Chunk, language: str) -> Iterator[Sentence]:
    heading = lead = previous = ""
    for start, end in _rows_in_one_piece(chunk.text, language):
        text = chunk.text[start:end]
        line_start = chunk.text.rfind("\n", 0, start) + 1
        listed = _LISTED.match(chunk.text, line_start) is not None
        last = not chunk.text[end:].strip()
        is_heading = _is_heading(chunk.text, start, end, listed)
        is_lead = text.rstrip(_CLOSERS).endswith(":") or _is_header_row(chunk.text, start)
        if not listed and not is_lead:
            lead = ""
        yield Sentence(
            passage=1,
            span=Span(chunk.span.document_id, chunk.span.start + start, chunk.span.start + end),
            text=text,
            preceding="\n".join(part for part in (heading, lead, previous if previous != lead else "") if part),
            answers=not (is_heading or is_lead or text.rstrip(_CLOSERS).endswith("?"))
            and len(words(text)) >= _FEWEST_WORDS,
            whole=not (_begins_cut(text, listed, chunk.span.start + start) or (last and _ends_cut(text, listed))),
        )
        if is_heading:
            heading, lead, previous = text, "", ""
        else:
            lead = text if is_lead else lead
            previous = text


def _rows_in_one_piece(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Sentences as offsets; a table's row is one, whatever full stops its cells hold."""
    row_end = 0
    for start, end in sentence_spans(text, language):
        if start < row_end:
            continue
        line_start = text.rfind("\n", 0, start) + 1
        if _TABLE_ROW.match(text, line_start):
            line_end = text.find("\n", start)
            row_end = len(text) if line_end < 0 else line_end
            end = start + len(text[start:row_end].rstrip())
        yield start, end


def _is_heading(text: str, start: int, end: int, listed: bool) -> bool:
    """A line marked as one, or a short line of its own without a full stop that other text follows."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line = text[line_start : line_end if line_end >= 0 else len(text)]
    if _HEADING.match(line):
        return True
    alone = line.strip() == text[start:end].strip() and line_end >= 0 and text[line_end:].strip() != ""
    unmarked = not listed and not line.rstrip(_CLOSERS).endswith((".", "!", "?", "…", ":", ";", ","))
    return alone and unmarked and len(words(line)) <= _SHORT_LINE and not _in_lower_case(line)


def _is_header_row(text: str, start: int) -> bool:
    """A row with the rule of a table under it."""
    following = text[start:].split("\n", 2)[1:2]
    return bool(following) and _TABLE_RULE.match(following[0]) is not None


def _begins_cut(text: str, listed: bool, position: int) -> bool:
    """Whether a sentence starts in its middle: in lower case or with a comma, where no list mark excuses it."""
    return position > 0 and not listed and (_in_lower_case(text) or text[0] in ",;.:)]»%")


def _ends_cut(text: str, listed: bool) -> bool:
    """Whether the last sentence of a passage stops short: list items need no full stop, a row needs its last bar."""
    if _TABLE_ROW.match(text):
        return not text.endswith("|")
    return not listed and not text.rstrip(_CLOSERS).endswith((".", "!", "?", "…", ":"))


def _in_lower_case(text: str) -> bool:
    return next((character for character in text if character.isalnum()), "").islower()


def distinct(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Each sentence once, in reading order: of overlapping copies the whole one, then the longest, then the first.

    >>> cut = Sentence(1, Span("a", 0, 9), "Se dan 4", "", True, False)
    >>> distinct([cut, Sentence(2, Span("a", 0, 11), "Se dan 4 g.", "", True, True)])[0].passage
    2
    """
    kept: list[Sentence] = []
    seen: set[tuple[str, ...]] = set()
    for sentence in sorted(sentences, key=lambda each: (not each.whole, -len(each.text))):
        content = tuple(words(sentence.text))
        if content not in seen and not any(sentence.span.overlaps(other.span) for other in kept):
            seen.add(content)
            kept.append(sentence)
    return tuple(sorted(kept, key=lambda each: (each.passage, each.span.start)))
