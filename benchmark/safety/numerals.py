"""Numbers that a text writes in words, from a half to thousands, in Spanish and English."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from benchmark.text import fold

_ONES = {
    "es": "uno dos tres cuatro cinco seis siete ocho nueve",
    "en": "one two three four five six seven eight nine",
}
_SMALL = {  # from ten on
    "es": "diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós "
    "veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve",
    "en": "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
}
_TENS = {
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
}
_HUNDREDS = {"cien": 100, "ciento": 100, "doscient": 200, "trescient": 300, "cuatrocient": 400, "quinient": 500}
_HUNDREDS |= {"seiscient": 600, "setecient": 700, "novecient": 900, "ochocient": 800}
_HALF = {"es": ("medio", "media"), "en": ("half a", "half an", "half")}
_FIRST = {"es": ("un", "una"), "en": ("a", "an")}
_TIMES = {"mil": 1000, "thousand": 1000, "hundred": 100}


def spelt(language: str) -> str:
    """A regular expression, for any case, of a number in words; one that nothing matches in other languages.

    >>> import re
    >>> [re.fullmatch(spelt("es"), words) is not None for words in ("quinientos", "setenta y cinco", "dos y cuatro")]
    [True, True, False]
    """
    if language not in _ONES:
        return r"(?!)"
    ones, tens = "|".join(_ONES[language].split()), "|".join(_TENS[language].split())
    small = "|".join(_SMALL[language].split()).replace("é", "[eé]").replace("ó", "[oó]")
    first, half = "|".join(_FIRST[language]), "|".join(_HALF[language])
    joined, added = (r"\s+y\s+", r"\s+y\s+medi[oa]") if language == "es" else (r"[\s-]", r"\s+and\s+a\s+half")
    to_99 = rf"(?:{tens})(?:{joined}(?:{ones}))?|{small}|{ones}"
    if language == "es":
        hundreds = "cien(?:to)?|(?:dos|tres|cuatro|seis|sete|ocho|nove)cient[oa]s|quinient[oa]s"
        to_999 = rf"(?:{hundreds})(?:\s+(?:{to_99}))?|{to_99}"
        whole = rf"(?:(?:{to_999})\s+)?mil\b(?:\s+(?:{to_999}))?|{to_999}"
    else:
        to_999 = rf"(?:{ones}|a)\s+hundred(?:\s+(?:and\s+)?(?:{to_99}))?|{to_99}"
        whole = rf"(?:{to_999})\s+thousand(?:\s+(?:{to_999}))?|{to_999}"
    return rf"\b(?:{half}|(?:{whole}|{first})(?:{added})?)\b"


def value_of(words: str) -> float | None:
    """The number that words say; ``None`` where a word of them is no number.

    >>> [value_of(words) for words in ("quinientos", "setenta y cinco", "dos mil quinientos", "uno y medio", "cinta")]
    [500.0, 75.0, 2500.0, 1.5, None]
    >>> [value_of(words) for words in ("one hundred and fifty", "seventy-five", "half a", "two and a half")]
    [150.0, 75.0, 0.5, 2.5]
    """
    known = _values()
    said = fold(words).replace("-", " ").split()
    if said[:1] == ["half"]:
        return 0.5
    total = group = 0.0
    for place, word in enumerate(said):
        if word in ("y", "and") or (word == "a" and place > 0):
            continue
        value = known.get(word)
        if value is None:
            return None
        if word in _TIMES:
            group = max(group, 1.0) * value
            total, group = (total + group, 0.0) if value == 1000 else (total, group)
        else:
            group += value
    return total + group


@lru_cache(maxsize=8192)  # passages come again and again, from question to question
def in_digits(text: str, language: str) -> str:
    """A text with its numbers in digits; un, una, a and an stay, since they are articles as well.

    >>> in_digits("Una dosis cada diez minutos, hasta ciento veinte.", "es")
    'Una dosis cada 10 minutos, hasta 120.'
    """
    articles = {word for words in _FIRST.values() for word in words}

    def digits(match: re.Match[str]) -> str:
        value = None if match.group().lower() in articles else value_of(match.group())
        return match.group() if value is None else f"{value:g}".replace(".", "." if language == "en" else ",")

    return re.sub(spelt(language), digits, text, flags=re.IGNORECASE)


@cache
def _values() -> dict[str, float]:
    found = {"half": 0.5, "medio": 0.5, "media": 0.5, **_TIMES}
    for language, ones in _ONES.items():
        found |= dict.fromkeys(_FIRST[language], 1.0)
        found |= {word: 10.0 * place for place, word in enumerate(_TENS[language].split(), start=2)}
        found |= {fold(word): float(place) for place, word in enumerate(ones.split(), start=1)}
        found |= {fold(word): float(place) for place, word in enumerate(_SMALL[language].split(), start=10)}
    for stem, value in _HUNDREDS.items():
        found |= {stem: value} if stem.startswith("cien") else {f"{stem}os": value, f"{stem}as": value}
    return found
