"""Tables for a paper: LaTeX with booktabs, the best marked by the statistics and not by the digit."""

from __future__ import annotations

from benchmark.report.account import Account, ReportedRun
from benchmark.report.leaderboard import label_of
from benchmark.report.numbers import digits_of, doubt_note, doubted, number
from benchmark.report.phrases import Phrases

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "·": r"$\cdot$",
    "–": "--",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}


_FITTED = r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""A table that is wider than the text is set smaller, one that fits stays as it is."""


def tex(text: str) -> str:
    """A text in which LaTeX sees no command.

    >>> tex("gemma_270m & 5 % {x}")
    'gemma\\\\_270m \\\\& 5 \\\\% \\\\{x\\\\}'
    """
    return "".join(_ESCAPED.get(sign, sign) for sign in text)


def as_latex(account: Account, say: Phrases) -> str:
    """Two tables to ``\\input``: means with their tiers' best in bold, and the same with intervals."""
    return "\n".join(
        [
            f"% {say('latex_how')}",
            r"% \usepackage{booktabs,graphicx}",
            _table(account, say, intervals=False),
            _table(account, say, intervals=True),
        ]
    )


def _table(account: Account, say: Phrases, *, intervals: bool) -> str:
    keys = [key for key in account.board.keys if any(run.row.mean(key) is not None for run in account.runs)]
    heads = [tex(say.said(label_of(key))) for key in keys]
    turned = [rf"\rotatebox{{90}}{{{head}~}}" if len(keys) > 4 else head for head in heads]
    lines = [
        "",
        r"\begin{table}",
        r"  \centering",
        r"  \small",
        rf"  \caption{{{_caption(account, say, intervals=intervals)}}}",
        rf"  \label{{tab:{_label(account.corpus)}{'-intervals' if intervals else ''}}}",
        _FITTED,
        rf"  \begin{{tabular}}{{l{'r' * (len(keys) + 1)}}}",
        r"    \toprule",
        f"    {' & '.join(['', *turned, '$n$'])} \\\\",
        r"    \midrule",
    ]
    bounds = [run for run in account.runs if run.row.yardstick]
    rivals = [run for run in account.runs if not run.row.yardstick]
    for run in (*rivals, *bounds):
        if bounds and rivals and run is bounds[0]:
            lines.append(r"    \midrule")
        cells = [_cell(account, run, key, intervals=intervals) for key in keys]
        name = rf"\textit{{{tex(run.name)}}}" if run.row.yardstick else tex(run.name)
        lines.append(f"    {' & '.join([name, *cells, str(len(run.records))])} \\\\")
    return "\n".join([*lines, r"    \bottomrule", r"  \end{tabular}}", r"\end{table}", ""])


def _cell(account: Account, run: ReportedRun, key: str, *, intervals: bool) -> str:
    one = account.board.statistics[key].estimates[run.name]
    if one.mean is None:
        return "--"
    digits = digits_of(key)
    figure = number(one.mean, digits)
    if intervals:
        return tex(doubted(one, digits) or figure)
    return rf"\textbf{{{figure}}}" if account.board.mark(key, run.name) else figure


def _caption(account: Account, say: Phrases, *, intervals: bool) -> str:
    key = "latex_caption_intervals" if intervals else "latex_caption"
    fields = {"alpha": account.settings.alpha, "level": f"{100 * account.settings.level:.0f}"}
    told = say(key, corpus=account.corpus, questions=len(account.questions), **fields)
    shown = (one for name in account.board.keys for one in account.board.statistics[name].estimates.values())
    doubt = doubt_note(shown, say) if intervals else None
    return tex(f"{told} {doubt}" if doubt else told)


def _label(corpus: str) -> str:
    return "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in corpus)
