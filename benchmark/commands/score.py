"""``ragsweep score FILE...``: answers and passages from elsewhere, scored, diagnosed and compared as ours."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from benchmark.commands import about
from benchmark.commands.overrides import told
from benchmark.commands.progress import tell
from benchmark.commands.run import carry_out, conclude
from benchmark.config import Plan, introduce, plan, user_error
from benchmark.domain import UserError
from benchmark.importing import answers
from benchmark.importing.columns import said
from benchmark.models.endpoints.budget import new_accounts
from benchmark.storage import imported
from benchmark.storage.places import bundled, must_be_writable
from benchmark.sweep import SCRATCH, JobStatus, read_statuses

_UNKNOWN = ("cost/seconds", "cost/prompt_tokens", "cost/completion_tokens", "cost/calls", "cost/money")
"""What nobody has written down of answers that were given elsewhere: left out rather than 0."""


def command(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        "ragsweep score",
        description=about(__doc__),
        epilog="A file is a table with a row for each answer (.csv .tsv .xlsx .json .jsonl .parquet): question, "
        "answer, and if there are contexts, reference, reference_contexts, id. Nothing is asked but the judge. Choices "
        "of a run may follow: judge=llm, metrics=as_library, k=5.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="one for each system, on the same questions")
    parser.add_argument("--name", help="what the exam is called (the first file's name)")
    parser.add_argument("--generator", default="elsewhere", help="what the answering model is called (elsewhere)")
    parser.add_argument("--language", help="of the questions (what their words say)")
    parser.add_argument("--columns", metavar="ROLE=COLUMN,...", help="where a guess is wrong: answer=output,...")
    chosen = parser.parse_intermixed_args(list(arguments))
    overrides = [one for one in chosen.files if _is_override(one)]
    files = [Path(one) for one in chosen.files if one not in overrides]
    if not files:
        raise UserError("there is no file to score.\n    to do:  ragsweep score answers.jsonl")
    names = [file.name for file in files]
    if len({file.stem for file in files}) < len(files):
        raise UserError(f"two files have one name ({', '.join(names)}).\n    to do:  name each by its system")
    scored = answers.read(files, chosen=said(chosen.columns), language=chosen.language)
    name = chosen.name or scored.systems[0].name
    if name != Path(name).name or name in ("", ".", "..", "latest"):
        raise UserError(f"--name is {name!r}: it must be a plain name for a folder, other than latest, such as mine")
    for system in scored.systems:
        for note in system.notes:
            tell(note)
    return _score(scored, name, chosen.generator, overrides)


def _is_override(argument: str) -> bool:
    return "=" in argument and not Path(argument).exists()


def _score(scored: answers.Scored, name: str, generator: str, overrides: Sequence[str]) -> int:
    introduce()
    new_accounts()
    config = _config(scored, name, overrides)
    results = Path(config.results)
    must_be_writable(results, knob="results")
    exam = results / "imported" / f"{name}-{scored.digest[:12]}"  # runs that were scored before keep theirs
    kept = answers.write(scored, exam)
    with TemporaryDirectory(prefix="ragsweep-") as scratch:
        os.environ[SCRATCH] = scratch
        for number, system in enumerate(scored.systems):
            planned = _planned(config, system, kept[system.name], exam, name, generator, scored.language)
            tracking = planned.settings["tracking"]
            carry_out(planned, JobStatus(name, str(results), tracking), number, tell).write(number)
        return conclude(read_statuses(Path(scratch)))


def _config(scored: answers.Scored, name: str, overrides: Sequence[str]) -> DictConfig:
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(bundled("conf").absolute()), version_base="1.3"):
            return compose("config", [f"k={scored.k}", f"name='{name}'", *overrides])
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        raise told(error) from None


def _planned(
    config: DictConfig, system: answers.Answers, file: Path, exam: Path, name: str, generator: str, language: str
) -> Plan:
    """The plan of one file: the exam and the answers in the places of corpus, architecture and generator."""
    nodes = {
        "corpus": {
            "_target_": f"{imported.load.__module__}.{imported.load.__name__}",
            "path": str(exam),
            "name": name,
            "language": language,
            "documents_language": language,
        },
        "architecture": _node(answers.Recorded, path=str(file), retrieves=system.retrieves),
        "generator": _node(answers.Elsewhere, name=generator),
    }
    ours = config.copy()
    OmegaConf.set_readonly(ours, False)
    for part, node in nodes.items():
        ours[part] = node
    try:
        planned = plan(ours, {"corpus": name, "architecture": system.name, "generator": generator})
    except OmegaConfBaseException as error:
        raise user_error(error) from None
    return replace(planned, metrics={key: one for key, one in planned.metrics.items() if key not in _UNKNOWN})


def _node(kind: type, **knobs: object) -> dict[str, object]:
    return {"_target_": f"{kind.__module__}.{kind.__name__}", **knobs}
