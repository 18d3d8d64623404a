"""A report of 500 questions and 12 systems: how long it takes, what memory, and how soon its page is open."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra

from benchmark.config import Plan, introduce, plan
from benchmark.domain import Document, Question, Record
from benchmark.job import _config_yaml, folder_of
from benchmark.metrics import keys
from benchmark.storage.places import PACKAGE, bundled
from benchmark.storage.record_lines import to_line
from tests.performance.measures import Figure
from tests.report.accounts import records_of

QUESTIONS, SYSTEMS, CANDIDATES = 500, 12, 20
FORMS = "html,md,tex,csv,png"
_BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
_ANSWER = "Se dan 4 g por vía intravenosa en 20 minutos y se vigilan los reflejos, la respiración y la diuresis. " * 3


def measure() -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        write_runs(home)
        seconds, megabytes = reported(home)
        size = (home / "report" / "report.html").stat().st_size / 1e6
        what = f"report of {QUESTIONS} questions x {SYSTEMS} systems"
        yield Figure(f"{what}, --to {FORMS}", seconds, "s", 60, f"a page of {size:.1f} MB")
        yield Figure(f"{what}, memory", megabytes, "MB", 500, "")
        if _BROWSER is not None:
            yield Figure("its page is open in Chromium", opened(home), "s", 2, "to the end of its script")


def write_runs(home: Path, systems: int = SYSTEMS) -> None:
    """A corpus folder and the records of every system, with all metrics of the house."""
    skills = {f"system-{number:02d}": 0.3 + 0.05 * number for number in range(systems)}
    documents, exam, found = records_of(
        skills, questions=QUESTIONS, documents=40, candidates=CANDIDATES, answer=_ANSWER
    )
    _write_corpus(home / "corpora" / "big", documents, exam)
    introduce()
    for name, records in found.items():
        planned = _planned(home, name)
        folder = folder_of(planned)
        folder.write_config(_config_yaml(planned))
        folder.write_status("finished")
        folder.write_summary({"index_seconds": 1.0})
        lines = [to_line(_with_all_metrics(record), planned.fingerprint) for record in records]
        folder.records.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _planned(home: Path, name: str) -> Plan:
    GlobalHydra.instance().clear()
    overrides = ["corpus=folder", f"corpus.path={home / 'corpora' / 'big'}", "judge=none", "tracking=none"]
    with initialize_config_dir(str(bundled("conf")), version_base="1.3"):
        parts = ["architecture=bm25", "generator=extractive_words", f"results={home / 'results'}"]
        config = compose("config", [*overrides, *parts])
    return plan(config, {"architecture": name, "generator": "extractive", "corpus": "big"})


def _with_all_metrics(record: Record) -> Record:
    known = list(record.scores.values())
    scores = {key.name: known[place % (len(known) - 1)] for place, key in enumerate(keys(5))}
    return replace(record, scores=scores | dict(record.scores))


def _write_corpus(folder: Path, documents: Sequence[Document], exam: Sequence[Question]) -> None:
    folder.mkdir(parents=True)
    texts = {one.id: one.text for one in documents}
    lines = [json.dumps({"id": one.id, "title": one.title, "text": one.text, "metadata": {}}) for one in documents]
    (folder / "documents.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = []
    for one in exam:
        span = one.evidence[0].span
        quote = texts[span.document_id][span.start : span.end]
        asked.append(
            {
                "id": one.id,
                "question": one.query.text,
                "reference": one.reference,
                "answerable": True,
                "language": "es",
                "evidence": [{"document": span.document_id, "quote": quote, "grade": 3}],
                "tags": list(one.tags),
            }
        )
    text = "\n".join(json.dumps(one, ensure_ascii=False) for one in asked) + "\n"
    (folder / "questions.jsonl").write_text(text, encoding="utf-8")


def reported(home: Path) -> tuple[float, float]:
    """Seconds of the whole command, and the most memory that it held, in MB."""
    out = ["--to", FORMS, "--out", str(home / "report")]
    command = [sys.executable, "-m", "benchmark", "report", str(home / "results" / "runs"), *out]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    began = perf_counter()
    subprocess.run(command, cwd=home, env=environment, check=True, capture_output=True)
    seconds = perf_counter() - began
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def opened(home: Path) -> float:
    """Seconds from the navigation to the end of the page's script, by the browser's own clock."""
    page = (home / "report" / "report.html").read_text(encoding="utf-8")
    told = "<script>document.body.dataset.told = performance.now();</script></body>"
    file = home / "timed.html"
    file.write_text(page.replace("</body>", told), encoding="utf-8")
    command = [str(_BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    command += [f"--user-data-dir={home / 'profile'}", "--dump-dom", file.as_uri()]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    [milliseconds] = re.findall(r'data-told="([\d.]+)"', ended.stdout)
    return float(milliseconds) / 1000
