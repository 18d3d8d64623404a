"""The page on which people label cases: alone, in their language, and by the keyboard."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmark.readings.people import Case
from benchmark.report.labelling import TEXTS, as_page
from benchmark.storage.samples import cells
from tests.report.test_browser import BROWSER, told

HOSTILE = '</script><script>document.title="lost"</script> "coma", y\n=1+1'
CASES = [
    Case("c1", "¿Qué dosis?", ("Se dan 4 g.", HOSTILE), HOSTILE, "Son 4 g.", "es", "lowest"),
    Case("c2", "¿Cuándo?", ("Ahora.",), "Ahora mismo.", "=Ahora", "es", "random"),
]


def page(language: str = "en") -> str:
    return as_page(CASES, [cells(case) for case in CASES], name="mine", language=language)


def test_it_asks_nobody_and_does_not_tell_how_a_case_was_drawn() -> None:
    assert re.findall(r'(?:src|href)="', page()) == []
    assert "default-src 'none'" in page().replace("&#x27;", "'")
    assert "http" not in page().replace("http-equiv", "")
    assert "lowest" not in page()


def test_a_text_cannot_end_the_data() -> None:
    assert page().count("</script>") == 2


def test_every_language_has_every_text() -> None:
    assert len({frozenset(texts) for texts in TEXTS.values()}) == 1
    assert '<html lang="es">' in page("es")
    assert all(text in page("es") for name, text in TEXTS["es"].items() if name != "progress")


def test_a_cell_is_no_formula() -> None:
    assert cells(CASES[1])["claim"] == "'=Ahora"


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_keys_label_and_the_csv_has_the_labels(tmp_path: Path) -> None:
    script = """
        const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        at('by').value = 'ana';
        press('1');
        const second = at('claim').textContent;
        press('0'); press('ArrowLeft');
        const pressed = choices.map((choice) => choice.getAttribute('aria-pressed')).join(' ');
        return [second, pressed, at('progress').textContent, document.title, csv().length > 0,
            csv().split('\\n').slice(-2)[0]].join(' | ');"""
    assert told(page(), tmp_path, script).replace("&quot;", '"') == (
        "=Ahora | true false false | Case 1 of 2, 2 labelled | Does the text support the claim? | true | "
        '"c2","¿Cuándo?","\'=Ahora","Ahora mismo.","[1] Ahora.","es","0","ana"'
    )
