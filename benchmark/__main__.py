"""The command line: ``ragsweep OVERRIDES`` runs or sweeps, ``ragsweep COMMAND`` reads what was run."""

from __future__ import annotations

import gc
import os
import sys

_HELP = """\
ragsweep: sweep retrieval-augmented generation architectures over an exam, and say which differences are real.

  ragsweep experiment=obstetrics              a named sweep: every architecture on the obstetrics guideline set
  ragsweep architecture=hybrid k=8            one run
  ragsweep -m architecture=bm25,dense k=3,5   a sweep of your own: every combination
  ragsweep compare [RUNS]                     the table and the patterns again: a sweep's name, a path, or latest
  ragsweep compare A B                        what became better or worse from A to B, and which inputs differ
  ragsweep report [RUNS] --to html,tex,png    a page with all of it, tables and figures for a paper
  ragsweep show QUESTION [RUNS]               one question: what each run retrieved, sent and answered
  ragsweep safety [RUNS]                      six safety checks, each failing answer with its words
  ragsweep gate RUN --policy NAME             may it be promoted: exit code 0 ready, 3 not ready, 4 consult
  ragsweep replay [RUNS]                      runs again from the ledger alone, and whether they say the same
  ragsweep ledger stats                       what model calls were kept: stats, prune or export
  ragsweep ui                                 the MLflow UI on the results
  ragsweep import-runs FILE                   runs that another program made, to compare them
  ragsweep score FILE                         answers and passages from elsewhere, scored and diagnosed as ours
  ragsweep list                               what may be chosen: architectures, corpora, generators, judges ...
  ragsweep corpus import FILES --to FOLDER    your documents and questions as a corpus
  ragsweep judge check JUDGE LABELS           how far a judge can be trusted, by labels that people gave
  ragsweep judge sample [RUNS]                cases for people to label: a CSV and a page
  ragsweep corpus check NAME                  what is wrong with a corpus, and where

Every choice and knob is a file in conf/; yours in ./conf and ./architectures are found first.
  ragsweep COMMAND --help      about a command
  ragsweep --version           which ragsweep this is
  ragsweep run --help          about choices and overrides (Hydra)
  ragsweep architecture=hyde --cfg job --resolve     the whole configuration of a run, without running it

Exit codes: 0 done, 1 some questions or jobs failed, 2 the input is wrong, 3 and 4 a gate's not ready and consult,
130 interrupted.
"""


def main() -> None:
    """Entry point of the console script and of ``python -m benchmark``."""
    arguments = sys.argv[1:]
    if arguments in (["--help"], ["-h"], ["help"]):
        print(_HELP, end="")
        sys.exit(0)
    if arguments in (["--version"], ["run", "--version"]):
        print(f"ragsweep {_version()}")
        sys.exit(0)
    # A command lives for seconds over libraries that make a million objects and keep them: Python's default of 700 new
    # ones looks through them again and again, a tenth of a sweep's time, and frees no more memory than this does.
    gc.set_threshold(50_000, 20, 20)
    try:
        sys.exit(_called(arguments))
    except KeyboardInterrupt:
        print(
            "ragsweep: stopped. Every finished question is kept; the same command goes on from there.", file=sys.stderr
        )
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)  # all is written and closed: taking the loaded libraries apart would take longer than the stop
    except BrokenPipeError:  # such as `ragsweep list | head`
        sys.stderr.close()
        sys.exit(0)


def _called(arguments: list[str]) -> int:
    from benchmark.commands import COMMANDS  # here, so that Ctrl-C while it loads is met too
    from benchmark.domain import UserError

    name = arguments[0] if arguments and arguments[0] in COMMANDS else "run"
    rest = arguments[1:] if arguments and arguments[0] == name else arguments
    try:
        return COMMANDS[name](rest)
    except UserError as error:
        print(f"ragsweep: {error}", file=sys.stderr)
        return 2


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ragsweep")
    except PackageNotFoundError:
        return "(a source tree that is not installed)"


if __name__ == "__main__":
    main()
