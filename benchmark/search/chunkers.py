"""Documents cut into chunks that know where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from benchmark.domain import Chunk, Chunker, Document, Span, UserError
from benchmark.stopwatch import off_the_clock
from benchmark.text import count_tokens, pieces, token_starts, tokens

_HEADING = re.compile(r"^#{1,6}\s", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Whole:
    """Every document is one chunk."""

    def __call__(self, document: Document) -> Iterable[Chunk]:
        yield from chunks_at(document, [(0, len(document.text))])


@dataclass(frozen=True, kw_only=True)
class Fixed:
    """So many tokens each, wherever that cuts: what other chunkers are measured against."""

    size: int = 128
    overlap: int = 16

    def __post_init__(self) -> None:
        check_sizes(self.size, self.overlap)

    def __call__(self, document: Document) -> Iterable[Chunk]:
        starts = token_starts(document.text)
        step = self.size - self.overlap
        firsts = range(0, max(1, len(starts) - self.overlap), step) if starts else ()
        bounds = [*starts, len(document.text)]
        ends = (min(first + self.size, len(starts)) for first in firsts)
        yield from chunks_at(document, ((bounds[first], bounds[end]) for first, end in zip(firsts, ends, strict=True)))


@dataclass(frozen=True, kw_only=True)
class Recursive:
    """LangChain's recursive splitter: paragraphs, then lines, sentences and words; sizes in the house's tokens."""

    size: int = 128
    overlap: int = 16

    def __post_init__(self) -> None:
        check_sizes(self.size, self.overlap)

    def __call__(self, document: Document) -> Iterable[Chunk]:
        with off_the_clock():
            from langchain_text_splitters import RecursiveCharacterTextSplitter

        splitter = RecursiveCharacterTextSplitter(
            chunk_size=self.size,
            chunk_overlap=self.overlap,
            length_function=count_tokens,
            separators=["\n\n", "\n", ". ", " ", ""],
            keep_separator="end",
            strip_whitespace=False,
        )
        yield from chunks_at(document, _located(document.text, splitter.split_text(document.text)))


@dataclass(frozen=True, kw_only=True)
class Sentences:
    """LlamaIndex's sentence splitter, which keeps sentences whole where it can; sizes in the house's tokens."""

    language: str
    size: int = 128
    overlap: int = 16

    def __post_init__(self) -> None:
        check_sizes(self.size, self.overlap)

    def __call__(self, document: Document) -> Iterable[Chunk]:
        with off_the_clock():
            from llama_index.core.node_parser import SentenceSplitter

        splitter = SentenceSplitter(
            chunk_size=self.size,
            chunk_overlap=self.overlap,
            tokenizer=tokens,
            # Its default splits by an English model; ours knows the corpus's language.
            chunking_tokenizer_fn=partial(pieces, language=self.language),
        )
        yield from chunks_at(document, _located(document.text, splitter.split_text(document.text)))


@dataclass(frozen=True, kw_only=True)
class Sections:
    """Markdown sections: from a heading to the next; those above ``size`` tokens are cut at paragraphs."""

    size: int = 512

    def __post_init__(self) -> None:
        check_sizes(self.size, 0)

    def __call__(self, document: Document) -> Iterable[Chunk]:
        cut = Recursive(size=self.size, overlap=0)
        starts = [0, *(match.start() for match in _HEADING.finditer(document.text) if match.start())]
        for start, end in zip(starts, [*starts[1:], len(document.text)], strict=True):
            if count_tokens(document.text[start:end]) <= self.size:
                yield from chunks_at(document, [(start, end)])
            else:
                yield from within(document, start, end, cut)


def within(document: Document, start: int, end: int, cut: Chunker) -> Iterator[Chunk]:
    """A part of a document cut by another chunker, with the places in the whole."""
    part = Document(document.id, document.text[start:end], document.title, document.metadata)
    yield from chunks_at(document, [(start + chunk.span.start, start + chunk.span.end) for chunk in cut(part)])


def check_sizes(size: int, overlap: int) -> None:
    if size <= 0 or not 0 <= overlap < size:
        raise UserError(f"a chunker wants size > overlap >= 0 in tokens; it got size={size}, overlap={overlap}")


def _located(text: str, pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where each piece stands: the last place that leaves no gap but white space after the piece before it."""
    previous_start, previous_end = -1, 0
    for piece in pieces:
        gap = len(text[previous_end:]) - len(text[previous_end:].lstrip())
        start = text.rfind(piece, previous_start + 1, previous_end + gap + len(piece))
        if start < 0:
            raise ValueError(f"the splitter changed the text near {piece[:40]!r}: chunks must be verbatim")
        previous_start, previous_end = start, start + len(piece)
        yield start, previous_end


def chunks_at(document: Document, spans: Iterable[tuple[int, int]]) -> Iterator[Chunk]:
    """The chunks at these places, without those of white space."""
    for start, end in spans:
        text = document.text[start:end]
        if text.strip():
            yield Chunk(f"{document.id}:{start}-{end}", Span(document.id, start, end), text, document.tenant)
