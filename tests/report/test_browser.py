"""The page in a real browser: sorted by a click, filtered, opened; without a network."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from benchmark.report.page import as_page
from benchmark.report.phrases import phrases
from tests.report.accounts import HOSTILE, account

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
RUNS = "[...document.querySelectorAll('#board tbody tr:not([hidden])')].map((row) => row.cells[0].textContent)"


def told(page: str, folder: Path, script: str) -> str:
    """What a script that runs after the page's own says: the text that it returns."""
    run = f"<script>document.body.dataset.told = String((() => {{ {script} }})());</script></body>"
    file = folder / "page.html"
    file.write_text(page.replace("</body>", run), encoding="utf-8")
    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    command += [f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=3000", "--dump-dom", file.as_uri()]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    [found] = re.findall(r'data-told="(.*?)"', ended.stdout, re.DOTALL)
    return str(found)


@pytest.fixture(scope="module")
def page() -> str:
    return as_page(account(answer=HOSTILE, questions=20), phrases("en"))


def test_a_click_on_a_heading_sorts_and_a_second_one_turns_it(page: str, tmp_path: Path) -> None:
    script = f"""
        const button = document.querySelectorAll('#board thead button')[1];
        const orders = [{RUNS}];
        button.click(); orders.push({RUNS});
        button.click(); orders.push({RUNS});
        return orders.map((order) => order.join(' ')).join(', ');"""
    assert told(page, tmp_path, script) == "bm25 hybrid (oracle), (oracle) hybrid bm25, bm25 hybrid (oracle)"


def test_runs_are_filtered_by_name_and_bounds_go(page: str, tmp_path: Path) -> None:
    script = f"""
        const filter = document.getElementById('filter'), bounds = document.getElementById('bounds');
        filter.value = 'HYB'; filter.dispatchEvent(new Event('input'));
        const named = {RUNS}.join(' ');
        filter.value = ''; bounds.checked = false; bounds.dispatchEvent(new Event('change'));
        return named + ', ' + {RUNS}.join(' ');"""
    assert told(page, tmp_path, script) == "hybrid, bm25 hybrid"


def test_a_question_opens_and_its_hostile_answer_stays_text(page: str, tmp_path: Path) -> None:
    script = """
        location.hash = '#q-q-003'; openTarget();
        const question = document.getElementById('q-q-003');
        question.append(whole(data.questions[3])); question.append(answered(data.questions[3].runs[0]));
        const images = document.querySelectorAll('#list img').length;
        return [question.open, images, question.querySelectorAll('tbody tr').length,
                question.textContent.includes('<img src=x'), document.title.includes('owned')].join(' ');"""
    assert told(page, tmp_path, script) == "true 0 3 true false"


def test_questions_are_searched_and_counted(page: str, tmp_path: Path) -> None:
    script = """
        const search = document.getElementById('search');
        search.value = 'q-01'; search.dispatchEvent(new Event('input'));
        const listed = document.querySelectorAll('#list details').length;
        return document.getElementById('count').textContent + ', ' + listed;"""
    assert told(page, tmp_path, script) == "10 of 20 questions, 10"


def test_all_questions_are_printed_and_those_that_are_open_stay_open(tmp_path: Path) -> None:
    script = """
        const opened = document.getElementById('q-q-003');
        opened.open = true;
        const before = document.querySelectorAll('#list details').length;
        dispatchEvent(new Event('beforeprint'));
        const after = document.querySelectorAll('#list details').length;
        const buttons = document.querySelectorAll('#list button').length;
        return [before, after, opened.open && opened.isConnected, buttons].join(' ');"""
    assert told(as_page(account(questions=70), phrases("en")), tmp_path, script) == "60 70 true 0"


def test_every_control_has_a_name_and_is_reached_by_keyboard(page: str, tmp_path: Path) -> None:
    script = """
        const controls = [...document.querySelectorAll('input, select, button')];
        const nameless = controls.filter((one) => !(one.labels && one.labels.length) && !one.textContent.trim());
        return nameless.length + ' ' + controls.filter((one) => one.tabIndex < 0).length;"""
    assert told(page, tmp_path, script) == "0 0"
