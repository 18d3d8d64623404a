"""How far a job is: a bar on a terminal, plain lines elsewhere; all of it on stderr."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn, track

from benchmark.digest import digest
from benchmark.domain import Question
from benchmark.importing import importer
from benchmark.job import Tell, Watch
from benchmark.sweep import SCRATCH

PAUSE = 30.0
"""Seconds between two plain lines."""


def counted(number: int, thing: str) -> str:
    """
    >>> counted(1, "question"), counted(0, "question")
    ('1 question', '0 questions')
    """
    return f"{number} {thing}{'' if number == 1 else 's'}"


def tell(line: str) -> None:
    """Say something to the user, whole lines, at once."""
    Console(stderr=True).print(line, highlight=False, markup=False, soft_wrap=True)


def tell_once(line: str, tell: Tell) -> None:
    """Say something once in a whole sweep, whichever of its jobs comes to it first."""
    told = Path(os.environ[SCRATCH]) / f"told-{digest(line)[:16]}"
    try:
        told.touch(exist_ok=False)
    except FileExistsError:
        return
    tell(line)


@contextmanager
def progress(label: str, tell: Tell) -> Iterator[Watch]:
    """Something to stand between the questions and the run that shows how far it is, indexing included."""
    console = Console(stderr=True)
    if not console.is_terminal or multiprocessing.parent_process() is not None:  # bars of parallel jobs would overwrite
        tell(f"{label}: begun")
        yield lambda waiting: plain(label, waiting, tell, time.monotonic)
        return
    indexing = console.status(f"{label}: indexing")

    def watch(waiting: Sequence[Question]) -> Iterable[Question]:
        indexing.stop()
        return track(waiting, description=label, console=console, transient=True)

    with indexing:
        yield watch


def plain(label: str, waiting: Sequence[Question], tell: Tell, clock: Callable[[], float]) -> Iterator[Question]:
    """The questions, with a line from time to time."""
    begin = last = clock()
    for number, question in enumerate(waiting):
        now = clock()
        if now - last >= PAUSE:
            tell(f"{label}: {number} of {counted(len(waiting), 'question')} asked, {now - begin:.0f} s")
            last = now
        yield question


@contextmanager
def advance(label: str, total: int) -> Iterator[Callable[[], None]]:
    """What to call after each of so many things: a bar on a terminal, elsewhere a line from time to time."""
    console = Console(stderr=True)
    if console.is_terminal:
        with Progress(console=console, transient=True) as bar:
            task = bar.add_task(label, total=total)
            yield lambda: bar.advance(task)
        return
    done, last = 0, time.monotonic()

    def step() -> None:
        nonlocal done, last
        done += 1
        if (now := time.monotonic()) - last >= PAUSE:
            tell(f"{label}: {done} of {total}")
            last = now

    yield step


@contextmanager
def importing(label: str) -> Iterator[importer.Watch]:
    """What hears how far an import of files is."""
    console = Console(stderr=True)
    if not console.is_terminal:
        last = time.monotonic()

        def lines(done: float, documents: int, file: str) -> None:
            nonlocal last
            if time.monotonic() - last >= PAUSE:
                last = time.monotonic()
                tell(f"{label}: {done:.0%}, {counted(documents, 'document')}, in {file}")

        yield lines
        return
    parts = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    with Progress(*parts, console=console, transient=True) as bar:
        task = bar.add_task(label, total=1.0)

        def watch(done: float, documents: int, file: str) -> None:
            bar.update(task, completed=done, description=f"{file}: {counted(documents, 'document')}")

        yield watch
