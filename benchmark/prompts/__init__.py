"""What models are asked: one text file per task and language, read here alone."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template

from benchmark.digest import digest
from benchmark.domain import Prompt, UserError

_FALLBACK = "en"
_SEPARATOR = "\n---\n"


@cache
def _read(task: str, language: str) -> str:
    folder = files("benchmark.prompts")
    for candidate in (language, _FALLBACK):
        file = folder.joinpath(f"{task}.{candidate}.txt")
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise UserError(f"there is no prompt for the task {task!r}: benchmark/prompts/{task}.{_FALLBACK}.txt is wanted")


def languages(task: str) -> tuple[str, ...]:
    """The languages in which a task has a prompt of its own."""
    named = (file.name.split(".") for file in files("benchmark.prompts").iterdir() if file.name.endswith(".txt"))
    return tuple(sorted(language for of, language, _ in named if of == task))


def version(task: str, language: str) -> str:
    """The digest of the text that a task is asked with in a language."""
    return digest(_read(task, language))


def prompt(task: str, language: str, *, max_tokens: int | None = None, sample: int = 0, **fields: object) -> Prompt:
    """The prompt of a task in a language (English where there is none), its ``$fields`` filled in.

    A file is: the instruction, a line ``---``, the examples and the question, a line ``---``, one stop text a line.
    The examples let a base model, which only completes text, do the task as well as one that follows instructions.
    """
    system, user, stop = _read(task, language).split(_SEPARATOR)
    values = {name: str(value) for name, value in fields.items()}
    return Prompt(
        Template(system).substitute(values),
        Template(user).substitute(values),
        max_tokens,
        tuple(Template(line).substitute(values).replace("\\n", "\n") for line in stop.splitlines() if line),
        sample,
        preamble=len(user.partition("$")[0]),
    )


def texts(language: str) -> dict[str, str]:
    """Every task's file as it is, in a language (English where there is none), by task."""
    tasks = sorted(
        {file.name.partition(".")[0] for file in files("benchmark.prompts").iterdir() if file.name.endswith(".txt")}
    )
    return {task: _read(task, language) for task in tasks}
