"""Files run as a corpus without importing them first: imported once below ``results``, and read from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from benchmark.digest import digest
from benchmark.domain import Corpus, UserError
from benchmark.importing.columns import said
from benchmark.importing.forms import form_of
from benchmark.importing.importer import Watch, import_corpus, request_of
from benchmark.importing.nouns import Choices, Form
from benchmark.storage import corpora
from benchmark.storage.locks import alone_in

Show = Callable[[str], AbstractContextManager[Watch]]
"""Makes of the source's name what hears how far its import is."""


@contextmanager
def _nowhere(_: str) -> Iterator[Watch]:
    yield lambda *_: None


_showing: ContextVar[Show] = ContextVar("showing", default=_nowhere)


@contextmanager
def shown_by(show: Show) -> Iterator[None]:
    """Show how far the imports in this block are."""
    token = _showing.set(show)
    try:
        yield
    finally:
        _showing.reset(token)


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
    try:
        return _imported(path, questions, language, Choices(said(columns), grades, repeated, split), results)
    except UserError as error:
        raise UserError(_as_overrides(str(error))) from None


def _as_overrides(message: str) -> str:
    """A message of the importer, whose options are knobs here."""
    knobs = [knob for knob in ("columns", "grades", "repeated", "split", "questions") if f"--{knob}" in message]
    knobs += ["said_language"] if "--language" in message else []
    if not knobs:
        return message
    written = ", ".join(f"corpus.{knob}=..." for knob in knobs)
    return f"{message}\n    here:   as {written}; quote a value with = or commas twice: 'corpus.{knobs[0]}=\"a=1,b=2\"'"


def _imported(path: str, questions: str | None, language: str | None, choices: Choices, results: str) -> str:
    source = Path(path)
    form = form_of(source, None if questions is None else Path(questions), choices)
    key = digest(request_of(form, choices), language)
    folder = Path(results, "corpora", f"{source.resolve().name}-{key[:12]}")
    if not (folder / "documents.jsonl").is_file():
        _import(form, folder, source.name, choices, language)
    if not (folder / "questions.jsonl").is_file():
        raise UserError(
            f"{path} has documents and no exam.\n"
            "    wanted: a table of questions with references or evidence, or a source that has its own\n"
            "    to do:  give it with corpus.questions=TABLE"
        )
    return str(folder)


def _import(form: Form, folder: Path, name: str, choices: Choices, language: str | None) -> None:
    """Import into a folder below one that may not be there yet; one of several jobs at once does it for all."""
    shelf = folder.parent
    made = [part for part in (shelf, *shelf.parents) if not part.exists()]
    shelf.mkdir(parents=True, exist_ok=True)
    try:
        with alone_in(shelf):
            if not (folder / "documents.jsonl").is_file():
                with _showing.get()(name) as watch:
                    import_corpus(form, folder, choices=choices, language=language, watch=watch)
    finally:
        for part in made:  # of an import that was refused nothing stays
            with suppress(OSError):
                part.rmdir()


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
