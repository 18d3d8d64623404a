"""Medications and dose facts against the documents that they are read from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from benchmark.domain import Document
from benchmark.proofreading.nouns import Dose, Fault, Kind, Medication, Placed
from benchmark.text import fold


def medications(listed: Sequence[Placed[Medication]], documents: Mapping[str, Document]) -> Iterator[Fault]:
    """Names listed twice, and documents that are unknown or do not name the medication."""
    owners: dict[str, Placed[Medication]] = {}
    for placed in listed:
        medication = placed.part
        for name in medication.names:
            owner = owners.setdefault(fold(name), placed)
            if owner is not placed:
                found = f"{name!r} is a name of {owner.part.name!r} ({owner.origin}) and of {medication.name!r}"
                yield Fault(placed.origin, Kind.MEDICATION, found, "make one line of the two")
        for identity in medication.documents:
            document = documents.get(identity)
            if document is None:
                yield _no_document(placed, Kind.MEDICATION, f"{medication.name!r} lists", identity)
            elif not any(_says(document.title + "\n" + document.text, name) for name in medication.names):
                found = f"{identity!r} names {medication.name!r} by none of {', '.join(medication.names)}"
                cure = "take the document off the list, or add the synonym that it uses"
                yield Fault(placed.origin, Kind.MEDICATION, found, cure)


def doses(
    stated: Sequence[Placed[Dose]], listed: Sequence[Placed[Medication]], documents: Mapping[str, Document]
) -> Iterator[Fault]:
    """Doses of unlisted drugs, quotes that do not occur exactly once, and numbers or units that the quote lacks."""
    known = {fold(name) for placed in listed for name in placed.part.names}
    for placed in stated:
        dose = placed.part
        what = f"{dose.drug}, {dose.dose} {dose.unit}"
        if listed and fold(dose.drug) not in known:
            found = f"{dose.drug!r} is no name or synonym of a medication"
            yield Fault(placed.origin, Kind.DOSE, found, "add it to medications.jsonl, or correct the name")
        document = documents.get(dose.document)
        if document is None:
            yield _no_document(placed, Kind.DOSE, f"the dose {what} is from", dose.document)
            continue
        times = document.text.count(dose.quote)
        if times != 1:
            found = f"the quote of the dose {what} occurs {times or 'no'} times in {dose.document!r}: {dose.quote!r}"
            yield Fault(placed.origin, Kind.QUOTE, found, "copy words of the document that occur in it exactly once")
        if not _says(dose.quote, dose.dose):
            found = f"the dose {what} is not in its quote: {dose.quote!r}"
            yield Fault(placed.origin, Kind.DOSE, found, "write the dose as the quote does, or correct the quote")
        elif not all(_says(f"{_header(document.text, dose.quote)} {dose.quote}", word) for word in dose.unit.split()):
            found = f"the unit of the dose {what} is not in its quote: {dose.quote!r}"
            yield Fault(placed.origin, Kind.DOSE, found, "write the unit as the quote does, or correct the quote")


def _no_document(placed: Placed[Medication] | Placed[Dose], kind: Kind, what: str, identity: str) -> Fault:
    found = f"{what} {identity!r}, which is not in the corpus"
    return Fault(placed.origin, kind, found, "correct the id: the path below documents/ without .md")


def _says(text: str, name: str) -> bool:
    """Whether a text has a name or a number as a whole, whatever its case and accents; a name also in the plural.

    >>> _says("Se dan 14 mg de Vitaminas A", "4"), _says("Se dan 14 mg de Vitaminas A", "vitamina")
    (False, True)
    """
    whole = re.escape(" ".join(fold(name).split()))
    return re.search(rf"(?<!\w)(?<!\d[.,]){whole}(?:e?s)?(?![.,]?\d)(?!\w)", " ".join(fold(text).split())) is not None


def _header(text: str, quote: str) -> str:
    """The header of the table of which a quote is a row: it may hold the unit of a whole column."""
    before = text[: max(0, text.find(quote))].split("\n")
    rows: list[str] = []
    for line in reversed(before if quote.lstrip().startswith("|") else []):
        if line.strip() and not line.lstrip().startswith("|"):
            break
        rows.append(line)
        if not line.strip() and len(rows) > 1:
            break
    return next((row for row in reversed(rows) if row.strip()), "")
