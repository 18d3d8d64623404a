"""The leaderboard of the page: means with intervals and tiers, sorted and filtered by its reader."""

from __future__ import annotations

from benchmark.report.account import Account, ReportedRun
from benchmark.report.leaderboard import ANSWERS, label_of
from benchmark.report.numbers import digits_of, doubt_note, doubted, number
from benchmark.report.page.markup import Markup, inside, items, table, tag
from benchmark.report.phrases import Phrases


def leaderboard(account: Account, say: Phrases) -> Markup:
    named = (*account.board.keys, *ANSWERS)
    nowhere = [key for key in named if all(one.n == 0 for one in account.board.statistics[key].estimates.values())]
    keys = (*(key for key in named if key not in nowhere), *nowhere)  # what no run has is read last
    tools = tag(
        "div",
        tag("label", say("filter"), " ", tag("input", type="search", id="filter")),
        tag("label", tag("input", type="checkbox", id="bounds", checked=True), " ", say("show_bounds")),
        class_="tools",
    )
    labels = [say.said(label_of(key)) for key in keys]
    heads = [say("run"), *labels, "n", say("failed"), say("seconds")]
    first = [None, *("ascending" if account.board.statistics[key].direction == "lower" else None for key in keys)]
    columns = [
        tag("th", tag("button", head, type="button"), scope="col", aria_sort="none", data_first=way)
        for head, way in zip(heads, [*first, None, "ascending", "ascending"], strict=True)
    ]
    rows = [tag("tr", _cells(account, run, keys, say), class_="bound" if run.row.yardstick else None)
            for run in account.runs]  # fmt: skip
    whole = tag(
        "table",
        tag("thead", tag("tr", columns)),
        tag("tbody", rows),
        class_="sortable",
    )
    scroll = tag(
        "div",
        whole,
        class_="scroll",
        id="board",
        tabindex="0",
        role="region",
        aria_label=say("section.leaderboard"),
    )
    return inside(tools, scroll, _verdicts(account, say), every_metric(account, say))


def _cells(account: Account, run: ReportedRun, keys: tuple[str, ...], say: Phrases) -> list[Markup]:
    name = f"({run.name})" if run.row.yardstick else run.name
    asked = str(len(run.records)) + (f"/{run.row.asked}" if len(run.records) < run.row.asked else "")
    return [
        tag("th", name, scope="row"),
        *(_cell(account, run, key, say) for key in keys),
        tag("td", asked),
        tag("td", str(run.row.failures)),
        tag("td", f"{run.row.seconds:.1f}"),
    ]


def _cell(account: Account, run: ReportedRun, key: str, say: Phrases) -> Markup:
    found = account.board.statistics[key]
    one, standing = found.estimates[run.name], found.standings.get(run.name)
    if one.mean is None:
        return tag("td", say("not_measured"), class_="none", data_value="", title=say("no_value"))
    digits = digits_of(key)
    doubt = "?" if key == "ragas/answer_relevancy" and not run.row.relevancy_is_reliable else ""
    tier = f" · {say('tier_short', tier=standing.tier)}" if standing and account.board.has_best(key) else ""
    mark = {"*": "best", "=": "tied"}.get(account.board.mark(key, run.name))
    return tag(
        "td",
        tag("b", f"{number(one.mean, digits)}{doubt}"),
        tag("small", doubted(one, digits) or say.said(str(one.how))),
        tag("small", f"n {one.n}{tier}"),
        class_=mark,
        data_value=one.mean,
        title=one.caution and say.said(one.caution),
    )


def _verdicts(account: Account, say: Phrases) -> Markup:
    """What may be said of each metric, and how to read the table."""
    shown = (one for found in account.board.statistics.values() for one in found.estimates.values())
    told = [say(f"note.{name}") for name in ("marks", "interval", "bounds")]
    notes = [tag("p", note, class_="note") for note in (*told, doubt_note(shown, say)) if note is not None]
    return inside(items([say.said(line) for line in account.verdict]), notes)


def every_metric(account: Account, say: Phrases) -> Markup:
    """All metrics of all runs, folded away: mean, interval, n, what the missing could do to it, tier and ranks."""
    rows = []
    for measure in account.measures.values():
        for run in account.runs:
            one, standing = measure.statistics.estimates[run.name], measure.statistics.standings.get(run.name)
            bound = measure.statistics.bounds.get(run.name)
            rows.append(
                [
                    say.said(measure.label),
                    run.name,
                    say("not_measured") if one.mean is None else number(one.mean, 3),
                    doubted(one, 3) or "–",
                    str(one.n),
                    str(one.missing),
                    "–" if bound is None or not one.missing else f"{number(bound.low, 3)}–{number(bound.high, 3)}",
                    "–" if standing is None else str(standing.tier),
                    "–" if standing is None else f"{standing.highest_rank}–{standing.lowest_rank}",
                ]
            )
    heads = [
        say(name)
        for name in ("metric", "run", "mean", "interval", "n_questions", "missing", "if_missing", "tier", "ranks")
    ]
    folded = table(heads, rows, name=say("every_metric"))
    return tag("details", tag("summary", say("every_metric")), tag("div", folded, class_="inside"))
