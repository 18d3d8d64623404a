"""``ragsweep corpus questions SOURCE --to DRAFTS``: an exam drafted by a model, for a person to review."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from benchmark.authoring.authors import WriterAuthor, author_of
from benchmark.authoring.exam import Desk, Outcome
from benchmark.authoring.examinee import Examinee
from benchmark.authoring.graders import ChatGrader, Grader, JudgeGrader
from benchmark.authoring.passages import assignments
from benchmark.authoring.pool import Pool
from benchmark.commands import COMMANDS
from benchmark.commands.overrides import in_order, told
from benchmark.commands.progress import advance, counted, tell
from benchmark.commands.spending import show_spending
from benchmark.config import composed, plan_judge, plan_part
from benchmark.domain import Chunk, Chunker, Corpus, Embedder, Generator, Judge, UserError, Writer
from benchmark.drafting.kinds import KINDS, kinds_of
from benchmark.drafting.nouns import Drafting, Drafts
from benchmark.models.endpoints.budget import BudgetSpentError, new_accounts
from benchmark.models.endpoints.chat import ChatModel
from benchmark.models.judges.llm import LlmJudge
from benchmark.pipelines import ClosedBookGenerator, chunked
from benchmark.prompts import version
from benchmark.report.review import TEXTS, as_page
from benchmark.storage.drafts import write_drafts
from benchmark.storage.grounds import load_ground
from benchmark.storage.places import must_be_writable
from benchmark.storage.reviews import review_rows, write_review

HELP = """\
Draft exam questions over a corpus's documents with a model: question, reference and quotes, checked by filters, with
what a search finds graded from 0 to 3. What a filter turns down is kept with the reason. Overrides choose the parts, as
of a run: generator=openai generator.model=gpt-4.1 judge=llm chunker.size=200 budget.money=1 dry_run=true. The generator
drafts and answers; one that only answers leaves the drafting to the writer, as it does offline (extractive,
gemma_270m). An interrupted drafting goes on with the same command: every reply is kept. Exit codes: 0 drafted, 1 some
calls failed, nothing was drafted or the budget is spent, 2 the input is wrong."""


def add_to(parser: ArgumentParser) -> None:
    """The arguments of the command."""
    parser.usage = "ragsweep corpus questions SOURCE --to DRAFTS [OPTIONS] [OVERRIDES ...]"
    parser.add_argument("source", help="a corpus's name, or a folder with documents/ or documents.jsonl")
    parser.add_argument("--to", type=Path, required=True, metavar="DRAFTS", help="the folder of the drafts, a new one")
    parser.add_argument("--count", type=int, default=20, metavar="N", help="how many to draft, of all kinds (20)")
    parser.add_argument("--kinds", default=",".join(KINDS), metavar="KIND,...", help=f"({','.join(KINDS)})")
    parser.add_argument("--seed", type=int, default=7, help="of which passages are drafted from (7)")
    parser.add_argument("--pool", type=int, default=10, metavar="K", help="passages of each search to grade (10)")
    parser.add_argument("--language", help="of the documents, where they do not say it: es, en, fr, de, it, pt")
    parser.set_defaults(call=call)


def call(chosen: Namespace) -> int:
    """Draft; 0 all was asked, 1 some calls failed or the budget is spent."""
    kinds = kinds_of([name.strip() for name in chosen.kinds.split(",") if name.strip()])
    for option, value in (("--count", chosen.count), ("--pool", chosen.pool)):
        if value < 1:
            raise UserError(f"{option} is {value}.\n    wanted: a whole number of at least 1")
    _must_be_new(chosen.to)
    corpus = load_ground(chosen.source, chosen.language)
    config = _config(chosen.overrides, corpus.language)
    new_accounts()
    chunks = chunked(corpus.documents, plan_part(config, "chunker", Chunker))
    planned = assignments(chunks, kinds, chosen.count, seed=chosen.seed, language=corpus.language)
    if not planned:
        raise UserError(
            f"no passage of {chosen.source} can be drafted from: each has too few words, or no number where one is "
            "wanted.\n    to do:  give longer documents, or larger passages: chunker.size=200"
        )
    desk = _desk(config, chosen, corpus, chunks)
    try:
        with advance(f"{desk.author.name}: drafting", desk.stages * len(planned)) as step:
            outcome = desk.drafted(planned, step)
    except BudgetSpentError as error:
        tell(f"ragsweep: {error}\nNothing is written. With a higher bound the same command goes on from here.")
        show_spending(dry=False)
        return 1
    if config.dry_run:
        show_spending(dry=True)
        return 0
    for failure in outcome.failed:
        tell(f"not drafted or not graded: {failure}")
    if len(planned) < chosen.count:
        print(f"Only {len(planned)} could be drafted: no further passage suits these kinds.")
    print("\n".join(_told(outcome)))
    if isinstance(desk.author, WriterAuthor):
        print("\n".join(_weak(outcome, desk.author.name)))
    if outcome.drafts:
        sheet, page = _write(chosen.to, Drafts(_about(desk, corpus, outcome), corpus.documents, tuple(outcome.drafts)))
        accept = ["ragsweep", "corpus", "accept", str(chosen.to), str(sheet), "--to", "corpora/NAME"]
        print(f"Review: {page} (in a browser), or {sheet}\nThen:   {shlex.join(accept)}")
    show_spending(dry=False)
    return 0 if outcome.drafts and not outcome.failed else 1


def _must_be_new(folder: Path) -> None:
    """A folder of drafts may hold a person's decisions: it is never written over."""
    if not folder.name or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise UserError(
            f"--to is {folder}, which is there.\n"
            "    wanted: a new folder, or an empty one\n"
            f"    to do:  give another, such as --to {folder}-2; what was asked before is not asked again"
        )
    must_be_writable(folder, knob="--to")


def _config(overrides: Sequence[str], language: str) -> DictConfig:
    """The configuration of a run over documents in that language."""
    given = in_order(overrides, tuple(COMMANDS))
    for word in given:
        if word.partition("=")[0].startswith("corpus"):
            raise UserError(
                f"{word}: the corpus is SOURCE, the word behind corpus questions.\n    to do:  leave this out"
            )
    spoken = [f"corpus.language={language}", f"corpus.documents_language={language}"]
    try:
        return composed(["tracking=none", *given, *spoken])
    except (HydraException, OmegaConfBaseException, YAMLError) as error:
        raise told(error) from None


def _says_judge(overrides: Sequence[str]) -> bool:
    return any(word.partition("=")[0] == "judge" for word in overrides)


def _desk(config: DictConfig, chosen: Namespace, corpus: Corpus, chunks: Sequence[Chunk]) -> Desk:
    """Who does what: the generator drafts and answers; one that only answers leaves the drafting to the writer.

    The judge is the one that was chosen, else the generator itself where it is at an endpoint.
    """
    language = corpus.language
    reader = plan_part(config, "generator", Generator)
    drafter = reader if isinstance(reader, Writer) else plan_part(config, "writer", Writer)
    knower = next((model for model in (drafter, reader) if isinstance(model, ClosedBookGenerator)), None)
    if knower is None:
        raise UserError(
            f"neither {drafter.name} nor {reader.name} has a method answer_closed_book(query), by which general "
            "knowledge is told.\n    to do:  choose another generator"
        )
    embedder = plan_part(config, "embedder", Embedder)
    if isinstance(reader, ChatModel) and not _says_judge(chosen.overrides):
        judge: Judge | None = LlmJudge(llm=reader, embedder=embedder, language=language)
    else:
        judge = plan_judge(config)
    if judge is None:
        raise UserError(
            "judge=none rules on nothing: no draft could be checked.\n    to do:  leave it out, or choose another"
        )
    grader: Grader = ChatGrader(judge.llm, language) if isinstance(judge, LlmJudge) else JudgeGrader(judge, language)
    return Desk(
        author=author_of(drafter, language),
        examinee=Examinee(reader, knower, judge),
        grader=grader,
        pool=Pool.over(chunks, embedder, language=language, depth=chosen.pool, threads=config.threads),
        documents={document.id: document for document in corpus.documents},
        existing=corpus.questions,
        language=language,
        today=date.today().isoformat(),
        at_once=drafter.in_flight if isinstance(drafter, ChatModel) else 1,
        thrifty=not config.dry_run,
    )


def _write(to: Path, drafts: Drafts) -> tuple[Path, Path]:
    """The folder of drafts; returns its sheet and its page."""
    write_drafts(to, drafts)
    spoken = drafts.about.language if drafts.about.language in TEXTS else "en"
    return write_review(to, drafts, as_page(drafts, review_rows(drafts), name=to.name, language=spoken))


def _about(desk: Desk, corpus: Corpus, outcome: Outcome) -> Drafting:
    asked = {draft.made.prompt: draft.made.prompt_digest for draft in outcome.drafts}
    graded = {task: version(task, desk.language) for task in desk.grader.tasks}
    return Drafting(
        corpus.name, corpus.digest, desk.language, desk.author.name, asked | graded, desk.today, outcome.unusable
    )


# ------------------------------------------------------------------------------------------------------- what is told


def _told(outcome: Outcome) -> Iterator[str]:
    standing = Counter(draft.kind for draft in outcome.drafts if not draft.turned_down)
    drafted = Counter(draft.kind for draft in outcome.drafts)
    yield f"{counted(len(outcome.drafts), 'draft')}, of which {sum(standing.values())} passed every filter"
    for kind, number in drafted.items():
        yield f"    {kind:<14}{standing[kind]:>4} of {number}"
    turned_down = Counter(name for draft in outcome.drafts for name in draft.turned_down)
    if turned_down:
        yield "Turned down by: " + ", ".join(f"{name} {count}" for name, count in turned_down.most_common())
    for reason, number in outcome.unusable.items():
        yield f"No draft came of {number} of the replies: {reason}"


def _weak(outcome: Outcome, name: str) -> Iterator[str]:
    standing = sum(not draft.turned_down for draft in outcome.drafts)
    asked = len(outcome.drafts) + sum(outcome.unusable.values())
    yield f"{name} runs on this machine. Small models write few questions worth asking: {standing} of {asked} stand,"
    yield "and the filters are no better than who reads and judges for them. Read each before you use it. Larger ones:"
    yield "generator=openai (any endpoint), or generator=gguf generator.weights.file=MODEL.gguf"
