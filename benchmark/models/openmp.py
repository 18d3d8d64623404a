"""How the engines' threads wait for each other."""

from __future__ import annotations

import os

SPINS = 5_000
"""Turns of a loop that a thread waits before it lets another process have the core.

GNU's OpenMP takes 300,000 where threads do not outnumber cores, which is longer than a step of a small model. Once
another process wants a core, each step waits for the thread that lost its own, and a model that writes 50 tokens a
second writes less than one. Source: the manual of libgomp, ``GOMP_SPINCOUNT``.
"""


def share_cores() -> None:
    """Wait briefly, unless the user said how; before an engine is imported, since OpenMP reads it then."""
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", str(SPINS))
