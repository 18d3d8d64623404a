"""The texts of reports in the languages that reports speak; all of them stand in ``phrases.yaml``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import yaml

from benchmark.domain import UserError

LANGUAGES = ("en", "es")


@dataclass(frozen=True)
class Phrases:
    """``own``: the report's texts by key. ``others``: what other parts say in English, and what that is here."""

    language: str
    own: Mapping[str, str]
    others: tuple[tuple[re.Pattern[str], str], ...]

    def __call__(self, key: str, **fields: object) -> str:
        """The text of a key with its ``{fields}``."""
        return self.own[key].format(**fields)

    def said(self, text: str) -> str:
        """What another part says in English, in this language; as it stands where the phrases do not know it.

        What fills its gaps is looked up in the same way.

        >>> phrases("es").said("12 questions, fewer than 50: no claim of readiness")
        '12 preguntas, menos de 50: no se afirma que esté listo para usarse'
        """
        return _said(self.language, text) if self.others else text

    def cause(self, cause: str) -> str:
        return self.own[f"cause.{cause}"]

    def stage(self, name: str) -> str:
        """A stage's name, of which the first word is known and what follows is a part's: ``retrieve bm25``."""
        first, *rest = name.split(" ", 1)
        return " ".join([self.own.get(f"stage.{first}", first), *rest])


@lru_cache(maxsize=200_000)  # reasons come again and again, and there are many patterns
def _said(language: str, text: str) -> str:
    for pattern, wanted in phrases(language).others:
        if found := pattern.fullmatch(text):
            return wanted.format(**{name: _said(language, part) for name, part in found.groupdict().items()})
    return text


@cache
def phrases(language: str) -> Phrases:
    """Those of a language.

    Raises:
        UserError: reports do not speak it.
    """
    if language not in LANGUAGES:
        raise UserError(f"reports speak {' and '.join(LANGUAGES)}, not {language!r}: --language es")
    texts = yaml.safe_load(files("benchmark.report").joinpath("phrases.yaml").read_text(encoding="utf-8"))
    place = LANGUAGES.index(language)
    others = () if language == "en" else tuple((_pattern(entry[0]), entry[place]) for entry in texts["others"])
    return Phrases(language, {key: entry[place] for key, entry in texts["own"].items()}, others)


def _pattern(template: str) -> re.Pattern[str]:
    """A text with ``{gaps}`` as a pattern; a gap takes as little as it can, so that the words around it decide."""
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile(
        "".join(f"(?P<{part}>.+?)" if place % 2 else re.escape(part) for place, part in enumerate(parts)), re.DOTALL
    )
