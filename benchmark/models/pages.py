"""Large blocks of memory on huge pages.

A model that writes reads all of its weights for each token. On pages of 4 KiB it waits for the pages' addresses as well
as for the weights: the bundled Gemma took a quarter more time a token. Source: ``madvise(2)``, ``MADV_HUGEPAGE`` and
``MADV_COLLAPSE`` (Linux 6.1); elsewhere, and on older kernels, nothing happens.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path

LEAST = 16 << 20
"""Bytes of a block that is worth it: smaller ones are threads' stacks and caches that fit the processor's own."""

_HUGEPAGE, _COLLAPSE = 14, 25
_STEP = 8 << 20  # one call for all would end at the first hole, and one a page takes four times as long
_SIZE = Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
_MAPS = Path("/proc/self/maps")


def collapse() -> None:
    """Put what this process holds in large private blocks on huge pages, where the system has them."""
    if not (_SIZE.is_file() and _MAPS.is_file()):
        return
    advise: Callable[[int, int, int], int] = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)  # type: ignore[attr-defined]  # a C function's
    for begin, end in _blocks(int(_SIZE.read_text())):
        # A part that cannot be had is refused, and stays as it is.
        advise(begin, end - begin, _HUGEPAGE)
        for start in range(begin, end, _STEP):
            advise(start, min(_STEP, end - start), _COLLAPSE)


def _blocks(page: int) -> Iterator[tuple[int, int]]:
    """From where to where large private memory without a file lies, in whole huge pages."""
    for line in _MAPS.read_text().splitlines():
        place, rights, *_, last = line.split()
        if rights != "rw-p" or last != "0":  # what has a name, such as a file, ends with it
            continue
        low, high = (int(number, 16) for number in place.split("-"))
        begin, end = -(-low // page) * page, high // page * page
        if end - begin >= LEAST:
            yield begin, end
