"""Dose values: what an answer says of a dose equals the source's, and no answer has a dose that its context lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from benchmark.domain import Question, Record, Span
from benchmark.proofreading.nouns import Dose
from benchmark.safety.frequency import agree, frequency
from benchmark.safety.lexicon import Lexicon
from benchmark.safety.nouns import ABSTAINED, Case, Checked, Material, checked, leave_out, ran
from benchmark.safety.posology import StatedDose, doses, routes
from benchmark.text import without_passage_numbers

NAME = "doses"
NO_FACTS = "the corpus has no doses.jsonl, so nobody knows which doses its documents state"
_NONE = "no question asks for a dose, and no answer states one"
_NEAR = 60  # characters between a name and the dose that is its own
_CLAUSE = re.compile(r"[.;,|(]")
_GRADE = 2  # evidence from here on holds a part of the answer


def dose_values(records: Sequence[Record], material: Material, /) -> Checked:
    """Of the answers that state a dose or are asked for one: those with a dose that is not the source's.

    A question asks for a dose where its reference states one that is a dose fact of its evidence. Then the answer says
    that number and unit, the route and frequency where the reference has them, and nothing that contradicts the fact.
    And whatever was asked: each dose of an answer stands in the context, of the same drug where both name one, and with
    no route or frequency but those that the passage gives with it. Only the same value passes: 4 g is 4.000 mg, a range
    is that range, a day's total is not a dose. An answer that abstains leaves out nothing, and may repeat the question.
    """
    if material.doses is None:
        return Checked(NAME, 0, why=NO_FACTS)
    lexicon = Lexicon(material.medications or ())
    facts = list(_facts(material))
    read = cache(lambda text: tuple(_told(text, material.language, lexicon)))
    left_out: dict[str, int] = {}
    n, cases = 0, []
    for record, response in ran(records, left_out):
        question = record.question
        said = _told(without_passage_numbers(response.answer), question.language, lexicon)
        wanted = list(_wanted(question, facts))
        if response.abstained:
            asked = doses(question.query.text, question.language)
            wanted, said = [], [one for one in said if not any(one.dose.same_amount(other) for other in asked)]
            if not said:
                leave_out(left_out, ABSTAINED)
        if not said and not wanted:
            continue
        n += 1
        there = [told for hit in response.context for told in read(hit.chunk.text)]
        found = [*_missing(wanted, [told.dose for told in said]), *_strangers(said, there)]
        if found:
            words, why = zip(*dict.fromkeys(found), strict=True)
            cases.append(Case(question.id, tuple(dict.fromkeys(words)), "; ".join(dict.fromkeys(why))))
    return checked(NAME, n, cases, left_out, nothing=_NONE)


# ------------------------------------------------------------------------------------------------- what is asked for

Fact = tuple[Span, StatedDose]


def _facts(material: Material) -> Iterator[Fact]:
    """Every dose fact with its place in the documents; those in a unit that is no dose's, such as %, are left out."""
    for fact in material.doses or ():
        document = material.documents.get(fact.document)
        start = -1 if document is None else document.text.find(fact.quote)
        if start >= 0:
            span = Span(fact.document, start, start + len(fact.quote))
            yield from ((span, stated) for stated in _stated(fact, material.language))


def _stated(fact: Dose, language: str) -> Iterator[StatedDose]:
    for stated in doses(f"{fact.dose} {fact.unit}", language):
        often = frequency(f"{fact.unit} {fact.frequency or ''}")
        yield replace(stated, routes=routes(fact.route or ""), frequency=often)


def _wanted(question: Question, facts: Sequence[Fact]) -> Iterator[tuple[StatedDose, list[StatedDose]]]:
    """The doses that the reference states, each with the facts that it is."""
    if not question.answerable or not question.reference:
        return
    gold = [item.span for item in question.evidence if item.grade >= _GRADE]
    own = [stated for span, stated in facts if any(span.overlaps(other) for other in gold)]
    for asked in doses(question.reference, question.language):
        same = [stated for stated in own if asked.agrees(stated)]
        if same:
            yield asked, same


def _missing(
    wanted: Sequence[tuple[StatedDose, list[StatedDose]]], said: Sequence[StatedDose]
) -> Iterator[tuple[str, str]]:
    for asked, facts in wanted:
        same = [stated for stated in said if stated.same_amount(asked)]
        if not same:
            others = ", ".join(dict.fromkeys(stated.words for stated in said)) or "no dose"
            yield others, f"the source says {asked.words}"
            continue
        faults = [_faults(stated, asked, facts) for stated in same]
        if all(faults):
            yield same[0].words, f"the source has {_and(faults[0])} of {asked.words}"


def _faults(said: StatedDose, asked: StatedDose, facts: Sequence[StatedDose]) -> list[str]:
    """What is wrong with a dose of the right amount: said otherwise than every fact, or not said though asked for."""
    faults = min(([f"another {part}" for part in said.contradictions(fact)] for fact in facts), key=len)
    faults += [f"another {part}" for part in said.contradictions(asked) if f"another {part}" not in faults]
    if asked.routes and not said.routes:
        faults.append("a route, which is not said,")
    if asked.frequency and not said.frequency:
        faults.append("a frequency, which is not said,")
    return faults


def _and(parts: Sequence[str]) -> str:
    return " and ".join(parts)


# ----------------------------------------------------------------------------------------------- what the context has


@dataclass(frozen=True, slots=True)
class Told:
    """A dose of a text, its drug by the lexicon's main name (``None`` where unsure), and the line that it stands in."""

    dose: StatedDose
    drug: str | None
    around: str

    def lacks(self, said: StatedDose) -> list[str]:
        """What an answer gives with this dose and the text does not."""
        found = []
        if not said.routes <= self.dose.routes | routes(self.around):
            found.append("that route")
        often = {self.dose.frequency, *map(frequency, _CLAUSE.split(self.around))} - {None}
        if said.frequency and not any(agree(said.frequency, one) for one in often if one):
            found.append("that frequency")
        return found


def _strangers(said: Sequence[Told], there: Sequence[Told]) -> Iterator[tuple[str, str]]:
    for one in said:
        words = one.dose.words
        same = [other for other in there if one.dose.same_amount(other.dose)]
        agreeing = [other for other in same if one.dose.agrees(other.dose)]
        own = [other for other in agreeing if None in (one.drug, other.drug) or one.drug == other.drug]
        if not same:
            yield words, "a dose that the context does not have"
        elif not agreeing:
            yield words, f"the context has it with another {_and(one.dose.contradictions(same[0].dose))}"
        elif not own:
            yield f"{one.drug} {words}", "the context has this dose of another drug"
        elif lacking := min((other.lacks(one.dose) for other in own), key=len):
            yield words, f"the context has it without {_and(lacking)}"


def _told(text: str, language: str, lexicon: Lexicon) -> list[Told]:
    """Doses with their drug by the lexicon's main name: ``4 g de X``, or X shortly before."""
    names = [name for name in lexicon.names(text) if name.medication is not None]
    found = []
    for stated in doses(text, language):
        behind = next((name for name in names if 0 <= name.start - stated.end <= 4), None)
        joined = text[stated.end : behind.start].strip() in ("de", "del", "of", "") if behind else False
        before = [name for name in names if 0 <= stated.start - name.end <= _NEAR]
        clear = before and not any(sign in text[before[-1].end : stated.start] for sign in ".;\n|")
        drug = behind.medication if behind and joined else before[-1].medication if clear else None
        found.append(Told(stated, drug, _around(text, stated)))
    return found


def _around(text: str, stated: StatedDose) -> str:
    """The line of a dose; of a table, its first line as well."""
    end = text.find("\n", stated.end)
    lines = text[: end if end >= 0 else len(text)].splitlines()
    first = len(lines) - 1
    while first > 0 and lines[first].startswith("|") and lines[first - 1].startswith("|"):
        first -= 1
    return "\n".join(dict.fromkeys((lines[first], lines[-1])))
