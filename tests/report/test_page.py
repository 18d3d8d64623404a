"""The page holds everything, in its order, and trusts nothing that it shows."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import pytest
import yaml

from benchmark.diagnosis import Caution, Finding
from benchmark.domain import Asked, Embedded
from benchmark.report.account import Account
from benchmark.report.evaluation import as_evaluation
from benchmark.report.page import SECTIONS, as_page
from benchmark.report.phrases import phrases
from tests.report.accounts import CHUNK, HOSTILE, account

EN, ES = phrases("en"), phrases("es")
_VOID = ("meta", "input", "img", "br")


class Outline(HTMLParser):
    """Ids in their order, and what was left open."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.ids += [told["id"] or ""] if "id" in told else []
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(page: str) -> Outline:
    read = Outline()
    read.feed(page)
    return read


def data(page: str) -> dict[str, object]:
    [found] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    told: dict[str, object] = json.loads(found)
    return told


def test_a_reader_meets_what_was_compared_then_the_answer_then_the_rest() -> None:
    ids = outline(as_page(account(), EN)).ids
    told = [name for name in ids if name in (*SECTIONS, "answer")]
    assert told == ["compared", "answer", *list(SECTIONS)[1:]]


def test_the_page_has_these_headings() -> None:
    page = as_page(told_of_patterns(), EN)
    assert re.findall(r"<(h[123])[^>]*>(.*?)</h", page) == [
        ("h1", "obstetrics: which architecture answers better?"),
        ("h2", "What was compared"),
        ("h2", "Leaderboard"),
        ("h2", "Pictures"),
        ("h2", "Patterns and what to do"),
        ("h3", "Low recall"),
        ("h3", "Cautions"),
        ("h2", "By kind of question"),
        ("h2", "The scores read together"),
        ("h3", "Headroom recovered"),
        ("h3", "At the same number of context tokens"),
        ("h3", "Where the differences come from"),
        ("h3", "Paired differences: Completeness"),
        ("h3", "Which questions one run wins and another loses: Completeness"),
        ("h3", "Where runs differ most: Completeness"),
        ("h3", "Refusals and relevancy"),
        ("h3", "How far the judge can be trusted here"),
        ("h2", "Every question"),
        ("h2", "Method, prompts, versions, costs"),
        ("h3", "Costs"),
        ("h3", "Versions"),
        ("h3", "Prompts"),
        ("h2", "Not measured"),
    ]


def told_of_patterns() -> Account:
    """An account whose first run shows a pattern, and whose runs all are too few questions."""
    found = account()
    lost = Finding("low_recall", "context recall 0.350 < 0.6", "Much is lost.", "Raise k.", ("q-001", "q-002"))
    few = Caution("unreliable", "30 questions, fewer than 50: no claim of readiness")
    runs = [replace(run, findings=(lost,) if run.name == "bm25" else (), cautions=(few,)) for run in found.runs]
    return replace(found, runs=tuple(runs))


def test_a_pattern_says_what_to_do_and_leads_to_its_questions() -> None:
    page = as_page(told_of_patterns(), EN)
    assert "<strong>What to do:</strong> Raise k." in page
    assert '<b>bm25</b>: context recall 0.350 &lt; 0.6. See <a href="#q-q-001">q-001</a>' in page
    assert page.count("no claim of readiness") == 1  # said once for all runs


def test_every_element_is_closed_and_no_link_leaves_the_page() -> None:
    read = outline(as_page(account(), EN))
    assert read.open == []
    assert all(link.startswith("#") for link in read.links)


def test_an_id_stands_once() -> None:
    ids = outline(as_page(account(), EN)).ids
    assert len(ids) == len(set(ids))


def test_an_answer_that_is_html_ends_nothing_and_runs_nothing() -> None:
    page = as_page(account(answer=HOSTILE), EN)
    assert page.count("</script>") == 2
    assert "<img" not in page
    assert HOSTILE in " ".join(map(str, data(page)["texts"]))  # type: ignore[call-overload]  # json


def test_a_run_whose_name_is_html_is_shown_as_text() -> None:
    page = as_page(account({"<b>x</b>": 0.4, "hybrid": 0.8}, bounds={}), EN)
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page


def test_the_same_account_gives_the_same_page() -> None:
    assert as_page(account(questions=6), EN) == as_page(account(questions=6), EN)


def test_the_leaderboard_has_interval_n_and_tier_below_each_mean() -> None:
    page = as_page(account(), EN)
    assert re.search(r'<td class="best" data-value="0\.\d+"[^>]*><b>0\.\d\d</b><small>0\.\d\d–0\.\d\d\?</small>', page)
    assert "?: an interval of few scores; such ones held the true mean in 94 % of simulated exams" in page
    assert "<small>n 30 · tier 1</small>" in page


def test_what_indexing_cost_at_endpoints_stands_with_the_costs() -> None:
    first, second, *others = account().runs
    paid = Asked(0, 0, 0, 0.125, Embedded(3, 40, 0.125))
    unknown = replace(paid, money=None)
    runs = (replace(first, index_cost=paid), replace(second, index_cost=unknown), *others)
    text = as_page(replace(account(), runs=runs), EN)
    assert "indexing money" in text
    assert "<td>1.0</td><td>0.1250</td><td>3.0</td>" in text
    assert "<td>1.0</td><td>NOT MEASURED</td><td>3.0</td>" in text
    assert "<td>1.0</td><td>0.0000</td><td>3.0</td>" in text
    assert "indexing money" not in as_page(account(), EN)


def test_what_was_not_measured_is_said_with_its_reason() -> None:
    page = as_page(account(failing=2), EN)
    whole = page[page.index('id="not_measured"') :]
    assert "NOT MEASURED" in whole
    assert "no price is known (30)" in whole
    assert "failed at answer: ConnectionError: hung up (2)" in whole


@pytest.mark.parametrize("say", [EN, ES], ids=["en", "es"])
def test_no_phrase_is_left_with_a_gap(say: object) -> None:
    page = as_page(account(failing=1), ES if say is ES else EN)
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert not re.search(r"\{\w+\}", shown)


def test_in_spanish_headings_verdicts_and_reasons_are_spanish() -> None:
    page = as_page(account(failing=2), ES)
    assert '<html lang="es">' in page
    for told in ("Qué se comparó", "Cada pregunta", "Fidelidad", "no se conoce ningún precio", "es la mejor"):
        assert told in page, told


def test_every_text_of_the_data_stands_once() -> None:
    texts = data(as_page(account(), EN))["texts"]
    assert isinstance(texts, list)
    assert len(texts) == len(set(texts))


def test_the_data_says_at_which_rank_the_evidence_stood() -> None:
    found = data(as_page(account(), EN))
    right = [one for one in found["questions"] if one["runs"][1]["fate"] == "right"]  # type: ignore[attr-defined]  # json
    assert right
    for question in right:
        rank = 1 + question["evidence"][0]["start"] // CHUNK
        assert [stage["ranks"] for stage in question["runs"][1]["stages"]] == [[rank]] * 3
        assert [question["runs"][1][name] for name in ("instead", "todo")] == [None, None]


def test_of_a_lost_question_the_data_has_what_stands_in_its_place_and_what_to_do() -> None:
    found = data(as_page(account(), ES))
    runs = [question["runs"][0] for question in found["questions"]]  # type: ignore[attr-defined]  # json
    texts = found["texts"]
    lost = [run for run in runs if texts[run["cause"]] == "cortada por k"]  # type: ignore[index]  # json
    assert lost
    for run in lost:
        assert texts[run["todo"]].startswith("Suba k, o reordene")  # type: ignore[index]  # json
        assert run["instead"] is not None


def test_nothing_that_the_reports_say_in_english_is_left_in_a_spanish_one() -> None:
    found = account({"random": 0.1, "bm25": 0.35, "hybrid": 0.75, "oracle": 0.95}, failing=2)
    page, evaluation = as_page(found, ES), as_evaluation(found, ES)
    data_of_page = [str(text) for text in data(page)["texts"]]  # type: ignore[attr-defined]  # json
    visible = re.sub(r"<[^>]+>", "\n", re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL))
    told = "\n".join([visible, evaluation, *data_of_page])
    texts = yaml.safe_load(files("benchmark.report").joinpath("phrases.yaml").read_text(encoding="utf-8"))
    pairs = [*texts["own"].values(), *texts["others"]]
    spanish = "\n".join(pair[1] for pair in pairs)
    parts = {part.strip(" .:;,()") for english, _ in pairs for part in re.split(r"\{\w+\}|\n", english)}
    ours = [part for part in parts if len(part) > 11 and part not in spanish]
    assert len(ours) > 200
    assert [part for part in ours if re.search(rf"\b{re.escape(unescaped(part))}\b", told)] == []


def unescaped(text: str) -> str:
    return text.replace("<", "&lt;")


@pytest.mark.parametrize(
    ("english", "spanish"),
    [
        ("3 of 5 ranks bring evidence; 2 of 4 met", "3 de 5 puestos traen evidencia; 2 de 4 hallados"),
        (
            "12 of 15 content words in one sentence; the number 5 mg is not in the context",
            "12 de 15 palabras de contenido en una frase; el número 5 mg no está en el contexto",
        ),
        (
            "no price is known of 1 of 2 completions and of 3 embedded texts",
            "no se conoce el precio de 1 de 2 respuestas de modelos ni de 3 textos vectorizados",
        ),
        ("no price is known of 3 embedded texts", "no se conoce el precio de 3 textos vectorizados"),
        ("no price is known of 1 of 2 completions", "no se conoce el precio de 1 de 2 respuestas de modelos"),
        ("without faithfulness (no statement in the answer)", "sin faithfulness (la respuesta no afirma nada)"),
        (
            "not conveyed: Sí. (stands word for word in the context)",
            "no transmitido: Sí. (está palabra por palabra en el contexto)",
        ),
    ],
)
def test_the_reasons_of_scores_and_rulings_are_spanish_too(english: str, spanish: str) -> None:
    assert ES.said(english) == spanish
    assert EN.said(english) == english
