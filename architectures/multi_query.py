"""Query rewriting: the question asked in several wordings, the rankings fused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmark.domain import (
    Chunker,
    Document,
    Generator,
    Pipeline,
    Query,
    Recipe,
    Response,
    Retriever,
    Step,
    UserError,
    Writer,
)
from benchmark.pipelines import Reading, chunked, read, retrieve
from benchmark.prompts import prompt
from benchmark.search.fusion import reciprocal_rank_fusion
from benchmark.stopwatch import stopwatch

_LIST_MARK = re.compile(r"^\s*(?:\d+[.)]|[-*])\s*")


@dataclass(frozen=True, kw_only=True)
class MultiQuery:
    """Search by the question and by ``n`` rewrites of it, and fuse the rankings by reciprocal ranks."""

    chunker: Chunker
    retriever: Recipe
    writer: Writer
    language: str
    reading: Reading
    n: int = 2
    max_tokens: int = 96
    c: float = 60
    candidates: int = 20

    def __post_init__(self) -> None:
        if self.n < 1:
            raise UserError(f"architecture.n is {self.n}: it takes at least one rewrite, for instance architecture.n=2")

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:
        return RewriteThenRead(self, self.retriever.over(chunked(documents, self.chunker)), generator)


@dataclass(frozen=True)
class RewriteThenRead:
    recipe: MultiQuery
    retriever: Retriever
    generator: Generator

    def answer(self, query: Query) -> Response:
        recipe = self.recipe
        depth = max(recipe.candidates, recipe.reading.k)
        rewritten, wordings = self._rewrite(query)
        steps = [rewritten]
        rankings = []
        for wording in (query.text, *wordings):
            stages = retrieve(self.retriever, replace(query, text=wording), depth)
            steps.extend(stages)
            rankings.append(stages[-1].hits)
        with stopwatch() as watch:
            fused = reciprocal_rank_fusion(rankings, [1.0] * len(rankings), c=recipe.c)[:depth]
        steps.append(Step("fuse", watch.seconds, watch.cached, fused))
        return read(self.generator, query, recipe.reading.context(fused), steps)

    def _rewrite(self, query: Query) -> tuple[Step, tuple[str, ...]]:
        """The step and at most ``n`` distinct wordings that differ from the question."""
        if not query.text.strip():
            return Step("rewrite", 0.0), ()
        n, tokens = self.recipe.n, self.recipe.max_tokens
        asked = prompt("rewrite", self.recipe.language, max_tokens=tokens, question=query.text, n=n, next=n + 1)
        with stopwatch() as watch:
            completion = self.recipe.writer.complete(asked)
        lines = (_LIST_MARK.sub("", line).strip() for line in completion.text.splitlines())
        wordings = tuple(dict.fromkeys(line for line in lines if line and line != query.text))[:n]
        return Step("rewrite", watch.seconds, watch.cached, (), (completion,)), wordings
