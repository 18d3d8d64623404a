"""What scores say together, in tables and in lines."""

from __future__ import annotations

import re

import numpy as np
import pytest

from benchmark.report.account import Account
from benchmark.report.drawing import Words, as_svg
from benchmark.report.evaluation import as_evaluation
from benchmark.report.figures import figures
from benchmark.report.page import as_page
from benchmark.report.phrases import phrases
from benchmark.report.readings import Together, tables, together_lines
from tests.report.accounts import account

EN, ES = phrases("en"), phrases("es")
BOUNDED = {"random": 0.1, "bm25": 0.35, "hybrid": 0.75, "oracle": 0.95}


@pytest.fixture(scope="module")
def bounded() -> Account:
    return account(BOUNDED)


def shown(found: Account, name: str) -> Together:
    [one] = [one for one in tables(found.analysis, found.pairs, EN) if one.name == name]
    return one


def test_headroom_is_told_of_rivals_alone_and_by_metric(bounded: Account) -> None:
    one = shown(bounded, "headroom")
    assert [row[0] for row in one.rows] == ["bm25", "hybrid"]
    assert one.heads[-1] == "Completeness"
    means = {run.name: run.row.mean("answer/completeness") or 0.0 for run in bounded.runs}
    recovered = (means["hybrid"] - means["random"]) / (means["oracle"] - means["random"])
    assert re.fullmatch(rf"{recovered:.2f} \(0\.\d\d–\d\.\d\d\)", str(one.rows[1][-1]))


def test_without_a_floor_headroom_is_not_measured_and_says_what_to_run() -> None:
    one = shown(account(), "headroom")
    assert (one.rows, "architecture=random_passages,oracle" in one.why) == ((), True)
    told = as_evaluation(account(), EN)
    assert "### Headroom recovered\n\nNOT MEASURED: no random passages and no gold evidence" in told


def test_a_duel_names_the_questions_that_each_wins(bounded: Account) -> None:
    [(pair, first, second, level)] = shown(bounded, "duels").rows
    assert pair == "bm25 – hybrid"
    scores = {run.name: run.row.values("answer/completeness") for run in bounded.runs}
    assert set(second) == {q for q in scores["bm25"] if scores["hybrid"][q] > scores["bm25"][q]}
    assert len(first) + len(second) + int(str(level)) == 30


def test_a_pair_has_its_difference_effect_and_both_tests(bounded: Account) -> None:
    [(pair, difference, effect, p, wilcoxon)] = shown(bounded, "pairs").rows
    values = {run.name: run.row.values("answer/completeness") for run in bounded.runs}
    leads = np.array([values["bm25"][question] - values["hybrid"][question] for question in values["bm25"]])
    assert (pair, effect) == ("bm25 – hybrid", f"{leads.mean() / leads.std(ddof=1):.2f}")
    assert str(difference).startswith(f"{leads.mean():.2f} (-0.")
    assert float(str(p)) < 0.05 > float(str(wilcoxon))


def test_variance_shares_add_up(bounded: Account) -> None:
    one = shown(bounded, "variance")
    assert [row[0] for row in one.rows] == ["architecture", "question", "architecture × question"]
    assert sum(int(str(row[-1]).removesuffix(" %")) for row in one.rows) in (99, 100, 101)


def test_bounds_stand_in_brackets_among_the_refusals(bounded: Account) -> None:
    assert [row[0] for row in shown(bounded, "abstention").rows] == ["(random)", "bm25", "hybrid", "(oracle)"]


def test_the_page_leads_from_a_duel_to_its_questions(bounded: Account) -> None:
    page = as_page(bounded, EN)
    duel = page[page.index("Which questions one run wins") : page.index("Where runs differ most")]
    [(_, _, won, _)] = shown(bounded, "duels").rows
    assert len(won) > 12
    assert f'<b>{len(won)} </b><a href="#q-{won[0]}">{won[0]}</a>' in duel
    assert f"and {len(won) - 12} more" in duel


def test_a_terminal_has_the_same_in_a_few_lines(bounded: Account) -> None:
    lines = together_lines(bounded.analysis)
    for told in ("Headroom recovered, Completeness: bm25 0.", "Variance of Completeness: architecture "):
        assert any(line.startswith(told) for line in lines), told
    assert any(re.match(r"Evidence recall within \d+ tokens of context each: bm25 \d", line) for line in lines)
    assert sum(line.startswith("They differ most on ") for line in lines) == 3


def test_every_ink_of_a_picture_is_a_class_of_the_pages_style() -> None:
    many = account({**BOUNDED, **{f"system-{number}": 0.1 * number for number in range(7)}})
    style = as_page(many, EN).partition("</style>")[0]
    drawn = "".join(as_svg(one, themed=True) for one in figures(many, EN))
    inks = {name for classes in re.findall(r'class="([^"]+)"', drawn) for name in classes.split()}
    assert {"stroke-green", "stroke-dark"} <= inks
    assert [name for name in sorted(inks) if f".{name} {{" not in style] == []


def test_in_spanish_the_judges_agreement_is_spanish(bounded: Account) -> None:
    assert "local: el juez y la evidencia de referencia coinciden en el" in as_page(bounded, ES)


def test_of_many_runs_a_scatter_names_the_bounds_and_those_on_the_front() -> None:
    many = account({"random": 0.05, **{f"system-{number:02d}": 0.8 - 0.05 * number for number in range(12)}})
    [drawn] = [one for one in figures(many, EN) if one.name == "pareto"]
    told = {mark.text.split(" ")[0] for mark in drawn.marks if isinstance(mark, Words)}
    assert many.analysis.headline is not None
    front = {name for name, place in many.analysis.headline.front.places.items() if place.on_front}
    assert 0 < len(front) < 12
    assert {name for name in told if name.startswith(("system", "("))} == front | {"(random)"}
