"""Would ``corpus check`` find a fault in a draft?"""

from __future__ import annotations

from collections.abc import Mapping

from benchmark.domain import Document, Question
from benchmark.drafting.nouns import Filtered
from benchmark.proofreading.check import of_question
from benchmark.proofreading.nouns import Origin, Placed


def proofread(question: Question, documents: Mapping[str, Document]) -> Filtered:
    """Turned down for the first fault: numbers that the evidence does not have, too little evidence, marks of loss."""
    fault = next(of_question(Placed(question, Origin("the draft")), documents, question.language), None)
    return Filtered(True, "corpus check finds nothing") if fault is None else Filtered(False, fault.found)
