"""What a user names as a pipeline, and what each slip is answered with."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from architectures.langchain import LangChain
from benchmark.bridges import building
from benchmark.domain import Pipeline, UserError
from tests.conftest import FAKES, Called

Built = Callable[..., Pipeline]
Ragsweep = Callable[..., Called]


def asks_for_much(chunks: object, embedding: object, tenant: str | None, k: int, extra: str = "x") -> object:
    return {"chunks": chunks, "embedding": embedding, "tenant": tenant, "k": k, "extra": extra}


def wants_more(flavour: str) -> object:
    return flavour


def breaks(k: int) -> object:
    raise LookupError("no shelf\nfor this")


def imports_what_is_missing() -> object:
    import chromadb_that_is_not_there  # type: ignore[import-not-found]  # the mistake under test

    return chromadb_that_is_not_there


def test_a_function_is_given_what_its_parameters_name() -> None:
    parts = {name: partial(str, f"the {name}") for name in ("chunks", "embedder", "tenant", "k", "writer")}
    made = building.made(asks_for_much, "mine:f", parts, {"extra": "y"})
    wanted = {"chunks": "the chunks", "embedding": "the embedder", "tenant": "the tenant", "k": "the k", "extra": "y"}
    assert made == wanted


@pytest.mark.parametrize(
    ("pipeline", "told"),
    [
        ("mine", "a module and a name in it with a colon between"),
        ("no_such_module:f", "there is no module no_such_module.\n    to do:  write no_such_module.py in this folder"),
        (f"{__name__}:break", "there is no break in it. Did you mean breaks?"),
        (f"{__name__}:wants_more", "has a parameter 'flavour', which nothing gives"),
        (f"{__name__}:breaks", r"broke while it built its pipeline: LookupError: no shelf for this (.*line \d+)"),
        (f"{__name__}:imports_what_is_missing", "pip install what brings the module chromadb_that_is_not_there"),
        (f"{__name__}:asks_for_much", "made a dict, which cannot be asked"),
    ],
)
def test_a_slip_is_answered_with_what_to_do(built: Built, pipeline: str, told: str) -> None:
    with pytest.raises(UserError) as error:
        built(LangChain, pipeline)
    assert told in str(error.value) or re.search(told, str(error.value))


def test_an_unknown_option_is_answered_with_those_there_are(built: Built) -> None:
    with pytest.raises(UserError, match=r"options\.weigth is not a parameter"):
        built(LangChain, "benchmark.bridges.examples.langchain:ensemble", options={"weigth": 1})


def test_a_missing_extra_ends_with_the_line_to_type(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_classic", None)
    loaded = ("langchain_classic.", "benchmark.bridges.examples.")
    for name in [name for name in sys.modules if name.startswith(loaded)]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(UserError) as error:
        built(LangChain, "benchmark.bridges.examples.langchain:ensemble")
    assert str(error.value).splitlines()[-1].strip() == "pip install 'ragsweep[langchain]'"


def test_a_name_that_is_not_there_is_found_before_anything_is_written(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep(*FAKES, "judge=none", "architecture=llama_index", "architecture.pipeline=nowhere:f")
    assert called.exit_code == 2
    assert "there is no module nowhere" in called.err
    assert not (house / "results").exists() or not list((house / "results").rglob("config.yaml"))


MINE = '''
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda


def first(documents):
    """The first sentence of every document, and one that nobody wrote."""
    found = [Document(page_content=d.page_content.strip().split(". ")[0], metadata=d.metadata) for d in documents]
    return RunnableLambda(lambda question: [*found, Document(page_content="Nadie ha escrito esto.")])
'''


def test_a_function_in_the_users_folder_is_an_architecture(ragsweep: Ragsweep, house: Path) -> None:
    (house / "mine_of_the_test.py").write_text(MINE, encoding="utf-8")
    called = ragsweep(*FAKES, "judge=none", "architecture=langchain", "architecture.pipeline=mine_of_the_test:first")
    assert called.exit_code == 0, called.err
    assert "passages (" in called.err + called.out
    assert "stand nowhere in the corpus and are left out, such as 'Nadie ha escrito esto.'" in called.err + called.out


def test_a_changed_function_is_another_run(ragsweep: Ragsweep, house: Path) -> None:
    for text in (MINE, MINE + "\n# changed\n"):
        (house / "other_of_the_test.py").write_text(text, encoding="utf-8")
        named = "architecture.pipeline=other_of_the_test:first"
        called = ragsweep(*FAKES, "judge=none", "architecture=langchain", named)
        assert called.exit_code == 0, called.err
    assert len(list((house / "results" / "runs" / "tiny" / "langchain" / "echo").iterdir())) == 2
