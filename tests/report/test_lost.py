"""Why a question was lost, in lines."""

from __future__ import annotations

from benchmark.domain import Cause, Record, Rulings, Verdict
from benchmark.report.lost import ranks_line, remedy_lines, why_lost
from benchmark.report.patterns import as_markdown
from benchmark.report.phrases import phrases
from benchmark.rootcause import RootCause, trace
from tests.factories import evidence, hit, question, record, response, step
from tests.test_diagnosis import DIAGNOSIS

EN, ES = phrases("en"), phrases("es")
WHOLE, LEFT, OTHER = hit(90, 130), hit(50, 110), hit(900, 950, text="Otra cosa.")


def lost(cause: Cause = Cause.LOST_IN_RERANKING) -> RootCause:
    steps = step(OTHER, LEFT, WHOLE), step(OTHER, LEFT, name="rerank")
    asked, given = question(evidence(100, 120)), response(OTHER, LEFT, steps=steps)
    return trace(Record(asked, given, Rulings(), {}, cause), diagnosis=DIAGNOSIS)


def test_the_lines_name_the_evidence_its_ranks_what_took_its_place_and_what_to_do() -> None:
    assert why_lost(lost(), EN) == [
        "Evidence 1: retrieve #3 of 3 → rerank – of 2 (a part: #2) → context – of 2 (a part: #2)",
        "In its place stood: guide 50-110: " + LEFT.chunk.text,
        "What to do: Try another reranker, or the same architecture without one.",
    ]


def test_in_spanish_the_lines_are_spanish() -> None:
    told = why_lost(lost(), ES)
    assert (
        told[0] == "Evidencia 1: recuperar #3 de 3 → reordenar – de 2 (una parte: #2) → contexto – de 2 (una parte: #2)"
    )
    assert told[2] == "Qué hacer: Pruebe otro reordenador, o la misma arquitectura sin él."


def test_a_question_that_was_not_lost_has_its_way_and_nothing_to_do() -> None:
    assert [line[:9] for line in why_lost(lost(Cause.CORRECT), EN)] == ["Evidence "]


def test_of_several_pieces_the_one_that_decides_is_marked() -> None:
    asked = question(evidence(100, 120, grade=2), evidence(900, 920, grade=2))
    case = Record(asked, response(OTHER, steps=(step(OTHER, WHOLE),)), Rulings(), {}, Cause.CUT_BY_TOKENS)
    first, second, *_ = why_lost(trace(case, diagnosis=DIAGNOSIS), EN)
    assert (first.endswith("(the evidence that decides)"), second.endswith("decides)")) == (True, False)


def test_a_long_passage_is_quoted_in_part() -> None:
    assert why_lost(lost(), EN, quoted=12)[1] == f"In its place stood: guide 50-110: {'x' * 12} …"


def test_what_the_judge_said_of_an_unused_passage_is_told() -> None:
    ruled = Rulings(conveyed=(Verdict("Se dan 4 g.", False, "no number"),))
    case = Record(question(evidence(100, 120)), response(WHOLE), ruled, {}, Cause.NOT_USED)
    told = why_lost(trace(case, diagnosis=DIAGNOSIS), ES)
    assert "no transmitido: Se dan 4 g. (no number)" in told


def test_the_ranks_of_evidence_stand_in_one_line() -> None:
    assert ranks_line(lost().trails[0]).startswith("retrieve 3 of 3, rerank not there")


def test_remedies_are_those_of_the_three_most_frequent_losses() -> None:
    causes = [Cause.CUT_BY_K] * 3 + [Cause.NOT_USED] * 2 + [Cause.CORRECT] * 9 + [Cause.NOT_JUDGED] * 9
    runs = [[record({}, cause=cause) for cause in causes], [record({}, cause=Cause.NOT_USED) for _ in range(4)]]
    assert [line.split(":")[0] for line in remedy_lines(runs)] == ["6 not used", "3 cut by k"]
    assert remedy_lines([[record({})]]) == []


def test_the_page_of_a_run_says_what_to_do_about_each_loss() -> None:
    page = as_markdown("bm25", [], [], [record({}, cause=Cause.CUT_BY_K), record({})], {})
    assert "- cut by k: 1. Raise k, or rerank" in page
    assert "- correct: 1\n" in page
