"""Files that are run without importing them first: imported once, shown while they are, going on where they stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmark.domain import UserError
from benchmark.importing import importer
from benchmark.importing.importer import Watch
from benchmark.importing.loading import imported, shown_by


@pytest.fixture
def source(tmp_path: Path) -> Path:
    lines = [json.dumps({"id": f"d{n}", "text": f"Give {n} mg of iron to the patient."}) for n in range(50)]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "q.csv").write_text("question,answer\nHow much iron?,7 mg of iron\n", encoding="utf-8")
    return tmp_path


def ran(source: Path, heard: list[int], *, stop_at: int | None = None) -> Path:
    """The corpus's folder; ``heard`` gets the documents so far at each step."""

    @contextmanager
    def show(_: str) -> Iterator[Watch]:
        def watch(done: float, documents: int, file: str) -> None:
            heard.append(documents)
            if documents == stop_at:
                raise KeyboardInterrupt

        yield watch

    with shown_by(show):
        none = (None, None, None, None)
        results = str(source / "results")
        return Path(imported(str(source / "docs.jsonl"), str(source / "q.csv"), "en", *none, results))


def test_an_import_is_shown_and_made_once(source: Path) -> None:
    heard: list[int] = []
    folder = ran(source, heard)
    assert heard == list(range(1, 51))
    again: list[int] = []
    assert ran(source, again) == folder
    assert again == []


def test_an_import_that_was_stopped_goes_on(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importer, "_EVERY", 0.0)
    with pytest.raises(KeyboardInterrupt):
        ran(source, [], stop_at=30)
    heard: list[int] = []
    folder = ran(source, heard)
    assert heard == list(range(31, 51))
    lines = (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [f"d{n}" for n in range(50)]


def test_an_import_that_is_refused_leaves_nothing(source: Path) -> None:
    (source / "docs.jsonl").write_text('{"id": "a", "text": " "}\n', encoding="utf-8")
    with pytest.raises(UserError):
        ran(source, [])
    assert not (source / "results").exists()
