"""Plans over the obstetrics corpus with an embedder that needs no weights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra

from benchmark.config import Plan, introduce, plan
from benchmark.storage.places import bundled

# A bag of words stands for the model; what it embeds is kept and read like any other vector.
_EMBEDDER = ("embedder.embedder._target_=tests.fakes.HashEmbedder", "~embedder.embedder.threads")


def planned(results: Path, *overrides: str, embedder: Sequence[str] = _EMBEDDER) -> Plan:
    """A plan whose ledger lies in ``results``."""
    introduce()
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(bundled("conf")), version_base="1.3"):
        config = compose("config", ["corpus=obstetrics", "tracking=none", f"results={results}", *embedder, *overrides])
    return plan(config, {"architecture": "measured", "generator": "measured"})
