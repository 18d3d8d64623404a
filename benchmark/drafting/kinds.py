"""The kinds of question that are drafted: what each needs; how it is asked for stands in ``benchmark/prompts``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.domain import Chunk, UserError
from benchmark.suggestions import meant
from benchmark.text import quantities, words

_FEWEST_WORDS = 20
"""Words below which a passage is a heading or a rest: nothing is asked of it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """``passages``: how many a question of this kind is drafted from, and so how many quotes it has.

    ``figures``: the first passage must have a number. A kind that is not ``answerable`` asks what its passage lacks.
    """

    name: str
    passages: int = 1
    answerable: bool = True
    figures: bool = False

    def suits(self, passage: Chunk, language: str) -> bool:
        """Whether a question of this kind can be drafted from a passage, as far as its words tell."""
        enough = len(words(passage.text)) >= _FEWEST_WORDS
        return enough and (not self.figures or bool(quantities(passage.text, language)))


KINDS = {
    kind.name: kind
    for kind in (
        Kind("fact"),
        Kind("numeric", figures=True),
        Kind("comparison"),
        Kind("several", passages=2),
        Kind("unanswerable", answerable=False),
    )
}
_WANTED = f"    wanted: --kinds with some of {','.join(KINDS)}"


def kinds_of(names: Sequence[str]) -> tuple[Kind, ...]:
    """The kinds of these names, each once.

    Raises:
        UserError: a name is none of a kind, or there is no name.
    """
    for name in names:
        if name not in KINDS:
            raise UserError(f"there is no kind of question {name!r}.{meant(name, list(KINDS))}\n{_WANTED}")
    if not names:
        raise UserError(f"--kinds names no kind of question.\n{_WANTED}")
    return tuple(KINDS[name] for name in dict.fromkeys(names))
