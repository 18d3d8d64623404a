"""The patterns and the lost questions of runs, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmark.diagnosis import Caution, Finding
from benchmark.domain import Cause, Record
from benchmark.report.lost import named
from benchmark.rootcause import LOST, REMEDIES

_SHOWN = 4


def as_lines(findings: Mapping[str, Sequence[Finding]]) -> list[str]:
    """Each pattern once, with the runs that show it and the questions where; runs by their name in the table."""
    shown: dict[str, list[tuple[str, Finding]]] = {}
    for name, found in findings.items():
        for finding in found:
            shown.setdefault(finding.name, []).append((name, finding))
    lines = []
    for pattern, runs in shown.items():
        first = runs[0][1]
        lines += [f"{pattern.replace('_', ' ').capitalize()}. {first.problem} {first.remedy}"]
        lines += [f"    {name}: {finding.symptom}; {_questions(finding)}" for name, finding in runs]
    return lines


def _questions(finding: Finding) -> str:
    if not finding.questions:
        return "in the means, not in single questions"
    rest = len(finding.questions) - _SHOWN
    return f"see {', '.join(finding.questions[:_SHOWN])}" + (f" and {rest} more" if rest > 0 else "")


def cause_counts(records: Sequence[Record]) -> Mapping[Cause, int]:
    """How many questions were lost where (or were not), most frequent first."""
    return dict(Counter(record.cause for record in records).most_common())


def causes_line(name: str, records: Sequence[Record]) -> str:
    return f"{name}: {counted_causes(records)}"


def counted_causes(records: Sequence[Record]) -> str:
    return ", ".join(f"{count} {named(cause)}" for cause, count in cause_counts(records).items())


def failure_lines(runs: Mapping[str, Sequence[Record]]) -> list[str]:
    """Why questions or their judge failed: each reason of each run once, with how many."""
    lines = []
    for name, records in runs.items():
        reasons = Counter(str(failure) for record in records for failure in record.failures)
        lines += [f"{name}: {count} {reason}" for reason, count in reasons.most_common()]
    return lines


def caution_lines(cautions: Mapping[str, Sequence[Caution]], common: Sequence[Caution]) -> list[str]:
    """What speaks against reading the means as they stand; what all runs share is said once."""
    shared = set.intersection(*map(set, cautions.values())) if cautions else set()
    lines = [caution.message for caution in sorted(shared, key=lambda caution: caution.name)]
    for name, found in cautions.items():
        lines += [f"{name}: {caution.message}" for caution in found if caution not in shared]
    return lines + [caution.message for caution in common]


def as_markdown(
    name: str,
    findings: Sequence[Finding],
    cautions: Sequence[Caution],
    records: Sequence[Record],
    bands: Mapping[str, str | None],
) -> str:
    """One run's diagnosis as a page; ``bands`` has the word for the mean of each metric that has one."""
    lines = [f"# Diagnosis of {name}", ""]
    lines += [f"- {metric}: {word or 'not measured'}" for metric, word in bands.items()]
    lines += [""]
    if not findings:
        lines += ["No pattern was found.", ""]
    for finding in findings:
        lines += [
            f"## {finding.name.replace('_', ' ').capitalize()}",
            "",
            f"- Symptom: {finding.symptom}",
            f"- Problem: {finding.problem}",
            f"- Remedy: {finding.remedy}",
            f"- Questions: {', '.join(finding.questions) or 'none alone; it shows in the means'}",
            "",
        ]
    lines += ["## Where questions were lost", ""]
    for cause, count in cause_counts(records).items():
        lines.append(f"- {named(cause)}: {count}" + (f". {REMEDIES[cause]}" if cause in LOST else ""))
    if cautions:
        lines += ["", "## Cautions", "", *(f"- {caution.message}" for caution in cautions)]
    return "\n".join(lines) + "\n"
