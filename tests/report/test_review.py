"""The page on which people review drafts: alone, in their language, by the keyboard, and given back as a sheet."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

from benchmark.domain import Query
from benchmark.drafting.nouns import Drafts
from benchmark.drafting.reviews import Decision, Review
from benchmark.report.review import TEXTS, as_page
from benchmark.storage.reviews import read_reviews, review_rows
from tests.drafting.drafted import DRAFTS, HEIGHT, KEEPER, LEAKED, span
from tests.report.test_browser import BROWSER, told

HOSTILE = '</script><script>document.title="lost"</script> "coma", y\n=1+1'


def page(drafts: Drafts = DRAFTS, language: str = "en") -> str:
    return as_page(drafts, review_rows(drafts), name="mine", language=language)


def test_it_asks_nobody_and_a_text_cannot_end_the_data() -> None:
    hostile = replace(HEIGHT, question=replace(HEIGHT.question, query=Query("d-1", HOSTILE)))
    made = page(replace(DRAFTS, drafts=(hostile,)))
    assert re.findall(r'(?:src|href)="', made) == []
    assert "default-src 'none'" in made.replace("&#x27;", "'")
    assert made.count("</script>") == 2


def test_every_language_has_every_text() -> None:
    assert len({frozenset(texts) for texts in TEXTS.values()}) == 1
    assert '<html lang="es">' in page(language="es")
    assert all(text in page(language="es") for text in TEXTS["es"].values())


PRESS = """
    const press = (key, on = document.body) => on.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const type = (id, text) => { at(id).value = text; at(id).dispatchEvent(new Event('input')); };
    const pick = (id, text) => { at(id).value = text; at(id).dispatchEvent(new Event('change')); };
"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_what_is_decided_by_keys_is_what_the_sheet_says(tmp_path: Path) -> None:
    script = f"""{PRESS}
        type('by', 'ana');
        press('2');
        const focused = document.activeElement.id;
        type('question', '  =¿Qué altura tiene el faro?');
        type('quote-0', 'faro mide 30 m'); pick('grade-1', '0');
        press('ArrowRight', at('question'));
        const stays = at('question').value;
        press('ArrowRight');
        press('1');
        const [down, why] = [at('down').hidden, at('filters').textContent];
        press('0'); type('note', 'copia\\nel texto'); press('Enter', at('note'));
        return encodeURIComponent(JSON.stringify([focused, stays, down, why, at('progress').textContent, csv()]));"""
    focused, stays, down, why, progress, csv = json.loads(unquote(told(page(), tmp_path, script)))
    assert (focused, stays, down) == ("question", "  =¿Qué altura tiene el faro?", False)
    assert why.startswith("leakage: four of four words are the passage's")
    assert progress == "Draft 3 of 3 (fact), 3 decided"
    assert csv.startswith("\ufeffdraft,kind,")
    (tmp_path / "review-ana.csv").write_text(csv, encoding="utf-8")
    height, keeper, leaked = read_reviews([tmp_path / "review-ana.csv"], DRAFTS)
    assert height.question is not None
    assert height.question.query.text == "=¿Qué altura tiene el faro?"
    assert [(one.span, one.grade) for one in height.question.evidence] == [(span(0, "faro mide 30 m"), 3)]
    assert (height.by, height.decision) == ("ana", Decision.MEND)
    assert keeper == Review(KEEPER, "ana", KEEPER.proposed)
    assert leaked == Review(LEAKED, "ana", None, "copia\nel texto")


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_a_text_that_is_written_back_is_accepted_and_starting_again_forgets_all(tmp_path: Path) -> None:
    script = f"""{PRESS}
        const decided = () => choices.slice(0, 3).map((choice) => choice.getAttribute('aria-pressed')).join(' ');
        const said = [];
        type('reference', '31 m'); said.push(decided());
        type('reference', ' 30 m '); said.push(decided());
        type('reference', ''); pick('reference', ''); said.push(at('reference').value);
        type('quote-0', 'mide 31 m'); said.push(document.querySelector('.strange').hidden);
        press('3'); said.push(decided(), at('quote-0').value);
        said.push(JSON.parse(localStorage.getItem('ragsweep review mine')).filled['d-1'] === undefined);
        return said.join('|');"""
    assert told(page(), tmp_path, script) == (
        "false true false|true false false|30 m|false|false false false|El faro mide 30 m.|true"
    )


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_what_was_decided_is_there_when_the_page_is_opened_again(tmp_path: Path) -> None:
    # In one browser: one that ends may not have written down yet what it keeps.
    script = f"""{PRESS}
        if (!localStorage.length) {{
            type('by', 'ana'); press('1'); type('note', 'ya');
            location.reload();
        }}
        return [at('by').value, at('progress').textContent, decision(data.cases[0]), navigation()].join('|');
        function navigation() {{ return performance.getEntriesByType('navigation')[0].type; }}"""
    again = told(page(), tmp_path, script)
    assert again == "ana|Draft 1 of 3 (fact), 1 decided|accept|reload"


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_every_control_has_a_name_and_the_passage_shows_its_quotes(tmp_path: Path) -> None:
    script = """
        const controls = [...document.querySelectorAll('input, select, textarea, button')];
        const nameless = controls.filter((one) => !(one.labels && one.labels.length) && !one.textContent.trim());
        return [nameless.length, document.querySelector('#passages mark').textContent,
            document.documentElement.scrollWidth <= document.documentElement.clientWidth].join('|');"""
    assert told(page(), tmp_path, script) == "0|El faro mide 30 m.|true"


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_the_download_is_the_sheet_of_whoever_reviewed(tmp_path: Path) -> None:
    script = f"""{PRESS} type('by', 'ana');
        let name = '';
        HTMLAnchorElement.prototype.click = function () {{ name = `${{this.download}} ${{this.href.slice(0, 5)}}`; }};
        at('download').click();
        return name;"""
    assert told(page(), tmp_path, script) == "review-ana.csv blob:"
