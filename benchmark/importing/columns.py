"""Which column is what: guessed by its name in six languages, shown, and said by the user where the guess is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmark.domain import UserError
from benchmark.storage.fields import Place
from benchmark.suggestions import meant
from benchmark.text import fold

NAMES: dict[str, tuple[str, ...]] = {
    "id": (*("id", "qid", "query_id", "question_id", "_id", "uid", "uuid", "numero", "nummer", "no", "identificador"),),
    "question": (
        *("question", "query", "user_input", "question_text", "pregunta", "preguntas", "frage", "domanda", "pergunta"),
        *("questions", "queries", "consulta", "prompt", "claim", "input"),
    ),
    "reference": (
        *("reference", "ground_truth", "ground_truths", "gt_answer", "expected_answer", "reference_answer"),
        *("generation_gt", "gold_answer", "golden_answer", "ideal_answer", "correct_answer", "target_answer"),
        *("respuesta_esperada", "respuesta_correcta", "respuesta_de_referencia", "referencia", "expected_output"),
        *("reponse_attendue", "erwartete_antwort", "risposta_attesa", "resposta_esperada"),
    ),
    "answer": (
        *("answer", "answers", "response", "generated_answer", "model_answer", "prediction", "output", "actual_output"),
        *("respuesta", "respuestas", "reponse", "antwort", "risposta", "resposta", "generated", "completion"),
    ),
    "reference_contexts": (
        *("reference_contexts", "reference_context", "retrieval_gt_contents", "gold_contexts", "gold_context"),
        *("gold_passages", "context", "passage", "contexto", "pasaje", "fragmento", "kontext", "contexte", "contesto"),
    ),
    "contexts": (
        *("retrieved_contexts", "retrieved_context", "contexts", "context", "retrieval_context", "passages", "passage"),
        *("source_documents", "retrieved_passages", "retrieved_documents", "contextos", "contexto"),
    ),
    "documents": (
        *("retrieval_gt", "evidence_doc_id", "evidence_document", "document_id", "doc_id", "documento", "document"),
        *("corpus_id", "corpusid", "evidence_documents", "doc_ids", "cited_doc_ids"),
    ),
    "quote": ("quote", "evidence", "evidence_span", "answer_span", "cita", "evidencia", "zitat"),
    "grade": ("grade", "score", "relevance", "relevancia"),
    "answerable": ("answerable", "is_answerable", "respondible"),
    "tags": ("tags", "tag", "category", "question_type", "type", "tipo", "categoria", "kategorie", "synthesizer_name"),
    "difficulty": ("difficulty", "dificultad", "level", "nivel"),
    "tenant": ("tenant",),
    "text": (
        *("text", "contents", "content", "page_content", "passage", "body", "abstract", "texto", "contenido"),
        *("document_text", "chunk", "answer", "inhalt", "contenu", "testo", "conteudo"),
    ),
    "document_id": ("doc_id", "docid", "document_id", "chunk_id", "passage_id", "pid", "_id", "id", "answerid", "path"),
    "title": ("title", "titulo", "titel", "titre", "heading", "name"),
}
"""The words by which each role's column is known, the surest first."""

WRITTEN = ("answer", "answers", "respuesta", "respuestas", "reponse", "antwort", "risposta", "resposta")
"""Columns of answers that a person may have written, so that in an exam without references they are these."""


def plain(name: str) -> str:
    """A column's name without case, accents and punctuation.

    >>> plain("Respuesta Esperada"), plain("query-id"), plain("_id")
    ('respuesta_esperada', 'query_id', '_id')
    """
    folded = fold(name.strip())
    return ("_" if folded.startswith("_") else "") + re.sub(r"[^\w]+|_+", "_", folded).strip("_")


def said(text: str | None) -> dict[str, str]:
    """The columns that the user names: ``question=Pregunta,reference=Respuesta``.

    >>> said("question=Pregunta clínica, reference=R")
    {'question': 'Pregunta clínica', 'reference': 'R'}
    """
    found: dict[str, str] = {}
    for part in (text or "").split(","):
        if part.strip():
            role, equals, column = part.partition("=")
            if not equals or role.strip() not in NAMES:
                raise UserError(
                    f"--columns has {part.strip()!r}.{meant(role.strip(), NAMES)}\n"
                    f"    wanted: ROLE=COLUMN, where ROLE is one of {', '.join(NAMES)}\n"
                    "    to do:  write such as --columns question=Pregunta,reference=Respuesta"
                )
            found[role.strip()] = column.strip()
    return found


def guessed(columns: Sequence[str], roles: Iterable[str], chosen: Mapping[str, str], file: Path) -> dict[str, str]:
    """The column of each of ``roles`` that has one; what the user says wins, and no column is taken twice.

    Raises:
        UserError: the user names a column that is not there.
    """
    found: dict[str, str] = {}
    for role, column in chosen.items():
        if column not in columns:
            wanted = f"one of {', '.join(repr(name) for name in columns)}"
            raise Place(file, 1).wrong(
                f"there is no column {column!r} for {role}.{meant(column, columns)}", wanted, "correct --columns"
            )
        found[role] = column
    known = {plain(column): column for column in reversed(columns)}
    for role in roles:
        taken = set(found.values())
        column = next((known[name] for name in NAMES[role] if name in known and known[name] not in taken), "")
        if role not in found and column:
            found[role] = column
    return found


def shown(found: Mapping[str, str], columns: Sequence[str]) -> str:
    """What was guessed, for the user to see."""
    unused = [column for column in columns if column not in found.values()]
    told = ", ".join(f"{role}={column}" for role, column in found.items())
    return f"columns: {told}" + (f" (not used: {', '.join(unused)})" if unused else "")
