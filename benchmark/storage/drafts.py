"""A folder of drafted questions: the documents, the drafts, and what made them; read whole or refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmark.domain import Document
from benchmark.drafting.nouns import Draft, Drafting, Drafts, Filtered, Made, Relevance
from benchmark.storage import languages
from benchmark.storage.corpora import Exam, digest_of, load_documents
from benchmark.storage.fields import Fields, Place, lines, read_text, value_of
from benchmark.storage.question_lines import passage, question_line
from benchmark.storage.runs import plain_json, write_whole

_OWN = ("made", "filters", "relevance", "passages")
_MADE = ("model", "prompt", "prompt_digest", "date")
_ABOUT = ("corpus", "digest", "language", "model", "prompts", "date", "unusable", "kinds", "turned_down")
_GRADES = "0 beside the question, 1 on topic, 2 a part of the answer, 3 all of it"
_AGAIN = "draft again with ragsweep corpus questions"


def documents_digest(documents: Sequence[Document]) -> str:
    """The digest of what documents say, in whatever order they are read."""
    return digest_of(sorted(documents, key=lambda document: document.id), ())


def write_drafts(folder: Path, drafts: Drafts) -> None:
    """Write ``documents.jsonl``, ``drafts.jsonl`` and ``drafts.json``, this one last: without it nothing is read."""
    known = {document.id: document for document in drafts.documents}
    (folder / "drafts.json").unlink(missing_ok=True)
    write_whole(folder / "documents.jsonl", document_lines(drafts.documents))
    write_whole(folder / "drafts.jsonl", "".join(draft_line(draft, known) for draft in drafts.drafts))
    counts = {"kinds": drafts.kinds, "turned_down": drafts.turned_down}
    write_whole(folder / "drafts.json", plain_json({**asdict(drafts.about), **counts}))


def document_lines(documents: Sequence[Document]) -> str:
    """The text of a ``documents.jsonl``."""
    rows = ({"id": d.id, "title": d.title, "text": d.text, "metadata": dict(d.metadata)} for d in documents)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def draft_line(draft: Draft, documents: Mapping[str, Document]) -> str:
    """One line of ``drafts.jsonl``: that of the question, and what is said of the draft."""
    own = {
        "made": asdict(draft.made),
        "filters": {name: asdict(filtered) for name, filtered in draft.filters.items()},
        "relevance": [{**passage(r.span, documents), "grade": r.grade, "why": r.why} for r in draft.relevance],
        "passages": [passage(span, documents) for span in draft.passages],
    }
    return json.dumps({**question_line(draft.question, documents), **own}, ensure_ascii=False) + "\n"


def read_drafts(folder: Path) -> Drafts:
    """The drafts of a folder that ``write_drafts`` wrote.

    Raises:
        UserError: it is no such folder, or a file was changed so that it cannot be read; names file, line and cure.
    """
    file = folder / "drafts.json"
    if not file.is_file():
        found = "there is no drafts.json" if folder.is_dir() else "there is no such folder"
        raise Place(folder).wrong(found, "a folder that ragsweep corpus questions wrote", "correct the path")
    about = _about(Place(file), value_of(Place(file), read_text(file)))
    documents = load_documents(folder)
    if documents_digest(documents) != about.digest:
        found = "documents.jsonl was changed: it is not what the questions were drafted from"
        raise Place(folder).wrong(found, "the documents as they were written", _AGAIN)
    exam = Exam({document.id: document for document in documents}, about.language, None)
    drafts: dict[str, Draft] = {}
    for place, value in lines(folder / "drafts.jsonl"):
        draft = _draft(exam, place, value)
        if draft.id in drafts:
            raise place.wrong(f"the draft {draft.id!r} was there before", "an id of its own for each", "rename one")
        drafts[draft.id] = draft
    return Drafts(about, documents, tuple(drafts.values()))


def _about(place: Place, value: object) -> Drafting:
    fields = Fields.of(value, place, "what made the drafts", known=_ABOUT)
    unusable = Fields(fields.mapping("unusable"), place, "the unusable replies")
    return Drafting(
        corpus=fields.text("corpus"),
        digest=fields.text("digest"),
        language=languages.known(fields.text("language"), "the drafts"),
        model=fields.text("model"),
        prompts={name: str(digest) for name, digest in fields.mapping("prompts").items()},
        date=fields.text("date"),
        unusable={name: _whole(unusable, name) for name in unusable.values},
    )


def _whole(fields: Fields, name: str) -> int:
    value = fields.values[name]
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise fields.wrong(name, "how many there were")
    return value


def _draft(exam: Exam, place: Place, value: object) -> Draft:
    if not isinstance(value, dict):
        raise place.wrong("this is no JSON object", "one draft a line", _AGAIN)
    question = exam.question(place, {name: part for name, part in value.items() if name not in _OWN})
    fields = Fields({name: part for name, part in value.items() if name in _OWN}, place, f"the draft {question.id!r}")
    made = Fields.of(fields.values.get("made"), place, f"what made {question.id!r}", known=_MADE)
    return Draft(
        question=question,
        made=Made(**{name: made.text(name) for name in _MADE}),
        filters={name: _filtered(place, name, one) for name, one in fields.mapping("filters").items()},
        relevance=tuple(_relevance(exam, place, one) for one in fields.items("relevance")),
        passages=tuple(
            exam.span(Fields.of(one, place, "a passage of the draft", known=("document", "quote", "start")))
            for one in fields.items("passages")
        ),
    )


def _filtered(place: Place, name: str, value: object) -> Filtered:
    fields = Fields.of(value, place, f"the filter {name!r}", known=("passed", "reason"))
    if "passed" not in fields.values:
        raise fields.wrong("passed", "true or false")
    return Filtered(fields.boolean("passed", default=False), fields.text("reason"))


def _relevance(exam: Exam, place: Place, value: object) -> Relevance:
    known = ("document", "quote", "start", "grade", "why")
    fields = Fields.of(value, place, "a passage of the pool", known=known)
    grade = fields.values.get("grade")
    if not isinstance(grade, int) or isinstance(grade, bool) or not 0 <= grade <= 3:
        raise fields.wrong("grade", f"an integer from 0 to 3 ({_GRADES})")
    return Relevance(exam.span(fields), grade, fields.text("why"))
