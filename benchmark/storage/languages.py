"""The language of a corpus: what its documents and questions say of themselves, and only one that the house knows."""

from __future__ import annotations

from collections.abc import Iterable

from benchmark.domain import UserError
from benchmark.text import LANGUAGES, PHRASE_LANGUAGES

_CURE = "say it: corpus.documents_language=..., one of " + ", ".join(LANGUAGES)


def known(language: object, what: str) -> str:
    """The language itself.

    Raises:
        UserError: the house has neither stop words nor a stemmer for it: its words would not be found again.
    """
    if not isinstance(language, str) or language not in LANGUAGES:
        raise UserError(
            f"the language of {what} is {language!r}, which is not known here.\n"
            f"    wanted: one of {', '.join(LANGUAGES)} (of these, {' and '.join(PHRASE_LANGUAGES)} have prompts "
            "and phrases of abstention of their own)\n"
            "    to do:  correct it there, or on the command line with corpus.documents_language and corpus.language"
        )
    return language


def one(found: Iterable[object], what: str) -> str | None:
    """The one language that all who say theirs have; ``None`` where nobody says it.

    Raises:
        UserError: they say several, or one that is not known.
    """
    said = list(dict.fromkeys(str(language) for language in found if language is not None))
    if len(said) > 1:
        raise UserError(f"the {what} are in several languages ({', '.join(said)}).\n    to do:  {_CURE}")
    return known(said[0], f"the {what}") if said else None


def not_said(path: str) -> UserError:
    return UserError(
        f"neither the documents nor the questions of {path} say in which language they are.\n"
        '    wanted: language: ... in a document\'s front matter or metadata, or "language": ... in questions.jsonl\n'
        f"    to do:  write it there, or {_CURE}"
    )


def notice(documents_language: str, question_languages: Iterable[str]) -> str | None:
    """What is missing for a language that the house knows in part."""
    partly = [language for language in dict.fromkeys([documents_language, *question_languages]) if _partly(language)]
    if not partly:
        return None
    return (
        f"{', '.join(partly)}: words are stemmed and stop words known, but prompts and phrases of abstention are "
        f"English, and the local judge's rules and weights were made for {' and '.join(PHRASE_LANGUAGES)}"
    )


def _partly(language: str) -> bool:
    return language not in PHRASE_LANGUAGES
