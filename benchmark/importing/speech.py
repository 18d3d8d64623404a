"""In which language a text is, by its function words."""

from __future__ import annotations

from benchmark.text import LANGUAGES, stop_words, words

_LEAST = 0.12
"""The share of a text's words that are function words, below which no language is said."""
_WORDS = 20_000
_CLEARLY = 3.0
"""So many times the function words of another language: neighbours, such as Spanish and Portuguese, share most."""


def language_of(text: str) -> str | None:
    """One of the languages that the house knows, or ``None`` where no function words say so.

    >>> language_of("La dosis de carga es de cuatro gramos"), language_of("the dose of it is four"), language_of("x z")
    ('es', 'en', None)
    """
    shares = _shares(text)
    best = max(shares, key=lambda language: shares[language])
    return best if shares[best] >= _LEAST else None


def other_language(text: str, language: str) -> str | None:
    """The language that a text is in rather than in ``language``; ``None`` where its words leave a doubt.

    >>> other_language("What is the dose of it?", "es"), other_language("Qual é a dose na gravidez?", "es")
    ('en', None)
    """
    shares, found = _shares(text), language_of(text)
    return found if found is not None and shares[found] > _CLEARLY * shares.get(language, 0.0) else None


def _shares(text: str) -> dict[str, float]:
    """By language the share of the words that are its function words."""
    found = words(text)[:_WORDS]
    return {
        language: sum(word in stop_words(language) for word in found) / max(1, len(found)) for language in LANGUAGES
    }
