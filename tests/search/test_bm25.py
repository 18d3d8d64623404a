from __future__ import annotations

import random
from math import log

import bm25s
import numpy as np
import pytest

from benchmark.domain import Chunk, Query, Span, UserError
from benchmark.search.bm25 import Bm25Recipe

WORDS = ["dosis", "sulfato", "hierro", "semana", "parto", "control", "calcio", "vacuna", "riesgo", "anemia", "orina"]


def chunks(texts: list[str], tenant: str | None = None) -> list[Chunk]:
    return [Chunk(f"c{i}", Span("d", i, i + 1), text, tenant) for i, text in enumerate(texts)]


def some_texts(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(3, 20))) for _ in range(count)]


@pytest.mark.parametrize("seed", range(5))
def test_both_engines_score_alike(seed: int) -> None:
    texts, query = some_texts(60, seed), Query("q", " ".join(random.Random(seed).sample(WORDS, 4)))
    found = {}
    for engine in ("bm25s", "rank_bm25"):
        hits = Bm25Recipe(language="es", engine=engine).over(chunks(texts)).search(query, 60)
        found[engine] = {hit.chunk.id: hit.score for hit in hits}
    assert found["bm25s"].keys() == found["rank_bm25"].keys()
    assert all(found["bm25s"][name] == pytest.approx(score, rel=1e-5) for name, score in found["rank_bm25"].items())


def test_scores_equal_bm25s_on_the_same_tokens() -> None:
    texts, recipe = some_texts(40, 3), Bm25Recipe(language="es")
    alone = bm25s.BM25(method="lucene")
    alone.index([recipe.words(text) for text in texts], show_progress=False)
    expected = alone.get_scores(recipe.words("dosis de sulfato"))
    hits = recipe.over(chunks(texts)).search(Query("q", "dosis de sulfato"), 40)
    assert [hit.score for hit in hits] == pytest.approx(np.sort(expected[expected > 0])[::-1].tolist())


def test_one_word_in_one_of_two_chunks_scores_by_the_formula() -> None:
    hits = Bm25Recipe(language="es", k1=1.5, b=0.75).over(chunks(["dosis", "hierro"])).search(Query("q", "dosis"), 2)
    assert [hit.score for hit in hits] == pytest.approx([log(1 + 1.5 / 1.5) * 1 / (1 + 1.5)])


def test_accents_case_and_endings_do_not_matter() -> None:
    hits = Bm25Recipe(language="es").over(chunks(["Las VACUNACIONES", "otra cosa"])).search(Query("q", "vacunacion"), 2)
    assert [hit.chunk.id for hit in hits] == ["c0"]


def test_without_stemming_endings_matter() -> None:
    recipe = Bm25Recipe(language="es", stemming=False)
    assert recipe.over(chunks(["vacunaciones"])).search(Query("q", "vacunacion"), 2) == ()


def test_a_query_of_function_words_finds_nothing() -> None:
    assert Bm25Recipe(language="es").over(chunks(["la dosis de la vacuna"])).search(Query("q", "de la"), 5) == ()


def test_equal_scores_keep_the_order_of_the_chunks() -> None:
    hits = Bm25Recipe(language="es").over(chunks(["dosis"] * 9)).search(Query("q", "dosis"), 4)
    assert [hit.chunk.id for hit in hits] == ["c0", "c1", "c2", "c3"]


def test_anothers_text_does_not_change_the_scores() -> None:
    common = chunks(["dosis de hierro", "control"])
    others = [Chunk("x", Span("x", 0, 1), "dosis dosis dosis", "p2")]
    recipe, query = Bm25Recipe(language="es"), Query("q", "dosis", "p1")
    assert recipe.over([*common, *others]).search(query, 5) == recipe.over(common).search(query, 5)


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(UserError, match="bm25s or rank_bm25"):
        Bm25Recipe(language="es", engine="lucene")  # type: ignore[arg-type]  # the mistake under test
