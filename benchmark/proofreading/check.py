"""All checks of a corpus, in the order of its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchmark.domain import Document, Question
from benchmark.proofreading import clinical, exam
from benchmark.proofreading.marks import CURES, marks
from benchmark.proofreading.nouns import Fault, Kind, Origin, Placed, Proof, excerpt
from benchmark.proofreading.source import Text


def proofread(proof: Proof) -> tuple[Fault, ...]:
    """Every fault that can be found without another text: those of reading first."""
    documents = proof.texts
    found = [*proof.faults, *_documents(proof.documents), *_same_id(proof.questions), *exam.twice(proof.questions)]
    for placed in proof.questions:
        found += of_question(placed, documents, proof.language)
    for placed in proof.translations:
        found += (fault for fault in exam.supported(placed, documents) if fault.kind is Kind.NO_ABSTENTION)
        found += exam.figures(placed, documents, proof.language)
        found += _wording(placed.part.query.text, f"the translation of {placed.part.id!r}", placed.origin)
        found += _wording(placed.part.reference or "", f"the translated reference of {placed.part.id!r}", placed.origin)
    found += clinical.medications(proof.medications, documents)
    found += clinical.doses(proof.doses, proof.medications, documents)
    return tuple(dict.fromkeys(found))


def of_question(placed: Placed[Question], documents: Mapping[str, Document], language: str) -> Iterator[Fault]:
    """Faults of one question by itself; ``language`` is that of the documents."""
    yield from exam.supported(placed, documents)
    yield from exam.figures(placed, documents, language)
    yield from _wording(placed.part.query.text, f"the question {placed.part.id!r}", placed.origin)
    yield from _wording(placed.part.reference or "", f"the reference of {placed.part.id!r}", placed.origin)


def own_words(proof: Proof) -> Iterator[Text]:
    """The texts that must not be the source's: documents, questions and references."""
    for placed in proof.documents:
        yield Text(f"the document {placed.part.id!r}", placed.part.text, placed.origin)
    for question in proof.questions:
        yield Text(f"the question {question.part.id!r}", question.part.query.text, question.origin)
        yield Text(f"the reference of {question.part.id!r}", question.part.reference or "", question.origin)


def _documents(documents: Sequence[Placed[Document]]) -> Iterator[Fault]:
    yield from _same_id(documents)
    first: dict[str, Placed[Document]] = {}
    for placed in documents:
        document = placed.part
        same = first.setdefault(" ".join(document.text.lower().split()), placed)
        if same is not placed:
            found = f"the document {document.id!r} has the text of {same.part.id!r} ({same.origin})"
            yield Fault(placed.origin, Kind.DUPLICATE_TEXT, found, "take one of the two out")
        for mark in marks(document.text):
            shown = excerpt(document.text, mark.start, mark.end)
            found = shown if placed.origin.multiline else f"{document.id}: {shown}"
            yield Fault(placed.origin.at(document.text, mark.start), mark.kind, found, CURES[mark.kind])


def _same_id(parts: Sequence[Placed[Document]] | Sequence[Placed[Question]]) -> Iterator[Fault]:
    first: dict[str, Origin] = {}
    for placed in parts:
        identity = placed.part.id
        if identity in first:
            found = f"the id {identity!r} was used before, in {first[identity]}"
            yield Fault(placed.origin, Kind.DUPLICATE_ID, found, "rename one of the two")
        first.setdefault(identity, placed.origin)


def _wording(text: str, what: str, origin: Origin) -> Iterator[Fault]:
    """Marks of loss in a line of the exam, which a person may have typed carelessly on purpose."""
    for mark in marks(text, prose=False):
        found = f"{what}: {excerpt(text, mark.start, mark.end)}"
        yield Fault(origin, mark.kind, found, CURES[mark.kind])
