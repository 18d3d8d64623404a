"""A drawing as the bytes of an image: PNG for screens, PDF for papers."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Literal

from benchmark.report.drawing import Boxes, Dot, Drawing, Line, Mark, Words, as_svg, colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Form = Literal["png", "svg", "pdf"]
_POINTS = 72
_ALIGNED = {"start": "left", "middle": "center", "end": "right"}


def image(drawing: Drawing, form: Form, *, dpi: int = 220) -> bytes:
    """The same bytes for the same drawing: no date stands in them."""
    if form == "svg":
        return as_svg(drawing).encode()
    from matplotlib import rc_context  # here, because it takes a second to import
    from matplotlib.figure import Figure

    # TrueType in a PDF, since many journals refuse Type 3.
    with rc_context({"pdf.fonttype": 42, "font.family": "DejaVu Sans"}):
        figure = Figure(figsize=(drawing.width / _POINTS, drawing.height / _POINTS), facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, drawing.width)
        axes.set_ylim(drawing.height, 0)
        axes.set_axis_off()
        for order, mark in enumerate(drawing.marks):
            _draw(axes, mark, order)
        buffer = BytesIO()
        undated = {"Software": None} if form == "png" else {"CreationDate": None, "Producer": None, "Creator": None}
        figure.savefig(buffer, format=form, dpi=dpi, metadata=undated)
    return buffer.getvalue()


def _draw(axes: Axes, mark: Mark, order: int) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Circle

    if isinstance(mark, Line):
        dashes = (0, (2, 2)) if mark.dashed else "solid"
        axes.plot(
            [mark.x1, mark.x2],
            [mark.y1, mark.y2],
            color=colour(mark.ink),
            linewidth=mark.width,
            linestyle=dashes,
            solid_capstyle="butt",
            zorder=order,
        )
    elif isinstance(mark, Dot):
        face = "white" if mark.hollow else colour(mark.ink)
        place = (mark.x, mark.y)
        axes.add_patch(Circle(place, mark.radius, facecolor=face, edgecolor=colour(mark.ink), zorder=order))
    elif isinstance(mark, Boxes):
        corners = [
            [(x, y), (x + width, y), (x + width, y + height), (x, y + height)] for x, y, width, height in mark.places
        ]
        axes.add_collection(
            PolyCollection(corners, facecolors=colour(mark.ink), linewidths=0, zorder=order), autolim=False
        )
    elif isinstance(mark, Words):
        axes.text(
            mark.x,
            mark.y,
            mark.text.replace("$", r"\$"),
            color=colour(mark.ink),
            fontsize=mark.size * 0.92,  # DejaVu is wider than the fonts of a page
            fontweight="bold" if mark.bold else "normal",
            ha=_ALIGNED[mark.anchor],
            va="baseline",
            rotation=mark.turned,
            rotation_mode="anchor",
            zorder=order,
        )
