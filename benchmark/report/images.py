"""A drawing as the bytes of an image: PNG for screens, PDF for papers."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

from benchmark.report.drawing import Boxes, Dot, Drawing, Line, Mark, Words, as_svg, colour

if TYPE_CHECKING:
    from matplotlib.backend_bases import GraphicsContextBase, RendererBase
    from matplotlib.transforms import Affine2D

Form = Literal["png", "svg", "pdf"]
_POINTS = 72
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""The share of a text that stands before its place."""


def image(drawing: Drawing, form: Form, *, dpi: int = 220) -> bytes:
    """The same bytes for the same drawing: no date stands in them.

    Marks go straight to matplotlib's renderers: axes would take most of the time, and draw nothing.
    """
    if form == "svg":
        return as_svg(drawing).encode()
    return _png(drawing, dpi) if form == "png" else _pdf(drawing)


def _png(drawing: Drawing, dpi: int) -> bytes:
    from matplotlib.backends import backend_agg  # here, because it takes a while to import
    from matplotlib.image import imsave

    backend: Any = backend_agg  # without annotations
    undated: Any = {"Software": None}
    renderer = backend.RendererAgg(drawing.width / _POINTS * dpi, drawing.height / _POINTS * dpi, dpi)
    _draw_all(renderer, drawing, dpi / _POINTS)
    buffer = BytesIO()
    imsave(buffer, renderer.buffer_rgba(), format="png", dpi=dpi, metadata=undated)
    return buffer.getvalue()


def _pdf(drawing: Drawing) -> bytes:
    from matplotlib import rc_context
    from matplotlib.backends import backend_pdf

    backend: Any = backend_pdf  # without annotations
    buffer = BytesIO()
    width, height = drawing.width / _POINTS, drawing.height / _POINTS
    with rc_context({"pdf.fonttype": 42}):  # TrueType, since many journals refuse Type 3
        file = backend.PdfFile(buffer, metadata={"CreationDate": None, "Producer": None, "Creator": None})
        file.newPage(width, height)
        renderer = backend.RendererPdf(file, _POINTS, height, width)
        _draw_all(renderer, drawing, 1.0)
        renderer.finalize()
        file.finalize()
        file.close()
    return buffer.getvalue()


def _draw_all(renderer: RendererBase, drawing: Drawing, scale: float) -> None:
    """``scale``: the renderer's units in a point; its y goes upwards."""
    from matplotlib.transforms import Affine2D

    plane = Affine2D().translate(0, -drawing.height).scale(scale, -scale)
    paper = Boxes(((0, 0, drawing.width, drawing.height),), "paper")
    for mark in (paper, *drawing.marks):
        context = renderer.new_gc()
        context.set_foreground(colour(mark.ink))
        _draw(renderer, context, mark, plane)
        context.restore()


def _draw(renderer: RendererBase, context: GraphicsContextBase, mark: Mark, plane: Affine2D) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

    if isinstance(mark, Line):
        context.set_linewidth(mark.width)
        if mark.dashed:
            context.set_dashes(0, [2 * mark.width, 2 * mark.width])
        renderer.draw_path(context, Path([(mark.x1, mark.y1), (mark.x2, mark.y2)]), plane)
    elif isinstance(mark, Dot):
        face = to_rgba(colour("paper" if mark.hollow else mark.ink))
        place = Affine2D().scale(mark.radius).translate(mark.x, mark.y)
        context.set_linewidth(1.0)
        renderer.draw_path(context, Path.unit_circle(), place + plane, face)
    elif isinstance(mark, Boxes):
        context.set_linewidth(0)
        for x, y, width, height in mark.places:
            corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
            renderer.draw_path(context, Path(corners, closed=True), plane, to_rgba(colour(mark.ink)))
    elif isinstance(mark, Words):
        _write(renderer, context, mark, plane)


def _write(renderer: Any, context: GraphicsContextBase, words: Words, plane: Affine2D) -> None:
    from math import cos, radians, sin

    from matplotlib.font_manager import FontProperties

    # DejaVu is wider than the fonts of a page.
    font = FontProperties(family="DejaVu Sans", size=words.size * 0.92, weight="bold" if words.bold else "normal")
    before = renderer.get_text_width_height_descent(words.text, font, False)[0] * _BEFORE[words.anchor]
    x, y = plane.transform((words.x, words.y))
    x, y = x - before * cos(radians(words.turned)), y - before * sin(radians(words.turned))
    renderer.draw_text(context, x, renderer.height - y if renderer.flipy() else y, words.text, font, words.turned)
