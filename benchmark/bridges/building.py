"""From ``module:name`` to a pipeline: a user's function called with what its parameters ask for."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Collection, Mapping
from functools import partial
from importlib import import_module

from benchmark.domain import UserError
from benchmark.models.endpoints.faults import CallFailedError
from benchmark.models.extras import to_install
from benchmark.suggestions import meant

Parts = Mapping[str, Callable[[], object]]
"""What may be asked for by the name of a parameter; each is made only for who asks."""

ALIASES = {
    "nodes": "chunks",
    "embedding": "embedder",
    "embeddings": "embedder",
    "embed_model": "embedder",
    "llm": "writer",
    "similarity_top_k": "candidates",
    "top_k": "candidates",
}
"""The libraries' own names for the same, so that many of their classes can be named as they are."""


def named(path: str) -> object:
    """The object that ``module:name`` names; the name may have dots, as in ``module:Class.from_documents``.

    Raises:
        UserError: there is no such module, or no such name in it, or it does not load.
    """
    module, colon, name = path.partition(":")
    if not colon or not module or not name:
        raise UserError(
            f"architecture.pipeline is {path!r}: it is a module and a name in it with a colon between.\n"
            "    to do:  write a function in a file mine.py here, and architecture.pipeline=mine:function"
        )
    try:
        found: object = import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(f"{error.name}.")):
            raise UserError(
                f"architecture.pipeline is {path}, and there is no module {error.name}.\n"
                f"    to do:  write {module.replace('.', '/')}.py in this folder, install it, or correct the name"
            ) from None
        raise _missing(error, path) from None
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001  # the module is the user's, and may raise anything
        raise UserError(f"architecture.pipeline is {path}, which does not load: {_told(error)}") from None
    for step in name.split("."):
        names = [known for known in dir(found) if not known.startswith("_")]
        if not hasattr(found, step):
            raise UserError(f"architecture.pipeline is {path}, and there is no {step} in it.{meant(step, names)}")
        found = getattr(found, step)
    return found


def is_recipe(found: object) -> bool:
    """Whether it is to be called for a pipeline, rather than being one."""
    return inspect.isroutine(found) or inspect.isclass(found) or isinstance(found, partial)


def asked_for(
    recipe: Callable[..., object], path: str, parts: Collection[str], options: Mapping[str, object]
) -> dict[str, str]:
    """By parameter the part that it is to be given; what the options give, and what may be left out, is not in it.

    Raises:
        UserError: the recipe wants what nothing gives, or is given an option that it does not take.
    """
    try:
        parameters: Mapping[str, inspect.Parameter] = inspect.signature(recipe).parameters
    except (ValueError, TypeError):  # compiled code that says nothing of itself
        parameters = {}
    wanted = {name: p for name, p in parameters.items() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for option in options:
        if option not in wanted and not takes_all:
            raise UserError(
                f"architecture.options.{option} is not a parameter of {path}.{meant(option, wanted)} "
                f"It takes {', '.join(wanted) or 'none'}"
            )
    given = {}
    for name, parameter in wanted.items():
        part = ALIASES.get(name, name)
        if name in options:
            continue
        if part in parts:
            given[name] = part
        elif parameter.default is parameter.empty:
            raise UserError(
                f"{path} has a parameter {name!r}, which nothing gives.\n"
                f"    wanted: some of {', '.join(parts)}\n"
                f"    to do:  rename it, give it a default, or set it: +architecture.options.{name}=..."
            )
    return given


def made(recipe: Callable[..., object], path: str, parts: Parts, options: Mapping[str, object]) -> object:
    """What the recipe makes of the parts that its parameters name, and of the options.

    Raises:
        UserError: as ``asked_for``, or the recipe breaks.
    """
    given = {name: parts[part]() for name, part in asked_for(recipe, path, parts, options).items()}
    try:
        return recipe(**options, **given)
    except (UserError, CallFailedError):
        raise
    except ModuleNotFoundError as error:
        raise _missing(error, path) from None
    except Exception as error:
        raise UserError(f"{path} broke while it built its pipeline: {_told(error)}") from error


def _missing(error: ModuleNotFoundError, path: str) -> UserError:
    name = error.name or str(error)
    return UserError(f"{path} imports {name}, which is not installed.\n    {to_install(name)}")


def _told(error: BaseException) -> str:
    """The error and the line that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    said = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {said or 'no message'}{place}"
