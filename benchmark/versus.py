"""Two sweeps, or two runs: their runs paired by label, what moved, and what differs. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmark.compare import OpenedRun, find_runs, is_knob, labels
from benchmark.config import load_corpus
from benchmark.domain import Corpus, Question, UserError
from benchmark.metrics import Direction, described
from benchmark.readings.changes import Stand, changes, unknown
from benchmark.readings.improvement import improvements
from benchmark.report.improvement import Versus
from benchmark.report.leaderboard import ANSWERS, RAGAS, RETRIEVAL, UNRANKED, at
from benchmark.statistics import Values, measured
from benchmark.storage.tracked_values import flat
from benchmark.text import some

KEYS = (*RAGAS, *RETRIEVAL, "answer/completeness", *ANSWERS, UNRANKED)
"""What the tables of one sweep show."""


def versus(a: str, b: str, results: Path, tell: Callable[[str], object]) -> Versus:
    """What ``b`` changed over ``a``; each is a sweep's name, a path, or ``latest``. ``tell``: as of ``find_runs``.

    Raises:
        UserError: there are no such runs, none of both belong together, or they sat different exams.
    """
    before, after = find_runs(a, results, tell), find_runs(b, results, tell)
    first, second = _labelled(before, after), _labelled(after, before)
    if len(before) == len(after) == 1:  # two runs are compared whatever they are
        first, second = ({label: run} for label, run in zip([_both(first, second)] * 2, (*before, *after), strict=True))
    common = [label for label in first if label in second]
    if not common:
        raise UserError(
            f"no run of {a} belongs to one of {b}.\n    found:  {', '.join(first)}; and {', '.join(second)}\n"
            "    to do:  sweep the same architectures and generators twice, or give the paths of two runs"
        )
    pairs = {label: (first[label], second[label]) for label in common}
    for one, other in pairs.values():
        _must_share_an_exam(one, other)
    stands = {label: (_stand(one), _stand(other)) for label, (one, other) in pairs.items()}
    return Versus(
        a,
        b,
        improvements(
            {label: _values(one, other) for label, (one, other) in pairs.items()},
            directions=_DIRECTIONS,
            seed=int(before[0].settings["seed"]),
        ),
        {label: changes(*stand) for label, stand in stands.items()},
        {label: unknown(*stand) for label, stand in stands.items()},
        only_a=tuple(label for label in first if label not in second),
        only_b=tuple(label for label in second if label not in first),
    )


_DIRECTIONS: Mapping[str, Direction] = {
    **{key: described(at(key, 1)).direction for key in KEYS},
    UNRANKED: "neither",  # fewer tokens are better only where nothing else is lost
}


def _labelled(runs: Sequence[OpenedRun], others: Sequence[OpenedRun]) -> dict[str, OpenedRun]:
    """Runs by label; with the corpus before it where a sweep has several."""
    corpora = max(len({run.names["corpus"] for run in sweep}) for sweep in (runs, others))
    named = labels(runs, beside=others)
    return {
        f"{run.names['corpus']}: {label}" if corpora > 1 else label: run for label, run in zip(named, runs, strict=True)
    }


def _both(first: Mapping[str, OpenedRun], second: Mapping[str, OpenedRun]) -> str:
    return " -> ".join(dict.fromkeys((*first, *second)))


def _values(before: OpenedRun, after: OpenedRun) -> dict[str, tuple[Values, Values]]:
    """By metric, each run read at its own k."""
    return {
        key: (measured(before.records, at(key, before.k)), measured(after.records, at(key, after.k))) for key in KEYS
    }


def _stand(run: OpenedRun) -> Stand:
    knobs = {name: value for name, value in flat(run.settings).items() if is_knob(name)}
    chosen = {group: name for group, name in run.names.items() if "/" not in group and is_knob(group)}
    environment = run.folder.environment() or {}
    earlier = environment.pop("earlier", [])
    times = [environment, *(earlier if isinstance(earlier, list) else [])]
    return Stand(run.corpus_digest, len(run.asked), {**knobs, **chosen}, [time for time in times if time])


# ------------------------------------------------------------------------------------------------------- the exam


def _must_share_an_exam(before: OpenedRun, after: OpenedRun) -> None:
    """The same questions with the same gold; the documents may be others.

    Raises:
        UserError: they sat different exams, or were asked no question together.
    """
    if before.corpus_digest != after.corpus_digest:
        exams = [_exam(load_corpus(dict(run.settings))) for run in (before, after)]
        differing = _differences(*exams)
        if differing:
            raise UserError(
                f"{before.folder.path} and {after.folder.path} sat different exams ({before.names['corpus']} and "
                f"{after.names['corpus']}): {'; '.join(differing)}.\n"
                "    wanted: the same questions with the same references and evidence; the documents may be others\n"
                "    to do:  run both on one exam, or look at each by itself: ragsweep compare RUNS"
            )
    if not set(before.asked) & set(after.asked):
        raise UserError(
            f"{before.folder.path} and {after.folder.path} were asked no question together.\n"
            "    to do:  repeat one of the two with the limit or the sample of the other; what is finished is kept"
        )


def _exam(corpus: Corpus) -> dict[str, Mapping[str, object]]:
    """What each question asks and wants, by its id; evidence by its words, as spans move with the documents."""
    texts = {document.id: document.text for document in corpus.documents}
    return {question.id: _wanted(question, texts) for question in corpus.questions}


def _wanted(question: Question, texts: Mapping[str, str]) -> Mapping[str, object]:
    spans = [(evidence.span, evidence.grade) for evidence in question.evidence]
    return {
        "wording": question.query.text,
        "reference": question.reference,
        "answerable": question.answerable,
        "evidence": sorted((texts[span.document_id][span.start : span.end], grade) for span, grade in spans),
    }


def _differences(before: Mapping[str, Mapping[str, object]], after: Mapping[str, Mapping[str, object]]) -> list[str]:
    """In words, the first ids of each difference."""
    said = [("only the first asks", [name for name in before if name not in after])]
    said += [("only the second asks", [name for name in after if name not in before])]
    for part in ("wording", "reference", "answerable", "evidence"):
        others = [name for name in before if name in after and before[name][part] != after[name][part]]
        said.append((f"another {part} in" if part != "answerable" else "answerable in one alone", others))
    return [f"{what} {some(names)}" for what, names in said if names]
