"""Corpora on disk: a folder of documents and questions, read whole or refused with one clear error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path

import yaml

from benchmark.digest import digest
from benchmark.domain import Corpus, Document, Evidence, NearMiss, Query, Question, Span
from benchmark.proofreading.nouns import Kind
from benchmark.storage import languages
from benchmark.storage.fields import Fields, FormatError, Place, clean, lines, read_text, shown
from benchmark.storage.shelves import find
from benchmark.storage.stamps import Stamp, stamp
from benchmark.text import LANGUAGES, some

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_DOCUMENT = ("id", "title", "text", "metadata")
_QUESTION = (
    *("id", "question", "reference", "answerable", "language", "tenant", "evidence", "tags", "difficulty"),
    *("hard_negatives", "nearest", "translations", "absent"),
)


def load(path: str, *, name: str, documents_language: str, language: str) -> Corpus:
    """The corpus of a folder (a name or a path).

    ``language`` is that of the exam: where it is another than the documents', the exam's translations are asked.
    Raises a ``UserError`` at the first thing that breaks the format.
    """
    folder = find(path)
    languages.known(documents_language, f"the documents of {name}")
    languages.known(language, f"the questions of {name}")
    return _load(folder, stamp(folder), name, documents_language, language)


@lru_cache(maxsize=2)  # every job of a sweep asks for the same one, and so does whoever reads its runs
def _load(folder: Path, _: Stamp, name: str, documents_language: str, language: str) -> Corpus:
    documents = load_documents(folder)
    asked = None if language == documents_language else language
    exam = Exam({document.id: document for document in documents}, documents_language, asked)
    questions = exam.questions(folder / "questions.jsonl")
    return Corpus(name, documents, questions, documents_language, digest_of(documents, questions))


def documents_language(path: str) -> str:
    """The language that the documents of a folder say they are in, or else the questions.

    Raises a ``UserError`` where none or several are said, or one that is not known.
    """
    folder = find(path)
    said = languages.one((document.metadata.get("language") for document in load_documents(folder)), "documents")
    language = said or languages.one(_question_languages(folder), "questions")
    if language is None:
        raise languages.not_said(path)
    return language


def questions_language(path: str, documents_language: str) -> str:
    """The language that the questions of a folder say they are in; that of the documents where none or several are."""
    said = set(_question_languages(find(path))) - {None}
    return languages.known(said.pop(), "the questions") if len(said) == 1 else documents_language


def _question_languages(folder: Path) -> list[object]:
    read = lines(folder / "questions.jsonl")
    return [value.get("language") if isinstance(value, dict) else None for _, value in read]


def unread(folder: Path) -> str | None:
    """What lies among the documents and is not read, in words; ``None`` where nothing does."""
    files = [file.relative_to(folder).as_posix() for file in sorted(visible(folder, "*")) if file.suffix != ".md"]
    if not files:
        return None
    return f"only .md files are read, not {some(files)} in {folder}. Save their text as Markdown to have it searched"


def visible(folder: Path, pattern: str) -> list[Path]:
    """Files below a folder; hidden ones are the file manager's, not the author's."""
    return [
        file
        for file in folder.rglob(pattern)
        if not file.is_dir() and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    ]


def digest_of(documents: Sequence[Document], questions: Sequence[Question]) -> str:
    """The digest of a corpus: of all that its documents and questions say."""
    texts = [[d.id, d.title, d.text, dict(d.metadata)] for d in documents]
    return digest(texts, [_plain_question(question) for question in questions])


def _plain_question(question: Question) -> list[object]:
    """Every field as JSON: a field added to ``Question`` must be added here, and a test says so."""
    query, nearest = question.query, question.nearest
    return [
        [query.id, query.text, query.tenant],
        *(question.reference, question.answerable, question.language, list(question.tags), question.difficulty),
        [[*_plain_span(evidence.span), evidence.grade] for evidence in question.evidence],
        [_plain_span(span) for span in question.hard_negatives],
        None if nearest is None else [*_plain_span(nearest.span), nearest.why],
        *([list(question.absent)] if question.absent else []),  # without it the digests of before stand
    ]


def _plain_span(span: Span) -> list[object]:
    return [span.document_id, span.start, span.end]


# ---------------------------------------------------------------------------------------------------- documents


def source_of(folder: Path) -> Path:
    """Where a corpus's documents are: ``documents/`` or ``documents.jsonl``, never both."""
    texts, table = folder / "documents", folder / "documents.jsonl"
    if texts.is_dir() == table.is_file():
        found = "both documents/ and documents.jsonl" if texts.is_dir() else "neither documents/ nor documents.jsonl"
        raise Place(folder).wrong(f"the folder has {found}", "one of the two", "keep the documents in one of them")
    return texts if texts.is_dir() else table


def load_documents(folder: Path) -> tuple[Document, ...]:
    """The documents of a corpus's folder, at least one."""
    source = source_of(folder)
    documents: dict[str, Document] = {}
    places: dict[str, Place] = {}
    for place, document in _markdown(source) if source.is_dir() else _table(source):
        if document.id in documents:
            found = f"the document id {document.id!r} was used before, in {places[document.id].file}"
            if places[document.id].line is not None:
                found += f", line {places[document.id].line}"
            raise place.wrong(found, "an id of its own for each document", "rename one of the two")
        documents[document.id], places[document.id] = document, place
    if not documents:
        others = unread(source) if source.is_dir() else None
        found = "the corpus is empty" + (f": {others}" if others else "")
        raise Place(source).wrong(found, "at least one document", "add documents as .md or in .jsonl")
    return tuple(documents.values())


def _markdown(folder: Path) -> Iterator[tuple[Place, Document]]:
    for identity, file in markdown_files(folder):
        yield Place(file), document_of_file(identity, file)


def markdown_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Ids and files of ``**/*.md`` in the order of the ids."""
    files = {clean(file.relative_to(folder).with_suffix("").as_posix()): file for file in visible(folder, "*.md")}
    yield from sorted(files.items())


def document_of_file(identity: str, file: Path) -> Document:
    """The document of one Markdown file."""
    place = Place(file)
    metadata, text = split(read_text(file), place)
    title = metadata.pop("title", "")
    return _document(place, identity, text, title, metadata)


def split(content: str, place: Place) -> tuple[dict[str, object], str]:
    """The front matter's fields and exactly what follows it."""
    matter = _FRONT_MATTER.match(content)
    if matter is None:
        if content.startswith("---\n"):
            cure = "close the front matter with --- or, if the text begins with a rule, write it as ***"
            raise Place(place.file, 1).wrong("the front matter that opens here never ends", "a second line ---", cure)
        return {}, content
    try:
        fields = yaml.safe_load(matter["yaml"])
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = 2 + mark.line if mark is not None else 1
        problem = getattr(error, "problem", None) or "it cannot be read"
        cure = "mend the line; quote values that contain a colon"
        raise Place(place.file, line).wrong(f"the front matter is not YAML: {problem}", "name: value", cure) from None
    fields = {} if fields is None else fields
    if not isinstance(fields, dict) or not all(isinstance(name, str) for name in fields):
        raise Place(place.file, 2).wrong(
            f"the front matter is {shown(fields)}", "lines of name: value", "write title: ..., language: ..., or none"
        )
    return {name: _plain(value) for name, value in fields.items()}, content[matter.end() :]


def _plain(value: object) -> object:
    """A YAML value as JSON has it: dates as ISO text."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(_plain(name)): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(part) for part in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _table(file: Path) -> Iterator[tuple[Place, Document]]:
    for place, value in lines(file):
        yield place, document_of_line(place, value)


def document_of_line(place: Place, value: object) -> Document:
    """The document of one line of ``documents.jsonl``."""
    fields = Fields.of(value, place, "the document", known=_DOCUMENT)
    identity, title = fields.identity("id"), fields.values.get("title")
    text = Fields(fields.values, place, f"the document {identity!r}").text("text")
    return _document(place, identity, text, "" if title is None else title, fields.mapping("metadata"))


def _document(place: Place, identity: str, text: str, title: object, metadata: dict[str, object]) -> Document:
    if not text.strip():
        raise place.wrong(f"the document {identity!r} has no text", "some text", "write it or delete the document")
    if not isinstance(title, str):
        raise place.wrong(f"the title of {identity!r} is {shown(title)}", "a text", "put it in quotes")
    # A tenant that is empty or a number by accident would open the document to the wrong people.
    Fields(metadata, place, f"the document {identity!r}").optional_text("tenant")
    return Document(identity, text, clean(title), metadata)


# ---------------------------------------------------------------------------------------------------- questions


@dataclass(frozen=True, slots=True)
class Exam:
    """Reads questions over these documents; ``questions_language`` asks for their translations."""

    documents: Mapping[str, Document]
    language: str
    questions_language: str | None

    def questions(self, file: Path) -> tuple[Question, ...]:
        questions: dict[str, Question] = {}
        used: dict[str, int | None] = {}
        for place, value in lines(file):
            question = self.question(place, value)
            if question.id in questions:
                found = f"the question id {question.id!r} was used before, on line {used[question.id]}"
                raise place.wrong(found, "an id of its own for each question", "rename one of the two")
            questions[question.id], used[question.id] = question, place.line
        if not questions:
            raise Place(file).wrong(
                "the exam is empty", "at least one question", 'add lines {"id": ..., "question": ...}'
            )
        return tuple(questions.values())

    def question(self, place: Place, value: object) -> Question:
        """The question of one line."""
        fields = self._fields(place, value)
        language = fields.optional_text("language") or self.language
        if language not in LANGUAGES:
            raise fields.wrong("language", f"one of {', '.join(LANGUAGES)}")
        text, reference = fields.text("question"), fields.optional_text("reference")
        if self.questions_language is not None and self.questions_language != language:
            text, reference = self._translated(fields, reference)
            language = self.questions_language
        nearest = fields.values.get("nearest")
        answerable = fields.boolean("answerable", default=True)
        evidence = tuple(self._evidence(fields, item) for item in fields.items("evidence"))
        if not answerable and any(item.grade >= 2 for item in evidence):
            raise fields.place.wrong(
                f"{fields.what} has answerable: false and evidence that answers it",
                "no evidence of grade >= 2 where the corpus has no answer",
                "make it answerable, or name the passage under 'nearest' or 'hard_negatives'",
                Kind.UNANSWERABLE,
            )
        return Question(
            query=Query(fields.identity("id"), text, fields.optional_text("tenant")),
            reference=reference,
            answerable=answerable,
            evidence=evidence,
            language=language,
            tags=fields.texts("tags"),
            difficulty=fields.optional_text("difficulty"),
            hard_negatives=tuple(
                self.span(self._passage(fields, item, "a hard negative", ())) for item in fields.items("hard_negatives")
            ),
            nearest=None if nearest is None else self._nearest(fields, nearest),
            absent=self._absent(fields),
        )

    def _absent(self, fields: Fields) -> tuple[str, ...]:
        absent = fields.texts("absent")
        there = next((name for name in absent if name in self.documents), None)
        if there is not None:
            raise fields.place.wrong(
                f"{fields.what} says that {there!r} is absent, and the corpus has it",
                "under 'absent' only documents that hold the answer and are not there",
                "name the passage under 'evidence', or delete 'absent'",
            )
        return absent

    def errors(self, place: Place, value: object) -> Iterator[FormatError]:
        """What keeps a line from being read: the first error, and every passage that is not in its document."""
        try:
            self.question(place, value)
            return
        except FormatError as error:
            first = error
        others: list[FormatError] = []
        try:
            fields = self._fields(place, value)
            passages: list[tuple[object, str, tuple[str, ...]]] = []
            passages += [(item, "a piece of evidence", ("grade",)) for item in fields.items("evidence")]
            passages += [(item, "a hard negative", ()) for item in fields.items("hard_negatives")]
        except FormatError:
            passages = []
        for item, kind, more in passages:
            try:
                self.span(self._passage(fields, item, kind, more))
            except FormatError as error:
                others.append(error)
        yield from {error.fault: error for error in (first, *others)}.values()

    def _fields(self, place: Place, value: object) -> Fields:
        fields = Fields.of(value, place, "the question", known=_QUESTION)
        return Fields(fields.values, place, f"the question {fields.identity('id')!r}")

    def _translated(self, fields: Fields, reference: str | None) -> tuple[str, str | None]:
        translations = fields.mapping("translations")
        language = str(self.questions_language)
        if language not in translations:
            raise fields.place.wrong(
                f"{fields.what} has no translation into {language!r} (it has: {', '.join(translations) or 'none'})",
                f'"translations": {{"{language}": {{"question": ..., "reference": ...}}}}',
                "add it, or take the documents' language to ask the questions as they were written",
            )
        what = f"the translation {language!r} of {fields.what}"
        translation = Fields.of(translations[language], fields.place, what, known=("question", "reference"))
        return translation.text("question"), None if reference is None else translation.text("reference")

    def _passage(self, fields: Fields, item: object, kind: str, more: tuple[str, ...]) -> Fields:
        return Fields.of(item, fields.place, f"{kind} of {fields.what}", known=("document", "quote", "start", *more))

    def _evidence(self, fields: Fields, item: object) -> Evidence:
        passage = self._passage(fields, item, "a piece of evidence", ("grade",))
        return Evidence(self.span(passage), passage.grade("grade"))

    def _nearest(self, fields: Fields, item: object) -> NearMiss:
        passage = self._passage(fields, item, "the nearest passage", ("why",))
        return NearMiss(self.span(passage), passage.text("why"))

    def span(self, passage: Fields) -> Span:
        """Where a quote stands; ``null`` is the whole document."""
        name = passage.text("document")
        document = self.documents.get(name)
        if document is None:
            raise passage.place.wrong(
                f"{passage.what} is in {name!r}, which is not in the corpus",
                f"the id of one of its {len(self.documents)} documents, such as {next(iter(self.documents))!r}",
                "correct the id (the path below documents/ without .md) or add the document",
                Kind.QUOTE,
            )
        if "quote" in passage.values and passage.values["quote"] is None:
            return Span(name, 0, len(document.text))
        quote = passage.text("quote")
        if "start" in passage.values:
            said = passage.values["start"]
            if not isinstance(said, int) or isinstance(said, bool) or not document.text.startswith(quote, said):
                raise passage.wrong("start", f"the offset in {name!r} at which the quote {shown(quote)} stands")
            return Span(name, said, said + len(quote))
        start = document.text.find(quote)
        if start < 0:
            loose = " ".join(quote.split()) in " ".join(document.text.split())
            raise passage.place.wrong(
                f"the quote {shown(quote)} of {passage.what} is not in {name!r}"
                + (", but it is with other white space" if loose else ""),
                "words of the document, verbatim, with its line ends",
                "copy the quote from the document",
                Kind.QUOTE,
            )
        if document.text.find(quote, start + 1) >= 0:
            raise passage.place.wrong(
                f"the quote {shown(quote)} of {passage.what} occurs more than once in {name!r}",
                "a quote that occurs exactly once, or the field start with its offset",
                "lengthen it until only one passage is meant",
                Kind.QUOTE,
            )
        return Span(name, start, start + len(quote))
