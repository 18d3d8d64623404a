"""The questions: twice the same, without support, beyond their evidence, of another's documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from benchmark.domain import Document, Evidence, Question, Span
from benchmark.proofreading.nouns import Fault, Kind, Placed
from benchmark.text import fold, is_abstention, quantities, stems

_ALIKE = 0.8


def twice(questions: Sequence[Placed[Question]]) -> Iterator[Fault]:
    """Questions that ask one tenant's documents the same as an earlier question, or nearly.

    Alike are questions whose content words overlap by 0.8 (Jaccard) with the same numbers and, so that a question and
    its denial differ, the same negations.
    """
    first: dict[tuple[str, str | None], Placed[Question]] = {}
    for placed in questions:
        key = (" ".join(fold(placed.part.query.text).split()), placed.part.query.tenant)
        if key in first:
            found = f"{placed.part.id!r} asks in the same words as {first[key].part.id!r} ({first[key].origin})"
            yield Fault(placed.origin, Kind.DUPLICATE_TEXT, found, "take one out, or ask for something else")
        else:
            first[key] = placed
    for earlier, later, share in _alike(list(first.values())):
        other = f"{earlier.part.id!r} ({earlier.origin})"
        found = f"{later.part.id!r} asks nearly what {other} asks: they share {share:.2f} of their words"
        yield Fault(later.origin, Kind.NEAR_DUPLICATE, found, "take one out, or ask for something else")


def _alike(questions: Sequence[Placed[Question]]) -> Iterator[tuple[Placed[Question], Placed[Question], float]]:
    """Pairs of near duplicates. Only pairs that share a rare word are compared: others cannot reach the threshold."""
    contents = [frozenset(stems(placed.part.query.text, placed.part.language)) for placed in questions]
    used = Counter(word for content in contents for word in content)
    holders: dict[str, list[int]] = {}
    for place, content in enumerate(contents):
        rarest_first = sorted(content, key=lambda word: (used[word], word))
        telling = rarest_first[: len(content) - int(_ALIKE * len(content) + 0.999) + 1]
        for other in sorted({earlier for word in telling for earlier in holders.get(word, ())}):
            share = len(content & contents[other]) / len(content | contents[other])
            a, b = questions[other], questions[place]
            if share >= _ALIKE and a.part.query.tenant == b.part.query.tenant and _figures(a) == _figures(b):
                yield a, b, share
        for word in telling:
            holders.setdefault(word, []).append(place)


def _figures(placed: Placed[Question]) -> tuple[list[str], int]:
    """A question's numbers and how often it negates."""
    text = fold(placed.part.query.text)
    return sorted(re.findall(r"\d+(?:[.,]\d+)*", text)), len(
        re.findall(r"\b(?:no|not|never|sin|without|nunca)\b", text)
    )


def supported(placed: Placed[Question], documents: Mapping[str, Document]) -> Iterator[Fault]:
    """Enough evidence for an answer; an abstention where there is none."""
    question, origin = placed.part, placed.origin
    if question.answerable:
        grades = [evidence.grade for evidence in question.evidence]
        # Evidence that is whole documents is a search benchmark's (qrels): its grades say relevant, not supporting.
        passages = [item for item in question.evidence if not _is_whole(item, documents)]
        if not grades or (passages and max(grades) < 3 and grades.count(2) < 2):
            found = f"{question.id!r} is answerable and has evidence of the grades {grades or 'none'}"
            cure = "quote a passage that holds the answer (grade 3), or two that hold parts of it (grade 2)"
            yield Fault(origin, Kind.UNSUPPORTED, found, cure)
    elif question.reference is not None and not is_abstention(question.reference):
        found = (
            f"{question.id!r} has no answer in the corpus, and its reference does not say so: {question.reference!r}"
        )
        cure = 'write it as an abstention, such as "Los documentos no indican ..." or "The documents do not state ..."'
        yield Fault(origin, Kind.NO_ABSTENTION, found, cure)
    yield from _tenants(placed, documents)


def _is_whole(evidence: Evidence, documents: Mapping[str, Document]) -> bool:
    return evidence.span.end - evidence.span.start == len(documents[evidence.span.document_id].text)


def _tenants(placed: Placed[Question], documents: Mapping[str, Document]) -> Iterator[Fault]:
    question = placed.part
    for name in sorted({evidence.span.document_id for evidence in question.evidence}):
        if documents[name].tenant not in (None, question.query.tenant):
            asked, owner = question.query.tenant or "no tenant", documents[name].tenant
            found = f"{question.id!r} is asked for {asked}, and its evidence is in {name!r} of {owner}"
            yield Fault(placed.origin, Kind.TENANT, found, "correct the tenant, or take evidence that it may read")


def figures(placed: Placed[Question], documents: Mapping[str, Document], language: str) -> Iterator[Fault]:
    """Numbers and units of an answer that its evidence does not have; ``language`` is that of the documents.

    The units of a translated answer are other words than those of the evidence: only its numbers are compared.
    """
    question = placed.part
    if not question.answerable or question.reference is None or not question.evidence:
        return
    quoted = " ".join(quote(evidence.span, documents) for evidence in question.evidence)
    there: dict[float, set[str]] = {}
    for quantity in quantities(quoted, language):
        there.setdefault(quantity.value, set()).add(quantity.unit)
    for said in dict.fromkeys(quantities(question.reference, question.language)):
        units = there.get(said.value, set())
        named = "" in units and said.unit in fold(quoted)  # a range or a table's row, whose unit stands apart
        if not units:
            found = f"the reference of {question.id!r} says {said.value:g} {said.unit}".rstrip()
            cure = "correct the number, or quote the passage that says it"
            yield Fault(placed.origin, Kind.NUMBER_UNSUPPORTED, f"{found}, which none of its evidence says", cure)
        elif said.unit and said.unit not in units and not named and question.language == language:
            shown = ", ".join(sorted(f"{said.value:g} {unit or '(no unit)'}" for unit in units))
            found = f"the reference of {question.id!r} says {said.value:g} {said.unit}, its evidence {shown}"
            cure = "correct the unit, or quote the passage that says it"
            yield Fault(placed.origin, Kind.UNIT_UNSUPPORTED, found, cure)


def quote(span: Span, documents: Mapping[str, Document]) -> str:
    """The words of a span."""
    return documents[span.document_id].text[span.start : span.end]
