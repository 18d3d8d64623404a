"""Does a question give its passage away by saying it in the same words?"""

from __future__ import annotations

from benchmark.drafting.nouns import Filtered
from benchmark.text import words

MOST_WORDS = 7
MOST_SHARE = 0.63
"""Of the questions that people wrote with the paragraph before them (XQuAD-es, 1,190 questions, against the sentence
with the answer), 95 in 100 have a longest run of at most 7 of its words, and 95 in 100 one of at most 0.63 of the
question. In the bundled exam, written to be hard, it is 3 words and 0.09. The share of content words is no bound: it is
1.00 for one in ten of XQuAD's. Measured on 2026-11-30 by ``tests/drafting/test_wording.py``."""


def wording(question: str, passage: str) -> Filtered:
    """Turned down where the longest run of the passage's words is longer than people's questions have."""
    asked = words(question)
    run = longest_run(asked, words(passage))
    share = len(run) / max(1, len(asked))
    if len(run) > MOST_WORDS or share > MOST_SHARE:
        return Filtered(False, f"{len(run)} of its {len(asked)} words stand in the passage in a row: {' '.join(run)!r}")
    return Filtered(True, f"at most {len(run)} of its {len(asked)} words stand in the passage in a row")


def longest_run(asked: list[str], passage: list[str]) -> list[str]:
    """The longest run of words that both have; the first one of several.

    >>> longest_run("cual es la dosis de hierro".split(), "se da la dosis de carga".split())
    ['la', 'dosis', 'de']
    """
    best = end = 0
    before = [0] * (len(passage) + 1)
    for place, word in enumerate(asked, start=1):
        runs = [0] * (len(passage) + 1)
        for other, there in enumerate(passage, start=1):
            if word == there:
                runs[other] = before[other - 1] + 1
                if runs[other] > best:
                    best, end = runs[other], place
        before = runs
    return asked[end - best : end]
