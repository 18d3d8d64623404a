"""The way of the evidence through the stages, and what stands in its place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmark.domain import Cause, Evidence, Failure, Hit, NearMiss, Outcome, Record, Rulings, Step
from benchmark.rootcause import CONTEXT, REMEDIES, RootCause, cause, trace
from tests.factories import evidence, hit, question, response, span, statements, step, verdicts
from tests.test_diagnosis import DIAGNOSIS

GOLD = evidence(100, 120)
WHOLE, LEFT, RIGHT, OTHER, ANOTHER = hit(90, 130), hit(50, 110), hit(110, 150), hit(900, 950), hit(800, 850)
WRONG = replace(statements(True, True), conveyed=verdicts(False))


def traced(
    *steps: Step,
    context: tuple[Hit, ...],
    gold: tuple[Evidence, ...] = (GOLD,),
    rulings: Rulings = WRONG,
    answer: str = "Otra cosa.",
) -> RootCause:
    asked, given = question(*gold), response(*context, steps=steps, answer=answer)
    named = cause(Outcome(asked, given), rulings, diagnosis=DIAGNOSIS)
    return trace(Record(asked, given, rulings, {}, named), diagnosis=DIAGNOSIS)


def ranks(root: RootCause) -> list[tuple[str, int | None]]:
    return [(place.stage, place.rank) for place in root.trails[0].places]


def test_every_cause_has_a_remedy_but_those_of_an_answer_as_it_should_be() -> None:
    assert set(Cause) - set(REMEDIES) == {Cause.CORRECT, Cause.RIGHTLY_REFUSED}


def test_the_rank_at_each_stage_is_that_of_the_first_passage_that_holds_it_all() -> None:
    found = step(LEFT, OTHER, WHOLE, WHOLE, name="retrieve bm25"), step(OTHER, name="retrieve dense")
    root = traced(*found, step(OTHER, WHOLE, LEFT, name="fuse"), context=(OTHER,))
    assert ranks(root) == [("retrieve bm25", 3), ("retrieve dense", None), ("fuse", 2), (CONTEXT, None)]
    assert [place.part for place in root.trails[0].places] == [1, None, 3, None]
    assert [place.of for place in root.trails[0].places] == [4, 1, 3, 1]


def test_steps_that_rank_nothing_are_no_stages() -> None:
    steps = Step("rewrite", 0.0), step(WHOLE), Step("rerank", 0.0), Step("abstain", 0.0)
    assert ranks(traced(*steps, context=())) == [("retrieve", 1), ("rerank", None), (CONTEXT, None)]


def test_a_reranker_puts_in_its_place_what_it_ranks_there() -> None:
    root = traced(
        step(OTHER, WHOLE, ANOTHER, LEFT), step(OTHER, ANOTHER, LEFT, name="rerank"), context=(OTHER, ANOTHER)
    )
    assert root.cause is Cause.LOST_IN_RERANKING
    assert root.deciding is not None
    assert (root.deciding.lost_at, root.instead) == ("rerank", ANOTHER)


def test_a_shorter_list_puts_its_last_there_and_an_empty_one_nothing() -> None:
    assert traced(step(OTHER, WHOLE), step(OTHER, name="fuse"), context=(OTHER,)).instead == OTHER
    assert traced(step(OTHER, WHOLE), step(name="fuse"), context=()).instead is None


@pytest.mark.parametrize("fused_first", [True, False])
def test_of_several_fusions_the_one_that_took_the_list_lost_it(fused_first: bool) -> None:
    first = step(WHOLE, name="retrieve"), step(*([WHOLE] if fused_first else [OTHER]), name="fuse wording")
    again = step(ANOTHER, name="retrieve"), step(ANOTHER, name="fuse wording")
    root = traced(*first, *again, step(ANOTHER, name="fuse all"), context=(ANOTHER,))
    assert root.cause is Cause.LOST_IN_FUSION
    assert root.deciding is not None
    assert root.deciding.lost_at == ("fuse all" if fused_first else "fuse wording")


def test_rankings_that_no_stage_joined_were_joined_behind_them() -> None:
    assert traced(step(WHOLE), step(OTHER), context=(OTHER,)).cause is Cause.LOST_IN_FUSION


def test_a_stage_of_an_unknown_name_behind_a_search_ranks_it_anew() -> None:
    assert traced(step(WHOLE), step(OTHER, name="colbert"), context=(OTHER,)).cause is Cause.LOST_IN_RERANKING


def test_the_last_passage_within_k_stands_in_the_place_of_one_behind_it() -> None:
    others = tuple(hit(900 + at, 950 + at) for at in range(5))
    root = traced(step(*others, WHOLE), context=others)
    assert (root.cause, root.instead) == (Cause.CUT_BY_K, others[-1])


def test_the_last_passage_that_fitted_took_the_room_and_where_none_did_there_is_none() -> None:
    assert traced(step(OTHER, WHOLE), context=(OTHER,)).instead == OTHER
    assert traced(step(WHOLE), context=()).instead is None


def test_a_part_stands_in_the_place_of_evidence_that_was_split() -> None:
    root = traced(step(OTHER, LEFT, RIGHT), context=(OTHER,))
    assert (root.cause, root.instead) == (Cause.SPLIT_BY_CHUNKING, LEFT)


def test_the_first_passage_read_stands_in_the_place_of_evidence_that_no_search_found() -> None:
    assert traced(step(OTHER, ANOTHER), context=(OTHER, ANOTHER)).instead == OTHER
    assert traced(context=()).instead is None


def test_an_answer_that_passed_over_its_evidence_rests_on_what_it_cites() -> None:
    root = traced(step(OTHER, WHOLE, ANOTHER), context=(OTHER, WHOLE, ANOTHER), answer="Otra cosa [2, 3].")
    assert (root.cause, root.instead) == (Cause.NOT_USED, ANOTHER)
    assert root.why == "not conveyed: claim 1 (no reason given)"


def test_without_citations_it_rests_on_the_first_passage_that_is_no_evidence() -> None:
    assert traced(step(WHOLE, OTHER), context=(WHOLE, OTHER)).instead == OTHER
    assert traced(step(WHOLE), context=(WHOLE,)).instead is None


def test_an_invention_without_citations_rests_on_nothing_and_names_what_is_not_supported() -> None:
    invented = replace(WRONG, supported=verdicts(False, True))
    root = traced(step(WHOLE, OTHER), context=(WHOLE, OTHER), rulings=invented)
    assert (root.cause, root.instead) == (Cause.UNSUPPORTED, None)
    assert root.why == "not supported: claim 1 (no reason given)"


def test_an_answer_to_an_unanswerable_question_rests_on_what_it_cites() -> None:
    asked = replace(question(answerable=False), nearest=NearMiss(span(900, 950), "another drug"))
    given = response(ANOTHER, OTHER, answer="Se dan 4 g [2].")
    root = trace(Record(asked, given, Rulings(), {}, Cause.WRONGLY_ANSWERED), diagnosis=DIAGNOSIS)
    assert (root.trails, root.instead) == ((), OTHER)


def test_a_citation_of_a_passage_that_is_not_there_is_passed_over() -> None:
    assert traced(step(WHOLE, OTHER), context=(WHOLE, OTHER), answer="Otra cosa [0, 7].").instead == OTHER


def test_a_failure_has_no_trail_and_says_what_failed() -> None:
    failed = Record(question(GOLD), None, Rulings(), {}, Cause.FAILED, Failure("answer", "OSError", "gone"))
    root = trace(failed, diagnosis=DIAGNOSIS)
    assert (root.trails, root.instead, root.why) == ((), None, "failed at answer: OSError: gone")


def test_a_correct_answer_has_its_trail_and_nothing_to_do() -> None:
    root = traced(step(WHOLE), context=(WHOLE,), rulings=replace(WRONG, conveyed=verdicts(True)))
    assert (root.cause, root.deciding, root.instead, root.remedy) == (Cause.CORRECT, None, None, None)
    assert ranks(root) == [("retrieve", 1), (CONTEXT, 1)]


def test_evidence_below_the_grade_has_a_trail_and_decides_nothing() -> None:
    root = traced(step(WHOLE), context=(WHOLE,), gold=(GOLD, evidence(900, 950, grade=1)))
    assert root.cause is Cause.NOT_USED
    assert [trail.loss for trail in root.trails] == [None, Cause.NOT_RETRIEVED]
    assert (root.deciding, root.relevant) == (None, root.trails[:1])


def test_of_several_pieces_cut_alike_the_one_that_stood_highest_decides() -> None:
    others = tuple(hit(800 + at, 801 + at) for at in range(5))
    pieces = evidence(900, 950, grade=2), evidence(100, 120, grade=2)
    root = traced(step(*others, WHOLE, OTHER), context=others, gold=pieces)
    assert root.cause is Cause.CUT_BY_K
    assert root.deciding == root.trails[1]


def test_without_retrieval_nothing_was_lost_on_the_way() -> None:
    asked, given = question(GOLD), response(steps=(), retrieves=False)
    root = trace(Record(asked, given, WRONG, {}, Cause.NO_RETRIEVAL), diagnosis=DIAGNOSIS)
    assert (root.trails[0].loss, root.deciding) == (None, None)
