"""Does a draft ask what another question asks already?"""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.domain import Question
from benchmark.drafting.nouns import Filtered
from benchmark.proofreading.exam import twice
from benchmark.proofreading.nouns import Origin, Placed


def duplicates(drafted: Sequence[Question], existing: Sequence[Question]) -> list[Filtered]:
    """One for each draft, by what ``corpus check`` calls the same and nearly the same; the first of two passes."""
    placed = [Placed(question, Origin("the exam that is there", place)) for place, question in enumerate(existing, 1)]
    drafts = [Placed(question, Origin("these drafts", place)) for place, question in enumerate(drafted, 1)]
    faults = {fault.origin: fault for fault in twice([*placed, *drafts])}
    return [
        Filtered(False, faults[one.origin].found)
        if one.origin in faults
        else Filtered(True, "asks something of its own")
        for one in drafts
    ]
