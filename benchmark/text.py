"""Words, tokens, sentences, numbers and abstentions of a text, in the languages that the house knows."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from itertools import pairwise
from typing import Any

import sentencex

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[^\w\s]|_|\w", re.UNICODE)
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+", re.UNICODE)
_LIST_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+|>\s+)")
_PASSAGE_NUMBER = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_INTEGER = re.compile(r"\d+")
_CLOSERS = re.compile(r"(?:\*\*|__|[*_)»”\"])+")
_SHORT_WORD = re.compile(r"\b[^\W\d_]{1,4}\.\s*$")
_TABLE_RULE = re.compile(r"^[\s|:\-]*$")

_STEMMERS = {"es": "spanish", "en": "english", "fr": "french", "de": "german", "it": "italian", "pt": "portuguese"}
_STOP_WORDS = {
    "es": "STOPWORDS_SPANISH",
    "en": "STOPWORDS_EN_PLUS",
    "fr": "STOPWORDS_FRENCH",
    "de": "STOPWORDS_GERMAN",
    "it": "STOPWORDS_ITALIAN",
    "pt": "STOPWORDS_PORTUGUESE",
}
"""Lists of ``bm25s.stopwords``."""
LANGUAGES = tuple(_STEMMERS)
"""Languages with stop words and a stemmer."""
PHRASE_LANGUAGES = ("es", "en")
"""Languages with files of phrases."""
ABSTENTION = {
    "es": "El contexto no contiene información suficiente para responder.",
    "en": "The context does not contain enough information to answer.",
}
"""What the house's generators say when they do not know; every other language abstains in English."""


def fold(text: str) -> str:
    """Lower case without accents.

    >>> fold("Gestación, AÑO")
    'gestacion, ano'
    """
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    return _BEYOND_ASCII.sub(lambda run: "".join(map(_without_marks, run[0])), lowered)


@cache
def _without_marks(character: str) -> str:
    """What a character stands for, without combining marks."""
    decomposed = unicodedata.normalize("NFKD", character)
    return "".join(part for part in decomposed if not unicodedata.combining(part))


def tokens(text: str) -> list[str]:
    """Words, numbers and punctuation marks: the house's one tokeniser for every size and limit.

    >>> tokens("4.000 mg/día, i.v.")
    ['4.000', 'mg', '/', 'día', ',', 'i', '.', 'v', '.']
    """
    return _TOKEN.findall(text)


def token_starts(text: str) -> list[int]:
    """Where each house token begins.

    >>> token_starts("4 g cada 6 h")
    [0, 2, 4, 9, 11]
    """
    return [match.start() for match in _TOKEN.finditer(text)]


@lru_cache(maxsize=16384)  # chunkers and budgets of tokens ask the same pieces again
def count_tokens(text: str) -> int:
    """How many house tokens a text has.

    >>> count_tokens("4 g cada 6 horas.")
    6
    """
    return len(_TOKEN.findall(text))


@cache
def _stemmer(language: str) -> Any:
    """The package's own stemmer: its front door takes PyStemmer where that is installed, whose rules are older."""
    name = _STEMMERS.get(language)
    if name is None:
        return None
    return getattr(import_module(f"snowballstemmer.{name}_stemmer"), f"{name.capitalize()}Stemmer")()


@cache
def stop_words(language: str) -> frozenset[str]:
    """Folded function words of a language; none for a language that the house does not know."""
    if language not in _STOP_WORDS:
        return frozenset()
    from bm25s import stopwords  # imported late: judges at endpoints need none, and it brings scipy

    return frozenset(fold(word) for word in getattr(stopwords, _STOP_WORDS[language]))


_stemming = threading.Lock()


@cache
def _stem(word: str, language: str) -> str:
    with _stemming:  # a stemmer holds the word that it works on, and what is kept here stays for good
        stemmer = _stemmer(language)
        return str(stemmer.stemWord(word)) if stemmer else word


def words(text: str) -> list[str]:
    """Folded words and numbers, without punctuation.

    >>> words("¿Dosis de 2,5 mg?")
    ['dosis', 'de', '2,5', 'mg']
    """
    return _WORD.findall(fold(text))


def stems(text: str, language: str, *, stemming: bool = True) -> list[str]:
    """Content words, folded and stemmed (folded first, so that a query typed without accents finds the same).

    >>> stems("Las recomendaciones de la vacunación", "es")
    ['recomend', 'vacun']
    """
    ignored = stop_words(language)
    content = [word for word in words(text) if word not in ignored]
    return [_stem(word, language) for word in content] if stemming else content


@lru_cache(maxsize=16384)  # passages and sentences come again and again, from question to question
def stem_set(text: str, language: str) -> frozenset[str]:
    """The distinct ``stems`` of a text.

    >>> sorted(stem_set("La dosis de hierro", "es"))
    ['dosis', 'hierr']
    """
    return frozenset(stems(text, language))


def sentence_spans(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence, white space trimmed; a line of Markdown ends one, a table's rule is none.

    >>> [("La dosis es 4 g. Luego 1 g/h."[a:b]) for a, b in sentence_spans("La dosis es 4 g. Luego 1 g/h.", "es")]
    ['La dosis es 4 g.', 'Luego 1 g/h.']
    """
    offset = 0
    for line in text.splitlines(keepends=True):
        if line.strip() and not _TABLE_RULE.match(line):
            mark = _LIST_MARK.match(line)
            begin = mark.end() if mark else 0
            body = line[begin:]
            for piece_start, piece_end in _pieces(body, language):
                piece = body[piece_start:piece_end]
                left = len(piece) - len(piece.lstrip())
                right = len(piece.rstrip())
                if right > left and any(character.isalnum() for character in piece):
                    yield offset + begin + piece_start + left, offset + begin + piece_start + right
        offset += len(line)


def _pieces(line: str, language: str) -> list[tuple[int, int]]:
    """The library's sentences of one line as offsets, mended where it splits after an abbreviation or before ``**``."""
    spans: list[tuple[int, int]] = []
    start = position = 0
    for piece in sentencex.segment(language, line):
        position += len(piece)
        closers = _CLOSERS.match(line, position)
        end = closers.end() if closers and line[:position].rstrip()[-1:] in ".!?" else position
        following = line[end:].lstrip()[:1]
        abbreviated = following.isdigit() and _SHORT_WORD.search(line[start:end])
        if end < len(line) and (following.islower() or abbreviated):
            continue
        spans.append((start, end))
        start = end
    if position != len(line):  # a library that changes the text cannot give offsets
        return [(0, len(line))]
    return spans if start == len(line) else [*spans, (start, len(line))]


def sentences(text: str, language: str) -> tuple[str, ...]:
    """The sentences themselves.

    >>> sentences("# Dosis\\n\\n1. Se dan 4 g i.v. cada 6 h. No se repite.", "es")
    ('Dosis', 'Se dan 4 g i.v. cada 6 h.', 'No se repite.')
    """
    return tuple(text[start:end] for start, end in sentence_spans(text, language))


def pieces(text: str, language: str) -> list[str]:
    """Sentences that together are the whole text: each keeps the white space up to the next.

    >>> pieces("# Dosis\\n\\n4 g i.v. cada 6 h. No se repite.", "es")
    ['# Dosis\\n\\n', '4 g i.v. cada 6 h. ', 'No se repite.']
    """
    starts = [start for start, _ in sentence_spans(text, language)]
    if not starts:
        return [text]
    bounds = [0, *starts[1:], len(text)]
    return [text[start:end] for start, end in pairwise(bounds)]


def passage_numbers(text: str) -> tuple[int, ...]:
    """The passages that an answer cites, in the order in which it does, each once.

    >>> passage_numbers("Se dan 4 g [2]. Luego 1 g/h [1, 2].")
    (2, 1)
    """
    cited = (int(number) for marks in _PASSAGE_NUMBER.findall(text) for number in _INTEGER.findall(marks))
    return tuple(dict.fromkeys(cited))


def without_passage_numbers(text: str) -> str:
    """The text without references such as ``[1]`` or ``[2, 3]``.

    >>> without_passage_numbers("Se dan 4 g [1]. Luego 1 g/h [2, 3].")
    'Se dan 4 g. Luego 1 g/h.'
    """
    return _PASSAGE_NUMBER.sub("", text)


@cache
def phrases(kind: str) -> tuple[str, ...]:
    """The lines of a file of ``phrases/``, such as ``units`` or ``abstention.es``, without its comments."""
    text = files("benchmark").joinpath("phrases", f"{kind}.txt").read_text(encoding="utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


@cache
def pattern(kind: str) -> re.Pattern[str]:
    """The regular expressions of a file of ``phrases/`` as one; they are written for folded text."""
    return re.compile("|".join(f"(?:{line})" for line in phrases(kind)))


def some(names: Sequence[str], most: int = 3) -> str:
    """The first names, and how many there are more.

    >>> some(["a", "b"]), some(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def abstention(language: str) -> str:
    """The language's words for "it is not there".

    >>> abstention("es") == ABSTENTION["es"], abstention("fr") == ABSTENTION["en"]
    (True, True)
    """
    return ABSTENTION.get(language, ABSTENTION["en"])


def is_abstention(text: str) -> bool:
    """Whether a text says that it does not know, in any language that has a file of phrases.

    >>> is_abstention("La guía no contiene esa información."), is_abstention("No se recomienda la episiotomía.")
    (True, False)
    """
    folded = fold(text)
    return any(pattern(f"abstention.{language}").search(folded) for language in PHRASE_LANGUAGES)


def spoken(text: str) -> str | None:
    """The language with files of phrases whose own function words a text has most of; ``None`` where none leads.

    >>> spoken("Se dan 4 g por vía intravenosa."), spoken("The dose is 4 g by mouth."), spoken("4 g")
    ('es', 'en', None)
    """
    said = words(text)
    shared = frozenset.intersection(*(stop_words(language) for language in PHRASE_LANGUAGES))
    own = {language: stop_words(language) - shared for language in PHRASE_LANGUAGES}
    counts = sorted(((sum(word in own[language] for word in said), language) for language in own), reverse=True)
    return counts[0][1] if counts[0][0] > counts[1][0] else None


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and the unit that follows it, folded; ``unit`` is empty where there is none."""

    value: float
    unit: str


_QUANTITY = re.compile(
    r"(?<![\w.,])(\d+(?:[.,]\d+)*)\s*"
    r"(%|°c|º|(?:mcg|µg|ug|mg|kg|g|ml|dl|l|ui|u|mui|mmhg|mmol|meq|cm|mm|kcal|lpm)(?:/(?:kg|dl|ml|l|h|hora|dia|min|d|24h))*\b"
    r"|(?:semanas?|dias?|horas?|minutos?|meses|mes|anos?|veces|dosis|weeks?|days?|hours?|minutes?|months?|years?|times)\b)?"
)


def quantities(text: str, language: str) -> tuple[Quantity, ...]:
    """Numbers with their units; ``,`` is decimal in Spanish and thousands in English, ``.`` the other way round.

    >>> quantities("4.000 mg en 2,5 horas", "es")
    (Quantity(value=4000.0, unit='mg'), Quantity(value=2.5, unit='hora'))
    """
    found = []
    for match in _QUANTITY.finditer(fold(text).replace("µ", "u").replace("μ", "u")):
        unit = (match.group(2) or "").replace("mcg", "ug")
        if len(unit) > 3 and unit.endswith("s") and "/" not in unit and unit != "dosis":
            unit = unit[:-1]
        found.append(Quantity(number(match.group(1), language), unit))
    return tuple(found)


def number(text: str, language: str) -> float:
    """The value of a numeral; a lone separator before exactly three digits counts as the language's thousands mark."""
    decimal, thousands = (".", ",") if language == "en" else (",", ".")
    grouped = re.fullmatch(rf"\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+(?:{re.escape(decimal)}\d+)?", text)
    if grouped and not text.startswith("0"):
        return float(text.replace(thousands, "").replace(decimal, "."))
    plain = text.replace(decimal, ".") if text.count(decimal) == 1 and thousands not in text else text
    try:
        return float(plain.replace(",", ".") if plain.count(",") == 1 and "." not in plain else plain)
    except ValueError:  # 1.2.3 and the like are labels, not numbers: compared as their digits
        return float(re.sub(r"[.,]", "", text))
