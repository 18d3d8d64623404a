"""Why a question was lost, in lines."""

from __future__ import annotations

from benchmark.domain import Cause, Document, Record, Rulings
from benchmark.report.lost import ranks_line, remedy_lines, why_lost
from benchmark.report.patterns import as_markdown
from benchmark.rootcause import RootCause, trace
from tests.factories import DOCUMENT, evidence, hit, question, record, response, step
from tests.test_diagnosis import DIAGNOSIS

TEXT = "x" * 100 + "Se dan 4 g cada día." + "y" * 900
WHOLE, LEFT, OTHER = hit(90, 130), hit(50, 110), hit(900, 950, text="Otra cosa.")


def lost(cause: Cause = Cause.LOST_IN_RERANKING) -> RootCause:
    steps = step(OTHER, LEFT, WHOLE), step(OTHER, LEFT, name="rerank")
    asked, given = question(evidence(100, 120)), response(OTHER, LEFT, steps=steps)
    return trace(Record(asked, given, Rulings(), {}, cause), diagnosis=DIAGNOSIS)


def test_the_lines_name_the_evidence_its_ranks_what_took_its_place_and_what_to_do() -> None:
    assert why_lost(lost(), {DOCUMENT: Document(DOCUMENT, TEXT)}) == [
        "q1 was lost: lost in reranking",
        "    evidence guide 100-120 (grade 3): Se dan 4 g cada día.",
        "        retrieve 3 of 3, rerank not there (a part at 2 of 2), context not there (a part at 2 of 2)",
        "    in its place: guide 50-110: " + LEFT.chunk.text,
        "    to do: Try another reranker, or the same architecture without one.",
    ]


def test_a_question_that_was_not_lost_says_so() -> None:
    assert why_lost(lost(Cause.CORRECT), {})[0] == "q1 was not lost: correct"
    assert why_lost(lost(Cause.CORRECT), {})[1] == "    evidence guide 100-120 (grade 3)"


def test_of_several_pieces_the_one_that_decides_is_marked() -> None:
    asked = question(evidence(100, 120, grade=2), evidence(900, 920, grade=2))
    case = Record(asked, response(OTHER, steps=(step(OTHER, WHOLE),)), Rulings(), {}, Cause.CUT_BY_TOKENS)
    first, *_ = [line for line in why_lost(trace(case, diagnosis=DIAGNOSIS), {}) if "decides" in line]
    assert first == "    evidence guide 100-120 (grade 2, the evidence that decides)"


def test_a_long_passage_is_quoted_in_part() -> None:
    in_part = why_lost(lost(), {DOCUMENT: Document(DOCUMENT, "x" * 100 + "una palabra\n" * 40)}, quoted=12)
    assert in_part[1] == "    evidence guide 100-120 (grade 3): una palabra …"
    assert in_part[3] == f"    in its place: guide 50-110: {'x' * 12} …"


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
