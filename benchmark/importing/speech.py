"""In which language a text is, by its function words."""

from __future__ import annotations

from benchmark.text import LANGUAGES, stop_words, words

_LEAST = 0.12
"""The share of a text's words that are function words, below which no language is said."""
_WORDS = 20_000


def language_of(text: str) -> str | None:
    """One of the languages that the house knows, or ``None`` where no function words say so.

    >>> language_of("La dosis de carga es de cuatro gramos"), language_of("the dose of it is four"), language_of("x z")
    ('es', 'en', None)
    """
    found = words(text)[:_WORDS]
    shares = {
        language: sum(word in stop_words(language) for word in found) / max(1, len(found)) for language in LANGUAGES
    }
    best = max(shares, key=lambda language: shares[language])
    return best if shares[best] >= _LEAST else None
