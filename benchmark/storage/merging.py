"""Reviewed questions merged into a corpus, with where each of them comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmark.domain import Document, Question
from benchmark.drafting.nouns import Drafting, Drafts
from benchmark.drafting.reviews import Decision, Review, Settled
from benchmark.proofreading import card
from benchmark.storage import cards, proofs
from benchmark.storage.corpora import Exam, load_documents
from benchmark.storage.drafts import document_lines, documents_digest
from benchmark.storage.fields import Fields, Place, lines, read_text
from benchmark.storage.question_lines import question_line
from benchmark.storage.runs import write_whole

PROVENANCE = "provenance.jsonl"
"""Beside ``questions.jsonl``: who wrote each synthetic question, and who reviewed it."""
_KEPT = ("question", "model", "prompt", "prompt_digest", "date", "decision", "reviewers", "notes")


@dataclass(frozen=True, slots=True)
class Merged:
    """The ids of the questions that were added, that the exam had already, and that it has although rejected."""

    added: tuple[str, ...]
    there: tuple[str, ...]
    unwanted: tuple[str, ...]
    is_new: bool


def merge(to: Path, drafts: Drafts, settled: Settled) -> Merged:
    """Add the accepted questions to the exam of a corpus's folder, which is made where there is none.

    Once more changes nothing.

    Raises:
        UserError: the corpus has other documents, or another question of the same id; then nothing is written.
    """
    documents = {document.id: document for document in drafts.documents}
    is_new = not (to.is_dir() and any(to.iterdir()))
    if not is_new:
        _refuse_others(to, documents, drafts.about)
    file = to / "questions.jsonl"
    before = read_text(file) if file.is_file() else ""
    known = _known(file, Exam(documents, drafts.about.language, None)) if before.strip() else {}
    added, there = list[Question](), list[Question]()
    for name, reviews in settled.accepted.items():
        question = reviews[0].question
        assert question is not None  # what is accepted is a question
        (there if name in known else added).append(question)
        if name in known and known[name][1] != question:
            raise known[name][0].wrong(
                f"the exam has another question {name!r} than the one that was accepted",
                "an id of its own for each question",
                "take the line out to have the accepted one in its place, or rename it",
            )
    provenance = _provenance(to / PROVENANCE, settled.accepted)  # read before anything is written
    if is_new and added:
        write_whole(to / "documents.jsonl", document_lines(drafts.documents))
        write_whole(to / "card.md", _card(to, drafts.about))
    if added or there:
        _write_changed(to / PROVENANCE, provenance)
    if added:
        told = (json.dumps(question_line(question, documents), ensure_ascii=False) + "\n" for question in added)
        write_whole(file, (before.rstrip("\n") + "\n" if before.strip() else "") + "".join(told))
        _count(to, drafts.about.language)
    unwanted = tuple(name for name in settled.rejected if name in known)
    return Merged(tuple(one.id for one in added), tuple(one.id for one in there), unwanted, is_new)


def _refuse_others(to: Path, documents: Mapping[str, Document], about: Drafting) -> None:
    """Refuse a folder whose documents are not those that the questions were drafted on."""
    found = {document.id: document for document in load_documents(to)}
    if documents_digest(tuple(found.values())) == about.digest:
        return
    missing = [name for name in documents if name not in found]
    more = [name for name in found if name not in documents]
    changed = [name for name, document in documents.items() if name in found and found[name] != document]
    told = [(missing, "missing there"), (more, "only there"), (changed, "changed")]
    differ = "; ".join(f"{len(names)} {what}, such as {names[0]!r}" for names, what in told if names)
    raise Place(to).wrong(
        f"its documents are not those that these questions were drafted on ({differ})",
        f"the documents of {about.corpus} as they were on {about.date}, or a folder that is not there yet",
        "give another folder with --to, or draft again over these documents",
    )


def _known(file: Path, exam: Exam) -> dict[str, tuple[Place, Question]]:
    """The questions that are there, with their places; an exam that cannot be read is refused."""
    exam.questions(file)
    placed = [(place, exam.question(place, value)) for place, value in lines(file)]
    return {question.id: (place, question) for place, question in placed}


def _provenance(file: Path, accepted: Mapping[str, Sequence[Review]]) -> str:
    """The file with the accepted questions: of one that it has, those who reviewed it now are added."""
    told: dict[str, dict[str, object]] = {}
    for place, value in lines(file) if file.is_file() else ():
        fields = Fields.of(value, place, "the provenance of a question", known=_KEPT)
        for name in ("reviewers", "notes"):
            fields.texts(name)  # they are read when a review is added
        told[fields.text("question")] = fields.values
    for name, reviews in accepted.items():
        kept = Fields(told.get(name, {}), Place(file), f"the provenance of {name!r}")
        is_mended = any(review.decision is Decision.MEND for review in reviews)
        told[name] = {
            "question": name,
            **asdict(reviews[0].draft.made),
            "decision": "mended" if is_mended else "accepted",
            "reviewers": list(dict.fromkeys((*kept.texts("reviewers"), *(review.by for review in reviews)))),
            "notes": list(dict.fromkeys((*kept.texts("notes"), *(one.note for one in reviews if one.note)))),
        }
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in told.values())


def _write_changed(file: Path, text: str) -> None:
    if not file.is_file() or read_text(file) != text:
        write_whole(file, text)


def _count(to: Path, language: str) -> None:
    """Bring the counts of a card up to date; a corpus without a card, or that cannot be read whole, stays as it is."""
    if cards.card_of(to).is_file():
        proof = proofs.read(to, language)
        if not proof.faults:
            cards.write_counts(to, card.counts(proof, proofs.checksum(proof)))


def _card(to: Path, about: Drafting) -> str:
    prompts = "".join(f"- {name} (`{digest[:12]}`)\n" for name, digest in about.prompts.items())
    return (
        f"# Corpus card: {to.resolve().name}\n\n## How it was made\n"
        f"The questions are synthetic: drafted by `{about.model}` on {about.date} with `ragsweep corpus questions`\n"
        f"over the documents of {about.corpus}, then accepted or mended by people, one by one. `{PROVENANCE}` says\n"
        "of each which prompt it came from, when, and who reviewed it.\n"
        "Licence and source of the documents: to be written by who knows them.\n\n"
        f"Prompts:\n\n{prompts}"
    )
