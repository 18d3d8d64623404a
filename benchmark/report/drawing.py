"""Pictures as marks on a plane, in points, y downwards: made once, shown in a page, an image or a paper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Literal

Anchor = Literal["start", "middle", "end"]

INKS = {
    "ink": "#1b1f24",
    "muted": "#5b6470",
    "grid": "#d9dde2",
    "paper": "#ffffff",
    "blue": "#0072B2",
    "sky": "#56B4E9",
    "green": "#009E73",
    "orange": "#E69F00",
    "red": "#D55E00",
    "pink": "#CC79A7",
    "yellow": "#F0E442",
    "grey": "#9AA1A9",
    "dark": "#3B4048",
}
"""Colours of Okabe and Ito, which people with any kind of colour vision tell apart; a page may change them."""

COLUMN = 241.0
"""The width of a paper's column (3.35 inches)."""
SIZE = 7.0
_WIDTH_OF_A_LETTER = 0.61


@dataclass(frozen=True, slots=True)
class Line:
    x1: float
    y1: float
    x2: float
    y2: float
    ink: str = "ink"
    width: float = 0.8
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    radius: float = 2.4
    ink: str = "blue"
    hollow: bool = False
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Boxes:
    """Rectangles (x, y, width, height) of one ink."""

    places: tuple[tuple[float, float, float, float], ...]
    ink: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """``y`` is the base line; ``turned`` by that many degrees, anticlockwise."""

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    ink: str = "ink"
    bold: bool = False
    size: float = SIZE
    turned: float = 0.0


Mark = Line | Dot | Boxes | Words


@dataclass(frozen=True, slots=True)
class Drawing:
    """``title`` names it, ``about`` says in words what it shows."""

    name: str
    title: str
    about: str
    width: float
    height: float
    marks: tuple[Mark, ...]


def width_of(text: str, size: float = SIZE) -> float:
    """About how wide a text is, in points."""
    return len(text) * size * _WIDTH_OF_A_LETTER


def shortened(text: str, width: float, size: float = SIZE) -> str:
    """A text that fits a width, with an ellipsis where some of it had to go.

    >>> shortened("reciprocal rank fusion", 54), shortened("bm25", 50)
    ('reciprocal …', 'bm25')
    """
    letters = int(width / (size * _WIDTH_OF_A_LETTER))
    return text if len(text) <= letters else text[: max(letters - 1, 1)] + "…"


def colour(ink: str) -> str:
    """The hexadecimal colour of an ink; a colour is its own ink."""
    return INKS.get(ink, ink)


def as_svg(drawing: Drawing, *, themed: bool = False) -> str:
    """The picture as SVG. ``themed``: its inks are classes (``ink-blue``) that the page around it colours."""
    inside = "\n".join(_svg(mark, themed) for mark in drawing.marks)
    name = escape(drawing.name)
    font = "" if themed else ' font-family="Helvetica, Arial, sans-serif"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawing.width:g} {drawing.height:g}" '
        f'width="{drawing.width:g}pt" height="{drawing.height:g}pt" role="img" '
        f'aria-labelledby="{name}-title {name}-about"{font}>\n'
        f'<title id="{name}-title">{escape(drawing.title)}</title>\n'
        f'<desc id="{name}-about">{escape(drawing.about)}</desc>\n{inside}\n</svg>'
    )


def _svg(mark: Mark, themed: bool) -> str:
    if isinstance(mark, Line):
        dashes = ' stroke-dasharray="2 2"' if mark.dashed else ""
        place = f'x1="{mark.x1:.1f}" y1="{mark.y1:.1f}" x2="{mark.x2:.1f}" y2="{mark.y2:.1f}"'
        return f'<line {place} {_paint(mark.ink, "stroke", themed)} stroke-width="{mark.width:g}"{dashes}/>'
    if isinstance(mark, Dot):
        paint = _paint("paper" if mark.hollow else mark.ink, "fill", themed, stroke=mark.ink)
        at = f'cx="{mark.x:.1f}" cy="{mark.y:.1f}" r="{mark.radius:g}"'
        return f"<circle {at} {paint}>{_tip(mark.tip)}</circle>"
    if isinstance(mark, Boxes):
        return f'<path d="{_path(mark.places)}" {_paint(mark.ink, "fill", themed)}>{_tip(mark.tip)}</path>'
    turned = f' transform="rotate({-mark.turned:g} {mark.x:.1f} {mark.y:.1f})"' if mark.turned else ""
    bold = ' font-weight="bold"' if mark.bold else ""
    at = f'x="{mark.x:.1f}" y="{mark.y:.1f}" font-size="{mark.size:g}" text-anchor="{mark.anchor}"'
    return f"<text {at} {_paint(mark.ink, 'fill', themed)}{bold}{turned}>{escape(mark.text)}</text>"


def _path(places: Iterable[tuple[float, float, float, float]]) -> str:
    return "".join(f"M{x:.1f} {y:.1f}h{width:.1f}v{height:.1f}h-{width:.1f}z" for x, y, width, height in places)


def _paint(ink: str, kind: Literal["fill", "stroke"], themed: bool, *, stroke: str | None = None) -> str:
    if themed and ink in INKS:
        around = f" stroke-{stroke}" if stroke in INKS else ""
        return f'class="{kind}-{ink}{around}"'
    around = f' stroke="{colour(stroke)}"' if stroke else ""
    return f'{kind}="{colour(ink)}"{around}'


def _tip(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""
