"""What people decided on drafts, and what follows from it where several did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchmark.domain import Question
from benchmark.drafting.nouns import Draft


class Decision(StrEnum):
    """What a person may decide on a draft."""

    ACCEPT = "accept"
    MEND = "mend"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Review:
    """One person's decision on a draft: ``question`` is what to take into the exam, ``None`` for what was rejected."""

    draft: Draft
    by: str
    question: Question | None
    note: str = ""

    @property
    def decision(self) -> Decision:
        """A mended draft that says what it said before is an accepted one."""
        if self.question is None:
            return Decision.REJECT
        return Decision.ACCEPT if self.question == self.draft.proposed else Decision.MEND


@dataclass(frozen=True, slots=True)
class Settled:
    """The reviews of each draft, by its id: of those that are taken, of those that are not, and of those in dispute.

    ``undecided``: ids of the drafts that nobody decided on.
    """

    accepted: Mapping[str, tuple[Review, ...]]
    rejected: Mapping[str, tuple[Review, ...]]
    disputed: Mapping[str, tuple[Review, ...]]
    undecided: tuple[str, ...]


def settle(drafts: Sequence[Draft], reviews: Sequence[Review]) -> Settled:
    """A draft is taken as all who decided on it would have it; where they differ it is taken by nobody's word."""
    accepted, rejected, disputed = (dict[str, tuple[Review, ...]]() for _ in range(3))
    undecided = []
    decided = defaultdict[str, list[Review]](list)
    for review in reviews:
        decided[review.draft.id].append(review)
    for draft in drafts:
        own = tuple(decided[draft.id])
        if not own:
            undecided.append(draft.id)
        elif any(review.question != own[0].question for review in own):
            disputed[draft.id] = own
        elif own[0].question is None:
            rejected[draft.id] = own
        else:
            accepted[draft.id] = own
    return Settled(accepted, rejected, disputed, tuple(undecided))
