"""How fast the house's own parts are: ``python -m tests.performance`` prints figures and asserts nothing."""

from __future__ import annotations

from itertools import chain

from tests.performance import embedding, examining, gating, remembering, reporting, searching


def main() -> None:
    print(f"{'measure':<56} {'measured':>14}  {'at most':>8}  {'':<7} beside")
    parts = (embedding, examining, remembering, searching, reporting, gating)
    for figure in chain.from_iterable(part.measure() for part in parts):
        measured = f"{figure.value:.2f} {figure.unit}"
        print(f"{figure.what:<56} {measured:>14}  {figure.target:>8g}  {figure.verdict:<7} {figure.beside}", flush=True)


if __name__ == "__main__":
    main()
