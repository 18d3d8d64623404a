"""Fields of a JSON object that a person wrote, read with errors that name file, line and cure."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmark.domain import UserError
from benchmark.proofreading.nouns import Fault, Kind, Origin


class FormatError(UserError):
    """What breaks the format of a file; ``fault`` says the same to a program."""

    def __init__(self, message: str, fault: Fault) -> None:
        super().__init__(message)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, for people."""

    file: Path
    line: int | None = None

    def wrong(self, found: str, wanted: str, cure: str, kind: Kind = Kind.FORMAT) -> FormatError:
        where = str(self.file) if self.line is None else f"{self.file}, line {self.line}"
        fault = Fault(Origin(str(self.file), self.line), kind, found, f"{cure} (wanted: {wanted})")
        end = "" if found.endswith((".", "?")) else "."  # it may end in whole sentences: "Did you mean ...?"
        return FormatError(f"{where}: {found}{end}\n    wanted: {wanted}\n    to do:  {cure}", fault)


def clean(text: str) -> str:
    """NFC with ``\\n`` line ends: what every offset of the house counts in.

    >>> clean("a\\r\\nb\\re\\u0301")
    'a\\nb\\né'
    """
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def shown(value: object) -> str:
    """A value as JSON, short enough for one line of a message."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 90 else f"{text[:70]} ... {text[-15:]}"


def read_text(file: Path) -> str:
    """A whole UTF-8 file, cleaned; a byte order mark at its start is no part of the text."""
    try:
        content = file.read_bytes()
    except OSError as error:
        found = f"it cannot be read ({error.strerror})"
        raise Place(file).wrong(found, "a file that you may read", "correct its permissions or its link") from None
    try:
        return clean(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        place = Place(file, content.count(b"\n", 0, error.start) + 1)
        found = f"the byte {content[error.start]:#04x} is not UTF-8"
        raise place.wrong(
            found, "a text file in UTF-8", "save the file again with the encoding UTF-8 (in Excel: CSV UTF-8)"
        ) from None


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one object; ``what`` is what the object is called in messages."""

    values: dict[str, object]
    place: Place
    what: str

    @classmethod
    def of(cls, value: object, place: Place, what: str, *, known: tuple[str, ...]) -> Fields:
        """The object's fields, none of which may be unknown: a misspelt field would be ignored in silence."""
        if not isinstance(value, dict):
            raise place.wrong(
                f"{what} is {shown(value)}", "a JSON object", f"write its fields in {{}}: {', '.join(known)}"
            )
        for name in value:
            if name not in known:
                raise place.wrong(
                    f"{what} has the unknown field {shown(name)}",
                    f"only the fields {', '.join(known)}",
                    "correct its name or take it out",
                )
        return cls(value, place, what)

    def wrong(self, name: str, wanted: str) -> UserError:
        """What to raise where a field is not what is wanted."""
        found = f"it is {shown(self.values[name])}" if name in self.values else "it is missing"
        return self.place.wrong(f"the field {name!r} of {self.what}: {found}", wanted, f"give {name!r} such a value")

    def text(self, name: str) -> str:
        """A text that says something."""
        value = self.values.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(name, "a text that is not empty")
        return clean(value)

    def identity(self, name: str) -> str:
        """An id: a text without white space around it."""
        value = self.text(name)
        if value != value.strip():
            raise self.wrong(name, "an id without white space around it")
        return value

    def optional_text(self, name: str) -> str | None:
        return None if self.values.get(name) is None else self.text(name)

    def boolean(self, name: str, *, default: bool) -> bool:
        value = self.values.get(name, default)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def grade(self, name: str) -> int:
        """How much of the answer a passage supports."""
        value = self.values.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.wrong(name, "an integer >= 1 (1 on topic, 2 a part of the answer, 3 all of it)")
        return value

    def items(self, name: str) -> list[object]:
        value = self.values.get(name, [])
        if not isinstance(value, list):
            raise self.wrong(name, "a list in []")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        texts = self.items(name)
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise self.wrong(name, "a list of texts")
        return tuple(clean(str(text)) for text in texts)

    def mapping(self, name: str) -> dict[str, object]:
        value = self.values.get(name, {})
        if not isinstance(value, dict):
            raise self.wrong(name, "a JSON object")
        return value


class _TwiceError(ValueError):
    """A field that one JSON object has twice: a parser would drop the first in silence."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return fields


def _no_constant(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


def numbered(file: Path) -> Iterator[tuple[Place, str]]:
    """The lines of a JSONL file with their places; empty lines are passed over."""
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if line.strip():
            yield Place(file, number), line


def value_of(place: Place, line: str) -> object:
    """The JSON value of one line."""
    wanted = "one JSON object on each line"
    try:
        value: object = json.loads(line, object_pairs_hook=_once, parse_constant=_no_constant)
    except _TwiceError as error:
        raise place.wrong(f"the field {str(error)!r} occurs twice", "each field once", "take one out") from None
    except ValueError as error:
        if line.startswith("version https://git-lfs"):
            cure = "fetch the data with: git lfs pull"
            raise place.wrong("this is a Git LFS pointer, not the data", wanted, cure) from None
        cure = f"mend the line ({error})"
        raise place.wrong(f"this is not JSON: {line[:60]}", wanted, cure) from None
    return value


def lines(file: Path) -> Iterator[tuple[Place, object]]:
    """The values of a JSONL file with their places; the first line that cannot be read ends it with an error."""
    for place, line in numbered(file):
        yield place, value_of(place, line)
