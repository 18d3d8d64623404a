"""Which statements are drawn for people to label."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from benchmark.domain import Record, Rulings, Verdict
from benchmark.readings.draw import LOWEST, RANDOM, UNSURE, candidates, draw
from tests.factories import hit, record, response


def judged(name: str, *verdicts: tuple[bool, float | None]) -> Record:
    ruled = tuple(Verdict(f"{name} {n}", holds, "so", sure) for n, (holds, sure) in enumerate(verdicts))
    made = replace(record({}, name=name), response=response(hit(0, 10)))
    return replace(made, rulings=Rulings(tuple(one.claim for one in ruled), ruled))


RECORDS = [
    judged("worst", (False, 0.01), (False, 0.2)),
    judged("mixed", (True, 0.52), (False, 0.4)),
    judged("best", (True, 0.99), (True, 1.0)),
]


def drawn(counts: dict[str, int], *, seed: int = 7) -> dict[str, set[str | None]]:
    cases = draw(candidates(RECORDS), counts, seed=seed)
    return {kind: {case.claim for case in cases if case.drawn == kind} for kind in counts}


def test_the_lowest_are_of_the_answers_with_the_lowest_faithfulness() -> None:
    assert drawn({LOWEST: 3})[LOWEST] == {"worst 0", "worst 1", "mixed 1"}


def test_the_unsure_are_those_nearest_to_a_coin() -> None:
    assert drawn({UNSURE: 2})[UNSURE] == {"mixed 0", "mixed 1"}


def test_those_at_random_are_drawn_from_all_before_any_is_taken_for_another_reason() -> None:
    found = Counter(
        claim for seed in range(60) for claim in drawn({LOWEST: 2, RANDOM: 1}, seed=seed)[RANDOM] if claim is not None
    )
    assert set(found) == {"worst 0", "worst 1", "mixed 0", "mixed 1", "best 0", "best 1"}


def test_none_is_drawn_twice_and_more_than_there_are_gives_all() -> None:
    cases = draw(candidates(RECORDS), {LOWEST: 4, UNSURE: 4, RANDOM: 4}, seed=7)
    assert len(cases) == len({case.id for case in cases}) == 6


def test_the_same_seed_draws_the_same_in_the_same_order() -> None:
    counts = {LOWEST: 1, UNSURE: 1, RANDOM: 2}
    assert draw(candidates(RECORDS), counts, seed=1) == draw(candidates(RECORDS), counts, seed=1)


def test_a_judge_that_does_not_say_how_sure_it_is_has_none_unsure() -> None:
    found = candidates([judged("llm", (True, None), (False, None))])
    assert [case.claim for case in draw(found, {UNSURE: 2, LOWEST: 1}, seed=7)] == ["llm 1"]


def test_what_several_runs_made_and_judged_alike_is_one_candidate() -> None:
    assert len(candidates([*RECORDS, *RECORDS])) == 6
