from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.text import LANGUAGES, pieces, stems
from tests.conftest import REPOSITORY

OTHER_STEMMER = """
class Stemmer:
    def __init__(self, language):
        pass

    def stemWord(self, word):
        return "another stem"


def algorithms():
    return ["spanish"]
"""


def test_stems_are_the_same_with_and_without_pystemmer(tmp_path: Path) -> None:
    (tmp_path / "Stemmer.py").write_text(OTHER_STEMMER, encoding="utf-8")
    asked = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(REPOSITORY)!r}]; import Stemmer\n"
    code = asked + "from benchmark.text import stems; print(stems('Las recomendaciones de la vacunación', 'es'))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "['recomend', 'vacun']"


PLURALS = {"es": "casas", "en": "houses", "fr": "maisons", "de": "häuser", "it": "case", "pt": "casas"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_stemmer(language: str) -> None:
    word = PLURALS[language]
    assert len(stems(word, language)[0]) < len(word)


def test_pieces_are_the_whole_text() -> None:
    text = "# Dosis\n\n- 4 g i.v. cada 6 h. No se repite.\n\n| a | b |\n|---|---|\n"
    assert "".join(pieces(text, "es")) == text
