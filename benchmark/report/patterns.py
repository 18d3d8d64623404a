"""The patterns, cautions and lost questions of runs, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmark.diagnosis import Caution, Finding
from benchmark.domain import Cause, Record

_SHOWN = 6


def as_lines(name: str, findings: Sequence[Finding], cautions: Sequence[Caution]) -> list[str]:
    """What was found in one run, most telling first; empty where nothing was."""
    lines = []
    for finding in findings:
        shown = ", ".join(finding.questions[:_SHOWN])
        more = f" and {len(finding.questions) - _SHOWN} more" if len(finding.questions) > _SHOWN else ""
        lines.append(f"{name}: {finding.name.replace('_', ' ')} ({finding.symptom})")
        lines.append(f"    {finding.problem} {finding.remedy}")
        if shown:
            lines.append(f"    seen in {shown}{more}")
    lines.extend(f"{name}: caution: {caution.message}" for caution in cautions)
    return lines


def cause_counts(records: Sequence[Record]) -> Mapping[Cause, int]:
    """How many questions were lost where (or were not), most frequent first."""
    return dict(Counter(record.cause for record in records).most_common())


def causes_line(name: str, records: Sequence[Record]) -> str:
    counted = ", ".join(f"{count} {cause.replace('_', ' ')}" for cause, count in cause_counts(records).items())
    return f"{name}: {counted}"


def as_markdown(name: str, findings: Sequence[Finding], cautions: Sequence[Caution], records: Sequence[Record]) -> str:
    """One run's diagnosis as a page."""
    lines = [f"# Diagnosis of {name}", ""]
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
    lines += [f"- {cause.replace('_', ' ')}: {count}" for cause, count in cause_counts(records).items()]
    if cautions:
        lines += ["", "## Cautions", "", *(f"- {caution.message}" for caution in cautions)]
    return "\n".join(lines) + "\n"
