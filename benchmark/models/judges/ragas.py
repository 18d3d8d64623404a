"""A judge with the prompts of the installed library ``ragas``, sent, kept and scheduled by the house."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ValidationError

from benchmark.digest import digest
from benchmark.domain import Embedder, ImpliedQuestion, Prompt, Question, RelevancyScale, UserError, Verdict
from benchmark.models.endpoints.chat import ChatModel
from benchmark.models.endpoints.faults import BadReplyError
from benchmark.models.endpoints.structured import made_up, object_in
from benchmark.turns import together

Check = Callable[[Any], str | None]
"""Why a reply that fits its schema is no ruling, if it is none."""

_PROMPTS = {
    "statements": ("ragas.metrics._faithfulness", "StatementGeneratorPrompt"),
    "supported": ("ragas.metrics._faithfulness", "NLIStatementPrompt"),
    "useful": ("ragas.metrics._context_precision", "ContextPrecisionPrompt"),
    "attributed": ("ragas.metrics._context_recall", "ContextRecallClassificationPrompt"),
    "implied": ("ragas.metrics._answer_relevance", "ResponseRelevancePrompt"),
    "mending": ("ragas.prompt.pydantic_prompt", "FixOutputFormat"),
}
_WANTED = "    wanted: ragas 0.4.3, with langchain-community below 0.4.2"
_CURE = f"{_WANTED}\n    to do:  pip install 'ragsweep[ragas]', or judge=llm"
_MENDINGS_OF_LIBRARY = 3
"""``retries_left`` of ``PydanticPrompt.generate``: how deep a mending reply is itself mended."""


@dataclass(frozen=True, kw_only=True)
class RagasJudge:
    """Equal replies give the verdicts that the library's legacy metrics are made of (ragas 0.4.3).

    ``as_library``: replies are read by the library's own parser, and what it makes of a bad one stands. Otherwise a
    reply that is cut, rules on fewer statements than there are or gives a verdict other than 0 and 1 is mended once
    with the library's prompt for that, and then is a ``BadReplyError``.
    """

    llm: ChatModel
    embedder: Embedder
    as_library: bool = False

    @property
    def name(self) -> str:
        prompts = digest([_prompt(task).to_string() for task in _PROMPTS])[:12]
        reading = "as_library/" if self.as_library else ""
        return f"ragas-{version('ragas')}-{prompts}/{reading}{self.llm.name}/{self.embedder.name}"

    @property
    def in_flight(self) -> int:
        """How many operations at once are worth having."""
        return self.llm.in_flight

    def statements(self, question: str, answer: str) -> tuple[str, ...]:
        """What the model takes the answer apart into; its passage numbers are left in, as the library leaves them."""
        return tuple(self._ask("statements", question=question, answer=answer).statements)

    def supported(self, statements: Sequence[str], context: Sequence[str]) -> tuple[Verdict, ...]:
        """One verdict per statement against all passages together; as many as the model gives with ``as_library``."""
        asked: dict[str, Any] = {"context": "\n".join(context), "statements": list(statements)}
        ruled = self._ask("supported", partial(_rules_on_each, len(statements)), **asked).statements
        if self.as_library:
            return tuple(Verdict(one.statement, bool(one.verdict), one.reason) for one in ruled)
        if sorted(one.statement for one in ruled) == sorted(statements):  # in another order, perhaps
            ruled = sorted(ruled, key=lambda one: statements.index(one.statement))
        return tuple(
            Verdict(statement, bool(one.verdict), one.reason) for statement, one in zip(statements, ruled, strict=True)
        )

    def useful(self, question: str, passage: str, reference: str) -> Verdict:
        """Whether the passage was useful in arriving at the reference."""
        ruled = self._ask("useful", _is_binary, question=question, context=passage, answer=reference)
        return Verdict(reference, bool(ruled.verdict), ruled.reason)

    def attributed(self, question: str, reference: str, context: Sequence[str]) -> tuple[Verdict, ...]:
        """One verdict per sentence that the model finds in the reference."""
        asked: dict[str, Any] = {"question": question, "context": "\n".join(context), "answer": reference}
        ruled = self._ask("attributed", _attributes_each, **asked).classifications
        return tuple(Verdict(one.statement, bool(one.attributed), one.reason) for one in ruled)

    def implied_questions(self, question: str, answer: str, n: int) -> tuple[ImpliedQuestion, ...]:
        """``n`` draws of a question, each drawn at the model's ``sample_temperature``; none where all are empty."""
        draws = [partial(self._ask, "implied", _asks, sample=place + 1, response=answer) for place in range(n)]
        drawn = together(draws, at_once=self.in_flight)
        if all(one.question == "" for one in drawn):
            return ()
        texts = [str(one.question) for one in drawn]
        similarities = [float(value) for value in _relevancy(self.embedder).calculate_similarity(question, texts)]
        if not np.isfinite(similarities).all():
            raise BadReplyError(f"{self.embedder.name} gave a vector of zeros, which is near to nothing")
        return tuple(
            ImpliedQuestion(text, bool(one.noncommittal), similarity)
            for text, one, similarity in zip(texts, drawn, similarities, strict=True)
        )

    def relevancy_scale(self, questions: Sequence[Question]) -> RelevancyScale:  # noqa: ARG002 - the verb's shape
        """The scale that changes nothing, as the library knows none."""
        return RelevancyScale()

    # ------------------------------------------------------------------------------------------------- one request

    def _ask(self, task: str, check: Check = lambda _: None, *, sample: int = 0, **fields: object) -> Any:
        mendings = _MENDINGS_OF_LIBRARY if self.as_library else 1
        return self._generate(task, fields, check, sample=sample, mendings=mendings)

    def _generate(self, task: str, fields: dict[str, Any], check: Check, *, sample: int, mendings: int) -> Any:
        """As ``PydanticPrompt.generate_multiple`` and ``RagasOutputParser.parse_output_string`` of the library."""
        prompt = _prompt(task)
        asked = prompt.to_string(prompt.input_model(**fields))
        said = self.llm.complete(Prompt("", asked, sample=sample)).text
        if self.llm.has_made_up(said):
            return made_up(prompt.output_model, said)
        try:
            return self._read(said, prompt.output_model, check)
        except BadReplyError:
            if not mendings:
                raise
        about = {"output_string": said, "prompt_value": asked}
        mended = self._generate("mending", about, lambda _: None, sample=0, mendings=mendings - 1)
        return self._read(mended.text, prompt.output_model, check, mended=True)

    def _read(self, text: str, schema: type[BaseModel], check: Check, *, mended: bool = False) -> BaseModel:
        if self.as_library:
            return _as_library(text, schema, whole=mended)
        try:
            answer = schema.model_validate(object_in(text))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise BadReplyError(f"{self.llm.name} gave no {schema.__name__}: {place}: {first['msg']}") from None
        why = check(answer)
        if why:
            raise BadReplyError(f"{self.llm.name} gave no {schema.__name__}: {why}")
        return answer


# ------------------------------------------------------------------------------------------- what is taken for a ruling


def _is_binary(ruled: Any, name: Literal["verdict", "attributed", "noncommittal"] = "verdict") -> str | None:
    value = getattr(ruled, name)
    return None if value in (0, 1) else f"a {name} is 0 or 1, not {value}"


def _rules_on_each(wanted: int, ruled: Any) -> str | None:
    if len(ruled.statements) != wanted:
        return f"{len(ruled.statements)} verdicts on {wanted} statements"
    return next(filter(None, map(_is_binary, ruled.statements)), None)


def _attributes_each(ruled: Any) -> str | None:
    if not ruled.classifications:
        return "no sentence in the reference"
    return next(filter(None, (_is_binary(one, "attributed") for one in ruled.classifications)), None)


def _asks(ruled: Any) -> str | None:
    return _is_binary(ruled, "noncommittal") if ruled.question.strip() else "the question is empty"


# --------------------------------------------------------------------------------------------------------- the library


def _library(module: str) -> Any:
    if find_spec("ragas") is None:
        raise UserError(f"judge=ragas needs the library ragas, which is not installed\n{_CURE}")
    try:
        return import_module(module)
    except ImportError as error:
        raise UserError(f"the library ragas {version('ragas')} cannot be imported: {error}\n{_CURE}") from None


@cache
def _prompt(task: str) -> Any:
    module, name = _PROMPTS[task]
    try:
        found = getattr(_library(module), name)()
        # Always the same, and made anew of the schema for every prompt it would cost more than sending the prompt.
        found._generate_output_signature = cache(found._generate_output_signature)
        return found
    except AttributeError:
        raise UserError(f"the library ragas {version('ragas')} has no {module}.{name}\n{_CURE}") from None


def _as_library(text: str, schema: type[BaseModel], *, whole: bool) -> BaseModel:
    """What the library's parser makes of a reply: it takes the first bracket's span, and completes what is cut."""
    parser = _library("ragas.prompt.pydantic_prompt").RagasOutputParser(pydantic_object=schema)
    try:
        read: BaseModel = parser.parse(text if whole else _library("ragas.prompt.utils").extract_json(text))
    except _library("langchain_core.exceptions").OutputParserException as error:
        raise BadReplyError(f"the library's parser finds no {schema.__name__}: {str(error)[:200]}") from None
    return read


def _relevancy(embedder: Embedder) -> Any:
    """The library's metric, for its arithmetic of similarity."""
    return _library("ragas.metrics._answer_relevance").ResponseRelevancy(embeddings=_Embeddings(embedder))


@dataclass(frozen=True)
class _Embeddings:
    """An embedder as the library calls it."""

    embedder: Embedder

    def embed_query(self, text: str) -> list[float]:
        return [float(value) for value in self.embedder.embed([text], role="query")[0]]

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(value) for value in row] for row in self.embedder.embed(texts, role="passage")]
