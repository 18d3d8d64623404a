"""The counts of a corpus's card, generated between two marker lines and compared with what stands there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from benchmark.proofreading.nouns import Fault, Kind, Origin, Proof

BEGIN, END = "<!-- counts: written by `ragsweep corpus card` -->", "<!-- end of counts -->"
_SECTION = re.compile(rf"^{re.escape(BEGIN)}[ \t]*\n(?P<counts>.*?)^{re.escape(END)}[ \t]*$", re.DOTALL | re.MULTILINE)
_DIFFICULTIES = ("easy", "medium", "hard")


def counts(proof: Proof, checksum: str) -> str:
    """The tables of a card: sizes, kinds of questions, and the digest that a run of this corpus carries."""
    documents = [placed.part for placed in proof.documents]
    questions = [placed.part for placed in proof.questions]
    answerable = sum(question.answerable for question in questions)
    grades = Counter(evidence.grade for question in questions for evidence in question.evidence)
    difficulties = Counter(question.difficulty for question in questions if question.difficulty)
    hardest_last = [*_DIFFICULTIES, *sorted(difficulties.keys() - set(_DIFFICULTIES))]
    tenants = {document.tenant for document in documents} - {None}
    rows = (
        ("Documents", f"{len(documents)}"),
        ("Characters, without front matter", f"{sum(len(document.text) for document in documents):,}"),
        ("Tenants", f"{len(tenants)}" if tenants else ""),
        ("Questions", f"{len(questions)}: {answerable} answerable, {len(questions) - answerable} not"),
        ("Difficulty", ", ".join(f"{difficulties[name]} {name}" for name in hardest_last if name in difficulties)),
        (
            "Evidence spans",
            f"{grades.total()}: "
            + ", ".join(f"{grades[grade]} of grade {grade}" for grade in sorted(grades, reverse=True)),
        ),
        ("Medications", f"{len(proof.medications)}" if proof.medications else ""),
        ("Dose facts", f"{len(proof.doses)}" if proof.doses else ""),
        ("Checksum (SHA-256 of documents and questions)", f"`{checksum}`"),
    )
    lines = ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows if value)]
    tags = Counter(tag for question in questions for tag in question.tags)
    if tags:
        lines += ["", "| Tag (a question may have several) | Questions |", "|---|---|"]
        lines += [f"| {tag} | {count} |" for tag, count in sorted(tags.items(), key=lambda item: (-item[1], item[0]))]
    return "\n".join(lines) + "\n"


def with_counts(card: str, counted: str) -> str:
    """The card with these counts: between its marker lines, or at its end where it has none.

    >>> with_counts("# Card\\n", "| Documents | 1 |\\n").splitlines()[2:5]
    ['## Counts', '', '<!-- counts: written by `ragsweep corpus card` -->']
    """
    section = f"{BEGIN}\n\n{counted}\n{END}"
    if _SECTION.search(card):
        return _SECTION.sub(lambda _: section, card, count=1)
    return f"{card.rstrip()}\n\n## Counts\n\n{section}\n"


def differences(card: str, counted: str, *, name: str, file: str) -> Iterator[Fault]:
    """Where the card says other counts than the corpus has; ``name`` is what the command calls the corpus."""
    cure = f"write the counts again: ragsweep corpus card {name}"
    section = _SECTION.search(card)
    if section is None:
        found = f"the card has no counts between {BEGIN} and {END}"
        yield Fault(Origin(file), Kind.CARD, found, cure)
        return
    first = card.count("\n", 0, section.start("counts")) + 1
    said = {line: first + number for number, line in enumerate(section["counts"].split("\n")) if line.strip()}
    wanted = [line for line in counted.split("\n") if line.strip()]
    for line, number in said.items():
        if line not in wanted:
            yield Fault(Origin(file, number), Kind.CARD, f"the corpus does not have what the card says: {line}", cure)
    for line in wanted:
        if line not in said:
            yield Fault(Origin(file, first), Kind.CARD, f"the card does not say what the corpus has: {line}", cure)
