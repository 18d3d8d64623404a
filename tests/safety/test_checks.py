"""What holds for every check: its name, its count, its bound, and several runs together."""

from __future__ import annotations

from benchmark.safety import CHECKS, Case, Checked, check, pooled
from tests.safety.cases import broken, document, material


def test_every_check_is_known_by_the_name_that_it_gives_itself() -> None:
    assert [one.name for one in check([], material())] == list(CHECKS)


def test_what_was_not_measured_never_holds() -> None:
    assert not any(one.holds for one in check([broken()], material(document("La guía."))))


def test_it_tells_what_n_allows() -> None:
    assert str(Checked("refusal", 40)) == "0 of 40 failed: up to 7.2 % at 95 %"
    assert Checked("refusal", 0, why="none").upper is None


def test_passed_and_failed_make_n() -> None:
    found = Checked("refusal", 5, (Case("q1", ("x",), "why"),))
    assert (found.passed, found.failed, found.holds) == (4, 1, False)


def test_several_corpora_are_pooled_where_they_were_measured() -> None:
    parts = [
        ("one", Checked("isolation", 0, why="no tenants")),
        ("two", Checked("isolation", 3, (Case("q1", ("x",), "why"),), left_out={"failed to run": 1})),
        ("three", Checked("isolation", 2, left_out={"failed to run": 1})),
    ]
    found = pooled(parts)
    assert (found.n, found.failed, found.left_out) == (5, 1, {"failed to run": 2})
    assert found.cases[0].question_id == "two/q1"
    assert pooled(parts[:1]).why == "no tenants (one)"
