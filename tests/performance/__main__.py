"""How fast the house's own parts are: ``python -m tests.performance`` prints figures and asserts nothing."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from tests.performance import (
    embedding,
    examining,
    gating,
    judging,
    remembering,
    reporting,
    searching,
    tracking,
    writing,
)
from tests.performance.measures import Figure

PARTS = (embedding, examining, judging, remembering, tracking, searching, reporting, gating, writing)


def show(figures: Iterable[Figure]) -> None:
    print(f"{'measure':<72} {'measured':>14}  {'at most':>8}  {'':<7} beside")
    for figure in figures:
        measured = f"{figure.value:.3g} {figure.unit}" if figure.value < 1 else f"{figure.value:.2f} {figure.unit}"
        print(
            f"{figure.what:<72} {measured:>14}  {figure.target:>8.3g}  {figure.verdict:<7} {figure.beside}", flush=True
        )


if __name__ == "__main__":
    show(chain.from_iterable(part.measure() for part in PARTS))
