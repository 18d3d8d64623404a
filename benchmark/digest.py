"""One digest for everything that is kept or compared by content."""

from __future__ import annotations

import json
from hashlib import sha256


def digest(*parts: object) -> str:
    """SHA-256 (hexadecimal) of JSON-like parts, in order; equal parts give equal digests on every machine.

    >>> digest("a", 1)[:12], digest("a", 1) == digest("a", 1), digest("a1") == digest("a", 1)
    ('2657442bb4a4', True, False)
    """
    return sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode("utf-8")).hexdigest()
