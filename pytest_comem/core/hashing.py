"""Stable hashes of JSON values: the same on every machine, run and worker."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

#: Made once: ``json.dumps`` makes one for every call that is not in its default form.
_CANONICAL: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def stable_hash(value: Any) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of *value* as canonical JSON."""
    text = _CANONICAL.encode(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
