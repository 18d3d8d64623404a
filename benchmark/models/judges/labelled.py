"""What a judge rules on cases that people have labelled."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from benchmark.domain import Judge, UserError, Verdict
from benchmark.models.judges import Remote
from benchmark.models.judges.panel import Panel
from benchmark.readings.people import Case, Labelled, Ruled
from benchmark.turns import as_finished


def rule_on(judge: Judge, cases: Sequence[Labelled]) -> Generator[tuple[int, Ruled], None, None]:
    """The ruling on each case that has a label, with its place among ``cases``, as they come.

    Raises:
        UserError: no case can be judged before the user mends something, such as a key that is refused.
    """
    at_once = judge.in_flight if isinstance(judge, Remote) else 1
    places = [place for place, one in enumerate(cases) if one.label is not None]

    def rule(place: int) -> tuple[int, Ruled]:
        return place, _ruled(judge, cases[place].case, bool(cases[place].label))

    yield from as_finished(places, rule, at_once=at_once)


def _ruled(judge: Judge, case: Case, label: bool) -> Ruled:
    try:
        statements = tuple(judge.statements(case.question, case.answer)) if case.claim is None else (case.claim,)
        verdicts = judge.supported(statements, case.context) if statements else ()
        if len(verdicts) != len(statements):
            raise ValueError(f"the judge gave {len(verdicts)} verdicts on {len(statements)} statements")
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001  # a judge is a plug-in: one case must not lose the others
        return Ruled(case, label, None, None, str(error) or type(error).__name__)
    if not statements:
        return Ruled(case, label, None, None, "the judge finds no statement in the answer")
    support = sum(_support(judge, verdict) for verdict in verdicts) / len(verdicts)
    reasons = "; ".join(dict.fromkeys(f"{'yes' if one.holds else 'no'}: {one.reason}" for one in verdicts))
    return Ruled(case, label, all(one.holds for one in verdicts), support, reasons)


def _support(judge: Judge, verdict: Verdict) -> float:
    """How sure the judge is that the claim is supported; 0 or 1 for one that does not say how sure it is."""
    if verdict.confidence is None:
        return float(verdict.holds)
    if isinstance(judge, Panel) and not verdict.holds:  # a panel's confidence is in its ruling, whichever that is
        return 1 - verdict.confidence
    return verdict.confidence
