"""How the figures came about, what they cost, and all that was not measured: the last sections of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from benchmark.digest import digest
from benchmark.report.account import Account, ReportedRun, reasons
from benchmark.report.page.markup import Markup, definitions, inside, items, table, tag
from benchmark.report.phrases import Phrases

COSTS = (
    "cost/seconds",
    "cost/prompt_tokens",
    "cost/completion_tokens",
    "cost/context_tokens",
    "cost/calls",
    "cost/money",
    "cost/judge_calls",
    "cost/judge_money",
)


def method(account: Account, say: Phrases) -> Markup:
    settings = account.settings
    fields = {"alpha": settings.alpha, "level": f"{100 * settings.level:.0f}", "seed": settings.seed}
    said = [say(f"method.{name}", **fields) for name in ("interval", "test", "tiers", "missing", "cause", "judge")]
    prompts = [
        tag("details", tag("summary", f"{task} ", tag("code", digest(text)[:12])), tag("pre", text, class_="inside"))
        for task, text in account.prompts.items()
    ]
    return inside(
        items(said),
        tag("h3", say("costs")),
        costs(account, say),
        tag("h3", say("versions")),
        versions(account, say),
        tag("h3", say("prompts")),
        tag("p", say("prompts_how"), class_="note"),
        prompts,
    )


def costs(account: Account, say: Phrases) -> Markup:
    """Means per question, seconds of indexing and of the whole run, and the money of indexing where endpoints embed."""
    shown = [account.measures[key] for key in COSTS if key in account.measures and _is_told(account, key)]
    paid = any(run.index_cost is not None for run in account.runs)
    heads = [say("run"), *(say.said(measure.label) for measure in shown), say("index_seconds")]
    heads += [*([say("index_money")] if paid else []), say("whole_seconds")]
    decimals = [4 if "money" in measure.name else 2 for measure in shown]  # a question may cost less than a cent
    rows = []
    for run in account.runs:
        estimates = [measure.statistics.estimates[run.name] for measure in shown]
        means = [
            say("not_measured") if one.mean is None else f"{one.mean:,.{places}f}"
            for one, places in zip(estimates, decimals, strict=True)
        ]
        index = [f"{run.index_seconds:.1f}", *([_index_money(run, say)] if paid else [])]
        rows.append([run.name, *means, *index, f"{run.row.seconds:.1f}"])
    return table(heads, rows, name=say("costs"))


def _index_money(run: ReportedRun, say: Phrases) -> str:
    money = 0.0 if run.index_cost is None else run.index_cost.money
    return say("not_measured") if money is None else f"{money:,.4f}"


def _is_told(account: Account, key: str) -> bool:
    """Whether a cost says anything: a judge that asks no model costs nothing."""
    estimates = account.measures[key].statistics.estimates.values()
    return not key.startswith("cost/judge_") or any(one.mean != 0 for one in estimates)


def versions(account: Account, say: Phrases) -> Markup:
    """What all runs stand on once; each run's fingerprint, and its versions where they differ."""
    told = {run.name: told_versions(run) for run in account.runs}
    common = {
        name: value
        for name, value in next(iter(told.values()), {}).items()
        if all(own.get(name) == value for own in told.values())
    }
    own = [
        [
            run.name,
            tag("td", tag("code", run.fingerprint), class_="text"),
            tag(
                "td",
                "; ".join(f"{name} {value}" for name, value in told[run.name].items() if name not in common) or "–",
                class_="text",
            ),
        ]
        for run in account.runs
    ]
    lists = definitions(common) if common else tag("p", say("no_versions"), class_="none")
    return inside(lists, table([say("run"), say("fingerprint"), say("own_versions")], own, name=say("versions")))


def told_versions(run: ReportedRun) -> dict[str, str]:
    """A run's ``environment.json`` as names and values."""
    found: dict[str, str] = {}
    for name, value in run.environment.items():
        if name == "packages" and isinstance(value, Mapping):
            found |= {str(package): str(number) for package, number in value.items() if number is not None}
        elif name in ("git", "machine") and isinstance(value, Mapping):
            found[name] = ", ".join(f"{key} {part}" for key, part in cast(Mapping[str, object], value).items())
        elif name == "python":
            found[name] = str(value)
    return dict(sorted(found.items()))


def not_measured(account: Account, say: Phrases) -> Markup:
    """Every metric with questions that have no value, and why; what all runs share stands once."""
    rows = []
    for label, runs, counts in missing(account):
        why = "; ".join(f"{say.said(reason)} ({count})" for reason, count in counts.items())
        whole = all(sum(counts.values()) >= len(run.records) for run in account.runs if run.name in runs)
        names = say("all_runs") if len(runs) == len(account.runs) else ", ".join(runs)
        value = say("not_measured") if whole else str(sum(counts.values()))
        rows.append([say.said(label), tag("td", names, class_="text"), value, tag("td", why, class_="text")])
    if not rows:
        return tag("p", say("all_measured"))
    heads = [say("metric"), say("runs"), say("questions_without"), say("why")]
    return inside(tag("p", say("not_measured_how")), table(heads, rows, name=say("section.not_measured")))


def missing(account: Account) -> list[tuple[str, tuple[str, ...], Mapping[str, int]]]:
    """Label of the metric, the runs that lack it alike, and the reasons with their counts."""
    found: list[tuple[str, tuple[str, ...], Mapping[str, int]]] = []
    for measure in account.measures.values():
        alike: dict[tuple[tuple[str, int], ...], list[str]] = {}
        for run in account.runs:
            if counts := reasons(run, measure):
                alike.setdefault(tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))), []).append(
                    run.name
                )
        found += [(measure.label, tuple(runs), dict(counts)) for counts, runs in alike.items()]
    return found
