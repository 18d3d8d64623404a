"""Fewer questions, drawn so that every kind keeps its share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from benchmark.domain import Question, UserError


def select(questions: Sequence[Question], *, limit: int | None, sample: int | None, seed: int) -> tuple[Question, ...]:
    """The questions to ask, in exam order: a stratified sample of them, or all, and of these the first ``limit``.

    Raises:
        UserError: ``limit`` or ``sample`` is below 1.
    """
    for name, number in (("limit", limit), ("sample", sample)):
        if number is not None and number < 1:
            raise UserError(f"{name} is {number}: ask at least one question, or leave it out to ask all")
    chosen = list(questions) if sample is None or not questions else stratified(questions, sample, seed)
    return tuple(chosen[:limit])


def stratified(questions: Sequence[Question], size: int, seed: int) -> list[Question]:
    """``size`` questions, each kind (answerable or not, first tag) with its share by largest remainders."""
    strata: dict[tuple[bool, str], list[Question]] = defaultdict(list)
    for question in questions:
        strata[question.answerable, question.tags[0] if question.tags else ""].append(question)
    exact = {kind: size * len(members) / len(questions) for kind, members in strata.items()}
    shares = {kind: int(share) for kind, share in exact.items()}
    by_remainder = sorted(strata, key=lambda kind: (shares[kind] - exact[kind], kind))
    for kind in by_remainder[: max(0, min(size, len(questions)) - sum(shares.values()))]:
        shares[kind] += 1
    drawn: set[str] = set()
    for kind, members in strata.items():
        lot = Random(f"{seed} {kind}").sample(members, min(shares[kind], len(members)))  # not for secrets
        drawn.update(question.id for question in lot)
    return [question for question in questions if question.id in drawn]
