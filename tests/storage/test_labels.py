"""Labels as people write them, and what is refused with its place and its cure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmark.domain import UserError
from benchmark.readings.people import Case
from benchmark.storage.labels import Labels, read_labels

ROW = {"question": "¿Cuánto?", "context": "Se dan 4 g.", "answer": "4 g.", "label": 1, "language": "es"}


def read(folder: Path, content: str, *, name: str = "labels.csv", language: str | None = "es", **drawn: Case) -> Labels:
    file = folder / name
    file.write_text(content, encoding="utf-8")
    return read_labels([file], drawn=drawn, language=language)


def lines(*rows: dict[str, object]) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


@pytest.mark.parametrize(
    ("value", "label"),
    [(1, True), (0, False), (True, True), (False, False), (1.0, True), ("Sí", True), ("no", False), (None, None)],
)
def test_labels_are_read_as_people_write_them(tmp_path: Path, value: object, label: bool | None) -> None:
    found = read(tmp_path, lines(ROW, {**ROW, "label": value}), name="labels.jsonl")
    assert found.labelled[1].label is label


def test_a_csv_of_any_countrys_spreadsheet_is_read(tmp_path: Path) -> None:
    content = '\ufeffquestion;context;answer;label\r\n"¿Cuánto?";"Se dan\r\n4 g; en bolo.";4 g;1\r\n'
    [one] = read(tmp_path, content).labelled
    assert (one.case.context, one.case.answer, one.label) == (("Se dan\n4 g; en bolo.",), "4 g", True)


def test_passages_may_be_a_list_and_other_fields_are_told(tmp_path: Path) -> None:
    found = read(tmp_path, lines({**ROW, "context": ["uno", "dos"], "model": "x"}), name="labels.jsonl")
    assert (found.labelled[0].case.context, found.unread) == (("uno", "dos"), ("model",))


def test_labels_of_several_people_are_put_together(tmp_path: Path) -> None:
    rows = [{**ROW, "annotator": name, "label": label} for name, label in (("a", 1), ("b", 1), ("c", 0))]
    [one] = read(tmp_path, lines(*rows), name="labels.jsonl").labelled
    assert (one.votes, one.label) == ((True, True, False), True)


def test_two_files_without_names_are_two_people(tmp_path: Path) -> None:
    for name, label in (("a", 1), ("b", 0)):
        (tmp_path / f"{name}.jsonl").write_text(lines({**ROW, "label": label}), encoding="utf-8")
    [one] = read_labels([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], drawn={}, language=None).labelled
    assert (one.votes, one.label) == ((True, False), None)


def test_a_row_that_a_data_set_has_twice_is_two_cases(tmp_path: Path) -> None:
    assert len(read(tmp_path, lines(ROW, ROW), name="labels.jsonl").labelled) == 2


def test_a_drawn_case_has_the_texts_that_were_drawn(tmp_path: Path) -> None:
    drawn = Case("c1", "¿Cuánto?", ("Se dan 4 g.", "Otro."), "4 g. Y más.", "Son 4 g.", "es", "random")
    [one] = read(tmp_path, "case,claim,label\nc1,spoilt,0\n", c1=drawn).labelled
    assert (one.case, one.label) == (drawn, False)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("case,label\nother,1\n", 'line 2: the case "other" was drawn by no sample'),
        ("question,context,answer\na,b,c\n", "line 1: there is no column label"),
        ("context,answer,label\nb,c\n", "line 2: the row has 2 cells"),
        ("context,answer,label\nb,c,maybe\n", "line 2: the field 'label' of a label: it is \"maybe\""),
        ("context,answer,label\nb,,1\n", "line 2: the field 'answer' of a label"),
        ("context,answer,label\n,c,1\n", "line 2: the field 'context' of a label"),
        ("context,answer,label\nb,c,\n", "no row has a label"),
        ("context,answer,label,language\nb,c,1,xx\n", 'line 2: the language is "xx"'),
        (
            "context,answer,label,annotator\nb,c,1,ana\nb,c,0,ana\n",
            "line 3: the case 'line 3' is labelled twice by ana",
        ),
        ('context,answer,label\nb,"c"d,1\n', "line 2: this is no CSV"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(UserError) as told:
        read(tmp_path, content)
    assert said in str(told.value)
    assert "wanted" in str(told.value)


def test_without_a_language_it_says_how_to_give_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--language es"):
        read(tmp_path, "context,answer,label\nb,c,1\n", language=None)
