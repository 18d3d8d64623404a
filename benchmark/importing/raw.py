"""Text files as people have them: gzip, byte order marks, old encodings, and files that are no text at all."""

from __future__ import annotations

import codecs
import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from benchmark.domain import UserError
from benchmark.importing.extras import library
from benchmark.storage.fields import Place, clean

_SAMPLE = 1 << 18
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OLD = ["cp1252", "cp1250", "cp1251", "koi8_r", "cp949", "shift_jis", "gb18030", "big5", "cp850", "mac_roman"]


def kind_of(file: Path) -> str:
    """The ending that says what a file is, in lower case; that of what is inside a ``.gz``.

    >>> kind_of(Path("qrels/Test.TSV.gz")), kind_of(Path("README"))
    ('.tsv', '')
    """
    return Path(file.stem if file.suffix.lower() == ".gz" else file.name).suffix.lower()


def stem_of(file: Path) -> str:
    """A file's name without the endings that say what it is.

    >>> stem_of(Path("a/corpus.jsonl.gz"))
    'corpus'
    """
    return Path(file.stem).stem if file.suffix.lower() == ".gz" else file.stem


def check(file: Path) -> bytes:
    """The beginning of a file, unpacked; raises where it is missing, empty, or stands for data that are not there."""
    if not file.is_file():
        raise UserError(f"there is no file {file}.\n    to do:  give the path of a file that is there")
    try:
        with unpacked(file) as stream:
            sample = stream.read(_SAMPLE)
    except (OSError, EOFError) as error:
        raise Place(file).wrong(f"it cannot be read ({error})", "a whole file", "copy or download it again") from None
    if not sample.strip():
        raise Place(file).wrong("the file is empty", "some data", "copy or download it again")
    if sample.startswith(b"version https://git-lfs"):
        found, cure = "this is a Git LFS pointer, not the data", "fetch the data with: git lfs pull"
        raise Place(file, 1).wrong(found, "the file itself", cure)
    return sample


def unpacked(file: Path) -> BinaryIO:
    """A file's bytes, those inside where it is a ``.gz``."""
    return cast(BinaryIO, gzip.open(file)) if file.suffix.lower() == ".gz" else file.open("rb")


def encoding_of(file: Path) -> str:
    """How a file's text is written: by its byte order mark, else UTF-8 where it is that, else by its letters."""
    sample = check(file)
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample[:4096]:
        found = "this is no text: it has NUL bytes"
        raise Place(file).wrong(found, "a text file", f"give it the ending of what it is (now {file.suffix or 'none'})")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        return "utf-8"
    except UnicodeDecodeError:
        pass
    detect = library("charset_normalizer", "a file that is not UTF-8").from_bytes
    best = detect(sample, cp_isolation=_OLD, preemptive_behaviour=False).best()
    # Few letters outside ASCII tell its western code pages apart by chance: the commonest is taken.
    western = best is None or best.encoding in ("cp1250", "cp850", "mac_roman")
    return "cp1252" if western and _decodes(sample, "cp1252") else str(best.encoding) if best else "latin-1"


def _decodes(sample: bytes, encoding: str) -> bool:
    try:
        sample.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


@dataclass(slots=True)
class Text:
    """An opened text file whose lines are counted; ``done`` is the share of its bytes that were read."""

    file: Path
    encoding: str
    line: int = 0
    _raw: BinaryIO | None = None

    @classmethod
    def of(cls, file: Path) -> Text:
        return cls(file, encoding_of(file))

    def lines(self) -> Iterator[str]:
        """Lines with their ends as they are: inside a CSV cell they are data.

        Raises:
            UserError: a byte further on is not of the encoding.
        """
        with self.file.open("rb") as raw:
            self._raw = raw
            stream = gzip.GzipFile(fileobj=raw) if self.file.suffix.lower() == ".gz" else raw
            text = io.TextIOWrapper(cast(BinaryIO, stream), encoding=self.encoding, newline="")
            try:
                for line in text:
                    self.line += 1
                    yield line
            except UnicodeDecodeError as error:
                place, cure = Place(self.file, self.line + 1), "save the file again with the encoding UTF-8"
                found = f"a byte after this line is not {self.encoding} ({error.reason}), as the lines before it are"
                raise place.wrong(found, "one encoding in a file", cure) from None
            self._raw = None

    @property
    def done(self) -> float:
        return 0.0 if self._raw is None else self._raw.tell() / max(1, self.file.stat().st_size)

    @property
    def place(self) -> Place:
        return Place(self.file, self.line)


def whole(file: Path) -> str:
    """A file's whole text: NFC, ``\\n`` line ends."""
    return clean("".join(Text.of(file).lines()))
