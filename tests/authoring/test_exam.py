"""Drafting over two documents by a model at the test server: what each filter turns down, and with what words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from benchmark.authoring.authors import ChatAuthor
from benchmark.authoring.exam import Desk, Outcome
from benchmark.authoring.examinee import Examinee
from benchmark.authoring.graders import ChatGrader, JudgeGrader
from benchmark.authoring.passages import Assignment
from benchmark.authoring.pool import Pool
from benchmark.domain import Chunk, Document, Query, Question, Span
from benchmark.drafting.kinds import KINDS
from benchmark.models.endpoints.chat import ChatModel
from benchmark.models.endpoints.transport import Transport
from benchmark.models.judges.llm import LlmJudge
from benchmark.text import abstention
from tests.authoring.examiner import Examiner
from tests.endpoint import serving
from tests.fakes import HashEmbedder, Kept

TEXTS = {
    "magnesio": "La dosis de carga del sulfato es de 4 g en 20 minutos.\nSe vigilan los reflejos y la diuresis.",
    "hierro": "El hierro se da con hemoglobina menor de 14 g/dL.\nSe toma lejos de la leche y del calcio.",
}
DOCUMENTS = {name: Document(name, text) for name, text in TEXTS.items()}
CHUNKS = [Chunk(name, Span(name, 0, len(text)), text) for name, text in TEXTS.items()]


@contextmanager
def desk(examiner: Examiner, **fields: object) -> Iterator[Desk]:
    with serving(examiner) as endpoint:
        llm = ChatModel(
            name="tiny",
            model="tiny",
            base_url=endpoint.url,
            memory=Kept(),
            language="es",
            transport=Transport(timeout=5.0, backoff=0.01),
        )
        judge = LlmJudge(llm=llm, embedder=HashEmbedder(), language="es")
        made = Desk(
            author=ChatAuthor(llm, "es"),
            examinee=Examinee(llm, llm, judge),
            grader=ChatGrader(llm, "es"),
            pool=Pool.over(CHUNKS, HashEmbedder(), language="es", depth=5, threads=1),
            documents=DOCUMENTS,
            existing=(),
            language="es",
            today="2026-11-30",
            at_once=4,
        )
        yield replace(made, **fields)  # type: ignore[arg-type]  # a test's own


def drafted(examiner: Examiner, *kinds: str, **fields: object) -> Outcome:
    planned = [Assignment(KINDS[kind], chunk) for kind in kinds or ("fact",) for chunk in CHUNKS]
    with desk(examiner, **fields) as made:
        return made.drafted(planned, lambda: None)


def reasons(outcome: Outcome) -> dict[str, str]:
    """What turned the first draft down, and why."""
    draft = outcome.drafts[0]
    return {name: draft.filters[name].reason for name in draft.turned_down}


def constant(text: str) -> Callable[[str], str]:
    return lambda _: text


def test_a_quote_that_is_not_in_the_passage_is_turned_down_and_nothing_more_is_asked() -> None:
    outcome = drafted(Examiner(quoted=constant("Se dan 5 g.")))
    assert reasons(outcome) == {"verbatim": "the quote is not in the passage: 'Se dan 5 g.'"}
    assert list(outcome.drafts[0].filters) == ["verbatim"]
    assert outcome.drafts[0].relevance == ()


def test_a_question_in_the_words_of_its_passage_is_turned_down() -> None:
    outcome = drafted(Examiner(asked=constant("¿La dosis de carga del sulfato es de cuánto?")))
    assert list(reasons(outcome)) == ["wording"]


def test_a_reference_that_its_quotes_do_not_say_is_turned_down() -> None:
    outcome = drafted(Examiner(answered=constant("Se vigila la temperatura.")))
    assert list(reasons(outcome)) == ["supported"]
    assert "not in it: Se vigila la temperatura." in reasons(outcome)["supported"]


def test_a_reference_with_a_number_that_its_quotes_do_not_have_is_turned_down() -> None:
    outcome = drafted(Examiner(answered=constant("Se dan 5 g.")))
    assert "says 5 g, which none of its evidence says" in reasons(outcome)["proofread"]


def test_general_knowledge_is_turned_down_with_the_answer() -> None:
    outcome = drafted(Examiner(knows="Se vigilan los reflejos y la diuresis. Se toma lejos de la leche y del calcio."))
    assert [list(draft.turned_down) for draft in outcome.drafts] == [["closed_book"], ["closed_book"]]
    assert reasons(outcome)["closed_book"].startswith("answered without any passage: 'Se vigilan los reflejos")


def test_a_question_that_the_passage_alone_does_not_answer_is_turned_down() -> None:
    outcome = drafted(Examiner(reads=constant("No hay información suficiente para responder.")))
    assert list(reasons(outcome)) == ["passage_alone"]
    assert "it abstains" in reasons(outcome)["passage_alone"]


def test_an_unanswerable_question_that_a_reader_of_the_pool_answers_is_turned_down() -> None:
    assert list(reasons(drafted(Examiner(answers_all=True), "unanswerable"))) == ["unanswered"]
    assert reasons(drafted(Examiner(), "unanswerable")) == {}


def test_an_unanswerable_question_that_the_judge_finds_answered_is_turned_down() -> None:
    outcome = drafted(Examiner(grade=2), "unanswerable")
    assert reasons(outcome)["unanswered"].startswith("the judge finds an answer in ")


def test_of_two_drafts_that_ask_the_same_the_first_stands() -> None:
    outcome = drafted(Examiner(asked=constant("¿Qué conviene recordar ahora mismo?")))
    assert [draft.turned_down for draft in outcome.drafts] == [(), ("duplicate",)]


def test_a_draft_that_asks_what_the_exam_asks_already_is_turned_down() -> None:
    there = Question(Query("q1", "¿Qué conviene recordar ahora mismo?"), "Nada.", language="es")
    outcome = drafted(Examiner(asked=constant("¿Qué conviene recordar ahora mismo?")), existing=(there,))
    assert [draft.turned_down for draft in outcome.drafts] == [("duplicate",), ("duplicate",)]
    assert "asks in the same words as 'q1'" in reasons(outcome)["duplicate"]


def test_a_question_over_two_passages_quotes_both_with_a_part_of_the_answer_each() -> None:
    [draft, _] = drafted(Examiner(), "several").drafts
    assert {(one.span.document_id, one.grade) for one in draft.question.evidence} == {("magnesio", 2), ("hierro", 2)}


def test_a_question_over_two_passages_that_one_quote_answers_is_turned_down() -> None:
    outcome = drafted(Examiner(answered=lambda quotes: quotes.partition(".")[0] + "."), "several")
    assert list(reasons(outcome)) == ["needs_all"]
    assert "'Se vigilan los reflejos y la diuresis.'" in reasons(outcome)["needs_all"]


def test_a_model_that_says_that_it_cannot_makes_no_draft() -> None:
    outcome = drafted(Examiner(answered=constant(abstention("es"))))
    assert (outcome.drafts, outcome.unusable) == ([], {"the model says that the passage answers nothing": 2})


def test_a_judge_that_does_not_grade_grades_by_its_rulings() -> None:
    with desk(Examiner()) as made:
        judge = made.examinee.judge
        outcome = replace(made, grader=JudgeGrader(judge, "es")).drafted(
            [Assignment(KINDS["fact"], CHUNKS[0]), Assignment(KINDS["unanswerable"], CHUNKS[0])], lambda: None
        )
    fact, unanswerable = outcome.drafts
    assert {one.span.document_id: one.grade for one in fact.relevance} == {"magnesio": 3, "hierro": 0}
    assert unanswerable.relevance == ()


@pytest.mark.parametrize(
    ("question", "grade"), [("¿Con leche y calcio?", 1), ("¿Con leche, queso, huevos y pescado?", 0)]
)
def test_half_of_the_questions_words_make_a_passage_on_topic_for_such_a_judge(question: str, grade: int) -> None:
    with desk(Examiner()) as made:
        asked = Question(Query("q", question), "Se vigila.", language="es")
        [graded] = JudgeGrader(made.examinee.judge, "es").grades(asked, made.pool.search(Query("q", "leche"))[:1])
    assert (graded.span.document_id, graded.grade) == ("hierro", grade)
