"""Where a question was lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmark.domain import Cause, Evidence, Hit, Outcome, Rulings, Step
from benchmark.rootcause import cause
from tests.factories import evidence, hit, outcome, question, response, statements, step, verdicts
from tests.test_diagnosis import DIAGNOSIS

GOLD = evidence(100, 120)
WHOLE, LEFT, RIGHT, OTHER = hit(90, 130), hit(50, 110), hit(110, 150), hit(900, 950)
RIGHT_ANSWER = replace(statements(True, True), conveyed=verdicts(True, False))
WRONG_ANSWER = replace(statements(True, True), conveyed=verdicts(False, False))


def lost(*steps: Step, context: tuple[Hit, ...], gold: tuple[Evidence, ...] = (GOLD,)) -> Cause:
    case = Outcome(question(*gold), response(*context, steps=steps))
    return cause(case, WRONG_ANSWER, diagnosis=DIAGNOSIS)


def answered(case: Outcome, rulings: Rulings) -> Cause:
    return cause(case, rulings, diagnosis=DIAGNOSIS)


@pytest.mark.parametrize(("abstained", "named"), [(True, Cause.RIGHTLY_REFUSED), (False, Cause.WRONGLY_ANSWERED)])
def test_an_unanswerable_question_is_refused_rightly_or_answered_wrongly(abstained: bool, named: Cause) -> None:
    assert answered(outcome(answerable=False, abstained=abstained), Rulings()) is named


def test_an_answerable_question_without_gold_is_not_proven_to_be_absent() -> None:
    for gold in ([], [evidence(0, 9, grade=1)]):
        for context in ([], [WHOLE]):
            assert answered(outcome(gold, context), RIGHT_ANSWER) is Cause.NO_GOLD
            assert answered(outcome(gold, context, abstained=True), Rulings()) is Cause.NO_GOLD


def test_gold_in_documents_that_the_corpus_lacks_is_not_in_the_corpus() -> None:
    case = outcome([evidence(0, 9, grade=1)], [WHOLE])
    gone = replace(case, question=replace(case.question, absent=("leaflet",)))
    assert answered(gone, WRONG_ANSWER) is Cause.NOT_IN_CORPUS


def test_evidence_that_no_stage_touched_was_not_retrieved() -> None:
    assert lost(step(OTHER), context=(OTHER,)) is Cause.NOT_RETRIEVED
    assert lost(context=()) is Cause.NOT_RETRIEVED


def test_evidence_that_no_passage_holds_whole_was_split_by_chunking() -> None:
    assert lost(step(LEFT, OTHER), context=(LEFT, OTHER)) is Cause.SPLIT_BY_CHUNKING
    assert lost(step(RIGHT), context=(OTHER,)) is Cause.SPLIT_BY_CHUNKING


def test_a_candidate_that_is_not_in_the_last_list_was_lost_in_reranking() -> None:
    assert lost(step(WHOLE, OTHER), step(OTHER, name="rerank"), context=(OTHER,)) is Cause.LOST_IN_RERANKING


def test_what_a_search_found_and_the_fused_list_lacks_was_lost_in_fusion() -> None:
    found = (step(OTHER, WHOLE, name="retrieve bm25"), step(OTHER, name="retrieve dense"))
    fused, reranked = step(OTHER, name="fuse"), step(OTHER, name="rerank")
    assert lost(*found, fused, context=(OTHER,)) is Cause.LOST_IN_FUSION
    assert lost(*found, fused, reranked, context=(OTHER,)) is Cause.LOST_IN_FUSION


def test_what_the_fused_list_has_and_the_reranked_lacks_was_lost_in_reranking() -> None:
    found = (step(WHOLE, name="retrieve bm25"), step(OTHER, name="retrieve dense"), step(OTHER, WHOLE, name="fuse"))
    assert lost(*found, step(OTHER, name="rerank"), context=(OTHER,)) is Cause.LOST_IN_RERANKING
    assert lost(*found, step(name="rerank"), context=()) is Cause.LOST_IN_RERANKING


def test_a_section_that_ends_within_the_evidence_of_its_chunk_splits_it() -> None:
    assert lost(step(WHOLE), step(hit(0, 110), name="widen"), context=(hit(0, 110),)) is Cause.SPLIT_BY_CHUNKING


def test_a_hit_of_the_last_list_that_is_not_in_the_context_was_cut() -> None:
    ranked = step(*(hit(900 + place, 950 + place) for place in range(5)), WHOLE)
    assert lost(ranked, context=ranked.hits[:5]) is Cause.CUT_BY_K


def test_a_hit_among_the_first_k_that_is_not_in_the_context_did_not_fit_into_its_tokens() -> None:
    assert lost(step(OTHER, WHOLE), context=(OTHER,)) is Cause.CUT_BY_TOKENS


def test_of_two_missing_spans_the_one_that_came_furthest_names_the_cause() -> None:
    assert lost(step(OTHER, WHOLE), context=(OTHER,), gold=(GOLD, evidence(0, 9))) is Cause.CUT_BY_TOKENS


def test_a_part_of_the_evidence_does_not_suffice_but_all_of_it_alone_does() -> None:
    missing, part = evidence(0, 9, grade=2), replace(GOLD, grade=2)
    assert lost(step(WHOLE), context=(WHOLE,), gold=(part, missing)) is Cause.NOT_RETRIEVED
    assert lost(step(WHOLE), context=(WHOLE,), gold=(GOLD, missing)) is Cause.NOT_USED


def test_a_wrong_answer_with_its_evidence_in_context_did_not_use_it() -> None:
    assert answered(outcome([GOLD], [WHOLE]), WRONG_ANSWER) is Cause.NOT_USED


def test_an_answer_that_few_passages_support_is_unsupported() -> None:
    invented = replace(WRONG_ANSWER, supported=verdicts(True, False))
    assert answered(outcome([GOLD], [WHOLE]), invented) is Cause.UNSUPPORTED
    assert answered(outcome([GOLD], [WHOLE]), replace(invented, conveyed=verdicts(True))) is Cause.UNSUPPORTED


def test_an_abstention_is_wrong_only_with_the_evidence_in_context() -> None:
    assert answered(outcome([GOLD], [WHOLE], abstained=True), Rulings()) is Cause.WRONGLY_REFUSED
    assert answered(outcome([GOLD], [OTHER], abstained=True), Rulings()) is Cause.NOT_RETRIEVED


def test_a_right_answer_with_its_evidence_is_correct_and_without_it_lucky() -> None:
    assert answered(outcome([GOLD], [LEFT, RIGHT]), RIGHT_ANSWER) is Cause.CORRECT
    assert answered(outcome([GOLD], [OTHER]), RIGHT_ANSWER) is Cause.LUCKY


def test_a_pipeline_without_retrieval_is_lucky_or_has_none() -> None:
    assert answered(outcome([GOLD], retrieves=False), RIGHT_ANSWER) is Cause.LUCKY
    assert answered(outcome([GOLD], retrieves=False), WRONG_ANSWER) is Cause.NO_RETRIEVAL


def test_evidence_that_never_came_into_the_context_needs_no_judge() -> None:
    cut = Outcome(question(GOLD), response(OTHER, steps=(step(OTHER, WHOLE),)))
    assert answered(cut, Rulings()) is Cause.CUT_BY_TOKENS
    assert answered(outcome([GOLD], [OTHER]), Rulings()) is Cause.NOT_RETRIEVED
    assert answered(outcome([GOLD], retrieves=False), Rulings()) is Cause.NO_RETRIEVAL
    assert answered(outcome([GOLD], [WHOLE]), Rulings()) is Cause.NOT_JUDGED


@pytest.mark.parametrize("missing", ["conveyed", "statements", "supported"])
def test_a_cause_that_wants_a_ruling_is_not_judged_without_it(missing: str) -> None:
    without = {"conveyed": replace(RIGHT_ANSWER, conveyed=None), "statements": replace(RIGHT_ANSWER, statements=None)}
    rulings = without.get(missing, replace(RIGHT_ANSWER, supported=None))
    assert answered(outcome([GOLD], [WHOLE]), rulings) is Cause.NOT_JUDGED
