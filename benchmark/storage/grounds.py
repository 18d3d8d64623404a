"""What an exam is drafted over: a corpus's documents, and the exam that is there, if there is one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmark.domain import Corpus, Document, UserError
from benchmark.storage import languages
from benchmark.storage.corpora import Exam, documents_language, load_documents
from benchmark.storage.drafts import documents_digest
from benchmark.storage.shelves import find_documents
from benchmark.text import LANGUAGES


def load_ground(path: str, language: str | None) -> Corpus:
    """The corpus of a name or a folder; its ``questions`` may be none, and its ``digest`` is that of the documents.

    ``language`` of the documents is what they say, or else their questions, unless given.

    Raises:
        UserError: there is no such corpus, its language is not known, or a file of it cannot be read.
    """
    folder = find_documents(path)
    exam = folder / "questions.jsonl"
    documents = load_documents(folder)
    spoken = languages.known(language, "the documents") if language else _spoken(path, folder, documents)
    questions = Exam({one.id: one for one in documents}, spoken, None).questions(exam) if exam.is_file() else ()
    return Corpus(folder.resolve().name, documents, questions, spoken, documents_digest(documents))


def _spoken(path: str, folder: Path, documents: Sequence[Document]) -> str:
    if (folder / "questions.jsonl").is_file():
        return documents_language(str(folder))
    said = languages.one((one.metadata.get("language") for one in documents), "documents")
    if said is None:
        raise UserError(
            f"the documents of {path} do not say in which language they are.\n"
            f"    to do:  say it: --language, one of {', '.join(LANGUAGES)}"
        )
    return said
