"""``records.jsonl``: appended as questions finish, read back in exam order."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmark.domain import Corpus, Record
from benchmark.storage.locks import hold
from benchmark.storage.record_lines import CutLineError, Reader, to_line

_NAMED = 5
_QUESTION = re.compile(r'\{"schema": \d+, "run": "[^"]*", "question": \{"id": ("(?:[^"\\]|\\.)*")')
"""How a line begins, as ``to_line`` writes it."""


def _lines(path: Path) -> tuple[list[tuple[int, str]], bool]:
    """Lines that end, by their number; and whether something follows the last line end: a question not finished."""
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    lines = enumerate(whole.split(b"\n"), start=1)
    told = [(number, line.decode("utf-8", errors="replace")) for number, line in lines if line.strip()]
    return told, len(whole) < len(content)


def read(path: Path, corpus: Corpus, tell: Callable[[str], object] = len) -> tuple[Record, ...]:
    """The finished questions of a records file in exam order, none if there is no file yet.

    Of a question that was asked twice (it had failed) the last record counts. Lines that are cut off are left out, and
    ``tell`` hears of them.
    """
    if not path.exists():
        return ()
    reader = Reader(corpus)
    records: dict[str, Record] = {}
    lines, has_half = _lines(path)
    cut: list[str] = []
    for number, line in lines:
        try:
            record = reader.record(line, f"{path}, line {number}")
        except CutLineError:
            cut.append(str(number))
        else:
            records[record.question.id] = record
    if cut or has_half:
        tell(_cut_off(path, cut, has_half=has_half))
    return tuple(records[question.id] for question in corpus.questions if question.id in records)


def _cut_off(path: Path, cut: Sequence[str], *, has_half: bool) -> str:
    named = ", ".join(cut[:_NAMED]) + (f" (+{len(cut) - _NAMED})" if len(cut) > _NAMED else "")
    found = [f"line{'s' * (len(cut) > 1)} {named}"] if cut else []
    found += ["the last line"] if has_half else []
    many = len(cut) + has_half > 1
    return (
        f"{path}: {' and '.join(found)} {'are' if many else 'is'} cut off, as a run leaves it that is stopped while it "
        "writes; left out, and the same run asks again what it lacks"
    )


def lines_of(path: Path, questions: Collection[str]) -> bytes:
    """The lines of these questions as they stand, of each the last one; nothing if there is no file."""
    if not path.exists():
        return b""
    last = {fields["question"]["id"]: line for line, fields in _records(path)}
    return "".join(f"{line}\n" for question, line in last.items() if question in questions).encode("utf-8")


# -------------------------------------------------------------------------------------------------------- equality


def same(a: Path, b: Path) -> bool:
    """Whether two records files say the same, their order, clock times and what was kept aside."""
    return _comparable(a) == _comparable(b)


def differing(a: Path, b: Path) -> list[str]:
    """Ids of the questions of ``b`` of which the two do not say the same."""
    one, other = _comparable(a), _comparable(b)
    return [question for question, said in other.items() if one.get(question) != said]


def _comparable(path: Path) -> dict[str, object]:
    return {fields["question"]["id"]: _without_clock(fields) for _, fields in _records(path)}


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The lines that are whole, and what they say."""
    for _, line in _lines(path)[0]:
        try:
            yield line, json.loads(line)
        except ValueError:
            continue


def _without_clock(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _without_clock(part) for name, part in value.items() if not _is_clock(name)}
    return [_without_clock(part) for part in value] if isinstance(value, list) else value


def _is_clock(name: str) -> bool:
    return name in ("seconds", "cached") or name.startswith("cost/seconds")


def _is_replaced(line: bytes, recorded: Collection[str]) -> bool:
    """Whether a line is cut off, and of one of these questions."""
    told = line.decode("utf-8", errors="replace")
    if not told.strip():
        return False
    try:
        json.loads(told)
    except ValueError:
        named = _QUESTION.match(told)
        return named is not None and json.loads(named[1]) in recorded
    return False


# --------------------------------------------------------------------------------------------------------- the sink


class RecordsFile:
    """A file that loses no finished question: every record is on the disk before the next is asked.

    ``notice`` tells of a last line that a kill had cut, which was removed; ``None`` where there was none.
    Raises a ``UserError`` where another process writes the same file.
    """

    def __init__(self, path: Path, *, run: str) -> None:
        self.path = path
        self.run = run
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab+")
        try:
            hold(self._file.fileno(), path)
            self.notice = self._mend()
        except BaseException:
            self._file.close()
            raise

    def _mend(self) -> str | None:
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        if whole == len(content):
            return None
        self._file.truncate(whole)
        os.fsync(self._file.fileno())
        return (
            f"{self.path}: the last line was cut off after {len(content) - whole} bytes (the run was killed while "
            "writing it); it was removed and its question will be asked again"
        )

    def write(self, record: Record) -> None:
        self._file.write(to_line(record, self.run).encode("utf-8") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def drop_cut_lines(self) -> None:
        """Take out, at the end, the lines that are cut off and whose question has a whole record by now.

        The file is written anew as a whole, or stays as it is; all other bytes stay. Nothing is written after it: what
        is open is the old file.
        """
        recorded = {str(fields["question"]["id"]) for _, fields in _records(self.path)}
        lines = self.path.read_bytes().split(b"\n")
        kept = [line for line in lines if not _is_replaced(line, recorded)]
        if len(kept) == len(lines):
            return
        draft = self.path.with_name(f".{self.path.name}.{os.getpid()}.draft")
        try:
            with draft.open("wb") as file:
                file.write(b"\n".join(kept))
                file.flush()
                os.fsync(file.fileno())
            with suppress(PermissionError):  # Windows, where an open file cannot be replaced
                draft.replace(self.path)
        finally:
            draft.unlink(missing_ok=True)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
