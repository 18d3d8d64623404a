"""Files run as a corpus without importing them first: imported once below ``results``, and read from there."""

from __future__ import annotations

from pathlib import Path

from benchmark.digest import digest
from benchmark.domain import Corpus, UserError
from benchmark.importing.columns import said
from benchmark.importing.forms import form_of
from benchmark.importing.importer import import_corpus, request_of
from benchmark.importing.nouns import Choices
from benchmark.storage import corpora


def imported(
    path: str,
    questions: str | None,
    language: str | None,
    columns: str | None,
    grades: str | None,
    repeated: str | None,
    split: str | None,
    results: str,
) -> str:
    """The folder of the corpus that these files make; made where it is not there yet, anew when a file has changed.

    Raises:
        UserError: the files cannot be read, or have no exam.
    """
    source = Path(path)
    choices = Choices(said(columns), grades, repeated, split)
    form = form_of(source, None if questions is None else Path(questions), choices)
    key = digest(request_of(form, choices), language)
    folder = Path(results, "corpora", f"{source.resolve().name}-{key[:12]}")
    if not (folder / "documents.jsonl").is_file():
        import_corpus(form, folder, choices=choices, language=language, watch=lambda *_: None)
    if not (folder / "questions.jsonl").is_file():
        raise UserError(
            f"{path} has documents and no exam.\n"
            "    wanted: a table of questions with references or evidence, or a source that has its own\n"
            "    to do:  give it with corpus.questions=TABLE"
        )
    return str(folder)


def load(
    path: str,
    *,
    folder: str,
    name: str,
    documents_language: str,
    language: str,
    questions: str | None = None,
    said_language: str | None = None,
    columns: str | None = None,
    grades: str | None = None,
    repeated: str | None = None,
    split: str | None = None,
) -> Corpus:
    """The corpus in the ``folder`` that ``imported`` made of ``path`` and the rest."""
    del path, questions, said_language, columns, grades, repeated, split  # they made the folder
    return corpora.load(folder, name=name, documents_language=documents_language, language=language)
