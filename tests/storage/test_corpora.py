"""Corpora: what is read, and each thing that is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from benchmark.domain import Corpus, Question, Span, UserError
from benchmark.storage import corpora, shelves
from benchmark.storage.notices import notices

TEXT = "\n# Parto\n\nSe dan 4 g. Después, 1 g/h.\n"
QUESTION: dict[str, object] = {
    "id": "q-1",
    "question": "¿Cuánto se da?",
    "reference": "4 g.",
    "language": "es",
    "evidence": [{"document": "sub/parto", "quote": "Se dan 4 g.", "grade": 3}],
    "tags": ["numeric"],
    "difficulty": "easy",
    "hard_negatives": [{"document": "otro", "quote": None}],
    "nearest": {"document": "otro", "quote": "Nada", "why": "no dose"},
    "translations": {"en": {"question": "How much?", "reference": "4 g."}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "corpora" / "trial"
    (folder / "documents" / "sub").mkdir(parents=True)
    front = "---\ntitle: El parto\nlanguage: es\ntenant: null\ndate: 2026-01-02\n---\n"
    (folder / "documents" / "sub" / "parto.md").write_text(front + TEXT, encoding="utf-8")
    (folder / "documents" / "otro.md").write_text("Nada de dosis.", encoding="utf-8")
    ask(folder, QUESTION)
    return folder


def ask(folder: Path, *questions: object) -> None:
    lines = [q if isinstance(q, str) else json.dumps(q, ensure_ascii=False) for q in questions]
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def load(folder: Path, language: str = "es") -> Corpus:
    return corpora.load(str(folder), name="trial", documents_language="es", language=language)


def test_a_document_is_exactly_what_follows_its_front_matter(folder: Path) -> None:
    other, birth = load(folder).documents
    assert (other.id, other.text, other.title) == ("otro", "Nada de dosis.", "")
    assert (birth.id, birth.text, birth.title) == ("sub/parto", TEXT, "El parto")
    assert birth.metadata == {"language": "es", "tenant": None, "date": "2026-01-02"}


def test_a_quote_becomes_the_span_where_it_stands(folder: Path) -> None:
    corpus = load(folder)
    span = corpus.questions[0].evidence[0].span
    assert corpus.documents[1].text[span.start : span.end] == "Se dan 4 g."


def test_a_quote_that_stands_twice_is_told_by_its_start(folder: Path) -> None:
    (folder / "documents" / "otro.md").write_text("Dosis: 4 g. Nunca 4 g dos veces.", encoding="utf-8")
    passage = {"document": "otro", "quote": "4 g", "grade": 3}
    asked = {"id": "q", "question": "¿Cuánto?", "reference": "4 g"}
    ask(folder, {**asked, "evidence": [{**passage, "start": 18}]})
    assert load(folder).questions[0].evidence[0].span == Span("otro", 18, 21)
    ask(folder, {**asked, "evidence": [{**passage, "start": 17}]})
    with pytest.raises(UserError, match=r"'start'(.|\n)*the offset in 'otro' at which the quote \"4 g\" stands"):
        load(folder)
    ask(folder, {**asked, "evidence": [passage]})
    with pytest.raises(UserError, match="or the field start with its offset"):
        load(folder)


def test_a_quote_of_null_is_the_whole_document(folder: Path) -> None:
    assert load(folder).questions[0].hard_negatives == (Span("otro", 0, len("Nada de dosis.")),)


def test_windows_line_ends_byte_order_marks_and_split_accents_make_the_same_corpus(folder: Path) -> None:
    before = load(folder)
    for file in folder.rglob("*.*"):
        text = file.read_text(encoding="utf-8").replace("é", "e\u0301")
        file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert load(folder) == before


def test_a_table_of_documents_reads_like_a_folder_of_them(folder: Path) -> None:
    before = load(folder)
    rows = [{"id": d.id, "title": d.title, "text": d.text, "metadata": dict(d.metadata)} for d in before.documents]
    lines = "\n".join(json.dumps(row) for row in rows)
    for file in (folder / "documents").rglob("*.md"):
        file.unlink()
    (folder / "documents" / "sub").rmdir()
    (folder / "documents").rmdir()
    (folder / "documents.jsonl").write_text(lines, encoding="utf-8")
    assert load(folder) == before


def test_the_exam_can_be_asked_in_translation(folder: Path) -> None:
    question = load(folder, "en").questions[0]
    assert (question.query.text, question.reference, question.language) == ("How much?", "4 g.", "en")
    assert load(folder, "en").digest != load(folder).digest
    assert load(folder, "es") == load(folder)


CHANGES: list[tuple[str, object]] = [
    ("id", "q-2"),
    ("question", "¿Otra?"),
    ("reference", None),
    ("language", "en"),
    ("tenant", "a"),
    ("evidence", []),
    ("evidence", [{"document": "sub/parto", "quote": "Se dan 4 g.", "grade": 2}]),
    ("tags", []),
    ("difficulty", None),
    ("hard_negatives", []),
    ("nearest", None),
    ("absent", ["hoja"]),
]


@pytest.mark.parametrize(("name", "value"), CHANGES)
def test_every_field_of_a_question_counts_in_the_digest(folder: Path, name: str, value: object) -> None:
    before = load(folder).digest
    ask(folder, {**QUESTION, name: value})
    assert load(folder).digest != before


def test_the_digest_knows_every_field_of_a_question() -> None:
    known = {
        "query",
        "reference",
        "answerable",
        "language",
        "tags",
        "difficulty",
        "evidence",
        "hard_negatives",
        "nearest",
        "absent",
    }
    assert {field.name for field in fields(Question)} == known


def test_a_document_counts_in_the_digest(folder: Path) -> None:
    before = load(folder).digest
    (folder / "documents" / "otro.md").write_text("Nada de dosis", encoding="utf-8")
    assert load(folder).digest != before


EVIDENCE = {"document": "sub/parto", "quote": "Se dan 4 g.", "grade": 3}
WRONG_QUESTIONS: dict[str, tuple[object, str]] = {
    "an unknown field": ({**QUESTION, "anwser": "x"}, 'unknown field "anwser"'),
    "no id": ({"question": "x"}, "'id'.*missing"),
    "an empty id": ({**QUESTION, "id": " "}, "'id'.*not empty"),
    "an id with white space": ({**QUESTION, "id": "a "}, "without white space"),
    "no text": ({**QUESTION, "question": ""}, "'question' of the question 'q-1'"),
    "a text that is no text": ({**QUESTION, "question": 3}, "it is 3"),
    "an answerable that is no boolean": ({**QUESTION, "answerable": "yes"}, "true or false"),
    "evidence for what has no answer": ({**QUESTION, "answerable": False}, "answerable: false"),
    "tags that are no list": ({**QUESTION, "tags": "numeric"}, "a list"),
    "tags that are no texts": ({**QUESTION, "tags": [1]}, "list of texts"),
    "evidence that is no list": ({**QUESTION, "evidence": {}}, "a list"),
    "evidence that is no object": ({**QUESTION, "evidence": ["x"]}, "a JSON object"),
    "an unknown document": ({**QUESTION, "evidence": [{**EVIDENCE, "document": "x"}]}, "not in the corpus"),
    "an absent document that is there": ({**QUESTION, "absent": ["otro"]}, "says that 'otro' is absent"),
    "an unknown quote": ({**QUESTION, "evidence": [{**EVIDENCE, "quote": "Se dan 5 g."}]}, "is not in 'sub/parto'"),
    "a quote with other spaces": ({**QUESTION, "evidence": [{**EVIDENCE, "quote": "Se  dan"}]}, "other white space"),
    "a quote that occurs twice": ({**QUESTION, "evidence": [{**EVIDENCE, "quote": " g"}]}, "more than once"),
    "an empty quote": ({**QUESTION, "evidence": [{**EVIDENCE, "quote": ""}]}, "'quote'"),
    "no quote": ({**QUESTION, "evidence": [{"document": "otro", "grade": 1}]}, "'quote'.*missing"),
    "no grade": ({**QUESTION, "evidence": [{"document": "otro", "quote": None}]}, "'grade'.*missing"),
    "a grade of 0": ({**QUESTION, "evidence": [{**EVIDENCE, "grade": 0}]}, "integer >= 1"),
    "a grade of 2.0": ({**QUESTION, "evidence": [{**EVIDENCE, "grade": 2.0}]}, "integer >= 1"),
    "a grade of true": ({**QUESTION, "evidence": [{**EVIDENCE, "grade": True}]}, "integer >= 1"),
    "a nearest without why": ({**QUESTION, "nearest": {"document": "otro", "quote": None}}, "'why'.*missing"),
    "a list": ([1], "a JSON object"),
    "no JSON": ('{"id": ', "not JSON"),
    "NaN": ('{"id": NaN}', "NaN is no JSON"),
    "a field that occurs twice": ('{"id": "a", "id": "b"}', "'id' occurs twice"),
    "a Git LFS pointer": ("version https://git-lfs.github.com/spec/v1", "git lfs pull"),
}


@pytest.mark.parametrize("what", WRONG_QUESTIONS)
def test_a_wrong_question_is_refused_with_its_file_line_and_cure(folder: Path, what: str) -> None:
    line, message = WRONG_QUESTIONS[what]
    ask(folder, {"id": "q-0", "question": "¿Qué?"}, line)
    with pytest.raises(UserError, match=f"(?s)questions.jsonl, line 2: .*{message}") as caught:
        load(folder)
    assert "wanted:" in str(caught.value)
    assert "to do:" in str(caught.value)


def test_a_question_id_that_occurs_twice_is_refused(folder: Path) -> None:
    ask(folder, QUESTION, QUESTION)
    with pytest.raises(UserError, match="line 2: the question id 'q-1' was used before, on line 1"):
        load(folder)


def test_a_missing_translation_is_refused(folder: Path) -> None:
    with pytest.raises(UserError, match="no translation into 'fr'"):
        load(folder, "fr")


def test_a_translation_without_the_reference_is_refused(folder: Path) -> None:
    ask(folder, {**QUESTION, "translations": {"en": {"question": "How much?"}}})
    with pytest.raises(UserError, match="'reference' of the translation 'en'"):
        load(folder, "en")


def nothing(folder: Path) -> None:
    for file in folder.rglob("*.md"):
        file.unlink()


def write(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


WRONG_FOLDERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no documents": (nothing, "documents: the corpus is empty"),
    "no questions": (write("questions.jsonl", b"\n"), "questions.jsonl: the exam is empty"),
    "both forms": (write("documents.jsonl", b""), "both documents/ and documents.jsonl"),
    "an empty document": (
        write("documents/leer.md", b"---\ntitle: x\n---\n \n"),
        "leer.md: the document 'leer' has no text",
    ),
    "a title that is no text": (write("documents/a.md", b"---\ntitle: 2026\n---\nx"), "a.md: the title of 'a' is 2026"),
    "a tenant that is no text": (write("documents/a.md", b"---\ntenant: 7\n---\nx"), "a.md: the field 'tenant'"),
    "front matter without an end": (write("documents/a.md", b"---\ntitle: x\n"), "a.md, line 1: .* never ends"),
    "front matter that is no YAML": (
        write("documents/a.md", b"---\na: b\nc: d: e\n---\nx"),
        "a.md, line 3: .* not YAML",
    ),
    "front matter that is a list": (write("documents/a.md", b"---\n- a\n---\nx"), "a.md, line 2: the front matter is"),
    "another encoding": (write("documents/a.md", b"uno\nni\xf1o"), "a.md, line 2: the byte 0xf1 is not UTF-8"),
}


@pytest.mark.parametrize("what", WRONG_FOLDERS)
def test_a_wrong_folder_is_refused_with_its_place(folder: Path, what: str) -> None:
    spoil, message = WRONG_FOLDERS[what]
    spoil(folder)
    with pytest.raises(UserError, match=message):
        load(folder)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "a", "text": ""}, "'text' of the document 'a'"),
        ({"id": "", "text": "x"}, "'id' of the document"),
        ({"id": "a", "text": "x", "lang": "es"}, 'unknown field "lang"'),
        ({"id": "z", "text": "x"}, "'z' was used before, in .*documents.jsonl, line 1"),
        ({"id": "a", "text": "x", "metadata": []}, "'metadata' of the document"),
        ({"id": "a", "text": "x", "title": 1}, "the title of 'a' is 1"),
    ],
)
def test_a_wrong_line_of_documents_is_refused(tmp_path: Path, row: object, message: str) -> None:
    lines = [json.dumps({"id": "z", "text": "x"}), json.dumps(row)]
    (tmp_path / "documents.jsonl").write_text("\n".join(lines), encoding="utf-8")
    ask(tmp_path, {"id": "q", "question": "?"})
    with pytest.raises(UserError, match=f"documents.jsonl, line 2: .*{message}"):
        load(tmp_path)


def test_the_corpus_of_the_users_folder_comes_before_a_bundled_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = folder.parent.parent / "bundled"
    (bundle / "trial").mkdir(parents=True)
    (bundle / "other").mkdir()
    for name in ("trial", "other"):
        ask(bundle / name, QUESTION)
    monkeypatch.setattr(shelves, "bundled", lambda kind: bundle)
    monkeypatch.chdir(folder.parent.parent)
    assert shelves.find("trial").resolve() == folder
    assert shelves.find("other") == bundle / "other"
    with pytest.raises(UserError, match=r"(?s)there is no corpus 'thrial'.*one of other, trial"):
        shelves.find("thrial")


def test_a_folder_without_an_exam_is_refused(folder: Path) -> None:
    (folder / "questions.jsonl").unlink()
    with pytest.raises(UserError, match="trial: the folder has no questions"):
        load(folder)


# ---------------------------------------------------------------------------------------------------- languages


def test_the_documents_say_their_language(folder: Path) -> None:
    assert corpora.documents_language(str(folder)) == "es"


def test_where_the_documents_do_not_say_it_the_questions_do(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.md").write_text("The dose is 4 g.", encoding="utf-8")
    ask(tmp_path, {"id": "q", "question": "How much?", "language": "en"})
    assert corpora.documents_language(str(tmp_path)) == "en"
    assert corpora.questions_language(str(tmp_path), "es") == "en"


def test_where_nobody_says_it_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.md").write_text("The dose is 4 g.", encoding="utf-8")
    ask(tmp_path, {"id": "q", "question": "How much?"})
    with pytest.raises(UserError, match=r"corpus\.documents_language=\.\.\., one of es, en"):
        corpora.documents_language(str(tmp_path))
    assert corpora.questions_language(str(tmp_path), "fr") == "fr"


def test_documents_in_several_languages_are_asked_for(folder: Path) -> None:
    (folder / "documents" / "more.md").write_text("---\nlanguage: en\n---\nMore.", encoding="utf-8")
    with pytest.raises(UserError, match=r"several languages \(en, es\)"):
        corpora.documents_language(str(folder))


def test_a_language_that_is_not_known_is_refused_with_those_that_are(folder: Path) -> None:
    for documents, questions in (("xx", "es"), ("es", "english")):
        with pytest.raises(UserError, match="one of es, en, fr, de, it, pt"):
            corpora.load(str(folder), name="trial", documents_language=documents, language=questions)
    ask(folder, {**QUESTION, "language": "spanish"})
    with pytest.raises(UserError, match=r"line 1.*'language'.*\n.*one of es, en"):
        load(folder)


# ------------------------------------------------------------------------------------------------------ notices


def test_a_corpus_without_oddities_has_no_notice(folder: Path) -> None:
    assert notices(load(folder), str(folder)) == []


def test_files_that_are_not_read_are_told(folder: Path) -> None:
    for name in ("a.pdf", "b.docx", "sub/c.txt", "d.MD", ".hidden"):
        (folder / "documents" / name).write_bytes(b"x")
    [notice] = notices(load(folder), str(folder))
    assert "a.pdf, b.docx, d.MD and 1 more" in notice


def test_a_corpus_of_other_files_alone_is_empty_and_says_of_what(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "guide.pdf").write_bytes(b"x")
    ask(tmp_path, {"id": "q", "question": "How much?"})
    with pytest.raises(UserError, match=r"empty.*guide\.pdf"):
        load(tmp_path)


@pytest.mark.parametrize(("quote", "told"), [("Se dan 4 g.", True), (None, False)], ids=["a passage", "a document"])
def test_a_grade_above_the_houses_scale_is_told_of_passages_alone(folder: Path, quote: str | None, told: bool) -> None:
    ask(folder, {**QUESTION, "evidence": [{"document": "sub/parto", "quote": quote, "grade": 9}]})
    corpus = load(folder)
    assert corpus.questions[0].evidence[0].grade == 9
    assert any("q-1 (9)" in notice for notice in notices(corpus, None)) == told


def test_a_language_known_in_part_is_told(folder: Path) -> None:
    ask(folder, {**QUESTION, "language": "pt"})
    [notice] = notices(load(folder), None)
    assert notice.startswith("pt: ")


def test_what_cannot_be_read_is_told(folder: Path) -> None:
    (folder / "documents" / "gone.md").symlink_to(folder / "nowhere")
    with pytest.raises(UserError, match=r"gone\.md: it cannot be read"):
        load(folder)


def test_folders_and_files_in_each_others_places_are_told(folder: Path) -> None:
    with pytest.raises(UserError, match="this is a file"):
        shelves.find(str(folder / "questions.jsonl"))
    (folder / "questions.jsonl").unlink()
    (folder / "questions.jsonl").mkdir()
    with pytest.raises(UserError, match=r"questions\.jsonl is no file"):
        shelves.find(str(folder))


def test_a_corpus_that_changes_is_read_again(folder: Path) -> None:
    before = load(folder)
    assert load(folder) is before
    (folder / "documents" / "otro.md").write_text("Nada de dosis. Una frase más.", encoding="utf-8")
    after = load(folder)
    assert after.digest != before.digest
    assert after.documents[0].text == "Nada de dosis. Una frase más."
