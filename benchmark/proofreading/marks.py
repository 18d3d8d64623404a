"""Marks of text that was lost or spoilt: numbers gone before their units, empty brackets, cut sentences, mojibake."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from benchmark.proofreading.nouns import Kind
from benchmark.text import phrases

CURES = {
    Kind.MISSING_NUMBER: "look the number up in the source and write it back",
    Kind.MISSING_UNIT: "write the unit after the number",
    Kind.EMPTY_BRACKETS: "write back what stood in the brackets, or take them out",
    Kind.STRAY_MARK: "write back what stood before the mark, or close the gap",
    Kind.CUT_SENTENCE: "write the sentence whole",
    Kind.MOJIBAKE: "decode the source as UTF-8, or correct the characters",
}
_TIME = r"(?:semanas|d[ií]as|horas|minutos|segundos|meses|a[nñ]os|weeks|days|hours|minutes|seconds|months|years)"
_NUMBER = r"\d+(?:[.,]\d+)*"
_JOINING = frozenset(("y", "o", "u", "a", "e", "and", "or", "to"))
_CARDINAL = re.compile(r"\d|^(?:mil|cien|millón|millones|million|millions|thousand|hundred)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters ``start`` to ``end`` of a text, and what they are a mark of."""

    kind: Kind
    start: int
    end: int


@cache
def units() -> tuple[str, ...]:
    """The units that a number must stand before, longest first."""
    return tuple(sorted(phrases("units"), key=len, reverse=True))


@cache
def _words_before_a_unit() -> frozenset[str]:
    return frozenset(word for line in phrases("before_units") for word in line.split())


@cache
def _unit() -> str:
    """A unit or a compound of units, as a pattern; ends at a word's end."""
    simple = "|".join(re.escape(unit).replace("µ", "[µμ]") for unit in units())
    return rf"(?-i:{simple})(?:\s?/\s?(?:{_NUMBER}\s?)?[^\W\d_]+[²2]?)*(?![\w/])"


@cache
def _named_unit() -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?<!\S)(?P<earlier>\S+)[ \n])?(?<![\w/])(?P<before>[^\W\d_]+)[ \n](?P<unit>{_unit()})", re.IGNORECASE
    )


@cache
def _missing_number() -> re.Pattern[str]:
    """What only a lost number explains."""
    return re.compile(
        "|".join(
            (
                rf"[=<>≥≤±]\s*{_unit()}",
                r"[=≥≤±]\s*(?:[;)]|,(?!\d))|(?<=\w)\s?[<>≥≤]\s(?:de|y|of)\b",
                r"(?<=[\s=(]),\d",
                rf"\b(?:menor|mayor|inferior|superior)(?:es)?\s(?:a|de|que)\s{_TIME}\b",
                rf"\b(?:menos|más|less|more|fewer)\s(?:de|than)\s{_TIME}\b",
                rf"(?<=\d)\s(?:a|y|o|to|or)\s{_TIME}\b(?!\s\d)",
                r"\b(?:antes|después|luego|partir|desde|hasta|en|before|after|since|until)\s(?:de\s)?(?:la|the)\s"
                r"(?:semana|week)\s(?:de gestación|of gestation|of pregnancy|para)\b",
                r"\blas\ssemanas\s[ya]\s\d",
                r"\b(?:a|dentro\sde)\slas\s(?:horas|semanas)\b(?!\s(?:siguientes|posteriores|previas|de\s|\d|y\s\d))",
                r"\b(?:entre(?:\slas?|\slos)?\sy|between\sand|con\so)\s\d|\b(?:de\sa|from\sto)\s\d",
                r"(?<=\d)\sa\s(?:de|en|con|para)\b|\bsemana\s\d+\sy\sde\sgestación|\bla\ssemana\so\s(?:menos|más)\b",
                rf"•\s(?:hora|día|semana|mes)(?:e?s)?\s?:|\b(?:IC|CI)\s?9\d\s?%\s?[=:]?\s?[-–]?\s?{_NUMBER}\s?\)",
            )
        ),
        re.IGNORECASE,
    )


@cache
def _missing_unit() -> re.Pattern[str]:
    """A measured quantity's number that is followed by what cannot be its unit."""
    relation = (
        r"(?:de|:|=|[<>≥≤]=?|(?:mayor|menor|superior|inferior|igual)(?:\so\sigual)?\s(?:de|a|que)|of|above|below)"
    )
    adjective = (
        r"(?:diaria|total|única|inicial|máxima|mínima|habitual|arterial|sistólica|diastólica|daily|single|initial)"
    )
    measured = (
        r"(?:dosis|dosificación|punto\sde\scorte|glucemia|glicemia|hemoglobina|presión|tensión\sarterial|temperatura"
        r"|dose|cut-?off|glucose|h(?:a?e)moglobin|(?:blood\s)?pressure|temperature)"
    )
    values = rf"{_NUMBER}(?:/{_NUMBER})?(?:\s?(?:a|y|o|-|–|to|and|or)\s?{_NUMBER}(?:/{_NUMBER})?)?"
    route = (
        r"(?:IV|IM|VO|SC|i\.v\.|i\.m\.|v\.o\.|por\svía|vía|intravenos\w+|intramuscular\w*|oral\w*|intravenously|orally)"
    )
    follows = rf"(?=\s*(?:[.;)](?!\d)|,(?!\d)|\s(?:cada|every|se|y\sluego|and\sthen|{route})\b|$))"
    hours = rf"(?:{_NUMBER}|cuatro|seis|ocho|doce|four|six|eight|twelve)\s(?:horas|h|hours)\b"
    every = rf"(?<![\d.,/\w]){_NUMBER}\s(?:{route}\s)?(?:cada|every)\s{hours}"
    return re.compile(
        rf"\b{measured}(?:\s{adjective})*\s{relation}\s?{values}(?![\d%°/])(?<=\d){follows}|{every}", re.IGNORECASE
    )


_EMPTY_BRACKETS = re.compile(r"\(\s*[,;.:%=<>]?\s*\)|\(\s+[-–]\s+\)|(?<!\])\[\s*[,;.]?\s*\](?!\()|\{\s*\}")
_CHECKBOX = re.compile(r"^\s*[-*+]\s\[ \]", re.MULTILINE)
_STRAY_MARK = re.compile(
    r"(?<=[\w)%\]])[ \t]+[.,;](?=\s|$)(?!\s*[.])|[,;]\s*[;.](?!\.)|\(\s*[,;]\s*(?=\w)|(?<=\w)[,;]\s*\)"
)
_WRONGLY_DECODED = re.compile(
    r"[ÃÂ][^\x00-\x7f\w]|Ã[ƒ‚ªº\u00a0-\u00bf]|â€.?|ï»¿|\ufffd|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_NOT_PROSE = re.compile(r"^\s*(?:#|\||[-*+>]\s|\d+[.)]\s|```|<|\*\*[^*]+\*\*$)")
_ENDED = re.compile(r"[.!?:;…][\"'”’»)\]*_`\s]*(?:[\[(][^\])]*[\])]\s*)?$|[|`>]$")
_LEAST_WORDS = 8
# Beside these a number needs no unit: points of a scale, and ratios.
_SCORED = re.compile(
    r"\b(?:puntos|puntajes?|escalas?|cociente|ratio|scores?|scored|points|scale|out of \d+)\b", re.IGNORECASE
)


def marks(text: str, *, prose: bool = True) -> tuple[Mark, ...]:
    """Marks in the order of the text, one for each place and kind; ``prose`` asks for whole sentences as well.

    >>> [mark.kind.value for mark in marks("Con un punto de corte mg/dL () se halló más.")]
    ['number lost', 'empty brackets']
    """
    found = [*_numbers(text), *_spoilt(text), *(_broken(text) if prose else ())]
    kept: dict[tuple[Kind, int], Mark] = {}
    last: dict[Kind, int] = {}
    for mark in sorted(found, key=lambda mark: (mark.start, mark.end)):
        if mark.start >= last.get(mark.kind, 0):
            kept[mark.kind, mark.start] = mark
            last[mark.kind] = mark.end
    return tuple(kept.values())


def _numbers(text: str) -> Iterator[Mark]:
    for match in _missing_number().finditer(text):
        yield Mark(Kind.MISSING_NUMBER, match.start(), match.end())
    for match in _named_unit().finditer(text):
        if not _in_a_table(text, match.start()) and _lacks_its_number(match):
            yield Mark(Kind.MISSING_NUMBER, match.start("before"), match.end())
    for match in _missing_unit().finditer(text):
        if not _SCORED.search(text[max(0, match.start() - 200) : match.end() + 200]):
            yield Mark(Kind.MISSING_UNIT, match.start(), match.end())


def _lacks_its_number(match: re.Match[str]) -> bool:
    before, earlier, unit = match["before"].lower(), match["earlier"] or "", match["unit"]
    if before in _JOINING:
        return bool(re.search(r"\d$|^[-–=]$", earlier)) or earlier.lower() in ("entre", "between", unit.lower())
    if before == "de" and _CARDINAL.search(earlier):  # 2,4 millones de UI
        return False
    return before not in _words_before_a_unit() and match["before"] not in units()


def _in_a_table(text: str, offset: int) -> bool:
    """Whether the line of an offset is a table's row: its header names units, its cells may hold them alone."""
    return text[text.rfind("\n", 0, offset) + 1 :].lstrip().startswith("|")


def _spoilt(text: str) -> Iterator[Mark]:
    boxes = {match.end() for match in _CHECKBOX.finditer(text)}
    for match in _EMPTY_BRACKETS.finditer(text):
        if match.end() not in boxes:
            yield Mark(Kind.EMPTY_BRACKETS, match.start(), match.end())
    for match in _WRONGLY_DECODED.finditer(text):
        yield Mark(Kind.MOJIBAKE, match.start(), match.end())


def _broken(text: str) -> Iterator[Mark]:
    for match in _STRAY_MARK.finditer(text):
        yield Mark(Kind.STRAY_MARK, match.start(), match.end())
    for start, end in _paragraphs(text):
        paragraph = text[start:end]
        if paragraph[0].islower() or paragraph[0] in ",.;:)]%":
            yield Mark(Kind.CUT_SENTENCE, start, min(end, start + 20))
        if not _ENDED.search(paragraph):
            yield Mark(Kind.CUT_SENTENCE, max(start, end - 20), end)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Blocks of prose of some length: not headings, tables, lists, quotations or code."""
    for match in re.finditer(r"\S[^\n]*(?:\n(?!\s*\n)[^\n]*\S)*", text):
        block = match.group()
        if not _NOT_PROSE.search(block) and len(block.split()) >= _LEAST_WORDS:
            yield match.start(), match.start() + len(block.rstrip())
