"""Where several people decide on a draft, it is taken only as all of them would have it."""

from __future__ import annotations

from dataclasses import replace

from benchmark.domain import Evidence
from benchmark.drafting.nouns import Relevance
from benchmark.drafting.reviews import Decision, Review, settle
from tests.drafting.drafted import DRAFTS, HEIGHT, KEEPER, LEAKED, span


def test_a_draft_is_taken_as_all_would_have_it_and_by_nobodys_word_where_they_differ() -> None:
    accepted = [Review(HEIGHT, name, HEIGHT.proposed) for name in ("ana", "ben")]
    differing = [Review(KEEPER, "ana", KEEPER.proposed), Review(KEEPER, "ben", None)]
    settled = settle(DRAFTS.drafts, [*accepted, *differing])
    assert settled.accepted == {"d-1": tuple(accepted)}
    assert settled.disputed == {"d-2": tuple(differing)}
    assert (settled.rejected, settled.undecided) == ({}, ("d-3",))


def test_two_who_mend_alike_agree_and_two_who_mend_otherwise_do_not() -> None:
    mended = replace(LEAKED.question, reference="1898")
    alike = [Review(LEAKED, name, mended) for name in ("ana", "ben")]
    assert settle([LEAKED], alike).accepted == {"d-3": tuple(alike)}
    other = Review(LEAKED, "eva", replace(mended, reference="en 1898"))
    assert list(settle([LEAKED], [*alike, other]).disputed) == ["d-3"]


def test_a_draft_that_all_reject_is_rejected() -> None:
    assert list(settle([LEAKED], [Review(LEAKED, "ana", None), Review(LEAKED, "ben", None)]).rejected) == ["d-3"]


def test_mended_to_what_it_said_is_accepted() -> None:
    assert Review(HEIGHT, "ana", HEIGHT.proposed).decision is Decision.ACCEPT
    assert Review(HEIGHT, "ana", HEIGHT.question).decision is Decision.MEND  # the pool's passage was taken out
    assert Review(HEIGHT, "ana", None).decision is Decision.REJECT


def test_what_the_judge_found_relevant_is_evidence_once() -> None:
    whole = span(1, "El puerto abre a las 6 h. El faro mide 30 m.")
    pool = (
        Relevance(span(1, "El faro mide 30 m."), 2, "a part"),
        Relevance(whole, 3, "says the same"),
        Relevance(span(0, "faro mide"), 3, "is in the evidence"),
        Relevance(span(0, "Lo cuida Ana."), 0, "other topic"),
    )
    asked = replace(HEIGHT, relevance=pool).proposed
    assert asked.evidence == (*HEIGHT.question.evidence, Evidence(whole, 3))
