"""What the grades of judgements mean: taken as they are where that is plain, shown and asked for where it is not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmark.domain import UserError
from benchmark.storage.fields import Place
from benchmark.text import some

RELEVANT = 3
"""The grade of a judgement that only says "relevant"."""
_MOST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Scale:
    """From a grade as it is written to the house's; 0 is not relevant. ``note`` says what was taken it for."""

    grades: Mapping[str, int]
    note: str


def scale(found: Iterable[str], wanted: str | None, place: Place) -> Scale:
    """The scale of the grades of a file.

    One grade alone, written 1, means relevant. Several positive whole numbers are taken as they are: higher is better,
    as in every TREC and BEIR collection. All else is shown and asked for, since collections differ in what they mean
    by it: 0 and below, numbers with decimals, and words.

    Raises:
        UserError: the grades are none of these and ``wanted`` does not say what they mean.
    """
    counts = Counter(found)
    shown = distribution(counts)
    if wanted is not None:
        return Scale(_said(wanted, counts, place, shown), f"grades: {shown}, read by --grades {wanted}")
    if set(counts) == {"1"}:
        return Scale({"1": RELEVANT}, f"grades: {shown}, read as relevant (grade {RELEVANT})")
    if len(counts) > 1 and all(re.fullmatch(r"[1-9]\d{0,2}", grade) for grade in counts):
        note = f"grades: {shown}, higher read as better. If 1 is the best: --grades inverted"
        return Scale({grade: int(grade) for grade in counts}, note)
    raise place.wrong(
        f"the grades are {shown}, and what they mean is not plain",
        "to be told which grade each is: 0 not relevant, 1 on topic, 2 a part of the answer, 3 all of it",
        f'say it such as --grades "{_example(counts)}" (yours may differ){_shortcuts(counts)}',
    )


def _example(counts: Mapping[str, int]) -> str:
    """A meaning of each grade that may be right: what is 0 or below is not relevant, unless it is all there is."""
    order = [grade for grade, _ in sorted(counts.items(), key=_order)]
    if len(order) == 1:
        return f"{order[0]}={RELEVANT}"
    below = [grade for grade in order if _order((grade, 1))[0] <= 0]
    above = [grade for grade in order if grade not in below]
    return ",".join([*(f"{grade}=0" for grade in below), *(f"{grade}={n}" for n, grade in enumerate(above, 1))])


def _shortcuts(counts: Mapping[str, int]) -> str:
    """The words that do as well, where they do."""
    if not all(re.fullmatch(r"\d+", grade) for grade in counts) or len(counts) == 1:
        return ""
    inverted = "" if "0" in counts else ", or --grades inverted if 1 is the best"
    return f"; or --grades as-is if higher is better and 0 not relevant{inverted}"


def distribution(counts: Mapping[str, int]) -> str:
    """
    >>> distribution({"2": 5, "-1": 1})
    '-1 (once), 2 (5 times)'
    """
    told = [f"{grade} ({'once' if n == 1 else f'{n} times'})" for grade, n in sorted(counts.items(), key=_order)]
    return some(told, _MOST_SHOWN)


def _order(item: tuple[str, int]) -> tuple[float, str]:
    number = _number(item[0])
    return (float("inf") if number is None else number, item[0])


def _number(grade: str) -> float | None:
    try:
        return float(grade)
    except ValueError:
        return None


def _said(wanted: str, counts: Mapping[str, int], place: Place, shown: str) -> dict[str, int]:
    if wanted in ("as-is", "inverted"):
        numbers = {grade: _number(grade) for grade in counts}
        odd = [grade for grade, number in numbers.items() if number is None or number < 0 or number != int(number)]
        if odd:
            found = f"--grades {wanted} is for whole numbers from 0, and the grades are {shown}"
            raise place.wrong(found, "a grade for each", f'say each, such as --grades "{odd[0]}=0,..."')
        whole = {grade: int(number or 0) for grade, number in numbers.items()}
        if wanted == "as-is":
            return whole
        if 0 in whole.values():
            found = f"--grades inverted is for scales from 1, and the grades are {shown}"
            raise place.wrong(found, "a grade for each", 'say each, such as --grades "0=3,1=2,2=1,3=0"')
        return {grade: max(whole.values()) + 1 - number for grade, number in whole.items()}
    pairs = dict.fromkeys(counts, -1)
    for part in wanted.split(","):
        grade, equals, value = (piece.strip() for piece in part.rpartition("="))
        if not equals or not re.fullmatch(r"\d{1,3}", value):
            raise UserError(
                f"--grades has {part.strip()!r}.\n    wanted: as-is, inverted, or GRADE=NUMBER,GRADE=NUMBER...\n"
                f"    to do:  say each of {shown}"
            )
        if grade not in pairs:
            raise place.wrong(
                f"--grades names {grade!r}, and the grades are {shown}", "grades of the file", "correct it"
            )
        pairs[grade] = int(value)
    silent = [grade for grade, value in pairs.items() if value < 0]
    if silent:
        raise place.wrong(f"--grades does not say what {silent[0]!r} is (the grades: {shown})", "all of them", "add it")
    return pairs
