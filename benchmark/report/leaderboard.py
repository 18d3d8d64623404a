"""One table of runs by metrics, with what was not measured and which differences are more than noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from math import fsum
from statistics import fmean

from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmark.domain import Record, Role
from benchmark.metrics import described
from benchmark.statistics import ALPHA, MetricStatistics, Settings, mean, measured, summarise

RAGAS = ("ragas/faithfulness", "ragas/answer_relevancy", "ragas/context_precision", "ragas/context_recall")
RETRIEVAL = ("retrieval/recall_k", "retrieval/ndcg_k")
ANSWERS = (
    "answer/refused_wrongly",
    "answer/answered_wrongly",
    "ragas/answer_relevancy_answered",
    "answer/grounded",
    "answer/hallucinated",
)
"""What the second table says of the answers, each mean with its own n."""
UNRANKED = "cost/context_tokens"
NOT_MEASURED = "–"


@dataclass(frozen=True, slots=True)
class Row:
    """One run: its name in the table, its records, and what it cost."""

    name: str
    records: tuple[Record, ...]
    _: KW_ONLY
    asked: int
    """How many questions the exam has for all runs of the table; one without a record is not finished."""
    seconds: float
    """Of indexing and of all questions, kept results at what they took when they were made."""
    role: Role
    k: int
    relevancy_auc: float | None = None
    relevancy_is_reliable: bool = True

    @property
    def yardstick(self) -> bool:
        """Whether it is a bound to read the others against."""
        return self.role != "rival"

    @property
    def competes(self) -> bool:
        """Whether it may be the best: no yardstick, and every question was asked."""
        return not self.yardstick and len(self.records) == self.asked

    @property
    def failures(self) -> int:
        return sum(record.failure is not None for record in self.records)

    def values(self, key: str) -> dict[str, float]:
        """Measured values by question id; a key that ends in ``_k`` is read at the run's own k."""
        return measured(self.records, self.own(key))

    def own(self, key: str) -> str:
        return at(key, self.k)

    def mean(self, key: str) -> float | None:
        return mean(self.values(key).values())

    def abstaining(self) -> float | None:
        """Share of the answers that abstain, whether or not the question can be answered."""
        return mean([float(record.response.abstained) for record in self.records if record.response is not None])

    def not_measured(self) -> str:
        """How many questions lack each RAGAS metric, in their order; one number where all lack as many."""
        missing = [len(self.records) - len(self.values(key)) for key in RAGAS]
        return str(missing[0]) if len(set(missing)) == 1 else "/".join(map(str, missing))


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Rows by columns (metric keys), with the statistics of these and of the second table's ``ANSWERS``."""

    rows: tuple[Row, ...]
    keys: tuple[str, ...]
    statistics: Mapping[str, MetricStatistics]

    @classmethod
    def of(cls, rows: Sequence[Row], *, seed: int) -> Leaderboard:
        """Yardsticks stand in the table and compete for nothing; ``seed`` draws the patterns and the resamples."""
        keys = (*RAGAS, *RETRIEVAL, "answer/completeness", UNRANKED)
        runs = {row.name: row.records for row in rows}
        # Each run is read at its own k; the 1 that statistics know the metric by names its direction and scale.
        found = summarise(
            runs,
            keys={at(key, 1): {row.name: row.own(key) for row in rows} for key in (*keys, *ANSWERS)},
            competing=frozenset(row.name for row in rows if row.competes),
            settings=Settings(seed=seed),
        )
        return cls(tuple(rows), keys, {key: found[at(key, 1)] for key in (*keys, *ANSWERS)})

    @property
    def best(self) -> Mapping[str, tuple[str, frozenset[str]]]:
        """For each column that has a best run that run, and those that cannot be told apart from it."""
        ranked = {key: self.statistics[key] for key in self.keys if key != UNRANKED}
        return {key: (found.best, found.tied) for key, found in ranked.items() if found.best is not None}

    @property
    def qualities(self) -> tuple[str, ...]:
        """The columns that any run has measured and that are no costs."""
        found = {key: self.statistics[key].estimates.values() for key in self.keys if not key.startswith("cost/")}
        return tuple(key for key, estimates in found.items() if any(one.mean is not None for one in estimates))

    @property
    def headline(self) -> str | None:
        """The quality that pictures of one quality show: completeness, else what was found of the evidence."""
        first = ("answer/completeness", "retrieval/ndcg_k", *self.qualities)
        return next((key for key in first if key in self.qualities), None)

    def has_best(self, key: str) -> bool:
        """Whether a run of that column may be marked as best: several compete, and their means are not all the same."""
        return key in self.best and not self.statistics[key].is_level

    def mark(self, key: str, name: str) -> str:
        """``*`` for the best run, ``=`` for one that cannot be told apart from it."""
        if not self.has_best(key):
            return ""
        best, tied = self.best[key]
        return "*" if name == best else "=" if name in tied else ""

    def cell(self, row: Row, key: str) -> str:
        value = row.mean(key)
        if value is None:
            return NOT_MEASURED
        doubt = "?" if key == "ragas/answer_relevancy" and not row.relevancy_is_reliable else ""
        figure = f"{value:.0f}" if key == "cost/context_tokens" else f"{value:.2f}"
        return f"{figure}{doubt}{self.mark(key, row.name)}"

    def heads(self) -> tuple[str, ...]:
        return (
            "architecture",
            *(_HEADS.get(key, key) for key in self.keys),
            *_LAST,
        )

    def cells(self, row: Row) -> tuple[str, ...]:
        scores = tuple(self.cell(row, key) for key in self.keys)
        questions = str(len(row.records)) + (f" of {row.asked}" if len(row.records) < row.asked else "")
        return (self._name(row), *scores, questions, row.not_measured(), str(row.failures), f"{row.seconds:.1f}")

    def answer_heads(self) -> tuple[str, ...]:
        return "architecture", "abstains", *(_ANSWER_HEADS[key] for key in ANSWERS), "relevancy\nAUC"

    def answer_cells(self, row: Row) -> tuple[str, ...]:
        means = ((row.mean(key), len(row.values(key))) for key in ANSWERS)
        return (
            self._name(row),
            _with_n(row.abstaining(), len(row.records) - row.failures),
            *(_with_n(value, n) for value, n in means),
            NOT_MEASURED if row.relevancy_auc is None else f"{row.relevancy_auc:.2f}",
        )

    @staticmethod
    def _name(row: Row) -> str:
        return f"({row.name})" if row.yardstick else row.name

    def plain_rows(self) -> list[dict[str, object]]:
        """Means as numbers, for CSV, MLflow and programs: each with its n, its interval's ends, tier and ranks."""
        return [
            {
                "run": row.name,
                "yardstick": row.yardstick,
                "role": row.role,
                "k": row.k,
                **self._plain(row.name, self.keys),
                "answers/abstaining": row.abstaining(),
                **self._plain(row.name, ANSWERS),
                "relevancy AUC": row.relevancy_auc,
                "questions": len(row.records),
                "asked": row.asked,
                "failed": row.failures,
                "seconds": row.seconds,
            }
            for row in self.rows
        ]

    def _plain(self, name: str, keys: Sequence[str]) -> dict[str, object]:
        """``coverage``: how often intervals of so many scores held the true mean in simulation, where they are few."""
        plain: dict[str, object] = {}
        for key in keys:
            found, standing = self.statistics[key].estimates[name], self.statistics[key].standings.get(name)
            bound = self.statistics[key].bounds.get(name)
            plain |= {
                key: found.mean,
                f"n {key}": found.n,
                f"low {key}": found.low,
                f"high {key}": found.high,
                f"interval {key}": str(found.how),
                f"coverage {key}": found.coverage,
                f"missing {key}": found.missing,
                f"if missing 0 {key}": bound and bound.low,
                f"if missing 1 {key}": bound and bound.high,
                f"tier {key}": standing and standing.tier,
                f"highest rank {key}": standing and standing.highest_rank,
                f"lowest rank {key}": standing and standing.lowest_rank,
            }
        return plain


_HEADS = {
    "ragas/faithfulness": "faith-\nfulness",
    "ragas/answer_relevancy": "answer\nrelevancy",
    "ragas/context_precision": "context\nprecision",
    "ragas/context_recall": "context\nrecall",
    "retrieval/recall_k": "evidence\nrecall",
    "retrieval/ndcg_k": "evidence\nnDCG",
    "answer/completeness": "complete-\nness",
    "cost/context_tokens": "context\ntokens",
}
_ANSWER_HEADS = {
    "answer/refused_wrongly": "refused\nwrongly",
    "answer/answered_wrongly": "answered\nwrongly",
    "ragas/answer_relevancy_answered": "relevancy\nif answered",
    "answer/grounded": "grounded",
    "answer/hallucinated": "hallu-\ncinated",
}
_LABELS = {"retrieval/recall_k": "Evidence recall at k", "retrieval/ndcg_k": "Evidence nDCG at k"}
_LAST = ("n", "not\nmeasured", "failed", "seconds")


def label_of(key: str) -> str:
    """What tables and sentences call a metric; a key that ends in ``_k`` is read at each run's own k.

    >>> label_of("retrieval/ndcg_k"), label_of("documents/recall_k"), label_of("documents/recall_5")
    ('Evidence nDCG at k', 'Document Recall@k', 'Document Recall@5')
    """
    if key.endswith("_k"):
        return _LABELS.get(key) or described(at(key, 1)).label.removesuffix("1") + "k"
    return described(key).label


def at(key: str, k: int) -> str:
    """A key that ends in ``_k`` at that cut-off; others as they are."""
    return f"{key.removesuffix('_k')}_{k}" if key.endswith("_k") else key


def _with_n(value: float | None, n: int) -> str:
    return NOT_MEASURED if value is None else f"{value:.2f} ({n})"


def _flat(head: str) -> str:
    return head.replace("-\n", "").replace("\n", " ")


def as_tables(board: Leaderboard) -> tuple[Table, Table]:
    """For a terminal: the scores, and the answers behind them."""
    return (
        _terminal(board, board.heads(), board.cells),
        _terminal(board, board.answer_heads(), board.answer_cells),
    )


def _terminal(board: Leaderboard, heads: Sequence[str], cells: Callable[[Row], Sequence[str]]) -> Table:
    table = Table(header_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for number, head in enumerate(heads):
        table.add_column(head, justify="left" if number == 0 else "right", no_wrap=number > 0)
    for row in board.rows:
        table.add_row(*cells(row), style=None if row.competes else "dim")
    return table


def as_markdown(board: Leaderboard) -> str:
    """For a README or a write-up: both tables, with the notes below."""
    tables = (
        _markdown(board, board.heads(), board.cells),
        _markdown(board, board.answer_heads(), board.answer_cells),
    )
    return "\n".join([*tables, *(f"- {note}" for note in notes(board))]) + "\n"


def _markdown(board: Leaderboard, heads: Sequence[str], cells: Callable[[Row], Sequence[str]]) -> str:
    lines = [f"| {' | '.join(map(_flat, heads))} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    lines += [f"| {' | '.join(cells(row))} |" for row in board.rows]
    return "\n".join([*lines, ""])


def notes(board: Leaderboard) -> list[str]:
    """How to read the table, and what it says of the best."""
    found = [
        f"{NOT_MEASURED}: not measured. The column “not measured” counts questions without faithfulness, answer "
        "relevancy, context precision and context recall (one number where all are equal): mostly questions that the "
        "corpus does not answer, and answers that state nothing.",
        "(n) behind a share: the answers that it is taken over. Grounded: every statement supported; hallucinated: at "
        "least one not; both over answers that state something. Refused and answered wrongly: of the questions that "
        "the corpus answers, and of those that it does not.",
    ]
    if any(row.yardstick for row in board.rows):
        found.append("(In brackets): bounds to read the others against, never the best.")
    if any(board.has_best(key) for key in board.best):
        found.append(
            "*: the best mean; =: cannot be told apart from it (paired sign-flip test on the questions that both have, "
            f"Holm over all pairs, alpha {ALPHA})."
        )
    if any(board.statistics[key].resolution.sentence for key in board.best):
        found.append(
            "Cannot rank: after Holm not even the clearest difference could pass alpha. The questions needed show the "
            "difference in four of five exams, at the spread of differences seen here."
        )
    if any(not row.relevancy_is_reliable for row in board.rows):
        found.append("?: answer relevancy is unreliable here: its scale hardly tells one answer from another.")
    spent = [told for row in board.rows if (told := _spent(row)) is not None]
    if spent:
        found.append(f"Money, at the price of each call's making: {'; '.join(spent)}.")
    return found


def _spent(row: Row) -> str | None:
    """What a run cost in all, its judge apart; ``None`` where no model with a price was asked."""
    judged = any(record.rulings.cost is not None for record in row.records)
    if not judged and not any(row.values("cost/money").values()):
        return None
    judge = f", judge {_total(row, 'cost/judge_money')}" if judged else ""
    return f"{row.name} answers {_total(row, 'cost/money')}{judge}"


def _total(row: Row, key: str) -> str:
    known = row.values(key)
    unknown = sum(record.response is not None for record in row.records) - len(known)
    if not known:
        return "unknown"
    told = f"{fsum(known.values()):.4f} ({fmean(known.values()):.4f} a question)"
    return told + (f" and unknown of {unknown}" if unknown else "")


def verdict(board: Leaderboard, band: Callable[[str, float | None], str | None]) -> list[str]:
    """What may be said: per metric the best run, and which cannot be told apart from it.

    ``band`` gives the word for a metric's mean, where it has one.
    """
    said = []
    for key, (best, tied) in board.best.items():
        row = next(row for row in board.rows if row.name == best)
        others = sum(other.competes and bool(other.values(key)) for other in board.rows) - 1
        label, word = label_of(key), band(key, row.mean(key))
        value = f"{row.mean(key):.2f}" + (f", {word}" if word else "")
        limits = board.statistics[key].resolution.sentence
        if board.statistics[key].is_level:
            said.append(f"{label}: no difference: every run has the same mean ({value}).")
        elif limits is not None:
            told, pairs = board.statistics[key].told_apart, len(board.statistics[key].pairs)
            counted = f"{told} of {pairs} pair{'s are' if pairs != 1 else ' is'} told apart"
            said.append(f"{label}: {best} has the best mean ({value}), but this {limits}. {counted}.")
        elif len(tied) == others:
            said.append(f"{label}: {best} has the best mean ({value}), but no run can be told apart from it.")
        elif tied:
            said.append(f"{label}: {best} is best ({value}), not told apart from {', '.join(sorted(tied))}.")
        else:
            said.append(f"{label}: {best} is best ({value}), ahead of all others beyond noise.")
    return said
