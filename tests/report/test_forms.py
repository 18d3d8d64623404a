"""The evaluation report, the tables of a paper, the tidy table and the images."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from io import BytesIO, StringIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from benchmark.domain import Cause, UserError
from benchmark.report.csv import COLUMNS, as_csv
from benchmark.report.drawing import COLUMN, INKS, Boxes, Dot, Drawing, Line, Words, as_svg
from benchmark.report.evaluation import as_evaluation, flat, sampled
from benchmark.report.figures import FATE_OF, figures
from benchmark.report.images import image
from benchmark.report.latex import as_latex
from benchmark.report.numbers import digits_of
from benchmark.report.phrases import LANGUAGES, phrases
from benchmark.rootcause import REMEDIES
from tests.report.accounts import HOSTILE, account

EN, ES = phrases("en"), phrases("es")


def test_the_evaluation_has_its_sections_in_order() -> None:
    heads = re.findall(r"^## (.+)$", as_evaluation(account(), EN), re.MULTILINE)
    assert heads == [
        *("Dataset", "Answer", "Every dimension", "The scores read together", "Patterns"),
        *("Root cause of sampled failures", "Recommendations", "Not measured"),
    ]


def test_every_dimension_has_n_and_interval_or_is_not_measured() -> None:
    lines = as_evaluation(account(), EN).splitlines()
    table = lines[lines.index("## Every dimension") + 4 : lines.index("## The scores read together") - 5]
    assert len(table) == 14
    cells = [cell.strip() for line in table for cell in line.split("|")[2:-1]]
    assert all(cell == "NOT MEASURED" or re.fullmatch(r"[\d.]+[*=]? \[[^\]]+\], n \d+", cell) for cell in cells)
    assert "NOT MEASURED" in cells


def test_intervals_of_few_scores_are_marked_and_the_mark_says_what_was_measured() -> None:
    few, many = account(questions=30), account(questions=100)
    for form in (as_evaluation(few, EN), as_latex(few, EN)):
        assert "0.81?" in form
        assert "?: an interval of few scores; such ones held the true mean in 94 " in form
    for form in (as_evaluation(many, EN), as_latex(many, EN)):
        assert "?: an interval" not in form
    assert "contenían la media verdadera en el 94 %" in as_evaluation(few, ES)


def test_a_mean_with_missing_scores_says_what_they_could_make_of_it() -> None:
    lines = as_evaluation(account(questions=30, failing=3), EN).splitlines()
    [cell] = [line.split("|")[-2] for line in lines if line.startswith("| Completeness")]
    mean, missing, low, high = (
        float(part) for part in re.findall(r"^ ([\d.]+).*, (\d+) missing: ([\d.]+) to ([\d.]+)", cell)[0]
    )
    assert missing == 3
    assert low == pytest.approx(mean * 27 / 30, abs=0.01)
    assert high == pytest.approx((mean * 27 + 3) / 30, abs=0.01)


def test_money_is_told_to_a_hundredth_of_a_cent() -> None:
    assert [digits_of(key) for key in ("cost/money", "cost/judge_money", "cost/context_tokens")] == [4, 4, 0]


def test_at_least_five_failures_are_followed_to_their_cause() -> None:
    found = sampled(account())
    assert len(found) == 8
    assert len({record.question.id for _, record in found}) == 8
    assert len({record.cause for _, record in found}) == 4
    told = as_evaluation(account(), EN)
    assert told.count("   - Cause: **") == 8
    assert told.count("   - What to do: ") == 8
    assert sum(line.startswith("   - Evidence 1: retrieve dense ") for line in told.splitlines()) == 8
    assert "   - In its place stood: doc-" in told


def test_a_bound_is_not_sampled_for_failures() -> None:
    assert {run.name for run, _ in sampled(account({"bm25": 0.4, "oracle": 0.1}))} == {"bm25"}


def test_a_hostile_answer_breaks_no_line_of_markdown() -> None:
    assert flat("a | b\n\n<script>") == r"a \| b &lt;script>"
    assert "<script>" not in as_evaluation(account(answer=HOSTILE), EN)


def test_latex_marks_the_best_by_the_statistics() -> None:
    told = as_latex(account(), EN)
    [bm25] = re.findall(r"^    bm25 & .*$", told.partition("intervals")[0], re.MULTILINE)
    [hybrid] = re.findall(r"^    hybrid & .*$", told.partition("intervals")[0], re.MULTILINE)
    assert (bm25.count(r"\textbf"), hybrid.count(r"\textbf")) == (0, 7)


def test_tied_with_the_best_is_bold_as_well() -> None:
    told = as_latex(account({"a": 0.5, "b": 0.52}, bounds={}, questions=4), EN)
    [first] = re.findall(r"^    a & .*$", told.partition("intervals")[0], re.MULTILINE)
    assert first.count(r"\textbf") == 7


def test_latex_has_as_many_cells_as_columns_and_closes_what_it_opens() -> None:
    told = as_latex(account({"gemma_270m & x": 0.3, "hybrid": 0.7, "oracle": 0.9}), ES)
    columns = [len(found) for found in re.findall(r"\\begin\{tabular\}\{(\w+)\}", told)]
    rows = [line for line in told.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 8
    assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == set(columns) == {10}
    for name in ("table", "tabular"):
        assert told.count(rf"\begin{{{name}}}") == told.count(rf"\end{{{name}}}") == 2
    assert r"gemma\_270m \& x" in told
    assert not re.search(r"(?<!\\)[_#]", re.sub(r"\\label\{.*?\}", "", told))


def test_the_csv_is_tidy() -> None:
    rows = list(csv.DictReader(StringIO(as_csv(account()))))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 14 * 3
    money = [row for row in rows if row["metric"] == "cost/money"]
    assert [(row["mean"], row["n"], row["missing"]) for row in money] == [("", "0", "30")] * 3
    first = next(row for row in rows if row["metric"] == "ragas/faithfulness" and row["run"] == "hybrid")
    assert float(first["low"]) < float(first["mean"]) < float(first["high"])
    assert first["tier"] == "1"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_picture_is_wellformed_has_a_text_and_fits_a_column(language: str) -> None:
    drawn = figures(account(failing=1), phrases(language))
    assert [one.name for one in drawn][-6:] == ["heatmap", "tokens", "matched", "pareto", "causes", "questions"]
    assert len({one.name for one in drawn}) == len(drawn) == 14
    for drawing in drawn:
        svg = ElementTree.fromstring(as_svg(drawing))
        assert (drawing.width, drawing.about != "") == (COLUMN, True)
        assert [child.tag.rpartition("}")[2] for child in svg][:2] == ["title", "desc"]
        for mark in drawing.marks:
            assert _inside(mark, drawing), mark


def _inside(mark: object, drawing: Drawing) -> bool:
    places: list[tuple[float, float]] = []
    if isinstance(mark, Line):
        places = [(mark.x1, mark.y1), (mark.x2, mark.y2)]
    elif isinstance(mark, Dot | Words):
        places = [(mark.x, mark.y)]
    elif isinstance(mark, Boxes):
        places = [(x + width, y + height) for x, y, width, height in mark.places]
    return all(-1 <= x <= drawing.width + 1 and -1 <= y <= drawing.height + 1 for x, y in places)


def test_every_cause_has_a_fate() -> None:
    assert set(FATE_OF) == set(Cause)


def test_images_have_their_form_and_no_date() -> None:
    drawing = figures(account(questions=6), EN)[0]
    png, pdf = image(drawing, "png"), image(drawing, "pdf")
    assert (png[:4], pdf[:4]) == (b"\x89PNG", b"%PDF")
    assert b"CreationDate" not in pdf
    assert image(drawing, "png") == png


def test_marks_stand_where_they_are_said_to_and_words_end_at_their_place() -> None:
    marks = (
        Boxes(((10, 20, 30, 6),), "blue"),
        Dot(60, 60, 5, "red", hollow=True),
        Line(80, 10, 80, 90, "green", 2),
        Words(70, 80, "5 $", "end", "dark", size=12),
    )
    png = image(Drawing("x", "x", "about", 100, 100, marks), "png", dpi=72)
    seen = np.asarray(Image.open(BytesIO(png)).convert("RGB"))
    named = {"box": (23, 12), "below": (30, 12), "ring": (60, 55), "inside": (60, 60), "line": (50, 80)}
    found = {name: "#" + seen[place].tobytes().hex().upper() for name, place in named.items()}
    blue, green, white = INKS["blue"], INKS["green"], "#FFFFFF"
    assert {name: found[name] for name in ("box", "below", "inside", "line")} == {
        "box": blue, "below": white, "inside": white, "line": green}  # fmt: skip
    assert found["ring"] != white
    written = np.argwhere(seen[68:84, :79].min(axis=2) < 160)
    assert 45 < written[:, 1].min() < 60 < written[:, 1].max() <= 70


def test_a_picture_escapes_what_it_is_told() -> None:
    drawing = Drawing("x", HOSTILE, "about", 10, 10, (Words(1, 1, HOSTILE), Dot(1, 1, tip=HOSTILE)))
    assert "<script" not in as_svg(drawing)
    ElementTree.fromstring(as_svg(drawing))


def test_a_language_that_reports_do_not_speak_is_refused() -> None:
    with pytest.raises(UserError, match="--language es"):
        phrases("fr")


def test_both_languages_have_the_same_gaps() -> None:
    gaps = re.compile(r"\{\w+\}")
    for key, text in EN.own.items():
        assert set(gaps.findall(text)) == set(gaps.findall(ES.own[key])), key


def test_every_remedy_is_told_in_spanish() -> None:
    assert all(ES.said(remedy) != remedy for remedy in REMEDIES.values())


def test_what_other_parts_say_is_told_in_spanish_to_its_innermost_gap() -> None:
    said = ES.said("Faithfulness: bm25 has the best mean (0.95, excellent), but this cannot rank with 2 questions "
                   "(smallest attainable corrected p 0.500).")  # fmt: skip
    assert said == (
        "Fidelidad: bm25 tiene la mejor media (0.95, excelente), pero 2 preguntas no permiten ordenar (menor p "
        "corregida alcanzable: 0.500)."
    )
    assert ES.said("something else") == EN.said("something else") == "something else"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex is installed")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_compile_in_a_paper_and_are_no_wider_than_its_page(language: str, tmp_path: Path) -> None:
    told = as_latex(account({"gemma_270m & 50 % #1": 0.3, "hybrid": 0.7, "oracle": 0.9}), phrases(language))
    needed = [line.removeprefix("% ") for line in told.splitlines() if line.startswith(r"% \usepackage")]
    paper = [r"\documentclass{article}", *needed, r"\begin{document}", r"\input{tables}", r"\end{document}"]
    (tmp_path / "tables.tex").write_text(told, encoding="utf-8")
    (tmp_path / "paper.tex").write_text("\n".join(paper), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stdout[-2000:]
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF")
    assert "Overfull" not in ended.stdout
