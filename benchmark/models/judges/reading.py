"""Sentences and contexts, read once: stems, numbers with units, what is denied, which opposite is said."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

from benchmark.text import Quantity, fold, quantities, sentences, stems, words

_NEGATOR_LISTS = {
    "es": "no ni nunca jamas sin tampoco ningun ninguna ninguno nadie nada evita evitan evitar evitarse falta faltan "
    "carece contraindicado contraindicada contraindicados contraindicadas desaconsejado desaconsejada",
    "en": "no not never without neither nor none cannot nobody nothing t avoid avoids avoided lack lacks "
    "contraindicated fail fails failed",
}
NEGATORS = {language: frozenset(row.split()) for language, row in _NEGATOR_LISTS.items()}
_NUMBER_WORDS = {
    "es": (
        "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
        {"veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "cien": 100},
    ),
    "en": (
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen",
        {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100},
    ),
}
_TIME = r"(?:semana|dia|hora|minuto|mes|ano|week|day|hour|minute|month|year)"
_REWRITTEN = (
    (re.compile(r"\bmicrograms?\b|\bmicrogramos?\b"), "ug"),
    (re.compile(r"\bmiligramos?\b|\bmilligrams?\b"), "mg"),
    (re.compile(r"\bkilogramos?\b|\bkilograms?\b"), "kg"),
    (re.compile(r"\bgramos?\b|\bgrams?\b"), "g"),
    (re.compile(r"\bmililitros?\b|\bmilliliters?\b|\bmillilitres?\b"), "ml"),
    (re.compile(r"(?<=\d) ?h\b"), " horas"),
    (re.compile(rf"\b(?:una?|one) (?={_TIME})"), "1 "),
    # "semanas 24 y 28": the unit stands before its numbers
    (
        re.compile(rf"\b({_TIME}(?:es|s)?) (\d+)(?: (y|a|and|to|al) (?:las? )?(\d+)(?! (?:{_TIME}|mg|g|ml|ug)))?\b"),
        r"\2 \1 \3 \4 \1",
    ),
)
"""Spellings that ``text.quantities`` does not know, on folded text."""
_BOUNDS = (
    (re.compile(r"\b(?:al menos|por lo menos|como minimo|o mas|at least|or more|no menos de)\b"), "atleast"),
    (re.compile(r"\b(?:como maximo|a lo sumo|o menos|at most|or less|no mas de)\b"), "atmost"),
)
_CLAUSE_END = re.compile(r"[,;:.()]\s|[;:()]")
_LETTERS = re.compile(r"[^\W\d_]+")
_SCOPE = 3
"""How many content words after a negator it is taken to deny."""


@cache
def _number_words(language: str) -> dict[str, str]:
    if language not in _NUMBER_WORDS:
        return {}
    row, tens = _NUMBER_WORDS[language]
    return {word: str(value) for value, word in enumerate(row.split(), start=2)} | {w: str(v) for w, v in tens.items()}


def _with_digits(folded: str, language: str) -> str:
    """Folded text with number words as digits, so that "seis semanas" agrees with "6 semanas"."""
    digits = _number_words(language)
    return _LETTERS.sub(lambda match: digits.get(match[0], match[0]), folded) if digits else folded


@cache
def _opposites(language: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    groups = json.loads(files("benchmark.models.judges").joinpath("opposites.json").read_text(encoding="utf-8"))
    both = [
        tuple(frozenset(_stem(word, language) for word in side) for side in pair) for pair in groups.get(language, ())
    ]
    return tuple((left, right) for left, right in both)


@lru_cache(maxsize=65536)
def _content(word: str, language: str) -> str:
    """The stem of a content word, nothing for a function word."""
    return next(iter(stems(word, language)), "")


def _stem(word: str, language: str) -> str:
    """The stem of a content word, a function word itself."""
    return _content(word, language) or word


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence read once: its content stems in order, and what else a comparison needs."""

    text: str
    stems: tuple[str, ...]
    content: frozenset[str]
    bigrams: frozenset[tuple[str, str]]
    quantities: tuple[Quantity, ...]
    denied: frozenset[str]
    """Content stems in the reach of a negator."""
    signs: frozenset[tuple[int, int]]
    """Which side of which pair of opposites it says."""


@lru_cache(maxsize=65536)
def read(text: str, language: str) -> Sentence:
    """A sentence's parts."""
    plain = _with_digits(fold(text), language)
    ordered = tuple(stem for word in words(plain) if (stem := _content(word, language)))
    every = {_stem(word, language) for word in words(_rewritten(plain, _BOUNDS))}
    return Sentence(
        text=text,
        stems=ordered,
        content=frozenset(ordered),
        bigrams=frozenset(pairwise(ordered)),
        quantities=_quantities(plain, language),
        denied=_denied(plain, language),
        signs=frozenset(
            (number, side)
            for number, pair in enumerate(_opposites(language))
            for side in (0, 1)
            if not every.isdisjoint(pair[side])
        ),
    )


def _rewritten(text: str, rules: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text


def _quantities(folded: str, language: str) -> tuple[Quantity, ...]:
    """Numbers and units of a folded text whose number words are digits."""
    return quantities(_rewritten(folded, _REWRITTEN), language) if any(map(str.isdigit, folded)) else ()


def _denied(text: str, language: str) -> frozenset[str]:
    """Content stems that follow a negator within its clause, at most ``_SCOPE`` of them."""
    negators = NEGATORS.get(language, frozenset())
    found: set[str] = set()
    if negators.isdisjoint(words(text)):
        return frozenset()
    for clause in _CLAUSE_END.split(text):
        left = 0
        for word in words(clause):
            if word in negators:
                left = _SCOPE
            elif left and (stem := _content(word, language)):
                found.add(stem)
                left -= 1
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage read once: its sentences, and its folded words between spaces."""

    sentences: tuple[Sentence, ...]
    folded: str


@lru_cache(maxsize=16384)
def read_passage(text: str, language: str) -> Passage:
    """A passage's sentences, those without any content word left out."""
    read_all = (read(sentence, language) for sentence in sentences(text, language))
    return Passage(tuple(s for s in read_all if s.stems), f" {' '.join(words(text))} ")


@dataclass(frozen=True, slots=True)
class Context:
    """Passages together."""

    sentences: tuple[Sentence, ...]
    folded: tuple[str, ...]
    content: frozenset[str]
    bigrams: frozenset[tuple[str, str]]
    quantities: frozenset[Quantity]
    stream: tuple[str, ...]
    """Content stems of all sentences in order."""


def read_context(texts: Sequence[str], language: str) -> Context:
    """The parts of all passages together."""
    passages = [read_passage(text, language) for text in texts]
    found = tuple(sentence for passage in passages for sentence in passage.sentences)
    return Context(
        sentences=found,
        folded=tuple(passage.folded for passage in passages),
        content=frozenset().union(*(sentence.content for sentence in found)),
        bigrams=frozenset().union(*(sentence.bigrams for sentence in found)),
        quantities=frozenset(quantity for sentence in found for quantity in sentence.quantities),
        stream=tuple(stem for sentence in found for stem in sentence.stems),
    )
