"""Sections of the page in words: what was compared, the patterns, and the place of the questions."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.diagnosis import Finding
from benchmark.report.account import Account
from benchmark.report.kinds import ordered
from benchmark.report.leaderboard import label_of
from benchmark.report.numbers import number
from benchmark.report.page.markup import Markup, inside, items, table, tag
from benchmark.report.patterns import caution_lines
from benchmark.report.phrases import Phrases

_CHOSEN = ("architecture", "generator", "retriever", "embedder", "reranker", "chunker", "writer", "judge")
_LINKED = 12


def subtitle(account: Account, say: Phrases) -> str:
    return say("subtitle", runs=len(account.runs), questions=len(account.questions), corpus=account.corpus)


def compared(account: Account, say: Phrases) -> Markup:
    answerable = sum(question.answerable for question in account.questions)
    languages = ", ".join(dict.fromkeys(question.language for question in account.questions))
    facts = {
        "runs": str(len(account.runs)),
        "questions": str(len(account.questions)),
        "answerable": f"{answerable} / {len(account.questions) - answerable}",
        "documents": str(len(account.documents)),
        "languages": languages,
        "corpus": account.corpus,
    }
    shown = [tag("li", tag("b", value), tag("span", say(f"fact.{name}"))) for name, value in facts.items()]
    differing = account.differing()
    same = {
        name: values[0]
        for name in _CHOSEN
        if len(set(values := [run.chosen.get(name, "") for run in account.runs])) == 1 and values[0]
    }
    varied = [name for name in _CHOSEN if name not in same and any(run.chosen.get(name) for run in account.runs)]
    heads = [say("run"), *(say(f"group.{name}") for name in varied), "k", say("role")]
    rows = [
        [
            run.name,
            *(tag("td", run.chosen.get(name, "–"), class_="text") for name in varied),
            str(run.row.k),
            tag("td", say(f"role.{run.row.role}"), class_="text"),
        ]
        for run in account.runs
    ]
    knobs = table(
        [say("setting"), *(run.name for run in account.runs)],
        [[name, *(values[run.name] or "–" for run in account.runs)] for name, values in differing.items()],
        name=say("differing"),
    )
    return inside(
        tag("ul", shown, class_="facts"),
        table(heads, rows, name=say("section.compared")),
        tag("p", say("same"), " ", "; ".join(f"{say(f'group.{name}')}: {value}" for name, value in same.items()))
        if same
        else "",
        tag("p", say("source", source=account.source, digest=account.digest[:12]), class_="note"),
        tag("details", tag("summary", say("differing.n", n=len(differing))), tag("div", knobs, class_="inside"))
        if differing
        else "",
    )


def patterns(account: Account, say: Phrases) -> Markup:
    """Each pattern once, with what to do, the runs that show it and their questions; then the cautions."""
    shown: dict[str, list[tuple[str, Finding]]] = {}
    for run in account.runs:
        for finding in run.findings:
            shown.setdefault(finding.name, []).append((run.name, finding))
    parts: list[Markup] = []
    for found in shown.values():
        first = found[0][1]
        parts += [
            tag("h3", say.said(pattern_name(first.name))),
            tag("p", say.said(first.problem)),
            tag("p", tag("strong", say("what_to_do")), " ", say.said(first.remedy)),
            items(inside(tag("b", name), f": {one.symptom}. ", _links(one, say)) for name, one in found),
        ]
    if not parts:
        parts = [tag("p", say("no_pattern"), class_="none")]
    cautions = caution_lines({run.name: run.cautions for run in account.runs}, account.common_cautions)
    if cautions:
        parts.append(tag("h3", say("cautions")))
        parts += [tag("p", said_with_run(line, account, say), class_="caution") for line in cautions]
    return inside(parts)


def pattern_name(name: str) -> str:
    return name.replace("_", " ").capitalize()


def said_with_run(line: str, account: Account, say: Phrases) -> str:
    """A line that may begin with a run's name, which is in no language."""
    for run in sorted(account.runs, key=lambda run: -len(run.name)):
        if line.startswith(f"{run.name}: "):
            return f"{run.name}: {say.said(line.removeprefix(f'{run.name}: '))}"
    return say.said(line)


def _links(finding: Finding, say: Phrases) -> Markup:
    if not finding.questions:
        return inside(say("in_means"))
    return inside(say("see"), " ", question_links(finding.questions, say))


def question_links(questions: Sequence[str], say: Phrases) -> Markup:
    """To the first of them, with how many more there are."""
    links = [inside(tag("a", question, href=f"#q-{question}"), " ") for question in questions[:_LINKED]]
    rest = len(questions) - _LINKED
    return inside(links, say("and_more", n=rest) if rest > 0 else "")


def kinds(account: Account, say: Phrases) -> Markup:
    """The headline metric by tag, difficulty and language."""
    read = account.analysis.headline
    groups = () if read is None else ordered(read.groups)
    if read is None or not groups:
        return tag("p", say("no_kinds"), class_="none")
    rows = []
    for group in groups:
        means = [group.estimates[run.name] for run in account.runs]
        told = ["–" if one.mean is None else f"{number(one.mean)} ({one.n})" for one in means]
        rows.append([f"{say(f'kind.{group.of}')}: {group.name}", *told])
    heads = [say("kind"), *(f"({run.name})" if run.row.yardstick else run.name for run in account.runs)]
    metric = say.said(label_of(read.name))
    note = tag("p", say("kinds_how", metric=metric), class_="note")
    return inside(note, table(heads, rows, name=say("section.kinds")))


def questions(_: Account, say: Phrases) -> Markup:
    """The place where the script of the page lists them."""
    option = tag("option", say("fate_any"), value=""), tag("option", say("fate_differs"), value="differs")
    return inside(
        tag("p", say("questions_how"), class_="note"),
        tag("div", class_="key", id="key"),
        tag(
            "div",
            tag("label", say("search"), " ", tag("input", type="search", id="search")),
            tag("label", say("show"), " ", tag("select", *option, id="fate")),
            tag("label", say("in_run"), " ", tag("select", tag("option", say("any_run"), value=""), id="who")),
            tag("span", id="count", role="status"),
            class_="tools",
        ),
        tag("div", id="list"),
        tag("noscript", tag("p", say("no_script"))),
    )
