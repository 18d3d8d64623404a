"""How often a dose is given, in words that can be compared."""

from __future__ import annotations

import re

from benchmark.text import fold

_SPELT = {1: "un una a one once", 2: "dos two twice", 3: "tres three", 4: "cuatro four", 5: "cinco five", 6: "seis six"}
_SPELT |= {8: "ocho eight", 10: "diez ten", 12: "doce twelve", 15: "quince fifteen", 20: "veinte twenty"}
_SPELT |= {24: "veinticuatro", 30: "treinta thirty"}
_WORDS = {word: number for number, spelt in _SPELT.items() for word in spelt.split()}
_COUNT = rf"\d+|{'|'.join(_WORDS)}"
_N = rf"(?P<n>{_COUNT})"
_UNITS = {"h": 1.0, "hora": 1.0, "hour": 1.0, "dia": 24.0, "day": 24.0, "semana": 168.0, "week": 168.0}
_UNITS |= {"mes": 720.0, "month": 720.0, "minuto": 1 / 60, "minute": 1 / 60, "min": 1 / 60}
_UNIT = r"(?P<unit>horas?|hours?|h|dias?|days?|semanas?|weeks?|mes(?:es)?|months?|minutos?|minutes?|min)\b"
_EVERY = re.compile(rf"\b(?:cada|every|c/|q)\s?(?:{_N}(?:\s?(?:a|-|–|o|to|or)\s?(?P<to>{_COUNT}))?\s?)?{_UNIT}")
_TIMES = re.compile(
    rf"\b{_N}\s(?:(?:vez|veces|tomas?|dosis|times?|doses)\s)?"
    r"(?:al dia|por dia|diarias?|(?:a|per|each) day|daily|(?:por|a la) semana|(?:a|per) week|weekly)\b"
)
_DIVIDED = re.compile(
    r"\b(?:dividid[oa]s?|repartid[oa]s?|divided|en (?:dos|tres|cuatro|2|3|4)(?: o (?:tres|cuatro|3|4))? (?:tomas|dosis)"
    r"|in (?:two|three|four|2|3|4) (?:divided )?doses)\b"
)
_DAY = re.compile(
    r"\b(?:al dia|por dia|diari[oa]s?|diariamente|a day|per day|daily"
    r"|(?:cada|every|each) (?:noche|manana|night|morning)|en la noche|nightly|/ ?24 ?h)\b|/ ?(?:dia|day|d)\b"
)
_WEEK = re.compile(
    r"\b(?:semanal(?:es)?|semanalmente|weekly|(?:por|a la) semana|(?:a|per) week)\b|/ ?(?:semana|week)\b"
)
_DOSE = re.compile(r"\b(?:por dosis|(?:por|en cada) toma|per dose|each dose)\b|/ ?(?:dosis|dose)\b")
_ONCE = re.compile(
    r"\b(?:dosis unica|unica dosis|una sola (?:dosis|vez|aplicacion)|en una dosis|una aplicacion|single dose|one dose"
    r"|one-off|only once)\b|\b(?:una vez|once)\b(?! (?:al|por|a|per|cada|each|every|daily|weekly)\b)"
)
A_DAY, DIVIDED, PER_DOSE, ONCE = "a day", "a day, divided", "per dose", "once"
_ALIKE = (
    frozenset((A_DAY, "every 24 h")),
    frozenset((A_DAY, DIVIDED)),
)


def frequency(text: str) -> str | None:
    """What a text says first of how often: ``every 8 h``, ``a day``, ``a day, divided``, ``per dose``, ``once``.

    >>> [frequency(text) for text in ("cada 8 horas", "tres veces al día", "twice a day", "una vez al día")]
    ['every 8 h', 'every 8 h', 'every 12 h', 'every 24 h']
    >>> [frequency(text) for text in ("al día", "1 g/día en dos tomas", "dosis única", "10 mg/kg/dosis", "en bolo")]
    ['a day', 'a day, divided', 'once', 'per dose', None]
    """
    folded = fold(text)
    every, times = _EVERY.search(folded), _TIMES.search(folded)
    if every:
        hours = _UNITS[_singular(every["unit"])]
        low, high = _count(every["n"]), _count(every["to"] or every["n"])
        return _every(low * hours) if low == high else f"every {low * hours:g} to {high * hours:g} h"
    if times:
        period = 168 if re.search(r"seman|week", times.group()) else 24
        return _every(period / _count(times["n"]))
    if _DAY.search(folded):
        return DIVIDED if _DIVIDED.search(folded) else A_DAY
    if _WEEK.search(folded):
        return _every(168)
    if _DOSE.search(folded):
        return PER_DOSE
    return ONCE if _ONCE.search(folded) else None


def agree(one: str, other: str) -> bool:
    """Whether two frequencies may be said of one dose: a day's total is neither one dose nor given several times.

    >>> agree("a day", "every 24 h"), agree("per dose", "every 8 h"), agree("a day", "every 8 h")
    (True, True, False)
    """
    pair = frozenset((one, other))
    if len(pair) == 1 or pair in _ALIKE:
        return True
    return PER_DOSE in pair and any(word.startswith("every ") for word in pair)


def _every(hours: float) -> str:
    return f"every {hours:g} h"


def _count(word: str | None) -> float:
    return 1.0 if word is None else float(_WORDS.get(word, 0) or word)


def _singular(unit: str) -> str:
    return "mes" if unit.startswith("mes") else unit.removesuffix("s")
