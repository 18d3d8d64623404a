"""The answer of a whole comparison in one sentence: who is never beaten, and what that rests on."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.report.account import Account
from benchmark.report.leaderboard import label_of
from benchmark.report.phrases import Phrases

NAMED = 4
"""Of more runs that are beaten the sentence says how many they are; the table has their names."""


def unbeaten(account: Account) -> tuple[str, ...]:
    """The runs that are best or tied with the best on every metric that has a best."""
    competing = [run.name for run in account.runs if run.row.competes]
    return tuple(
        name for name in competing if all(name == best or name in tied for best, tied in account.board.best.values())
    )


def answer(account: Account, say: Phrases) -> str:
    """One sentence that claims no more than the tests allow."""
    board, competing = account.board, [run.name for run in account.runs if run.row.competes]
    ranked = [board.statistics[key].resolution for key in board.best]
    if len(competing) < 2 or not ranked:
        return say("answer.alone" if len(account.runs) == 1 else "answer.no_rivals")
    questions, metrics = max(one.questions for one in ranked), len(ranked)
    names = ", ".join(say.said(label_of(key)) for key in board.best)
    if not any(one.can_rank for one in ranked):
        needed = max((one.needed or 0 for one in ranked), default=0)
        key = "answer.cannot_rank" if needed else "answer.cannot_rank.no_spread"
        return say(
            key, questions=questions, runs=len(competing), needed=needed, difference=f"{ranked[0].difference:.2f}"
        )
    best = unbeaten(account)
    beaten = [name for name in competing if name not in best]
    if not best:
        leads = [f"{name} ({say.said(label_of(key))})" for key, (name, _) in board.best.items()]
        return say("answer.none", metrics=metrics, names=names, leaders=listed(leads, say))
    if not beaten:
        return say("answer.all", metrics=metrics, names=names, questions=questions, runs=len(competing))
    key, many = ("answer.one", "answer.in_all") if len(best) == 1 else ("answer.some", "answer.others")
    named = listed(beaten, say) if len(beaten) <= NAMED else say(many, n=len(beaten))
    return say(
        key,
        best=listed(best, say),
        beaten=named,
        metrics=metrics,
        names=names,
        questions=questions,
        n=len(best),
    )


def listed(names: Sequence[str], say: Phrases) -> str:
    """
    >>> from benchmark.report.phrases import phrases
    >>> listed(["bm25", "dense", "hybrid"], phrases("en")), listed(["bm25"], phrases("es"))
    ('bm25, dense and hybrid', 'bm25')
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {say('and')} {names[-1]}"
