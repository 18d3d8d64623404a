"""Lists that were written into one cell: as JSON, as Python, or as numpy prints them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence

from benchmark.storage.fields import Place

_ITEM = re.compile(
    r"""\s*(?:,\s*)?(?:(?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?P<bare>[^\s,\[\]'"]+))""", re.DOTALL
)
_ARRAY = re.compile(r"\barray\(|,\s*dtype=\w+\)")
_TEXT_KEYS = ("text", "content", "page_content", "contents", "passage")


def texts_of(value: object, place: Place, name: str) -> tuple[str, ...]:
    """The texts of a cell: none of an empty one, one of a plain text, all of a list, however it is written.

    Raises:
        UserError: a list that numpy or pandas has cut short by ``...``.

    >>> from pathlib import Path
    >>> texts_of("['one' 'two\\\\'s'\\n 'three']", Place(Path("x")), "c")
    ('one', "two's", 'three')
    >>> texts_of("[ 5152028 11705328]", Place(Path("x")), "c"), texts_of("[1] a [2]", Place(Path("x")), "c")
    (('5152028', '11705328'), ('[1] a [2]',))
    >>> texts_of([["a"], ["b", "c"]], Place(Path("x")), "c")
    ('a', 'b', 'c')
    """
    if value is None or (isinstance(value, float) and value != value):
        return ()
    if isinstance(value, Mapping):
        text = next((value[key] for key in _TEXT_KEYS if key in value), None)
        return texts_of(json.dumps(value, ensure_ascii=False) if text is None else text, place, name)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return tuple(text for part in value for text in texts_of(part, place, name))
    text = str(value).strip()
    if text.startswith("[") and text.endswith("]"):
        listed = _listed(text)
        if listed is not None:
            if "..." in listed or "…" in listed:
                found = f"the list in {name!r} was cut short by ..., so that its middle is lost"
                raise place.wrong(found, "the whole list", "write the file again without abbreviation, best as JSON")
            return texts_of(listed, place, name)
    return (text,) if text else ()


def _listed(text: str) -> list[object] | None:
    """The items of a written list; ``None`` where the text only looks like one."""
    try:
        value = json.loads(text)
    except ValueError:
        pass
    else:
        return value if isinstance(value, list) else None
    inside = _ARRAY.sub("", text)
    while inside.startswith("[") and inside.endswith("]"):
        inside = inside[1:-1].strip()
    items: list[object] = []
    position = 0
    while position < len(inside.rstrip()):
        found = _ITEM.match(inside, position)
        if found is None:
            return None
        items.append(ast.literal_eval(_one_line(found["quoted"])) if found["quoted"] else found["bare"])
        position = found.end()
    return items


def _one_line(quoted: str) -> str:
    """A literal that may go over several lines."""
    return quoted.replace("\r", "\\r").replace("\n", "\\n")
