"""Overrides as a user types them: put in order, and refused in words of ours where Hydra would speak of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException, MissingConfigException
from omegaconf import DictConfig
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, ValidationError
from yaml import MarkedYAMLError

from benchmark.commands.listing import choices
from benchmark.domain import UserError
from benchmark.models.endpoints.keys import refuse_open_keys
from benchmark.suggestions import meant

_ALONE = (
    *("-m", "--multirun", "-r", "--run", "--resolve", "-h", "--help", "--hydra-help", "--version"),
    *("-sc", "--shell-completion", "--shell_completion"),
)
_WITH_VALUE = (
    *("-c", "--cfg", "-p", "--package", "-cp", "--config-path", "-cn", "--config-name", "-cd", "--config-dir"),
    "--experimental-rerun",
)
_PERHAPS_WITH_VALUE = ("-i", "--info")
_INFO = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")
_EVERY_KNOB = "Every knob: ragsweep --cfg job; every choice: ragsweep list"
_NUMBERS = {"Integer": "a whole number", "Float": "a number", "Boolean": "true or false"}


def in_order(arguments: Sequence[str], commands: Sequence[str]) -> list[str]:
    """Overrides, each of which can be read, and behind them the flags: Hydra wants no override behind a flag.

    Raises:
        UserError: what can be neither a command, nor a flag, nor an override.
    """
    flags: list[str] = []
    overrides: list[str] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        if not argument.startswith("-"):
            overrides.append(argument)
            continue
        name = argument.partition("=")[0]
        if name not in (*_ALONE, *_WITH_VALUE, *_PERHAPS_WITH_VALUE):
            raise UserError(
                f"there is no option {name}.{meant(name, (*_ALONE, *_WITH_VALUE))}\n"
                f"    to do:  a knob is set as NAME=VALUE, such as k=5; several values after -m. {_EVERY_KNOB}"
            )
        flags.append(argument)
        takes = name in _WITH_VALUE or (name in _PERHAPS_WITH_VALUE and waiting[:1] and waiting[0] in _INFO)
        if takes and "=" not in argument and waiting:
            flags.append(waiting.pop(0))
    for number, override in enumerate(overrides):
        _check(override, overrides[:number], overrides[number + 1 :], commands)
    return [*overrides, *flags]


def _check(override: str, before: Sequence[str], after: Sequence[str], commands: Sequence[str]) -> None:
    key, equals, value = override.partition("=")
    if not key or key.startswith("@") or (not equals and not override.startswith("~")):
        raise _no_override(override, before, after, commands)
    try:
        parsed = OverridesParser.create().parse_override(override)
    except HydraException:
        inner = value.strip().strip("\"'")
        if key.endswith("base_url"):
            refuse_open_keys(inner, None)  # what is shown below may hold one
        raise UserError(
            f"the value of {override} cannot be read.\n"
            "    wanted: NAME=VALUE, NAME=[A,B] or NAME={A: B}, with every bracket and quote closed\n"
            f"    to do:  where the value is a text with such signs, quote it twice: '{key}=\"{inner}\"'"
        ) from None
    if override == "hydra/launcher=joblib" and not _has_joblib():
        raise _no_launcher(override)
    group = parsed.key_or_group
    if group in (found := choices()) and parsed.package is None and isinstance(parsed.value(), int | float):
        raise _no_option(group, str(parsed.value()), list(found[group]))


def _no_override(word: str, before: Sequence[str], after: Sequence[str], commands: Sequence[str]) -> UserError:
    pieces = [*before[-1:], word] if before and before[-1].endswith("=") else [word]
    pieces += after[:2] if after[:1] == ["="] else after[:1] if after and after[0].startswith("=") else []
    if len(pieces) > 1:
        key, _, value = "".join(pieces).partition("=")
        return UserError(f"{' '.join(pieces)}: an override has no space around its =. Type {key}={value}")
    groups = [group for group, options in choices().items() if word in options]
    if groups:
        options = " or ".join(f"{group}={word}" for group in groups)
        return UserError(f"{word} alone says nothing. Did you mean {options}?")
    if word in commands:
        return UserError(f"{word} is a command, and stands first and alone: ragsweep {word} --help")
    if not before:
        return UserError(
            f"there is no command {word!r}.{meant(word, commands)}\n"
            f"    wanted: one of {', '.join(commands)}, or overrides such as architecture=bm25 k=5\n"
            "    to do:  ragsweep --help"
        )
    return UserError(
        f"{word!r} is no override.\n"
        "    wanted: NAME=VALUE, such as k=5, without spaces\n"
        "    to do:  where a value has spaces, quote the whole: 'name=my sweep'"
    )


def _has_joblib() -> bool:
    return find_spec("hydra_plugins") is not None and find_spec("hydra_plugins.hydra_joblib_launcher") is not None


def _no_launcher(launcher: str) -> UserError:
    return UserError(
        f"{launcher} is not installed. Jobs at a time come with an extra: pip install 'ragsweep[parallel]'; one after "
        "another they need none: hydra/launcher=basic"
    )


def told(error: Exception) -> UserError:
    """Hydra's error in words that say what was found, what is wanted, and what to type."""
    cause = error.__cause__
    if isinstance(error, MissingConfigException) and error.options is not None:
        group, _, option = str(error.missing_cfg_file).removeprefix("/").rpartition("/")
        return _no_option(group, option, list(error.options))
    if isinstance(cause, ConfigAttributeError | ConfigKeyError):
        return _no_knob(cause)
    if isinstance(cause, ValidationError):
        return _wrong_value(error, cause)
    if isinstance(error, MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        place = f"{mark.name}, line {mark.line + 1}: " if mark else ""
        return UserError(f"{place}this is not YAML: {error.problem}. Mend the line; quote values that contain a colon")
    if str(error).startswith("Unknown plugin class"):
        return _no_launcher("hydra/launcher")
    ambiguous = re.match(r"Ambiguous value for argument '(.*)'", str(error).strip())
    if ambiguous:
        override = ambiguous[1].replace("\\'", "'")
        return UserError(
            f"{override} gives several values: one run takes one. For a run with each: ragsweep -m {override}"
        )
    hidden = ("HYDRA_FULL_ERROR", "See https://hydra.cc", "provider=", "Config search path")
    lines = [line for line in str(error).splitlines() if line.strip() and not any(word in line for word in hidden)]
    return UserError("\n".join([*lines, _EVERY_KNOB]))


def _no_option(group: str, option: str, options: Sequence[str]) -> UserError:
    return UserError(
        f"there is no {group} {option!r}.{meant(option, options)}\n"
        f"    wanted: one of {', '.join(options) or '(none found)'}\n"
        f"    to do:  {group}=NAME; what each is: ragsweep list {group}"
    )


def _no_knob(cause: ConfigAttributeError | ConfigKeyError) -> UserError:
    parent, key = cause.parent_node, str(cause.key)
    full = str(cause.full_key or key)
    where = full.removesuffix(key).rstrip(".")
    known: list[str] = []
    if isinstance(parent, DictConfig) and not parent._is_none() and not parent._is_interpolation():
        known = [str(name) for name in parent if name != "hydra" and not str(name).startswith("_")]
    elsewhere = [path for path in _paths(parent) if path.rpartition(".")[2] == key] if not where else []
    near = f" Did you mean {' or '.join(elsewhere[:3])}?" if elsewhere else meant(key, known)
    has = f"    wanted: one of {', '.join(known)}\n" if known else ""
    return UserError(
        f"there is no knob {full!r}{f' in {where}' if where else ''}.{near}\n"
        f"{has}    to do:  correct the name. To add one that is not in the yaml: +{full}=...; all: ragsweep --cfg job"
    )


def _paths(node: object, where: str = "") -> Iterator[str]:
    """The knobs of a configuration, nothing resolved, the choices' own parts once."""
    if not isinstance(node, DictConfig) or node._is_none() or node._is_interpolation() or node._is_missing():
        return
    for name, value in node.items_ex(resolve=False):
        if where == "" and name in ("hydra", "metrics", "diagnosis"):
            continue
        path = f"{where}.{name!s}".lstrip(".")
        yield path
        yield from _paths(value, path)


def _wrong_value(error: Exception, cause: ValidationError) -> UserError:
    override = str(error).removeprefix("Error merging override ").strip()
    if "not Optional" in str(cause):
        return UserError(f"{override}: {override.partition('=')[0].lstrip('+')} may not be null")
    found = re.search(r"could not be converted to (\w+)", str(cause))
    if found and found[1] in _NUMBERS:
        return UserError(f"{override}: {override.partition('=')[0].lstrip('+')} must be {_NUMBERS[found[1]]}")
    return UserError(f"{override}: {str(cause).splitlines()[0]}")
