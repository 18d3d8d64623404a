from __future__ import annotations

import pytest

from benchmark.authoring.quotes import verbatim
from benchmark.domain import Chunk, Span

TEXT = "Se dan 4 g\npor vía intravenosa. Luego, 1 g/h."
PASSAGE = Chunk("guia:100", Span("guia", 100, 100 + len(TEXT)), TEXT)


@pytest.mark.parametrize(
    ("quote", "found", "reason"),
    [
        ("Luego, 1 g/h.", "Luego, 1 g/h.", "letter by letter"),
        ("se dan 4 g por vía intravenosa", "Se dan 4 g\npor vía intravenosa", "mended"),
        ("«Luego, 1 g/h.»", "Luego, 1 g/h.", "mended"),
        ('"Se dan 4 g por vía..."', "Se dan 4 g\npor vía", "mended"),
    ],
)
def test_a_quote_is_found_in_the_characters_of_the_document(quote: str, found: str, reason: str) -> None:
    [span], filtered = verbatim([quote], [PASSAGE])
    assert TEXT[span.start - 100 : span.end - 100] == found
    assert (span.document_id, filtered.passed) == ("guia", True)
    assert filtered.reason.startswith(reason)


@pytest.mark.parametrize("quote", ["Se dan 5 g", "Se dan 4 g por vía oral", "...", "Luego, 1g/h por vía"])
def test_a_quote_with_other_words_or_numbers_is_turned_down(quote: str) -> None:
    spans, filtered = verbatim([quote], [PASSAGE])
    assert (spans, filtered.passed) == ((), False)
    assert repr(quote) in filtered.reason
