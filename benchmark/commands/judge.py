"""``ragsweep judge check|sample``: how far a judge can be trusted, by labels that people give."""

from __future__ import annotations

import json
import shlex
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path

from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException
from rich.console import Console
from yaml import YAMLError

from benchmark.commands import COMMANDS, about
from benchmark.commands.arguments import ChoosingParser, add_runs
from benchmark.commands.listing import choices
from benchmark.commands.overrides import in_order, told
from benchmark.commands.progress import advance, tell
from benchmark.commands.spending import show_spending
from benchmark.compare import find_runs
from benchmark.config import composed, introduce, plan_judge
from benchmark.digest import file_digest
from benchmark.domain import Judge, UserError
from benchmark.models.endpoints.budget import new_accounts
from benchmark.models.judges.labelled import rule_on
from benchmark.readings import draw
from benchmark.readings.people import Labelled, Ruled, annotators, breakdown, figures, threshold_on_halves, worst
from benchmark.report import people
from benchmark.report.labelling import as_page
from benchmark.report.people import Checked
from benchmark.storage.checks import Check, keep
from benchmark.storage.labels import FIELDS, read_labels
from benchmark.storage.samples import cells, drawn_cases, folder_of, write_sample
from benchmark.suggestions import meant

_CHECK = """\
Compare a judge's rulings with the labels that people gave: accuracy, balanced accuracy, AUC and Cohen's kappa with
intervals; by language and by length; how far annotators agree with each other; the threshold that serves best on one
half, measured on the other; and the worst disagreements, to be read. What was found is kept in the results, so that
tables of runs with this judge tell it."""
_LABELS = f"""\
LABELS: .csv or .jsonl with the fields {", ".join(FIELDS[2:])}. context is a text, or in .jsonl a list of
passages; label is 1 for supported, 0 for not, nothing for one who could not say. With claim, the judge rules on it
alone; without, on every statement of the answer. Overrides stand behind: ragsweep judge check llm labels.csv
judge.llm.model=gpt-4.1-mini. Exit codes: 0 checked, 1 some cases were not ruled on, 2 the input is wrong."""
_SAMPLE = """\
Draw statements of runs for people to label: as labels.csv, and as label.html, a page that works without a network and
gives the labels as a CSV. Neither tells what the judge ruled. Read the labels with ragsweep judge check."""
_KINDS = {
    draw.LOWEST: "of the answers with the lowest faithfulness",
    draw.UNSURE: "of which the judge is least sure",
    draw.RANDOM: "drawn from all, which stand for all",
}
_SHOWN, _KEPT = 5, 50


def command(arguments: Sequence[str]) -> int:
    parser = ChoosingParser("ragsweep judge", description=about(__doc__))
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    checking = commands.add_parser(
        "check",
        usage="ragsweep judge check [OPTIONS] JUDGE LABELS [LABELS ...] [OVERRIDES ...]",
        help="a judge against people's labels",
        description=_CHECK,
        epilog=_LABELS,
    )
    checking.add_argument("judge", metavar="JUDGE", help="a choice of conf/judge, such as local or llm")
    checking.add_argument("rest", nargs="+", metavar="LABELS", help="files of labels, and overrides")
    checking.add_argument("--language", help="of rows that do not say theirs, such as es")
    checking.add_argument("--worst", type=int, default=_SHOWN, help=f"how many disagreements are shown ({_SHOWN})")
    checking.add_argument("--json", action="store_true", help="for a program: all figures, and the worst disagreements")
    checking.set_defaults(call=_check)
    sampling = commands.add_parser("sample", help="cases for people to label", description=_SAMPLE)
    add_runs(sampling)
    for kind, meaning in _KINDS.items():
        sampling.add_argument(f"--{kind}", type=int, default=20, metavar="N", help=f"{meaning} (20)")
    sampling.add_argument("--seed", type=int, default=7, help="of what is drawn at random (7)")
    sampling.add_argument("--language", default="en", help="of the page: en or es (en)")
    sampling.set_defaults(call=_sample)
    chosen, behind = parser.parse_known_args(list(arguments))  # overrides may stand behind options too
    if behind and (chosen.command != "check" or any(word.startswith("-") for word in behind)):
        parser.error(f"unrecognized arguments: {' '.join(behind)}")
    chosen.rest = [*getattr(chosen, "rest", ()), *behind]
    exit_code: int = chosen.call(chosen)
    return exit_code


def _check(chosen: Namespace) -> int:
    files = [Path(word) for word in chosen.rest if "=" not in word or Path(word).is_file()]
    overrides = in_order([word for word in chosen.rest if Path(word) not in files], tuple(COMMANDS))
    if not files:
        raise UserError(
            f"there are no labels among {' '.join(chosen.rest)}.\n    wanted: a file of labels, .csv or .jsonl\n"
            f"    to do:  ragsweep judge check {chosen.judge} labels.csv"
        )
    known = choices()["judge"]
    if chosen.judge not in known or chosen.judge == "none":
        raise UserError(
            f"there is no judge {chosen.judge!r} to check.{meant(chosen.judge, known)}\n"
            f"    wanted: one of {', '.join(name for name in sorted(known) if name != 'none')}"
        )
    new_accounts()
    config = _config(chosen.judge, overrides, "es")
    results = Path(config.results)
    labels = read_labels(files, drawn=drawn_cases(results), language=chosen.language)
    judges = {
        language: _judge(chosen.judge, overrides, language)
        for language in dict.fromkeys(one.case.language for one in labels.labelled)
    }
    ruled = list(_rule(judges, labels.labelled, chosen.judge))
    if config.dry_run:
        show_spending(dry=True)
        return 0
    checked = _checked(judges, ruled, labels.labelled, seed=config.seed)
    for judge in dict.fromkeys(one.name for one in judges.values()):
        own = [one for one in ruled if judges[one.case.language].name == judge]
        found = figures(judge, own, seed=config.seed)
        if found.n:
            digests = sorted(file_digest(file) for file in files)
            names = tuple(file.name for file in files)
            plain = people.plain_figures(found)
            keep(results, Check(judge, " ".join(digests), names, f"{date.today()}", people.sentence(found), plain))
    if chosen.json:
        print(json.dumps(people.plain(checked), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        _show(checked, labels.unread, shown=chosen.worst)
        show_spending(dry=False)
    return 1 if checked.whole.missing else 0


def _sample(chosen: Namespace) -> int:
    counts = {kind: getattr(chosen, kind) for kind in _KINDS}
    if min(counts.values()) < 0 or not any(counts.values()):
        asked = " ".join(f"--{kind} {count}" for kind, count in counts.items())
        raise UserError(f"{asked} draws nothing.\n    wanted: counts of 0 or more, one of them at least 1")
    introduce()
    runs = find_runs(chosen.runs, chosen.results, tell)
    found = draw.candidates(record for run in runs for record in run.records)
    if not found:
        raise UserError(
            f"no judge has ruled on a statement of the runs at {chosen.runs!r}.\n"
            "    to do:  repeat them with a judge, such as judge=local"
        )
    cases = draw.draw(found, counts, seed=chosen.seed)
    folder = folder_of(chosen.results, chosen.runs, cases)
    page = as_page(cases, [cells(case) for case in cases], name=folder.name, language=chosen.language)
    was_there = (folder / "labels.csv").exists()
    labels, shown = write_sample(folder, cases, page)
    drawn = Counter(case.drawn for case in cases)
    told_kinds = ", ".join(f"{drawn[kind]} {kind}" for kind in _KINDS)
    print(f"{len(cases)} of {len(found)} statements: {told_kinds}")
    if drawn[draw.UNSURE] < counts[draw.UNSURE] and all(one.confidence is None for one in found):
        print("    the judge of these runs does not say how sure it is, so that none is drawn as unsure")
    print(f"To label: {shown} (in a browser), or {labels}{', which was there and stays as it is' if was_there else ''}")
    print(f"Then:     ragsweep judge check JUDGE {shlex.quote(str(labels))}{_elsewhere(chosen.results)}")
    return 0


def _elsewhere(results: Path) -> str:
    return "" if results == Path("results") else f" {shlex.quote(f'results={results}')}"


def _config(judge: str, overrides: Sequence[str], language: str) -> DictConfig:
    """The configuration of a run in that language: its judge is the one that such a run has."""
    spoken = [f"corpus.language={language}", f"corpus.documents_language={language}"]
    try:
        return composed([f"judge={judge}", "tracking=none", *overrides, *spoken])
    except (HydraException, OmegaConfBaseException, YAMLError) as error:
        raise told(error) from None


def _judge(judge: str, overrides: Sequence[str], language: str) -> Judge:
    made = plan_judge(_config(judge, overrides, language))
    if made is None:
        raise UserError(f"judge={judge} with {' '.join(overrides)} rules on nothing: there is nothing to check")
    return made


def _rule(judges: dict[str, Judge], labelled: Sequence[Labelled], label: str) -> Iterator[Ruled]:
    """The rulings in the order of the cases, those of each language by its judge."""
    total = sum(one.label is not None for one in labelled)
    with advance(f"{label}: ruling", total) as step:
        for language, judge in judges.items():
            found: dict[int, Ruled] = {}
            with closing(rule_on(judge, [one for one in labelled if one.case.language == language])) as ruled:
                for place, one in ruled:
                    found[place] = one
                    step()
            yield from (found[place] for place in sorted(found))


def _checked(judges: dict[str, Judge], ruled: list[Ruled], labelled: Sequence[Labelled], *, seed: int) -> Checked:
    return Checked(
        judges=tuple(dict.fromkeys(judge.name for judge in judges.values())),
        whole=figures("all", ruled, seed=seed),
        parts=breakdown(ruled, seed=seed),
        annotators=annotators(labelled, seed=seed),
        threshold=threshold_on_halves(ruled, seed=seed),
        worst=worst(ruled, _KEPT),
        unlabelled=len(labelled) - len(ruled),
        failed=_failed(ruled),
    )


def _failed(ruled: Sequence[Ruled]) -> dict[str, list[str]]:
    """The ids of the cases that were not ruled on, by the reason; the most frequent one first."""
    failed: dict[str, list[str]] = {}
    for one in ruled:
        if one.holds is None:
            failed.setdefault(one.reason, []).append(one.case.id)
    return dict(sorted(failed.items(), key=lambda found: -len(found[1])))


def _show(checked: Checked, unread: Sequence[str], *, shown: int) -> None:
    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=160)
    for judge in checked.judges:
        console.print(f"judge: {judge}", markup=False)
    console.print(people.as_table(checked))
    for line in people.notes(checked):
        console.print(line, markup=False)
    if unread:
        console.print(f"fields that were not read: {', '.join(unread)}", markup=False)
    lines = people.worst_lines(checked.worst[: max(0, shown)])
    if lines:
        console.print("\n[bold]Worst disagreements[/bold]")
    for line in lines:
        console.print(line, markup=False)
