"""``ragsweep corpus import SOURCE --to corpora/NAME``: people's files as a corpus, with an exam where they have one."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from benchmark.commands.progress import counted, importing
from benchmark.domain import UserError
from benchmark.importing.columns import said
from benchmark.importing.forms import form_of
from benchmark.importing.importer import Imported, import_corpus
from benchmark.importing.nouns import Choices
from benchmark.proofreading import card
from benchmark.storage import cards, languages, proofs
from benchmark.storage.places import must_be_writable

HELP = """\
Make a corpus of a file or folder. Documents: .pdf .html .docx .md .txt, and tables with a row for each (.csv .tsv
.xlsx .json .jsonl .parquet). Documents with an exam: a BEIR folder, a folder with AutoRAG's two parquet files, a SQuAD
json, a table of questions with passages (ragas, RAGChecker); or documents and --questions TABLE. What is guessed is
shown; an import that was interrupted goes on with the same command."""

_COUNTED = 20_000
"""Documents up to which the card is counted at once; above, ``ragsweep corpus card`` does it."""


def add_to(parser: ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("source", type=Path, help="a file or a folder")
    parser.add_argument("--to", type=Path, required=True, metavar="corpora/NAME", help="the corpus's folder, a new one")
    parser.add_argument("--questions", type=Path, metavar="TABLE", help="questions with references, for documents")
    parser.add_argument("--language", help="of documents and questions (what their words say): es, en, fr, de, it, pt")
    parser.add_argument("--columns", metavar="ROLE=COLUMN,...", help="where a guess is wrong: question=Pregunta,...")
    parser.add_argument("--grades", metavar="MEANING", help='as-is, inverted, or each: "0=0,1=2,2=3"')
    parser.add_argument(
        "--repeated", choices=("highest", "lowest", "first", "last"), help="where a pair has two grades"
    )
    parser.add_argument("--split", help="which judgements of a BEIR folder (test)")
    parser.set_defaults(call=call)


def call(chosen: Namespace) -> int:
    """Import; 0 all is read, 1 some files could not be and are left out."""
    if chosen.language is not None:
        languages.known(chosen.language, "the documents")
    if not chosen.to.name or chosen.to.resolve() == chosen.source.resolve():
        raise UserError(f"--to is {chosen.to}.\n    to do:  give a new folder, such as --to corpora/mine")
    must_be_writable(chosen.to.parent, knob="--to")
    choices = Choices(said(chosen.columns), chosen.grades, chosen.repeated, chosen.split)
    form = form_of(chosen.source, chosen.questions, choices)
    with importing(chosen.source.name) as watch:
        imported = import_corpus(form, chosen.to, choices=choices, language=chosen.language, watch=watch)
    if imported.questions and imported.documents <= _COUNTED:
        proof = proofs.read(chosen.to, imported.language)
        cards.write_counts(chosen.to, card.counts(proof, proofs.checksum(proof)))
    print("\n".join(_told(imported, form.name, chosen.to)))
    return 1 if imported.left_out else 0


def _told(imported: Imported, form: str, to: Path) -> Iterator[str]:
    for reason in imported.left_out:
        print(f"left out: {reason}", file=sys.stderr)
    yield from imported.notes
    if imported.numbers:
        lost = sum(imported.lost.values())
        told = ", ".join(f"{number} ({count})" for number, count in list(imported.lost.items())[:10])
        yield f"numbers: {imported.numbers} in the PDFs' text layers, {lost} of them lost" + (
            f": {told}" if lost else ""
        )
    yield f"read {form}, in {imported.language}: " + ", ".join(
        [counted(imported.documents, "document"), counted(imported.questions, "question")]
    )
    yield f"wrote {to}"
    if imported.questions:
        yield f"Check: ragsweep corpus check {to}"
        yield f"Run:   ragsweep -m architecture=bm25,dense corpus=folder corpus.path={to}"
    else:
        yield f"It has no exam: give one with --questions TABLE, or write {to}/questions.jsonl (see CONTRIBUTING.md)"
