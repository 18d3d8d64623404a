"""Exams of other people's forms become questions with verbatim gold."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmark.domain import UserError
from benchmark.importing.forms import form_of
from benchmark.importing.importer import Imported, import_corpus
from benchmark.importing.nouns import Choices
from benchmark.storage.corpora import load

Import = Callable[..., tuple[Imported, dict[str, dict[str, Any]]]]


@pytest.fixture
def imported(tmp_path: Path) -> Import:
    """Imports a source, loads it as a run would, and gives the lines of its questions."""

    def imported(
        source: Path, questions: Path | None = None, *, language: str = "en", **choices: Any
    ) -> tuple[Imported, dict[str, dict[str, Any]]]:
        chosen = Choices(**choices)
        to = tmp_path / "corpus"
        form = form_of(source, questions, chosen)
        told = import_corpus(form, to, choices=chosen, language=language, watch=lambda *_: None)
        load(str(to), name="mine", documents_language=language, language=language)
        lines = (to / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        return told, {line["id"]: line for line in map(json.loads, lines)}

    return imported


def lines(file: Path, *objects: object) -> Path:
    file.write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
    return file


def written(file: Path, text: str, encoding: str = "utf-8") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode(encoding))
    return file


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return lines(
        tmp_path / "docs.jsonl",
        {"id": "d1", "text": "Give 4 g at first. Then give 1 g each hour."},
        {"id": "d2", "text": "Iron is given as 30 mg each day to all women."},
    )


def beir(folder: Path, qrels: str, name: str = "test.tsv") -> Path:
    folder.mkdir()
    lines(folder / "corpus.jsonl", {"_id": "d1", "title": "Iron", "text": "30 mg."}, {"_id": "d2", "text": "4 g."})
    lines(folder / "queries.jsonl", {"_id": "q1", "text": "how much iron"}, {"_id": "q2", "text": "how many grams"})
    written(folder / "qrels" / name, qrels)
    return folder


# ------------------------------------------------------------------------------------------------------------- BEIR


def test_a_beir_folder_is_its_judged_queries_over_whole_documents(tmp_path: Path, imported: Import) -> None:
    told, asked = imported(beir(tmp_path / "b", "query-id\tcorpus-id\tscore\nq1\td1\t1\n"))
    assert asked["q1"]["evidence"] == [{"document": "d1", "quote": None, "grade": 3}]
    assert (told.documents, told.questions) == (2, 1)


def test_a_beir_folder_may_be_gzipped_and_its_qrels_trec(tmp_path: Path, imported: Import) -> None:
    folder = beir(tmp_path / "b", "q1 0 d1 1\nq2 0 d2 2\n", "test.trec")
    for file in (folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels" / "test.trec"):
        with gzip.open(f"{file}.gz", "wb") as packed:
            packed.write(file.read_bytes())
        file.unlink()
    _, asked = imported(folder)
    assert [asked[name]["evidence"][0]["grade"] for name in ("q1", "q2")] == [1, 2]


def test_of_several_splits_the_one_is_asked_for(tmp_path: Path, imported: Import) -> None:
    folder = beir(tmp_path / "b", "q1 0 d1 1\n", "dev.tsv")
    written(folder / "qrels" / "train.tsv", "q2 0 d2 1\n")
    with pytest.raises(UserError, match=r"dev, train(.|\n)*--split"):
        imported(folder)
    assert list(imported(folder, split="train")[1]) == ["q2"]


@pytest.mark.parametrize(
    ("qrels", "told"),
    [("q1 0 d9 1\n", r"test\.tsv, line 1: the question 'q1' has gold in 'd9'"), ("q9 0 d1 1\n", "'q9' is not in")],
)
def test_judgements_of_another_collection_are_refused_by_their_line(
    tmp_path: Path, imported: Import, qrels: str, told: str
) -> None:
    with pytest.raises(UserError, match=told):
        imported(beir(tmp_path / "b", qrels))


def test_a_pointer_of_git_lfs_says_how_to_get_the_data(tmp_path: Path, imported: Import) -> None:
    folder = beir(tmp_path / "b", "q1 0 d1 1\n")
    written(folder / "corpus.jsonl", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
    with pytest.raises(UserError, match=r"corpus\.jsonl, line 1: this is a Git LFS pointer(.|\n)*git lfs pull"):
        imported(folder)


# ------------------------------------------------------------------------------------------------ AutoRAG and SQuAD


@pytest.mark.parametrize("is_new", [True, False])
def test_autorag_folders_of_both_schemas_are_read(tmp_path: Path, imported: Import, is_new: bool) -> None:
    pandas = pytest.importorskip("pandas")
    (tmp_path / "a").mkdir()
    corpus: dict[str, object] = {
        "doc_id": ["u1", "u2"],
        "contents": ["Give 4 g.", "Give iron."],
        "metadata": [{"n": 1}] * 2,
    }
    exam: dict[str, object] = {"qid": ["q1"], "query": ["How much?"], "retrieval_gt": [[["u1"], ["u2"]]]}
    if is_new:
        corpus |= {"path": ["a.pdf"] * 2, "start_end_idx": [[0, 9], [10, 20]]}
        exam |= {"retrieval_gt_contents": [[["Give 4 g."], ["Give iron."]]]}
    pandas.DataFrame(corpus).to_parquet(tmp_path / "a" / "corpus.parquet")
    pandas.DataFrame(exam | {"generation_gt": [["4 g", "four grams"]]}).to_parquet(tmp_path / "a" / "qa.parquet")
    told, asked = imported(tmp_path / "a")
    assert [one["document"] for one in asked["q1"]["evidence"]] == ["u1", "u2"]
    assert asked["q1"]["reference"] == "4 g"
    assert "qa.parquet: 1 questions have several references; the first of each is taken" in told.notes


def test_spans_of_squad_are_kept_also_where_the_words_stand_twice(tmp_path: Path, imported: Import) -> None:
    context = "Give 4 g, and never 4 g twice."
    answers = [{"text": "4 g", "answer_start": context.rindex("4 g")}]
    paragraph = {
        "context": context,
        "qas": [
            {"id": "a", "question": "How much?", "answers": answers},
            {"id": "b", "question": "How many?", "answers": [], "is_impossible": True},
        ],
    }
    file = lines(tmp_path / "squad.json", {"data": [{"title": "Doses", "paragraphs": [paragraph]}]})
    _, asked = imported(file)
    assert asked["a"]["evidence"] == [{"document": "a000p000", "quote": "4 g", "grade": 3, "start": 20}]
    assert (asked["b"]["answerable"], asked["b"]["evidence"]) == (False, [])


def test_offsets_of_squad_hold_where_the_text_is_not_normalised(tmp_path: Path, imported: Import) -> None:
    context = "La decisio\u0301n: 4 g.\r\nSe dan 4 g ma\u0301s."
    answer = {"text": "ma\u0301s", "answer_start": context.index("ma\u0301s")}
    paragraph = {"context": context, "qas": [{"id": "a", "question": "¿Cuánto?", "answers": [answer]}]}
    _, asked = imported(lines(tmp_path / "s.json", {"data": [{"paragraphs": [paragraph]}]}), language="es")
    assert asked["a"]["evidence"] == [{"document": "a000p000", "quote": "más", "grade": 3}]


# ----------------------------------------------------------------------------------------------------------- tables


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
def test_a_spreadsheet_is_read_with_any_delimiter_and_encoding(
    tmp_path: Path, imported: Import, docs: Path, delimiter: str, encoding: str
) -> None:
    rows = [("N.º", "Pregunta", "Respuesta esperada"), ("1", "¿Cuánto al inicio, y después?", "4 g at first")]
    text = "\r\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in rows)
    _, asked = imported(docs, written(tmp_path / "q.csv", text, encoding), language="en")
    [one] = asked.values()
    assert (one["question"], one["reference"]) == ("¿Cuánto al inicio, y después?", "4 g at first")


def test_a_workbook_is_read_from_its_first_sheet_with_rows(tmp_path: Path, imported: Import, docs: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.create_sheet("Fragen")
    sheet.append(["Frage", "Antwort"])
    sheet.append(["How much iron?", "30 mg each day"])
    book.save(tmp_path / "q.xlsx")
    _, asked = imported(docs, tmp_path / "q.xlsx")
    assert asked["q-0001"]["evidence"][0]["document"] == "d2"


def test_columns_that_the_user_says_win_over_a_guess(tmp_path: Path, imported: Import, docs: Path) -> None:
    file = written(tmp_path / "q.csv", "question,prompt,good one\nnot this,How much iron?,30 mg\n")
    told, asked = imported(docs, file, columns={"question": "prompt", "reference": "good one"})
    assert asked["q-0001"]["question"] == "How much iron?"
    assert "q.csv: columns: question=prompt, reference=good one (not used: question)" in told.notes


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "columns"])
def test_ragas_is_read_in_each_of_its_forms(tmp_path: Path, imported: Import, form: str) -> None:
    row = {"user_input": "How much?", "reference": "4 g", "reference_contexts": ["Give 4 g.", "Or 'five'."]}
    file = tmp_path / f"ragas.{form if form != 'columns' else 'json'}"
    if form == "csv":
        written(file, 'user_input,reference,reference_contexts\nHow much?,4 g,"[\'Give 4 g.\' ""Or \'five\'.""]"\n')
    elif form == "columns":
        written(file, json.dumps({name: {"0": cell} for name, cell in row.items()}))
    else:
        written(file, json.dumps([row]) if form == "json" else json.dumps(row))
    told, asked = imported(file)
    assert told.documents == 2
    assert len(asked["ragas-0001"]["evidence"]) == 2


def test_what_a_system_retrieved_is_searched_and_is_no_gold(tmp_path: Path, imported: Import) -> None:
    result = {
        "query_id": "0",
        "query": "How much at first?",
        "gt_answer": "Give 4 g at first",
        "response": "5 g",
        "retrieved_context": [{"doc_id": "1", "text": "Give 4 g at first."}, {"doc_id": "2", "text": "Iron."}],
    }
    told, asked = imported(lines(tmp_path / "ragchecker.json", {"results": [result]}))
    assert told.documents == 2
    assert asked["0"]["tags"] == ["unreviewed"]
    assert asked["0"]["evidence"][0]["quote"] == "Give 4 g at first."


def test_gold_in_a_document_that_is_not_there_is_told_apart_from_unknown_gold(
    tmp_path: Path, imported: Import, docs: Path
) -> None:
    rows = [{"question": f"Iron {n}?", "document": "d2", "quote": "Iron"} for n in range(9)]
    gone = {"question": "Zinc?", "document": "d9", "quote": "Zinc is given"}
    file = lines(tmp_path / "q.jsonl", *rows, gone, {"question": "Copper?", "answer": "Copper is blue."})
    _, asked = imported(docs, file)
    assert [(one["evidence"], one.get("absent")) for one in list(asked.values())[-2:]] == [([], ["d9"]), ([], None)]


def test_rows_that_repeat_a_question_put_their_gold_together(tmp_path: Path, imported: Import, docs: Path) -> None:
    text = 'id,claim,evidence_doc_id\n3,Iron is given.,d2\n3,Iron is given.,d1\n4,"4 g, at first",\n'
    told, asked = imported(docs, written(tmp_path / "c.csv", text))
    assert [one["document"] for one in asked["3"]["evidence"]] == ["d2", "d1"]
    assert "c.csv: 1 rows repeat a question; their gold is put together" in told.notes
    assert any("no evidence was found for 4" in note for note in told.notes)


def test_one_id_for_two_questions_is_refused_by_its_lines(tmp_path: Path, imported: Import, docs: Path) -> None:
    file = written(tmp_path / "q.csv", "id,question,answer\n1,One?,a\n\n1,Two?,b\n")
    with pytest.raises(UserError, match=r"q\.csv, line 4: the id '1' was used before for another question, in line 2"):
        imported(docs, file)


def test_quotes_are_found_with_other_white_space_and_case(tmp_path: Path, imported: Import, docs: Path) -> None:
    file = written(tmp_path / "q.csv", 'question,answer,quote\nHow much?,1 g,"then give\n1 G"\n')
    _, asked = imported(docs, file)
    assert asked["q-0001"]["evidence"] == [{"document": "d1", "quote": "Then give 1 g", "grade": 3}]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.csv", "frage1,b\nx,y\n", "no column of 'frage1', 'b' is known to be the question"),
        ("a.csv", "question,b\nx,y\n", "is known to be the reference or the evidence"),
        ("a.csv", "question,answer\nx,y,z\n", "a.csv, line 2: the row has 3 cells and the header 2"),
        ("a.csv", "question,answer\nx\n", "a.csv, line 2: the row has 1 cells and the header 2"),
        ("a.csv", 'question,answer\n"x,y\n', "a.csv, line 2: the record that begins here is no CSV"),
        ("a.csv", "question,answer\n ,y\n", "a.csv, line 2: the question in line 2 is empty"),
        ("a.csv", "question,question\nx,y\n", "a.csv, line 1: the column 'question' is there twice"),
        ("a.csv", "question,answer\n", "it has a header and no row"),
        (
            "a.csv",
            "question,reference_contexts,answer\nx,\"['a' ... 'b']\",y\n",
            "a.csv, line 2: the list in 'reference_contexts' was cut short",
        ),
        ("a.json", '[\n{"question": "x", "answer": NaN}]', "a.json, line 2: NaN is no JSON value"),
        ("a.json", '[{"question": "x"}\n{', "a.json, line 2: this is not JSON"),
        ("a.json", '"text"', 'its top level is "text"'),
        ("a.jsonl", '{"question": "\\ud83d", "answer": "b"}\n', "a.jsonl, line 1: there is half of a character"),
        ("a.jsonl", "[1]\n", r"a\.jsonl, line 1: the line is \[1\]"),
        ("a.csv", "query,generated_answer,passage\nx,y,z\n", "scored by: ragsweep score a.csv"),
    ],
)
def test_a_table_that_cannot_be_an_exam_says_where_and_why(
    tmp_path: Path, imported: Import, docs: Path, name: str, text: str, told: str
) -> None:
    with pytest.raises(UserError, match=told):
        imported(docs, written(tmp_path / name, text))


def test_a_byte_that_is_of_another_encoding_further_on_is_told_by_its_line(
    tmp_path: Path, imported: Import, docs: Path
) -> None:
    many = b"".join(b"q%d,an answer\n" % n for n in range(40_000))
    (tmp_path / "q.csv").write_bytes(b"question,answer\n" + many + b"se\xf1or,x\n")
    with pytest.raises(UserError, match=r"q\.csv, line \d+: a byte after this line is not utf-8"):
        imported(docs, tmp_path / "q.csv")


def test_grades_of_a_table_are_asked_for_where_they_are_not_plain(tmp_path: Path, imported: Import, docs: Path) -> None:
    file = written(tmp_path / "q.csv", "question,doc_id,relevance\nHow much?,d1,high\nHow much?,d2,low\n")
    with pytest.raises(UserError, match="--grades"):
        imported(docs, file)


def test_candidates_must_have_every_number_of_the_reference(tmp_path: Path, imported: Import, docs: Path) -> None:
    text = "question,answer\nHow much at first?,Give 5 g at first\nHow much then?,Then give 1 g each hour\n"
    _, asked = imported(docs, written(tmp_path / "q.csv", text))
    assert asked["q-0001"]["evidence"] == []
    assert asked["q-0002"]["evidence"][0]["quote"] == "Then give 1 g each hour."
