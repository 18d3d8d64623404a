"""An exam drafted over a corpus: written, checked by every filter, and graded over a pool, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from benchmark.authoring.authors import Author, UnusableError, Written, prompt_digest
from benchmark.authoring.examinee import Examinee
from benchmark.authoring.graders import Grader
from benchmark.authoring.passages import Assignment
from benchmark.authoring.pool import Pool
from benchmark.authoring.quotes import verbatim
from benchmark.digest import digest
from benchmark.domain import Chunk, Document, Evidence, NearMiss, Query, Question, UserError
from benchmark.drafting.duplicates import duplicates
from benchmark.drafting.nouns import SYNTHETIC, Draft, Filtered, Made
from benchmark.drafting.proofread import proofread
from benchmark.drafting.wording import wording
from benchmark.text import abstention, is_abstention
from benchmark.turns import as_finished

Item = TypeVar("Item")
Ask = Callable[[Draft], Filtered | None]
"""What a filter says of a draft; ``None`` where it has nothing to say of such a question."""


@dataclass(slots=True)
class Outcome:
    """``unusable``: replies that became no draft, by the reason; ``failed``: drafts that a call broke, and why."""

    drafts: list[Draft] = field(default_factory=list)
    unusable: dict[str, int] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Desk:
    """All that drafting needs. ``today``: ISO 8601. ``at_once``: how many drafts are in work at a time.

    ``thrifty``: what one filter has turned down is not asked about any further. A dry run is not, since its made-up
    replies pass nothing: it counts the most that may be asked.
    """

    author: Author
    examinee: Examinee
    grader: Grader
    pool: Pool
    documents: Mapping[str, Document]
    existing: Sequence[Question]
    language: str
    today: str
    at_once: int = 1
    thrifty: bool = True

    @property
    def filters(self) -> dict[str, Ask]:
        """Those that look at one draft by itself, in the order in which they are asked: what asks nobody first."""
        return {
            "wording": self._wording,
            "proofread": lambda draft: proofread(draft.question, self.documents),
            "supported": self._supported,
            "needs_all": self._needs_all,
            "passage_alone": self._passage_alone,
            "closed_book": self._closed_book,
            "unanswered": self._unanswered,
        }

    @property
    def stages(self) -> int:
        """How often each draft is looked at: written, asked about by every filter, graded."""
        return 2 + len(self.filters)

    def drafted(self, planned: Sequence[Assignment], step: Callable[[], None]) -> Outcome:
        """The drafts in the order in which they were planned; ``step`` is called for each at every stage.

        All drafts go through one stage before the next: a local model reads a prompt's examples once for all of them.

        Raises:
            UserError: no call can succeed before the user changes something, or the budget is spent.
        """
        outcome = Outcome()
        drafts = self._each(planned, self._written, outcome, step)
        for name, ask in self.filters.items():
            drafts = self._each(drafts, partial(self._asked, name=name, ask=ask), outcome, step)
        drafts = self._unlike(drafts)
        outcome.drafts = self._each(drafts, self._graded, outcome, step)
        return outcome

    def _each(
        self, items: Sequence[Item], work: Callable[[Item], Draft], outcome: Outcome, step: Callable[[], None]
    ) -> list[Draft]:
        """The drafts that come of the items, in the items' order; what came of the others is noted."""

        def one(place: int) -> tuple[int, Draft | Exception]:
            try:
                return place, work(items[place])
            except UserError:
                raise
            except Exception as error:  # noqa: BLE001  # whatever breaks in one draft must not lose the others
                return place, error

        found: dict[int, Draft] = {}
        with closing(as_finished(range(len(items)), one, at_once=self.at_once)) as ended:
            for place, came in ended:
                step()
                if isinstance(came, Draft):
                    found[place] = came
                elif isinstance(came, UnusableError):
                    outcome.unusable[str(came)] = outcome.unusable.get(str(came), 0) + 1
                else:
                    outcome.failed.append(str(came) or type(came).__name__)
        return [found[place] for place in sorted(found)]

    # -------------------------------------------------------------------------------------------------- the writing

    def _written(self, assignment: Assignment) -> Draft:
        kind, passages = assignment.kind, [assignment.passage]
        if kind.passages > 1:
            second = self.pool.beside(assignment.passage)
            if second is None:
                raise UnusableError("there is no second passage to draft from")
            passages.append(second)
        written = self.author.write(kind, passages)
        if kind.answerable and is_abstention(written.told):
            raise UnusableError("the model says that the passage answers nothing")
        question, filters = self._question(assignment, written, passages)
        made = Made(
            self.author.name, self.author.task(kind), prompt_digest(self.author, kind, self.language), self.today
        )
        return Draft(question, made, filters, (), tuple(passage.span for passage in passages))

    def _question(
        self, assignment: Assignment, written: Written, passages: Sequence[Chunk]
    ) -> tuple[Question, dict[str, Filtered]]:
        """The question, and for an answerable one whether its quotes were found."""
        kind, first = assignment.kind, assignment.passage
        spans = [[passage.span.document_id, passage.span.start, passage.span.end] for passage in passages]
        query = Query(f"{kind.name}-{digest(spans, written.question)[:8]}", written.question, first.tenant)
        tags = (kind.name, SYNTHETIC)
        if not kind.answerable:
            nearest = NearMiss(first.span, written.told)
            told = abstention(self.language)
            return Question(query, told, answerable=False, language=self.language, tags=tags, nearest=nearest), {}
        quoted, filtered = verbatim(written.quotes, passages)
        grade = 3 if len(passages) == 1 else 2
        evidence = tuple(Evidence(span, grade) for span in dict.fromkeys(quoted))
        return Question(query, written.told, True, evidence, self.language, tags), {"verbatim": filtered}

    # -------------------------------------------------------------------------------------------------- the filters

    def _asked(self, draft: Draft, name: str, ask: Ask) -> Draft:
        filtered = None if self._is_settled(draft) else ask(draft)
        return draft if filtered is None else replace(draft, filters={**draft.filters, name: filtered})

    def _is_settled(self, draft: Draft) -> bool:
        return self.thrifty and bool(draft.turned_down)

    def _wording(self, draft: Draft) -> Filtered:
        return wording(draft.question.query.text, "\n\n".join(passage.text for passage in self._passages(draft)))

    def _supported(self, draft: Draft) -> Filtered | None:
        return self.examinee.supported(draft.question, self._quotes(draft)) if draft.question.answerable else None

    def _needs_all(self, draft: Draft) -> Filtered | None:
        return self.examinee.needs_all(draft.question, self._quotes(draft)) if len(draft.passages) > 1 else None

    def _passage_alone(self, draft: Draft) -> Filtered | None:
        question = draft.question
        return self.examinee.passage_alone(question, self._passages(draft)) if question.answerable else None

    def _closed_book(self, draft: Draft) -> Filtered | None:
        return self.examinee.closed_book(draft.question) if draft.question.answerable else None

    def _unanswered(self, draft: Draft) -> Filtered | None:
        question = draft.question
        return None if question.answerable else self.examinee.unanswered(question, self.pool.search(question.query))

    def _quotes(self, draft: Draft) -> list[str]:
        """What it quotes; its passages where no quote was found, so that a dry run counts what is asked of quotes."""
        spans = [evidence.span for evidence in draft.question.evidence] or draft.passages
        return [self.documents[span.document_id].text[span.start : span.end] for span in spans]

    def _passages(self, draft: Draft) -> list[Chunk]:
        """What it was drafted from."""
        found = []
        for span in draft.passages:
            document = self.documents[span.document_id]
            text = document.text[span.start : span.end]
            found.append(Chunk(f"{span.document_id}:{span.start}-{span.end}", span, text, document.tenant))
        return found

    def _unlike(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Those that stand, compared with the exam that is there and with those before them."""
        standing = [draft for draft in drafts if not self._is_settled(draft)]
        found = duplicates([draft.question for draft in standing], self.existing)
        compared = {draft.id: filtered for draft, filtered in zip(standing, found, strict=True)}
        return [self._asked(draft, "duplicate", lambda draft: compared.get(draft.id)) for draft in drafts]

    # -------------------------------------------------------------------------------------------------- the grades

    def _graded(self, draft: Draft) -> Draft:
        """The same with the pool's grades; an unanswerable question that a passage answers is turned down."""
        if self._is_settled(draft):
            return draft
        relevance = self.grader.grades(draft.question, self.pool.search(draft.question.query))
        graded = replace(draft, relevance=relevance)
        answering = next((one for one in relevance if one.grade >= 2), None)
        if draft.question.answerable or answering is None:
            return graded
        found = f"the judge finds an answer in {answering.span.document_id!r}: {answering.why}"
        return replace(graded, filters={**draft.filters, "unanswered": Filtered(False, found)})
