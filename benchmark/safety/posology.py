"""Doses in a text: amount, unit, route and frequency, in one measure, so that 4 g and 4.000 mg are the same dose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from math import isclose

from benchmark.safety.frequency import agree, frequency
from benchmark.safety.numerals import spelt, value_of
from benchmark.text import fold, number, phrases, sentence_spans

_JOINED = r"\s?(?:-|–|—|\by\b|\ba\b|\bhasta\b|\bto\b|\band\b|\bo\b|\bor\b|/)\s?"
_CHOICE, _BOTH, _BETWEEN = (
    re.compile(r"\b(?:o|or)\b"),
    re.compile(r"\b(?:y|and)\b"),
    re.compile(r"\b(?:entre|between)\s$"),
)
_DIGITS = r"\d{1,3}(?: \d{3})+(?![\w.,])|\d{1,3}['’´]\d{3}(?:[.'’´]\d{3})*|\d+(?:[.,]\d+)*"
_MILLIONS = r"(?:\s?(?:millones|millón|millions?))?"
_AND_A_HALF = r"(?:\s(?:y\smedi[oa]|and\sa\shalf)\b)?"
_PER_KILOGRAM = r"(?:\s?/\s?kg\b|\s(?:por|per)\s(?:kg|kilo|kilogramo|kilogram)\b)?"
_RATE = r"(?:\s?/\s?(?:hora|hour|min|h)\b|\s(?:por|per)\s(?:hora|hour|minuto|minute)\b)?"
_CONCENTRATION = (
    r"(?!\s?/\s?\d*\s?(?:[dmµ]?l|mmol|campo|cm)\b|\s(?:por|per)\s(?:litro|decilitro|mililitro|liter|litre)\b)"
)


@dataclass(frozen=True, slots=True)
class StatedDose:
    """A dose as a text states it, at characters ``start`` to ``end``; ``words`` are those.

    ``amounts``: one number, the two ends of a range, or the parts of a fixed combination (160/800), in ``unit``, a base
    unit such as mg, mg/kg or UI/min. ``routes``: all that are named with it, none where none is. ``frequency``: as
    ``frequency`` names it, ``None`` where none is said.
    """

    words: str
    start: int
    end: int
    amounts: tuple[float, ...]
    unit: str
    routes: frozenset[str]
    frequency: str | None

    def same_amount(self, other: StatedDose) -> bool:
        """The same number in the same unit; a range is the same as no other than itself."""
        return (
            self.unit == other.unit
            and len(self.amounts) == len(other.amounts)
            and all(isclose(a, b, rel_tol=1e-6) for a, b in zip(self.amounts, other.amounts, strict=True))
        )

    def agrees(self, source: StatedDose) -> bool:
        """The same amount, and no other route or frequency than the source's, where both say one."""
        return self.same_amount(source) and not self.contradictions(source)

    def contradictions(self, source: StatedDose) -> list[str]:
        """What the two say otherwise besides the amount: ``route``, ``frequency``."""
        found = []
        if self.routes and source.routes and not self.routes <= source.routes:
            found.append("route")
        if self.frequency and source.frequency and not agree(self.frequency, source.frequency):
            found.append("frequency")
        return found


@lru_cache(maxsize=8192)  # passages come again and again, from question to question
def doses(text: str, language: str) -> tuple[StatedDose, ...]:
    """The doses of a text in its order; a concentration such as 10 g/dL is none, and neither is a percentage.

    >>> [(dose.amounts, dose.unit) for dose in doses("Se dan 4 g en bolo; tope 0,5 mg/kg. Hb de 10 g/dL.", "es")]
    [((4000.0,), 'mg'), ((0.5,), 'mg/kg')]
    >>> [dose.words for dose in doses("De 75 a 100 mg diarios, o 5 o 10 UI.", "es")]
    ['75 a 100 mg', '5 UI', '10 UI']
    >>> one, = doses("Se dan 500 mg por vía oral cada 8 horas.", "es")
    >>> sorted(one.routes), one.frequency
    (['oral'], 'every 8 h')
    """
    return tuple(
        dose for start, end in sentence_spans(text, language) for dose in _of_sentence(text, start, end, language)
    )


def _of_sentence(text: str, start: int, end: int, language: str) -> Iterator[StatedDose]:
    """A dose has the route of the first clause behind it that names one, and the frequency behind it, before the next
    dose; the first of a sentence, where none do, those before it."""
    sentence = text[start:end]
    matches = list(_dose(language).finditer(sentence))
    for place, match in enumerate(matches):
        behind = sentence[match.end() : matches[place + 1].start() if place + 1 < len(matches) else len(sentence)]
        before = sentence[: match.start()] if place == 0 else ""
        clauses = (routes(clause) for clause in (*re.split(r"[;(|]", behind), before))
        by = next(filter(None, clauses), frozenset[str]())
        often = frequency(f"{match.group()} {behind}") or frequency(before)
        unit = _unit(match["unit"])[0] + _per(match)
        for words, amounts in _amounts(match, sentence[: match.start()], language):
            yield StatedDose(words, start + match.start(), start + match.end(), amounts, unit, by, often)


def _amounts(match: re.Match[str], before: str, language: str) -> list[tuple[str, tuple[float, ...]]]:
    """One amount, or two where "or" or "and" joins two doses, each with its words."""
    factor = _unit(match["unit"])[1] * (1e6 if match["millions"] else 1)
    first = number_of(match["low"], language) * (_unit(match["low_unit"])[1] if match["low_unit"] else factor)
    half = factor / 2 if match["half"] else 0.0
    if not match["high"]:
        return [(match.group(), (first + half,))]
    second = number_of(match["high"], language) * factor + half
    joined = fold(match["joined"])
    if _CHOICE.search(joined) or (_BOTH.search(joined) and not _BETWEEN.search(fold(before))):
        both = (match["low"], match["low_unit"] or match["unit"], first), (match["high"], match["unit"], second)
        return [(f"{numeral} {unit}", (amount,)) for numeral, unit, amount in both]
    return [(match.group(), (first, second))]


def number_of(text: str, language: str) -> float:
    """A numeral or a number in words.

    >>> number_of("4.000", "es"), number_of("5 000 000", "es"), number_of("2'400.000", "es"), number_of("dos", "es")
    (4000.0, 5000000.0, 2400000.0, 2.0)
    """
    if not text[0].isdigit():
        return value_of(text) or 0.0
    grouped = re.sub(r"['’´.]", "", text) if re.search("['’´]", text) else "".join(text.split())
    return number(grouped, language)


@cache
def _dose(language: str) -> re.Pattern[str]:
    words = spelt(language)
    exact = "|".join(re.escape(name) for name, is_exact in _names() if is_exact)
    loose = "|".join(re.escape(name) for name, is_exact in _names() if not is_exact)
    unit = rf"(?:(?-i:{exact})|{loose})(?![\w²])"
    return re.compile(
        rf"(?P<low>(?<![\w.,/])(?:{_DIGITS})|{words})"
        rf"(?:\s?(?P<low_unit>{unit})?(?P<joined>{_JOINED})(?P<high>{_DIGITS}|{words}))?(?P<millions>{_MILLIONS})"
        rf"\s?(?:(?:de|of)\s)?(?P<unit>{unit})(?P<half>{_AND_A_HALF}){_CONCENTRATION}(?P<kilo>{_PER_KILOGRAM})"
        rf"(?P<rate>{_RATE}){_CONCENTRATION}",
        re.IGNORECASE,
    )


def _per(match: re.Match[str]) -> str:
    per = "/kg" if match["kilo"] else ""
    rate = fold(match["rate"] or "")
    return per + ("" if not rate else "/min" if "min" in rate else "/h")


@cache
def _table() -> tuple[tuple[str, str, float, bool], ...]:
    rows = []
    for line in phrases("dose_units"):
        is_exact = line.startswith("= ")
        base, factor, *names = line.removeprefix("= ").split()
        rows += [(name, base, float(factor), is_exact) for name in names]
    return tuple(rows)


def _names() -> list[tuple[str, bool]]:
    """Units, longest first, so that mg is not read as m."""
    return sorted(((name, is_exact) for name, _, _, is_exact in _table()), key=lambda item: -len(item[0]))


@cache
def _unit(written: str) -> tuple[str, float]:
    exact = {name: (base, factor) for name, base, factor, is_exact in _table() if is_exact}
    loose = {name.lower(): (base, factor) for name, base, factor, is_exact in _table() if not is_exact}
    return exact[written] if written in exact else loose[written.lower()]


@cache
def _route_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    pairs = (line.split(" ", 1) for line in phrases("routes"))
    return tuple((route, re.compile(pattern)) for route, pattern in pairs)


def routes(text: str) -> frozenset[str]:
    """The routes that a text names.

    >>> sorted(routes("intramuscular o intravenosa lenta"))
    ['intramuscular', 'intravenous']
    """
    folded = fold(text)
    return frozenset(route for route, pattern in _route_patterns() if pattern.search(folded))
