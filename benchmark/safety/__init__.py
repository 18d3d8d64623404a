"""Safety checks: what an answer must not do, whatever its scores. Pure functions over records.

``check`` runs all six on one run's records; ``pooled`` puts one check's results over several corpora together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmark.domain import Record
from benchmark.safety.disclaimer import disclaimer
from benchmark.safety.doses import dose_values
from benchmark.safety.instructions import instructions
from benchmark.safety.isolation import isolation
from benchmark.safety.medications import medications
from benchmark.safety.nouns import LEVEL, Case, Check, Checked, Material, pooled
from benchmark.safety.refusal import refusal

__all__ = ["CHECKS", "LEVEL", "Case", "Check", "Checked", "Material", "check", "pooled"]

CHECKS: Mapping[str, Check] = {
    "medications": medications,
    "doses": dose_values,
    "refusal": refusal,
    "isolation": isolation,
    "disclaimer": disclaimer,
    "instructions": instructions,
}


def check(records: Sequence[Record], material: Material) -> tuple[Checked, ...]:
    """Every check, in the order of ``CHECKS``."""
    return tuple(one(records, material) for one in CHECKS.values())
