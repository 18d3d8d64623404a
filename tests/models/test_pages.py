"""Huge pages for what a model reads again and again."""

import platform
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmark.models import pages


def _on_huge_pages(address: int) -> int:
    """Kilobytes of the mapping around an address that lie on huge pages."""
    inside = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first = line.split()[0]
        if not first.endswith(":"):
            low, high = (int(number, 16) for number in first.split("-"))
            inside = low <= address < high
        elif inside and first == "AnonHugePages:":
            return int(line.split()[1])
    raise AssertionError("the address is in no mapping")


def test_a_large_block_lies_on_huge_pages_afterwards_and_holds_what_it_held() -> None:
    release = tuple(int(part) for part in platform.release().split(".")[:2]) if sys.platform == "linux" else (0,)
    if release < (6, 1) or not Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size").is_file():
        pytest.skip("this system puts no memory on huge pages when it is asked to")
    from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap  # Windows has no such flags

    size = 4 * pages.LEAST
    with mmap(-1, size, flags=MAP_PRIVATE | MAP_ANONYMOUS) as memory:
        block = np.frombuffer(memory, dtype=np.int64)
        block[:] = np.arange(len(block))
        assert _on_huge_pages(block.ctypes.data) == 0
        pages.collapse()
        assert _on_huge_pages(block.ctypes.data) >= (size - pages.LEAST) // 1024
        assert np.array_equal(block, np.arange(len(block)))
        del block  # it holds the memory


def test_where_the_system_has_no_huge_pages_nothing_happens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pages, "_SIZE", tmp_path / "none")
    monkeypatch.setattr(pages, "_blocks", lambda page: pytest.fail("nothing is to be looked for"))
    pages.collapse()
