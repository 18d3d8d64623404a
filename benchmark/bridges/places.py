"""Where in the corpus a passage stands that another library or a service gives back."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from benchmark.domain import Chunk, Document, Hit, Span


@dataclass(frozen=True, slots=True)
class Passage:
    """A text as it came back. ``document_id`` and ``start`` (a character of it) are what its metadata claim, if any."""

    text: str
    document_id: str | None = None
    start: int | None = None
    score: float | None = None


@dataclass(frozen=True)
class Places:
    """The documents that one reader may read, searched for passages: a passage of another's document is not found."""

    documents: Mapping[str, Document]
    _folded: dict[str, tuple[str, list[int]]] = field(default_factory=dict, repr=False)
    _known: dict[Passage, Span | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Places:
        return cls({document.id: document for document in documents})

    def hits(self, passages: Sequence[Passage]) -> tuple[tuple[Hit, ...], tuple[Passage, ...]]:
        """Hits in the passages' order, each place once, and the passages that stand nowhere.

        A passage without a score, or with one that is no finite number, has the reciprocal of its rank.
        """
        found: dict[str, Hit] = {}
        lost = []
        for rank, passage in enumerate(passages, start=1):
            span = self.span(passage)
            if span is None:
                lost.append(passage)
                continue
            document = self.documents[span.document_id]
            identity = f"{span.document_id}:{span.start}-{span.end}"
            chunk = Chunk(identity, span, document.text[span.start : span.end], document.tenant)
            score = 1 / rank if passage.score is None or not isfinite(passage.score) else passage.score
            found.setdefault(identity, Hit(chunk, score))
        return tuple(found.values()), tuple(lost)

    def span(self, passage: Passage) -> Span | None:
        """By its metadata where the text there is the same; else the first place with its text, exactly or folded.

        Only the document that it names is searched, if that is one of these.
        """
        if passage not in self._known:
            self._known[passage] = self._span(passage)
        return self._known[passage]

    def _span(self, passage: Passage) -> Span | None:
        text = passage.text.strip()
        if not text:
            return None
        named = self.documents.get(passage.document_id or "")
        if named is not None and passage.start is not None and passage.start >= 0:
            start = passage.start + len(passage.text) - len(passage.text.lstrip())
            if named.text.startswith(text, start):
                return Span(named.id, start, start + len(text))
        searched = [named] if named is not None else list(self.documents.values())
        for document in searched:
            start = document.text.find(text)
            if start >= 0:
                return Span(document.id, start, start + len(text))
        wanted, _ = folded(text)
        for document in searched if wanted else ():
            if document.id not in self._folded:
                self._folded[document.id] = folded(document.text)
            whole, origins = self._folded[document.id]
            start = whole.find(wanted)
            if start >= 0:
                return Span(document.id, origins[start], origins[start + len(wanted) - 1] + 1)
        return None


def folded(text: str) -> tuple[str, list[int]]:
    """The text without case, white space, soft hyphens and compatibility forms, and where each character came from.

    Digits and punctuation stay: 1.5 and 15 are different doses.

    >>> folded("La ﬁebre\\n es")
    ('lafiebrees', [0, 1, 3, 3, 4, 5, 6, 7, 10, 11])
    """
    pairs = list(_folded(text))
    return "".join(character for character, _ in pairs), [origin for _, origin in pairs]


def _folded(text: str) -> Iterator[tuple[str, int]]:
    for origin, character in enumerate(text):
        if character.isspace() or unicodedata.category(character) == "Cf":
            continue
        for plain in unicodedata.normalize("NFKC", character).casefold():
            if not plain.isspace():
                yield plain, origin
