"""Judgements: the columns are recognised, and what the grades mean is never guessed in silence."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from benchmark.domain import UserError
from benchmark.importing.exams import qrels


def read(file: Path, content: str, grades: str | None = None, repeated: str | None = None) -> dict[str, dict[str, int]]:
    file.write_bytes(content.encode())
    judged = qrels.read(file, grades=grades, repeated=repeated)
    return {query: dict(documents) for query, documents in judged.grades.items()}


@pytest.mark.parametrize(
    "content",
    [
        "query-id\tcorpus-id\tscore\r\nq1\td1\t1\r\nq1\td 2\t2\r\n",
        "q1 0 d1 1\nq1 0 d 2 2\n".replace("d 2", "d2"),
        "q1 Q0 d1 1\nq1 Q0 d2 2\n",
        "q1\t0\td1\t1\nq1\t0\td2\t2\n",
        "q1 d1 1 \r\nq1 d2 2 \r\n",
    ],
)
def test_the_forms_of_beir_and_trec_are_read_alike(tmp_path: Path, content: str) -> None:
    second = "d 2" if "d 2" in content else "d2"
    assert read(tmp_path / "test.tsv", content) == {"q1": {"d1": 1, second: 2}}


def test_judgements_may_be_gzipped(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "qrels.trec.gz", "wt") as file:
        file.write("q1 0 d1 1\nq1 0 d2 2")
    assert qrels.read(tmp_path / "qrels.trec.gz", grades=None, repeated=None).grades == {"q1": {"d1": 1, "d2": 2}}


def test_one_grade_alone_means_relevant_and_is_shown(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("q1 0 d1 1\nq2 0 d2 1\n", encoding="utf-8")
    judged = qrels.read(tmp_path / "a.tsv", grades=None, repeated=None)
    assert judged.grades == {"q1": {"d1": 3}, "q2": {"d2": 3}}
    assert "a.tsv: grades: 1 (2 times), read as relevant (grade 3)" in judged.notes


@pytest.mark.parametrize(
    ("content", "shown", "example"),
    [
        ("q1 d1 2\nq1 d2 -1\n", "-1 (once), 2 (once)", '"-1=0,2=1"'),
        ("q1 0 d1 0\nq1 0 d2 1\n", "0 (once), 1 (once)", '"0=0,1=1"'),
        (" 1  28\t0\t0.000000\n 1  35\t0\t0.000000\n", "0 (2 times)", '"0=3"'),
        ("q1 1-Bad d1\nq1 2-Good d2\nq1 2-Good d3\n", "1-Bad (once), 2-Good (2 times)", '"1-Bad=1,2-Good=2"'),
        ("q1 0 d1 0.5\nq1 0 d2 1\n", "0.5 (once), 1 (once)", '"0.5=1,1=2"'),
    ],
)
def test_grades_whose_meaning_is_not_plain_are_shown_and_asked_for(
    tmp_path: Path, content: str, shown: str, example: str
) -> None:
    with pytest.raises(UserError) as error:
        read(tmp_path / "a.txt", content)
    assert f"the grades are {shown}" in str(error.value)
    assert f"--grades {example}" in str(error.value)


def test_what_the_user_says_of_the_grades_is_done(tmp_path: Path) -> None:
    assert read(tmp_path / "a", "q1 d1 2\nq1 d2 -1\n", "-1=0,2=3") == {"q1": {"d1": 3}}
    assert read(tmp_path / "a", "q1 0 d1 0\nq1 0 d2 2\n", "as-is") == {"q1": {"d2": 2}}
    assert read(tmp_path / "a", "q1 0 d1 1\nq1 0 d2 4\n", "inverted") == {"q1": {"d1": 4, "d2": 1}}
    assert read(tmp_path / "a", "1 28\t0\t0.000000\n1 35\t0\t0.000000\n", "0=3") == {"1": {"28": 3, "35": 3}}


@pytest.mark.parametrize(
    ("grades", "told"),
    [
        ("as-is", "--grades as-is is for whole numbers from 0"),
        ("inverted", "--grades inverted is for whole numbers from 0"),
        ("2=3", "does not say what '-1' is"),
        ("-1=0,2=3,7=1", "--grades names '7'"),
        ("high", "wanted: as-is, inverted, or GRADE=NUMBER"),
    ],
)
def test_what_the_user_says_must_fit_the_grades(tmp_path: Path, grades: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        read(tmp_path / "a", "q1 d1 2\nq1 d2 -1\n", grades)


def test_one_pair_with_two_grades_is_asked_about_by_its_lines(tmp_path: Path) -> None:
    content = "q1 0 d1 1\nq1 0 d2 2\nq1 0 d1 3\nq1 0 d2 2\n"
    with pytest.raises(UserError, match=r"a, line 3: .*as '3' here and as '1' on line 1(.|\n)*--repeated"):
        read(tmp_path / "a", content)
    chosen = {
        how: read(tmp_path / "a", content, None, how)["q1"]["d1"] for how in ("highest", "lowest", "first", "last")
    }
    assert chosen == {"highest": 3, "lowest": 1, "first": 1, "last": 3}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("q1\tQ0\td1\t1\t1000\trun\n", "a, line 1: this is a run of a retriever"),
        ("q1 0 d1 1\nq1 0 d2\n", "a, line 2: the line has 3 columns and the first 4"),
        ("query-id\tcorpus-id\tscore\n", "there is a header and no judgement"),
        ("only two\nonly two\n", "the line has 2 columns"),
        ("version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        ("\n", "the file is empty"),
    ],
)
def test_what_is_no_judgements_says_where_and_what(tmp_path: Path, content: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        read(tmp_path / "a", content)
