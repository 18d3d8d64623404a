"""Ruled tables of a PDF page: the lines that PDFium draws, and the cells that pdfplumber (MIT) finds between them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmark.importing.extras import library

_SLANT = 1.5
"""Points by which a line may slant and still be a rule."""
_SHORT = 3.0
"""Points below which a stroke is no rule."""
_NEAR = 3.0
"""Points within which rules are one, and cross (pdfplumber's own default)."""
_FEWEST = 4
"""A table has at least so many rules around it."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in points from the page's upper left corner."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table's box, and its rows of cells from left to right; ``None`` where merging left no cell."""

    box: Box
    rows: tuple[tuple[Box | None, ...], ...]


def tables(page: Any) -> list[Table]:
    """The tables of a page from its top; none that overlap."""
    height: float = page.get_size()[1]
    edges = [
        edge for edge in _edges(page, height) if max(edge["x1"] - edge["x0"], edge["bottom"] - edge["top"]) > _SHORT
    ]
    if len(edges) < _FEWEST:
        return []
    plumber = library("pdfplumber.table", "a PDF")
    merged = plumber.merge_edges(edges, *[_NEAR] * 4)
    cells = plumber.intersections_to_cells(plumber.edges_to_intersections(merged, _NEAR, _NEAR))
    found: list[Table] = []
    for group in sorted(plumber.cells_to_tables(cells), key=lambda cells: min(cell[1] for cell in cells)):
        box = (
            min(cell[0] for cell in group),
            min(cell[1] for cell in group),
            max(cell[2] for cell in group),
            max(cell[3] for cell in group),
        )
        if len(group) > 1 and (not found or box[1] >= found[-1].box[3] - _NEAR):
            found.append(Table(box, _rows(group)))
    return found


def _rows(cells: list[Box]) -> tuple[tuple[Box | None, ...], ...]:
    lefts = sorted({cell[0] for cell in cells})
    tops = sorted({cell[1] for cell in cells})
    by_corner = {(cell[1], cell[0]): cell for cell in cells}
    return tuple(tuple(by_corner.get((top, left)) for left in lefts) for top in tops)


def _edges(page: Any, height: float) -> Iterator[dict[str, Any]]:
    """Upright and level strokes, and the sides of boxes, as pdfplumber has them."""
    raw = library("pypdfium2.raw", "a PDF")
    for path in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH]):
        before: tuple[float, float] | None = None
        for is_move, x, y in _points(path, raw):
            if before is not None and not is_move:
                left, above = before
                if abs(y - above) <= _SLANT < abs(x - left):
                    yield _edge(left, x, height - above, height - above, "h")
                elif abs(x - left) <= _SLANT < abs(y - above):
                    yield _edge(left, left, height - above, height - y, "v")
            before = x, y


def _points(path: Any, raw: Any) -> Iterator[tuple[bool, float, float]]:
    """The points of a path on the page, each with whether the pen was lifted before it."""
    a, b, c, d, e, f = path.get_matrix().get()
    x, y = ctypes.c_float(), ctypes.c_float()
    for number in range(raw.FPDFPath_CountSegments(path)):
        segment = raw.FPDFPath_GetPathSegment(path, number)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        is_move = raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_MOVETO
        yield is_move, a * x.value + c * y.value + e, b * x.value + d * y.value + f


def _edge(x0: float, x1: float, y0: float, y1: float, orientation: str) -> dict[str, Any]:
    left, right, top, bottom = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    size = {"width": right - left, "height": bottom - top}
    return {"x0": left, "x1": right, "top": top, "bottom": bottom, "orientation": orientation, **size}
