"""Where an exam's gold stands in the imported documents, and candidates for answers that came without any."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmark.domain import Chunk, Query, Span
from benchmark.importing.nouns import Asked, Gold
from benchmark.importing.shelf import Shelf
from benchmark.search.bm25 import Bm25Recipe, Bm25Retriever
from benchmark.text import quantities, sentence_spans, some, stems

UNREVIEWED = "unreviewed"
"""The tag of a question whose evidence was found by matching and seen by nobody."""
_CANDIDATES = 10
_WINDOW = 3
"""Sentences that a candidate may have at most."""
_SUPPORT = 0.6
"""The share of the reference's content words that a candidate must have, with all its numbers."""
_ALL = 0.9
"""The share from which a candidate has all of the answer (grade 3) and not a part of it (grade 2)."""
_ANSWERS = 2
"""The grade from which a passage holds at least a part of the answer."""
_MISSING = 0.1
"""The share of judgements on documents that are not there above which the two do not belong together."""
_MOST = 300_000
"""Documents above which no index is made for matching: it would not fit into bounded memory."""

Passage = dict[str, object]


@dataclass(slots=True)
class Grounding:
    """What became of the gold: counts for the user."""

    matched: int = 0
    without: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unfound: list[str] = field(default_factory=list)

    def notes(self) -> Iterable[str]:
        if self.matched:
            yield (
                f"{_questions(self.matched)} came without evidence that is in the documents: candidates were found by "
                f"matching and are tagged {UNREVIEWED!r}. Read them before you trust retrieval scores"
            )
        if self.without:
            yield (
                f"no evidence was found for {some(self.without)}: their retrieval scores, and where they were "
                "lost, are not measured"
            )
        if self.missing:
            yield f"judgements on documents that are not there, or have no text, were left out: {some(self.missing)}"
        if self.unfound:
            yield f"gold passages were not found word for word in the documents: {some(self.unfound)}"


def _questions(number: int) -> str:
    return f"{number} question{'' if number == 1 else 's'}"


def ground(questions: Sequence[Asked], shelf: Shelf, language: str) -> tuple[list[dict[str, object]], Grounding]:
    """The lines of ``questions.jsonl``, every passage verbatim.

    Raises:
        UserError: the gold names documents that are not there, so that exam and documents do not belong together.
    """
    _refuse_strangers(questions, shelf)
    grounding = Grounding()
    search = _Search(shelf, language)
    lines: list[dict[str, object]] = []
    for asked in questions:
        evidence = [found for gold in asked.evidence for found in _found(asked, gold, shelf, search, grounding)]
        tags: tuple[str, ...] = ()
        if not evidence and asked.answerable and asked.reference:
            candidate = search.candidate(asked)
            if candidate is not None:
                evidence, tags = [candidate], (UNREVIEWED,)
                grounding.matched += 1
        if asked.answerable and not evidence:
            grounding.without.append(asked.id)
        lines.append(asked.line(language, list(_highest(evidence)), *tags, absent=_absent(asked, shelf)))
    return lines, grounding


def _absent(asked: Asked, shelf: Shelf) -> list[str]:
    """The documents that answer by the exam and are not there."""
    named = [gold.document for gold in asked.evidence if gold.document is not None and gold.grade >= _ANSWERS]
    return [name for name in dict.fromkeys(named) if name not in shelf]


def _refuse_strangers(questions: Sequence[Asked], shelf: Shelf) -> None:
    named = [(asked, gold.document) for asked in questions for gold in asked.evidence if gold.document is not None]
    missing = [(asked, name) for asked, name in named if name not in shelf]
    if len(missing) > _MISSING * len(named):
        asked, name = missing[0]
        raise asked.place.wrong(
            f"the question {asked.id!r} has gold in {name!r}, which is none of the {len(shelf)} documents "
            f"({len(missing)} of {len(named)} judgements name such)",
            f"ids of the documents, such as {shelf.first!r}",
            "give the documents that the exam was made for, or the column of their ids: --columns document_id=COLUMN",
        )


def _highest(evidence: Iterable[Passage]) -> Iterable[Passage]:
    """Each passage once, with its highest grade."""
    best: dict[tuple[object, object, object], Passage] = {}
    for passage in evidence:
        key = passage["document"], passage["quote"], passage.get("start")
        known = best.get(key)
        if known is None or int(str(passage["grade"])) > int(str(known["grade"])):
            best[key] = passage
    return best.values()


def _found(asked: Asked, gold: Gold, shelf: Shelf, search: _Search, grounding: Grounding) -> list[Passage]:
    if gold.document is not None and gold.document not in shelf:
        grounding.missing.append(f"{asked.id} in {gold.document}")
        return []
    if gold.document is not None and gold.quote is None:
        return [{"document": gold.document, "quote": None, "grade": gold.grade}]
    quote = gold.quote or ""
    if gold.document is not None:
        text = shelf.text(gold.document)
        if gold.start is not None and text.startswith(quote, gold.start):
            return [passage(gold.document, text, gold.start, gold.start + len(quote), gold.grade)]
        place = locate(text, quote)
        if place is not None:
            return [passage(gold.document, text, *place, gold.grade)]
    else:
        # A passage that stands in several documents is gold in each: finding either answers the question.
        texts = {name: shelf.text(name) for name in search.near(quote)}
        places = {name: locate(text, quote) for name, text in texts.items()}
        found = [passage(name, texts[name], *place, gold.grade) for name, place in places.items() if place is not None]
        if found:
            return found
    grounding.unfound.append(asked.id)
    return []


def passage(document: str, text: str, start: int, end: int, grade: int) -> Passage:
    """A passage as ``questions.jsonl`` has it; it says its start where the same words stand elsewhere too."""
    quote = text[start:end]
    fields: Passage = {"document": document, "quote": quote, "grade": grade}
    return fields if text.find(quote) == start and text.find(quote, start + 1) < 0 else fields | {"start": start}


def locate(text: str, quote: str) -> tuple[int, int] | None:
    """Where a quote stands in a text: verbatim, else with other white space and case.

    >>> locate("It is 4 g\\ni.v. at first.", "4 G i.v."), locate("4 g", "5 g")
    ((6, 14), None)
    """
    wanted = quote.strip()
    if not wanted:
        return None
    start = text.find(wanted)
    if start >= 0:
        return start, start + len(wanted)
    pattern = r"\s+".join(re.escape(word) for word in wanted.split())
    found = re.search(pattern, text, re.IGNORECASE)
    return None if found is None else found.span()


class _Search:
    """Finds documents by their words; the index is made when it is first asked for."""

    def __init__(self, shelf: Shelf, language: str) -> None:
        self._shelf, self._language = shelf, language
        self._index: Bm25Retriever | None = None

    def near(self, text: str) -> list[str]:
        """Ids of documents that share words with the text, best first; none where there are too many to index."""
        if len(self._shelf) > _MOST:
            return []
        if self._index is None:
            chunks = [Chunk(one.id, Span(one.id, 0, len(one.text)), one.text, None) for one in self._shelf.documents()]
            self._index = Bm25Recipe(language=self._language).over(chunks)
        return [hit.chunk.span.document_id for hit in self._index.search(Query("", text), _CANDIDATES)]

    def candidate(self, asked: Asked) -> Passage | None:
        """The stretch of sentences that has most of the reference's words, and all its numbers."""
        reference = asked.reference or ""
        best: tuple[float, int, Passage] | None = None
        for rank, name in enumerate(self.near(f"{asked.question} {reference}")):
            text = self._shelf.text(name)
            for support, start, end in _stretches(text, reference, self._language):
                found = support, -rank
                if support >= _SUPPORT and (best is None or found > best[:2]):
                    best = (*found, passage(name, text, start, end, 3 if support >= _ALL else 2))
        return None if best is None else best[2]


def _stretches(text: str, reference: str, language: str) -> Iterable[tuple[float, int, int]]:
    """Support and place of every stretch of up to three sentences; a short one wins over a longer one as good."""
    wanted = set(stems(reference, language)) or set(stems(reference, "", stemming=False))
    values = {quantity.value for quantity in quantities(reference, language)}
    spans = list(sentence_spans(text, language))
    found = [set(stems(text[start:end], language)) for start, end in spans]
    for first in range(len(spans)):
        words: set[str] = set()
        for last in range(first, min(first + _WINDOW, len(spans))):
            words |= found[last]
            start, end = spans[first][0], spans[last][1]
            support = len(wanted & words) / max(1, len(wanted))
            if support >= _SUPPORT and values <= {one.value for one in quantities(text[start:end], language)}:
                yield support - 0.01 * (last - first), start, end
