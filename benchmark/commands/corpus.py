"""``ragsweep corpus check|card|import|questions|accept``: is a corpus fit to be an exam; and new ones."""

from __future__ import annotations

import json
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmark.commands import corpus_accept, corpus_import, corpus_questions
from benchmark.commands.arguments import ChoosingParser
from benchmark.commands.progress import counted
from benchmark.domain import UserError
from benchmark.proofreading import card, source
from benchmark.proofreading.check import own_words, proofread
from benchmark.proofreading.nouns import Fault, Proof
from benchmark.storage import cards, proofs
from benchmark.storage.fields import read_text
from benchmark.storage.shelves import find

_CHECK = """\
Find what is wrong with a corpus and say where: ids, questions or texts that are there twice; quotes that are not
verbatim; answers whose numbers or units their evidence does not have; answers without support, and abstentions that are
none; evidence of another tenant; medications and doses that the documents do not state; a card whose counts are not the
corpus's; and marks of lost text: numbers gone before their units, numbers without unit, empty brackets, cut sentences,
mojibake."""


def command(arguments: Sequence[str]) -> int:
    parser = ChoosingParser("ragsweep corpus", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    checking = commands.add_parser(
        "check",
        help="find what is wrong with a corpus",
        description=_CHECK,
        epilog="Exit codes: 0 clean, 1 faults, 2 the input is wrong.",
    )
    checking.add_argument(
        "corpus", help="a corpus's name or folder, or one file of documents (.json, .jsonl, .md, .txt)"
    )
    checking.add_argument(
        "--against", type=Path, metavar="SOURCE.txt", help="a text of which no run of 8 words may be used"
    )
    checking.add_argument("--fixed-terms", type=Path, metavar="FILE", help="terms that may be used, one a line")
    checking.add_argument("--json", action="store_true", help="for a program: the faults as objects")
    checking.set_defaults(call=_check)
    writing = commands.add_parser(
        "card",
        help="write the counts of its card",
        description="Write the counts and the checksum into the corpus's card.md.",
    )
    writing.add_argument("corpus", help="a corpus's name or folder")
    writing.set_defaults(call=_card)
    for subcommand in (checking, writing):
        subcommand.add_argument("--language", help="of the documents (what their front matter says, else es)")
    corpus_import.add_to(commands.add_parser("import", help="make a corpus of files", description=corpus_import.HELP))
    drafting = commands.add_parser("questions", help="draft an exam with a model", description=corpus_questions.HELP)
    corpus_questions.add_to(drafting)
    corpus_accept.add_to(
        commands.add_parser("accept", help="merge reviewed drafts into an exam", description=corpus_accept.HELP)
    )
    chosen, more = parser.parse_known_args(list(arguments))
    # Overrides may stand among the options, where argparse knows no more places.
    if any(chosen.command != "questions" or word.startswith("-") for word in more):
        commands.choices[chosen.command].error(f"unrecognized arguments: {' '.join(more)}")
    chosen.overrides = more
    exit_code: int = chosen.call(chosen)
    return exit_code


def _check(chosen: Namespace) -> int:
    if chosen.fixed_terms and not chosen.against:
        raise UserError(
            "--fixed-terms excuses words of a source, and there is none.\n    to do:  add --against SOURCE.txt"
        )
    folder = None if Path(chosen.corpus).is_file() else find(chosen.corpus)
    proof = proofs.read(folder, chosen.language) if folder else proofs.read_file(Path(chosen.corpus), chosen.language)
    faults = list(proofread(proof))
    if chosen.against:
        terms = cards.text_of(chosen.fixed_terms, "the fixed terms").split("\n") if chosen.fixed_terms else ()
        text = cards.text_of(chosen.against, "the source")
        faults += source.shared(own_words(proof), text, source.fixed(terms))
    # Counts of a corpus that was not read whole are not its counts.
    if folder and not proof.faults and cards.card_of(folder).is_file():
        file = cards.card_of(folder)
        counted = card.counts(proof, proofs.checksum(proof))
        faults += card.differences(read_text(file), counted, name=chosen.corpus, file=proofs.shown_path(file))
    print(_as_json(proof, faults) if chosen.json else _as_text(proof, faults))
    return 1 if faults else 0


def _card(chosen: Namespace) -> int:
    proof = proofs.read(find(chosen.corpus), chosen.language)
    if proof.faults:
        raise UserError(
            f"the corpus cannot be read whole, so it is not counted: {_line(proof.faults[0])}\n"
            f"    to do:  mend what this finds: ragsweep corpus check {chosen.corpus}"
        )
    print(f"wrote {cards.write_counts(find(chosen.corpus), card.counts(proof, proofs.checksum(proof)))}")
    return 0


def _line(fault: Fault) -> str:
    return f"{fault.origin}: {fault.kind.value}: {fault.found}\n    to do:  {fault.cure}"


def _as_text(proof: Proof, faults: Sequence[Fault]) -> str:
    size = f"{counted(len(proof.documents), 'document')} and {counted(len(proof.questions), 'question')}"
    if not faults:
        return f"{size}: nothing found"
    kinds = Counter(fault.kind.value for fault in faults)
    return "\n".join(
        [
            *(_line(fault) for fault in faults),
            "",
            *(f"{count:>6}  {kind}" for kind, count in kinds.most_common()),
            f"{len(faults):>6}  fault{'' if len(faults) == 1 else 's'} in {size}",
        ]
    )


def _as_json(proof: Proof, faults: Sequence[Fault]) -> str:
    plain = {
        "documents": len(proof.documents),
        "questions": len(proof.questions),
        "faults": [
            {
                "file": fault.origin.file,
                "line": fault.origin.line,
                "kind": fault.kind.value,
                "found": fault.found,
                "cure": fault.cure,
            }
            for fault in faults
        ],
        "counts": dict(Counter(fault.kind.value for fault in faults).most_common()),
    }
    return json.dumps(plain, ensure_ascii=False, indent=2)
