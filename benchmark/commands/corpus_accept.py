"""``ragsweep corpus accept DRAFTS REVIEW.csv ... --to CORPUS``: reviewed drafts become an exam."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmark.commands.progress import counted
from benchmark.domain import UserError
from benchmark.drafting.nouns import Drafts
from benchmark.drafting.reviews import Decision, Review, Settled, settle
from benchmark.storage.drafts import read_drafts
from benchmark.storage.merging import PROVENANCE, Merged, merge
from benchmark.storage.places import must_be_writable
from benchmark.storage.reviews import read_reviews
from benchmark.text import some

HELP = """\
Merge the drafts that people accepted or mended, in review.html or review.csv of the folder of drafts, into the exam of
a corpus with the same documents; a folder that is not there yet is made, with the documents. Drafts on which reviewers
differ are listed and left out. Once more changes nothing."""


def add_to(parser: ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("drafts", type=Path, metavar="DRAFTS", help="the folder that ragsweep corpus questions wrote")
    parser.add_argument("reviews", type=Path, nargs="+", metavar="REVIEW.csv", help="sheets that people filled in")
    parser.add_argument("--to", type=Path, required=True, metavar="CORPUS", help="the corpus's folder, there or new")
    parser.set_defaults(call=call)


def call(chosen: Namespace) -> int:
    """Merge; 0 done, 1 reviewers differ on some drafts."""
    if chosen.to.resolve() == chosen.drafts.resolve():
        raise UserError(f"--to is {chosen.to}, the folder of drafts.\n    to do:  give a corpus, such as corpora/mine")
    drafts = read_drafts(chosen.drafts)
    settled = settle(drafts.drafts, read_reviews(chosen.reviews, drafts))
    must_be_writable(chosen.to, knob="--to")
    merged = merge(chosen.to, drafts, settled)
    print("\n".join(_told(drafts, settled, merged, chosen.to)))
    return 1 if settled.disputed else 0


def _told(drafts: Drafts, settled: Settled, merged: Merged, to: Path) -> Iterator[str]:
    mended = sum(_is_mended(settled.accepted[name]) for name in merged.added)
    yield f"{counted(len(drafts.drafts), 'draft')}: " + ", ".join(
        [
            f"{len(settled.accepted)} accepted",
            f"{len(settled.rejected)} rejected",
            f"{len(settled.disputed)} in dispute",
            f"{len(settled.undecided)} not decided",
        ]
    )
    if merged.added:
        new = ", a new corpus with the documents" if merged.is_new else ""
        yield f"added {counted(len(merged.added), 'question')} ({mended} mended) to {to / 'questions.jsonl'}{new}"
        yield f"who wrote and who reviewed each: {to / PROVENANCE}"
    else:
        yield f"nothing to add to {to}"
    if merged.there:
        yield f"there already, as they were accepted: {some(merged.there)}"
    if merged.unwanted:
        yield f"rejected, and in the exam: {some(merged.unwanted)}\n    to do:  take their lines out of questions.jsonl"
    for name, reviews in settled.disputed.items():
        said = "; ".join(f"{one.by}: {one.decision}{f' ({one.note})' if one.note else ''}" for one in reviews)
        yield f"in dispute, not merged: {name}: {said}"
    if settled.disputed:
        yield "    to do:  let the reviewers agree on them, correct the sheets, and give the same command again"
    if merged.added or merged.there:
        yield f"Check: ragsweep corpus check {shlex.quote(str(to))}"


def _is_mended(reviews: Sequence[Review]) -> bool:
    return any(review.decision is Decision.MEND for review in reviews)
