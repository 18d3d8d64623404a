"""``ragsweep ui``: the MLflow UI on the store of the results."""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from benchmark.commands import about
from benchmark.commands.arguments import add_results
from benchmark.domain import UserError
from benchmark.storage.places import must_be_a_plain_path


def command(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("ragsweep ui", description=about(__doc__))
    add_results(parser)
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1: this machine alone)")
    parser.add_argument("--port", type=int, default=5000, help="the port to listen on (5000)")
    chosen = parser.parse_args(list(arguments))
    store = chosen.results / "mlflow.db"
    if not store.is_file():
        raise UserError(f"there is no {store}: no run was tracked there yet. Make some: ragsweep experiment=obstetrics")
    must_be_a_plain_path(chosen.results, knob="--results")
    print(f"MLflow on http://{chosen.host}:{chosen.port} (Ctrl-C ends it)", flush=True)
    mlflow = [sys.executable, "-m", "mlflow", "ui", "--backend-store-uri", f"sqlite:///{store.absolute()}"]
    artifacts = ["--default-artifact-root", (chosen.results / "mlartifacts").absolute().as_uri()]
    environment = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true"}
    return subprocess.call([*mlflow, *artifacts, "--host", chosen.host, "--port", str(chosen.port)], env=environment)
