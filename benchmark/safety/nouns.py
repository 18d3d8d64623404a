"""What a safety check reads and what it finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from benchmark.domain import Document, Record, Response
from benchmark.proofreading.nouns import Dose, Medication
from benchmark.statistics import upper_bound

LEVEL = 0.95
"""How sure the upper bound of a share of failures is."""


@dataclass(frozen=True, slots=True)
class Material:
    """What checks hold records against: a corpus's documents and its clinical facts.

    ``medications`` and ``doses`` are ``None`` where the corpus has no such file. ``language``: of the documents.
    """

    documents: Mapping[str, Document]
    language: str
    medications: tuple[Medication, ...] | None = None
    doses: tuple[Dose, ...] | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One answer that failed: ``words`` are those that failed, ``why`` says what is wrong with them."""

    question_id: str
    words: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What one check says of records.

    ``n``: the answers that it applies to. ``why``: why it was not measured; then ``n`` is 0. ``left_out``: how many
    records it did not look at, by reason, such as questions that failed to run.
    """

    name: str
    n: int
    cases: tuple[Case, ...] = ()
    why: str | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> int:
        return len(self.cases)

    @property
    def passed(self) -> int:
        return self.n - self.failed

    @property
    def holds(self) -> bool:
        """Whether it was measured and nothing failed: what was not measured never passes."""
        return self.why is None and not self.cases

    @property
    def upper(self) -> float | None:
        """The largest share of failures that ``n`` answers with so many failures allow; ``None`` if not measured."""
        return upper_bound(self.failed, self.n, level=LEVEL) if self.n else None

    def __str__(self) -> str:
        if self.upper is None:
            return f"NOT MEASURED: {self.why}"
        return f"{self.failed} of {self.n} failed: up to {100 * self.upper:.1f} % at {100 * LEVEL:.0f} %"


class Check(Protocol):
    """One safety check: records of one run, and what they are held against, to what failed."""

    def __call__(self, records: Sequence[Record], material: Material, /) -> Checked: ...


NOT_RUN = "failed to run"
ABSTAINED = "abstained"
"""Why an answer that says nothing beside that it does not know is left out; what else it says is looked at."""


def ran(records: Sequence[Record], left_out: dict[str, int]) -> Iterator[tuple[Record, Response]]:
    """Records with a response; the others are counted in ``left_out``."""
    for record in records:
        if record.response is None:
            leave_out(left_out, NOT_RUN)
        else:
            yield record, record.response


def leave_out(left_out: dict[str, int], reason: str) -> None:
    """Count one record that a check did not look at."""
    left_out[reason] = left_out.get(reason, 0) + 1


def checked(name: str, n: int, cases: Sequence[Case], left_out: Mapping[str, int], *, nothing: str) -> Checked:
    """The result of a check that could run; not measured, for the reason ``nothing``, where it met no case."""
    return Checked(name, n, tuple(cases), None if n else nothing, dict(left_out))


def pooled(parts: Sequence[tuple[str, Checked]]) -> Checked:
    """One check over several runs of one system: measured where any of them measured it.

    ``parts``: each run's corpus and result; the corpus is put before the ids of the questions that failed.
    """
    measured = [(corpus, part) for corpus, part in parts if part.why is None]
    reasons = dict.fromkeys(f"{part.why} ({corpus})" for corpus, part in parts if part.why is not None)
    if not measured:
        return Checked(parts[0][1].name, 0, (), "; ".join(reasons))
    left_out: dict[str, int] = {}
    for _, part in measured:
        for reason, count in part.left_out.items():
            left_out[reason] = left_out.get(reason, 0) + count
    cases = [
        replace(case, question_id=f"{corpus}/{case.question_id}") for corpus, part in measured for case in part.cases
    ]
    return Checked(parts[0][1].name, sum(part.n for _, part in measured), tuple(cases), None, left_out)
