"""What ties a statement to a context, as numbers that a rule can weigh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

from benchmark.domain import Embedder, FloatMatrix
from benchmark.models.judges.reading import NEGATORS, Context, Sentence, read, read_context
from benchmark.text import Quantity, words

NAMES = (
    "best_coverage",
    "context_coverage",
    "window_coverage",
    "best_bigrams",
    "context_bigrams",
    "similarity",
    "missing_numbers",
    "negation",
    "opposites",
    "substituted",
    "length",
)

_TO_BASE = {
    "kg": ("g", 1000.0), "mg": ("g", 1e-3), "ug": ("g", 1e-6), "ml": ("l", 1e-3), "dl": ("l", 0.1),
    "semana": ("dia", 7.0), "week": ("day", 7.0), "minuto": ("hora", 1 / 60), "minute": ("hour", 1 / 60),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    """A statement beside a context: the features (order of ``NAMES``) and what to say of them."""

    features: tuple[float, ...]
    verbatim: bool
    covered: int
    """Content words of the statement in the sentence that holds most of them, of ``size``."""
    size: int
    missing_numbers: tuple[Quantity, ...]
    negation: bool
    opposites: bool

    def reason(self) -> str:
        """The features that a reader can check, in plain words."""
        numbers = ", ".join(f"{quantity.value:g} {quantity.unit}".strip() for quantity in self.missing_numbers)
        parts = [f"{self.covered} of {self.size} content words in one sentence"]
        if numbers:
            plural = len(self.missing_numbers) > 1
            parts.append(f"the number{'s' if plural else ''} {numbers} {'are' if plural else 'is'} not in the context")
        if self.negation:
            parts.append("only one of statement and nearest sentence is negated")
        if self.opposites:
            parts.append("the nearest sentence says the opposite word")
        return "; ".join(parts)


def agrees(one: Quantity, others: Iterable[Quantity]) -> bool:
    """Whether a number stands among others, with a unit that does not speak against it.

    >>> agrees(Quantity(1000.0, "mg"), [Quantity(1.0, "g")]), agrees(Quantity(4.0, "mg"), [Quantity(4.0, "g")])
    (True, False)
    """
    return any(
        (one.value == other.value and _compatible(one.unit, other.unit)) or _in_base_units(one) == _in_base_units(other)
        for other in others
    )


def _compatible(one: str, other: str) -> bool:
    """Equal units, or one of them unsaid in whole ("24") or in its rate ("mg" and "mg/dia")."""
    return one == other or not one or not other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def _in_base_units(quantity: Quantity) -> Quantity:
    unit, factor = _TO_BASE.get(quantity.unit, (quantity.unit, 1.0))
    return Quantity(round(quantity.value * factor, 9), unit)


def is_verbatim(statement: str, folded: Sequence[str], language: str) -> bool:
    """Whether the statement's folded words stand together in a passage, and no negator stands before them."""
    needle = f" {' '.join(words(statement))} "
    negators = NEGATORS.get(language, frozenset())
    for passage in folded:
        position = passage.find(needle)
        while position >= 0:
            before = passage[:position].rsplit(" ", 1)[-1]
            if before not in negators:
                return True
            position = passage.find(needle, position + 1)
    return False


def compare(statement: Sentence, context: Context, cosines: FloatMatrix, language: str) -> Comparison:
    """Every feature of a statement against a context with at least one sentence.

    ``cosines``, shape (sentences of the context,): how near the statement is to each.
    """
    size = len(statement.content)
    shares = [len(statement.content & sentence.content) / size for sentence in context.sentences]
    best = max(range(len(shares)), key=lambda index: (shares[index] + float(cosines[index]), -index))
    nearest = context.sentences[best]
    pairs = len(statement.bigrams) or 1
    missing = tuple(quantity for quantity in statement.quantities if not agrees(quantity, context.quantities))
    shared = statement.content & nearest.content
    one_sided = statement.denied ^ nearest.denied if not (statement.denied and nearest.denied) else frozenset()
    negation = not one_sided.isdisjoint(shared)
    opposed = any(
        (number, 1 - side) in nearest.signs
        and (number, side) not in nearest.signs
        and (number, 1 - side) not in statement.signs
        for number, side in statement.signs
    )
    replaced = _substituted(statement, nearest)
    features = (
        max(shares),
        len(statement.content & context.content) / size,
        _window_coverage(statement, context.stream),
        max(len(statement.bigrams & sentence.bigrams) for sentence in context.sentences) / pairs,
        len(statement.bigrams & context.bigrams) / pairs,
        float(cosines.max()),
        float(bool(missing)),
        float(negation) * shares[best] ** 2,
        float(opposed) * shares[best] ** 2,
        float(replaced) * shares[best] ** 2,
        log(1 + len(statement.stems)),
    )
    verbatim = is_verbatim(statement.text, context.folded, language)
    return Comparison(features, verbatim, round(max(shares) * size), size, missing, negation, opposed)


def _substituted(statement: Sentence, nearest: Sentence) -> bool:
    """Whether a content stem stands where the nearest sentence has another: the two beside it are the same."""
    said, there = statement.stems, nearest.stems
    for index, stem in enumerate(said):
        if stem in nearest.content:
            continue
        start = min(max(index - 1, 0), len(said) - 3)
        if start < 0:
            return False
        window, place = said[start : start + 3], index - start
        for other in zip(there, there[1:], there[2:], strict=False):
            if other[place] not in statement.content and all(window[at] == other[at] for at in range(3) if at != place):
                return True
    return False


def _window_coverage(statement: Sentence, stream: Sequence[str]) -> float:
    """The largest share of the statement's content that stands within a window little longer than itself."""
    width = len(statement.stems) + 4
    counts: dict[str, int] = {}
    most = 0
    for index, stem in enumerate(stream):
        if stem in statement.content:
            counts[stem] = counts.get(stem, 0) + 1
        if index >= width and (gone := stream[index - width]) in counts:
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
        most = max(most, len(counts))
    return most / len(statement.content)


def compare_all(
    statements: Sequence[str], passages: Sequence[str], embedder: Embedder, language: str
) -> tuple[Comparison | None, ...]:
    """Every statement against all passages together; ``None`` where one of the two has no content word."""
    context = read_context(passages, language)
    asked = [read(statement, language) for statement in statements]
    if not context.sentences or not any(statement.stems for statement in asked):
        return (None,) * len(asked)
    texts = [*(statement.text for statement in asked), *(sentence.text for sentence in context.sentences)]
    vectors = embedder.embed(texts, role="passage")
    cosines = vectors[: len(asked)] @ vectors[len(asked) :].T
    return tuple(
        compare(statement, context, row, language) if statement.stems else None
        for statement, row in zip(asked, cosines, strict=True)
    )
