"""``ragsweep score FILE...``: answers and passages from elsewhere, scored, diagnosed and compared as ours."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from benchmark.bridges.recorded import Elsewhere, Recorded
from benchmark.commands import about
from benchmark.commands.overrides import told
from benchmark.commands.progress import importing, tell
from benchmark.commands.run import carry_out, conclude
from benchmark.config import Plan, composed, load_corpus, plan, user_error
from benchmark.domain import Corpus, UserError
from benchmark.importing import answers, joining
from benchmark.importing.columns import said
from benchmark.importing.loading import shown_by
from benchmark.models.endpoints.budget import new_accounts
from benchmark.sampling import select
from benchmark.storage import imported
from benchmark.storage.places import must_be_writable
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
    parser.add_argument(
        "--corpus",
        help="whose questions they answer, a name or a folder: its gold evidence and documents are used",
    )
    chosen = parser.parse_intermixed_args(list(arguments))
    overrides = [one for one in chosen.files if _is_override(one)]
    files = [Path(one) for one in chosen.files if one not in overrides]
    if not files:
        raise UserError("there is no file to score.\n    to do:  ragsweep score answers.jsonl")
    names = [file.name for file in files]
    if len({file.stem for file in files}) < len(files):
        raise UserError(f"two files have one name ({', '.join(names)}).\n    to do:  name each by its system")
    columns = said(chosen.columns)
    if chosen.corpus is None:
        scored, corpus = answers.read(files, chosen=columns, language=chosen.language), None
    else:
        overrides = [*_corpus_overrides(chosen.corpus, chosen.language), *overrides]
        corpus = _corpus(overrides)
        scored = joining.over(files, corpus.questions, chosen=columns, language=corpus.language)
    name = chosen.name or scored.systems[0].name
    if name != Path(name).name or name in ("", ".", "..", "latest"):
        raise UserError(f"--name is {name!r}: it must be a plain name for a folder, other than latest, such as mine")
    for system in scored.systems:
        for note in system.notes:
            tell(note)
    return _score(scored, name, chosen.generator, overrides, corpus)


def _is_override(argument: str) -> bool:
    return "=" in argument and not Path(argument).exists()


def _corpus_overrides(corpus: str, language: str | None) -> list[str]:
    """What chooses a corpus by its folder, or by its name."""
    where = ["corpus=folder", f"corpus.path='{corpus}'"] if Path(corpus).is_dir() else [f"corpus={corpus}"]
    return [*where, *([] if language is None else [f"corpus.language={language}"])]


def _corpus(overrides: Sequence[str]) -> Corpus:
    config = _composed(overrides)
    try:
        with shown_by(importing):
            return load_corpus({"corpus": OmegaConf.to_container(config.corpus, resolve=True, throw_on_missing=True)})
    except OmegaConfBaseException as error:
        raise user_error(error) from None


def _composed(overrides: Sequence[str]) -> DictConfig:
    try:
        return composed(overrides)
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        raise told(error) from None


def _score(scored: answers.Scored, name: str, generator: str, overrides: Sequence[str], corpus: Corpus | None) -> int:
    """Score each file; ``corpus``: whose questions they answer, where they are no exam of their own."""
    new_accounts()
    config = _composed([f"k={scored.k}", f"name='{name}'", *overrides])
    results = Path(config.results)
    must_be_writable(results, knob="results")
    folder = results / "imported" / f"{name}-{scored.digest[:12]}"  # runs that were scored before keep theirs
    kept = answers.write_answers(scored, folder)
    exam: dict[str, object] = {}
    if corpus is None:
        answers.write_exam(scored, folder)
        exam = _exam(folder, name, scored.language)
    with TemporaryDirectory(prefix="ragsweep-") as scratch:
        os.environ[SCRATCH] = scratch
        for number, system in enumerate(scored.systems):
            recorded = _node(Recorded, path=str(kept[system.name]), retrieves=system.retrieves)
            planned = _planned(config, {**exam, "architecture": recorded}, system.name, generator)
            asked = [question for question in planned.corpus.questions if question.id in scored.questions]
            drawn = select(asked, limit=config.limit, sample=config.sample, seed=config.seed)
            tracking = planned.settings["tracking"]
            status = JobStatus(name, str(results), tracking)
            carry_out(replace(planned, questions=drawn), status, number, tell).write(number)
        return conclude(read_statuses(Path(scratch)))


def _exam(folder: Path, name: str, language: str) -> dict[str, object]:
    """What stands in the place of the corpus for a file that is an exam of its own."""
    load = f"{imported.load.__module__}.{imported.load.__name__}"
    spoken = {"language": language, "documents_language": language}
    return {"corpus": {"_target_": load, "path": str(folder), "name": name, **spoken}}


def _planned(config: DictConfig, nodes: Mapping[str, object], system: str, generator: str) -> Plan:
    """The plan of one file: its answers in the places of architecture and generator."""
    ours = config.copy()
    OmegaConf.set_readonly(ours, False)
    for part, node in {**nodes, "generator": _node(Elsewhere, name=generator)}.items():
        ours[part] = node
    try:
        planned = plan(ours, {"architecture": system, "generator": generator})
    except OmegaConfBaseException as error:
        raise user_error(error) from None
    return replace(planned, metrics={key: one for key, one in planned.metrics.items() if key not in _UNKNOWN})


def _node(kind: type, **knobs: object) -> dict[str, object]:
    return {"_target_": f"{kind.__module__}.{kind.__name__}", **knobs}
