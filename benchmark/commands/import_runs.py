"""``ragsweep import-runs FILE``: runs that another program made, as records beside our own, to compare them."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from benchmark.commands import about
from benchmark.config import default_settings
from benchmark.domain import UserError
from benchmark.pipelines import abstained
from benchmark.storage import imported
from benchmark.storage.places import must_be_writable


def command(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        "ragsweep import-runs",
        description=about(__doc__),
        epilog="The form of the file: docs/importing.md. Nothing is asked, nothing is scored: scores are the file's.",
    )
    parser.add_argument("file", type=Path, help="a JSON file with questions, answers and scores")
    parser.add_argument("--to", type=Path, default=Path("results"), metavar="RESULTS", help="the folder of results")
    parser.add_argument("--name", help="what the exam and the sweep are called (what the file says)")
    parser.add_argument("--language", help="of the questions, such as es (what the file says)")
    chosen = parser.parse_args(list(arguments))
    name = chosen.name
    if name is not None and (name != Path(name).name or name in ("", ".", "..", "latest")):
        raise UserError(
            f"--name is {name!r}: it must be a plain name for a folder, other than latest, such as published"
        )
    must_be_writable(chosen.to, knob="--to")
    found = imported.read(chosen.file, name=name, language=chosen.language, abstained=abstained)
    folders = imported.write(found, chosen.to, settings=default_settings())
    imported.name_sweep(folders, chosen.to, found)
    runs, questions = len(found.runs), len(found.corpus.questions)
    print(f"{runs} runs on {questions} questions are kept in {chosen.to}/runs/{found.corpus.name}")
    where = "" if chosen.to == Path("results") else f" --results {chosen.to}"
    print(f"Compare: ragsweep compare {found.corpus.name}{where}")
    return 0
