"""From Hydra's configuration to a plan: with ``parts``, the only code below ``__main__`` that knows Hydra."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from hydra import compose, initialize_config_dir
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.plugins import Plugins
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import MISSING, DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from benchmark.diagnosis import Diagnosis
from benchmark.digest import digest
from benchmark.domain import (
    Architecture,
    Corpus,
    Generator,
    GoldArchitecture,
    Judge,
    Metric,
    Question,
    Role,
    UserError,
    role_of,
)
from benchmark.importing.loading import imported
from benchmark.metrics import named
from benchmark.models.endpoints.keys import refuse_keys_in, refuse_password
from benchmark.models.endpoints.transport import Transport
from benchmark.parts import Part, make
from benchmark.pipelines import Reading
from benchmark.sampling import select
from benchmark.storage import plugins
from benchmark.storage.corpora import documents_language, questions_language
from benchmark.storage.environment import TRANSPORT, fingerprint, versions
from benchmark.storage.places import bundled, must_be_a_plain_path, must_be_writable
from benchmark.storage.tracking import MlflowTracking

_MISSING = re.compile(r"Missing mandatory value: (\S+)")


@dataclass
class RunConfig:
    """The top level of ``conf/config.yaml``; below it, the dataclass that ``_target_`` names is each part's schema."""

    corpus: Any = MISSING
    chunker: Any = MISSING
    embedder: Any = MISSING
    retriever: Any = MISSING
    reranker: Any = MISSING
    architecture: Any = MISSING
    generator: Any = MISSING
    writer: Any = MISSING
    judge: Any = MISSING
    metrics: Any = MISSING
    diagnosis: Any = MISSING
    tracking: Any = MISSING
    reading: Any = MISSING
    memory: Any = MISSING
    name: str | None = None
    seed: int = MISSING
    k: int = MISSING
    context_tokens: int | None = None
    candidates: int = MISSING
    limit: int | None = None
    sample: int | None = None
    threads: int = MISSING
    network: str = MISSING
    prices: Any = MISSING
    budget: Any = MISSING
    dry_run: bool = False
    results: str = MISSING


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that one run needs. ``questions`` are those to ask; ``settings`` the resolved configuration, plain."""

    corpus: Corpus
    questions: tuple[Question, ...]
    architecture: Architecture
    generator: Generator
    judge: Judge | None
    metrics: Mapping[str, Metric]
    diagnosis: Diagnosis
    tracking: MlflowTracking | None
    results: Path
    names: Mapping[str, str]
    """Of the architecture, the generator, the judge and so on, as chosen on the command line."""
    role: Role
    is_dry: bool
    """Nothing is sent and nothing is written: what would be is counted."""
    in_flight: int
    """How many questions are asked at once: as many as the endpoint with most room takes, one where all is local."""
    fingerprint: str
    settings: Mapping[str, Any] = field(repr=False)


class UserFolderFirst(SearchPathPlugin):
    """``./conf`` of the user's folder is searched before the bundled one, and those of installed packages after it."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        own = Path("conf").absolute()
        if own.is_dir() and own.resolve() != bundled("conf").resolve():
            search_path.prepend("user", own.as_uri())
        for package, folder in plugins.folders("conf").items():
            search_path.append(package, folder.absolute().as_uri())


def introduce() -> None:
    """Tell Hydra and Python of the house and of the user's folder; may be called more than once."""
    ConfigStore.instance().store(name="schema", node=RunConfig)
    Plugins.instance().register(UserFolderFirst)
    # The plugin's own defaults take every core, and Hydra warns of a yaml of the same name beside them.
    ConfigStore.instance().repo.get("hydra", {}).get("launcher", {}).pop("joblib.yaml", None)
    OmegaConf.register_new_resolver("folder_name", lambda path: Path(path).resolve().name, replace=True)
    OmegaConf.register_new_resolver("file_name", lambda path: Path(path).stem, replace=True)
    OmegaConf.register_new_resolver("imported", imported, replace=True, use_cache=True)
    OmegaConf.register_new_resolver("documents_language", documents_language, replace=True, use_cache=True)
    OmegaConf.register_new_resolver("questions_language", questions_language, replace=True, use_cache=True)
    OmegaConf.register_new_resolver("jobs_at_once", jobs_at_once, replace=True)
    OmegaConf.register_new_resolver("digest", _digest_of, replace=True)
    OmegaConf.register_new_resolver("versions", versions, replace=True)
    OmegaConf.register_new_resolver("address_of", address_of, replace=True)
    import architectures  # the package alone, for its path: no architecture is imported here

    own = str(Path("architectures").absolute())
    if own not in architectures.__path__:
        architectures.__path__.insert(0, own)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # for `architecture.pipeline=mine:function`; last, so that it hides no library


def _digest_of(node: object) -> str:
    """A short name for a part of the configuration by what it says."""
    return digest(OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node)[:12]


def jobs_at_once(threads: int) -> int:
    """How many jobs of so many threads this machine has cores for; at least one.

    More would not be faster, and would spoil the seconds that each reports.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // max(1, threads))


def address_of(api_key_env: str | None, default: str, *, _root_: DictConfig, _parent_: DictConfig) -> str:
    """Where a model is asked that has no address of its own: where the generator is, if they have one key.

    A key belongs to one address: who gives the generator another one does not want its key sent elsewhere.
    """
    generator = OmegaConf.select(_root_, "generator")
    if not isinstance(generator, DictConfig) or generator is _parent_ or "base_url" not in generator:
        return default
    return str(generator.base_url) if generator.get("api_key_env") == api_key_env else default


def plan(config: DictConfig, choices: Mapping[str, str]) -> Plan:
    """Make every part of a run, and check it against what it must be able to do. Nothing is written.

    ``choices``: the option chosen in each group, such as ``{"architecture": "bm25"}``.

    Raises:
        UserError: a part cannot be made from what the configuration says.
    """
    config = _rehearsed(config)
    settings = _plain(config)
    check(settings)
    corpus = load_corpus(settings)
    questions = select(corpus.questions, limit=config.limit, sample=config.sample, seed=config.seed)
    role = settings["architecture"].get("role", {})
    if (part := role_of(role.get("yardstick", False))) is None:
        raise UserError(
            f"architecture.role.yardstick is {role['yardstick']!r}. Wanted: true, false, or which bound it "
            "is: floor (what retrieval must beat) or ceiling (what it can reach)"
        )
    architecture = make(_without_role(settings["architecture"]), "architecture", Architecture)
    if role.get("gold", False):
        architecture = _with_gold(architecture, corpus, settings)
    judge = make(settings["judge"], "judge", Judge) if "_target_" in settings["judge"] else None
    tracking = MlflowTracking(**settings["tracking"]) if settings["tracking"]["uri"] else None
    return Plan(
        corpus=corpus,
        questions=questions,
        architecture=architecture,
        generator=make(settings["generator"], "generator", Generator),
        judge=judge,
        metrics=named(make(settings["metrics"], "metrics", Mapping)),
        diagnosis=make(settings["diagnosis"], "diagnosis", Diagnosis),
        tracking=tracking,
        results=Path(settings["results"]),
        names={**_ours(choices), "corpus": corpus.name, "judge": judge.name if judge else "none"},
        role=part,
        is_dry=bool(settings["dry_run"]),
        in_flight=max(_in_flight([settings[part] for part in ("architecture", "generator", "judge")]), default=1),
        fingerprint=fingerprint(_asked(config), corpus_digest=corpus.digest),
        settings=settings,
    )


def plan_again(settings: Mapping[str, Any], names: Mapping[str, str], *, results: Path) -> Plan:
    """The plan of a run that was made, by its ``config.yaml``, with no endpoint in reach; it writes to ``results``."""
    outside = {
        "name": None,
        "results": str(results),
        "tracking": {"uri": None},
        "limit": None,
        "sample": None,
        "dry_run": False,
    }
    told = cast(dict[str, Any], _out_of_reach({**settings, **outside, "network": "never"}))
    return plan(OmegaConf.create(told), names)


def _out_of_reach(node: object) -> object:
    """The same with a transport that sends nothing for every endpoint."""
    if isinstance(node, list):
        return [_out_of_reach(part) for part in node]
    if not isinstance(node, Mapping):
        return node
    parts = {str(name): _out_of_reach(part) for name, part in node.items()}
    if "base_url" in node:
        parts[TRANSPORT] = {"_target_": f"{Transport.__module__}.{Transport.__name__}", "network": "never"}
    return parts


def check(settings: Mapping[str, Any]) -> None:
    """Refuse what no run can do, whichever architecture it has."""
    results = Path(settings["results"])
    must_be_writable(results, knob="results")
    uri = settings["tracking"]["uri"]
    if uri:
        refuse_password(uri)
    if uri and str(results) in uri:
        must_be_a_plain_path(results, knob="results")
    name, threads = settings["name"], settings["threads"]
    if name is not None and (name != Path(name).name or name in ("", ".", "..", "latest")):
        raise UserError(f"name is {name!r}: it must be a plain name for a file, other than latest, such as name=mine")
    if threads < 1:
        raise UserError(f"threads is {threads}: at least one is wanted, such as threads=2")
    make(settings["reading"], "reading", Reading)
    select((), limit=settings["limit"], sample=settings["sample"], seed=settings["seed"])


def load_corpus(settings: Mapping[str, Any]) -> Corpus:
    """The corpus that a resolved configuration names."""
    return make(settings["corpus"], "corpus", Corpus)


def load_diagnosis(settings: Mapping[str, Any]) -> Diagnosis:
    """The thresholds that a resolved configuration names."""
    return make(settings["diagnosis"], "diagnosis", Diagnosis)


def default_settings() -> dict[str, Any]:
    """What ``compare`` reads of the configuration of a run that was not made here: the seed and the thresholds."""
    config = composed(["tracking=none"])
    return {
        "seed": config.seed,
        "diagnosis": OmegaConf.to_container(config.diagnosis, resolve=True, throw_on_missing=True),
    }


def composed(overrides: Sequence[str]) -> DictConfig:
    """The configuration that overrides make, outside a run."""
    introduce()
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(bundled("conf").absolute()), version_base="1.3"):
        return compose("config", list(overrides))


def plan_judge(config: DictConfig) -> Judge | None:
    """The judge alone; ``None`` for ``judge=none``. Nothing is written but what its endpoint replies, to the ledger."""
    return plan_part(config, "judge", Judge) if "_target_" in config.judge else None


def plan_part(config: DictConfig, name: str, kind: type[Part]) -> Part:
    """One part of a run alone. Nothing is written but what its endpoint replies, to the ledger."""
    config = _rehearsed(config)
    refuse_keys_in(OmegaConf.to_container(config[name]))
    must_be_writable(Path(config.results), knob="results")
    return make(_plain(config[name]), name, kind)


def _plain(config: DictConfig) -> dict[str, Any]:
    """The configuration with every reference resolved, as plain dictionaries and lists."""
    try:
        return cast(dict[str, Any], OmegaConf.to_container(config, resolve=True, throw_on_missing=True))
    except OmegaConfBaseException as error:
        raise user_error(error) from None


def user_error(error: UserError | OmegaConfBaseException) -> UserError:
    """What is wrong with a configuration, without what OmegaConf wraps around it."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, UserError):
            return cause
        cause = cause.__cause__ or cause.__context__  # OmegaConf cuts the cause off what a resolver raised
    key = getattr(error, "full_key", None)
    referred = _MISSING.search(str(error))  # a reference to the value was read, whose own key says nothing
    missing = key if isinstance(error, MissingMandatoryValue) else referred and referred[1]
    if missing:
        return UserError(f"{missing} is not set. Give it on the command line: {missing}=...")
    first = str(error).strip().splitlines()[0]
    return UserError(f"the configuration does not hold together{f' at {key}' if key else ''}: {first}")


def _in_flight(node: object) -> Iterator[int]:
    """The bound of every endpoint that a part of the configuration names."""
    if isinstance(node, Mapping):
        transport = node.get("transport")
        if isinstance(transport, Mapping) and "in_flight" in transport and transport["network"] == "allowed":
            yield int(transport["in_flight"])
    for part in _parts_of(node):
        yield from _in_flight(part)


def _parts_of(node: object) -> Iterable[object]:
    if isinstance(node, Mapping):
        return node.values()
    return node if isinstance(node, list) else ()


def _asked(config: DictConfig) -> dict[str, Any]:
    """The same configuration without what parts repeat of ``NOT_IN_FINGERPRINT``, such as the ledger.

    To be called after ``_plain``, which tells what does not hold together in the user's own configuration.
    Where files were imported to is no part of what is asked either: the corpus's digest is.
    """
    settings = _plain(_with(config, results="", memory=None))
    settings["corpus"].pop("folder", None)
    return settings


def _rehearsed(config: DictConfig) -> DictConfig:
    """A dry run's configuration: nothing is sent, and no file made; any other as it is."""
    if not config.dry_run:
        return config
    memory = {"_target_": "benchmark.storage.ledger.rehearse_ledger", "path": config.memory.path}
    return _with(config, network="dry", memory=memory)


def _with(config: DictConfig, **parts: object) -> DictConfig:
    changed = config.copy()
    OmegaConf.set_readonly(changed, False)
    for name, part in parts.items():
        changed[name] = part
    return changed


def _ours(choices: Mapping[str, str]) -> dict[str, str]:
    """What was chosen of a run's parts; how Hydra starts jobs is no part of them."""
    return {group: choice for group, choice in choices.items() if not group.startswith("hydra/")}


def _without_role(architecture: Mapping[str, Any]) -> dict[str, Any]:
    """What an architecture is made of; its role is what the harness makes of it."""
    return {name: part for name, part in architecture.items() if name != "role"}


def _with_gold(architecture: Architecture, corpus: Corpus, settings: Mapping[str, Any]) -> Architecture:
    if not isinstance(architecture, GoldArchitecture):
        raise UserError(
            f"architecture.role.gold is true, but {type(architecture).__name__} has no method with_gold. Remove the "
            "line from its yaml, or write the method"
        )
    grade = settings["metrics"]["min_grade"]
    return architecture.with_gold(
        {
            question.id: tuple(
                evidence.span
                for evidence in sorted(question.evidence, key=lambda evidence: -evidence.grade)
                if evidence.grade >= grade
            )
            for question in corpus.questions
        }
    )
