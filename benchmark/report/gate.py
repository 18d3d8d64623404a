"""A gate's decision: for a terminal, a program, JUnit and a job's summary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from xml.etree import ElementTree

from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmark.gate.decision import Decision, Line, Verdict
from benchmark.report.numbers import number

EXIT_CODES = {Decision.READY: 0, Decision.NOT_READY: 3, Decision.CONSULT: 4, Decision.INFORM: 3}
"""Too few questions to decide is no leave to promote."""
_NOT_MEASURED = "NOT MEASURED"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_table(verdict: Verdict) -> Table:
    """Every line with its value, interval, n and threshold."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("", "what", "value", "95 %", "n", "wanted"):
        table.add_column(name, justify="right" if name in ("value", "95 %", "n") else "left")
    for line in verdict.lines:
        mark = "[green]pass[/green]" if line.passed else "[red]FAIL[/red]"
        table.add_row(mark, line.what, _value(line), _interval(line), str(line.n), line.wanted)
    return table


def to_do_lines(verdict: Verdict) -> Iterator[str]:
    """What each line that did not pass says, and what to do about it."""
    for line in verdict.reasons:
        yield f"{line.what}: {line.why or _short(line)}"
        yield f"    to do:  {line.to_do}"
    yield from verdict.notes


def headline(verdict: Verdict, name: str) -> str:
    """The decision in one line."""
    failed = len(verdict.reasons)
    told = "every line passes" if not failed else f"{failed} of {len(verdict.lines)} lines do not pass"
    return f"{verdict.decision}: {name}, policy {verdict.policy}: {told}"


def as_markdown(verdict: Verdict, name: str) -> str:
    """For a job's summary."""
    rows = ["| | what | value | 95 % | n | wanted |", "|---|---|---:|---:|---:|---|"]
    for line in verdict.lines:
        mark = "pass" if line.passed else "**FAIL**"
        cells = (mark, line.what, _value(line), _interval(line), str(line.n), line.wanted)
        rows.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    said = [
        f"- **{_cell(line.what)}**: {_cell(line.why or _short(line))}. To do: {_cell(line.to_do)}."
        for line in verdict.reasons
    ]
    below = "\n".join([*said, *(f"- {note}" for note in verdict.notes)])
    parts = [f"## {headline(verdict, name)}", "\n".join(rows), below]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_junit(verdict: Verdict, name: str) -> str:
    """JUnit XML: one test case a line; one that did not pass is a failure with what to do, and so is no decision."""
    suite = ElementTree.Element("testsuite", name=f"ragsweep gate {verdict.policy}")
    for line in verdict.lines:
        case = ElementTree.SubElement(suite, "testcase", classname=name, name=line.what, time="0")
        if not line.passed:
            kind = _NOT_MEASURED if line.value is None and not line.consults else "FAIL"
            failure = ElementTree.SubElement(case, "failure", type=kind, message=line.why or _short(line))
            failure.text = f"{_short(line)}\nto do: {line.to_do}"
    decided = ElementTree.SubElement(suite, "testcase", classname=name, name="decision", time="0")
    if verdict.decision is not Decision.READY:
        message = "; ".join((str(verdict.decision), *verdict.notes))
        ElementTree.SubElement(decided, "failure", type=str(verdict.decision), message=message)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", "0")
    root = ElementTree.Element("testsuites")
    root.append(suite)
    for element in root.iter():
        element.attrib.update((name, _legal(value)) for name, value in element.attrib.items())
        element.text = element.text and _legal(element.text)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _legal(text: str) -> str:
    """A text without the characters that XML has no way to write, such as the form feeds of a PDF's text."""
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def plain(verdict: Verdict, name: str) -> dict[str, object]:
    """The decision for a program."""
    return {
        "decision": str(verdict.decision),
        "exit_code": EXIT_CODES[verdict.decision],
        "policy": verdict.policy,
        "run": name,
        "lines": [{**asdict(line), "not_measured": line.value is None} for line in verdict.lines],
        "notes": list(verdict.notes),
    }


def _value(line: Line) -> str:
    if line.value is None:
        return "–" if line.consults else _NOT_MEASURED
    return str(line.value) if isinstance(line.value, int) else number(line.value)


def _interval(line: Line) -> str:
    return "–" if line.low is None or line.high is None else f"{line.low:.3f} to {line.high:.3f}"


def _short(line: Line) -> str:
    return f"{_value(line)} (n {line.n}), wanted {line.wanted}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
