"""Canonical JSON and its SHA-256: what hashes and signatures of a workflow are taken over.

Canonical means: sorted keys, no blanks, ASCII with escapes, finite numbers only.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, Final

#: How deep lists and objects may lie in each other.
MAX_DEPTH: Final = 64
_HALVES: Final = re.compile("[\ud800-\udfff]")
_ENCODER: Final = json.JSONEncoder(
    sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":")
)


def canonical(value: Any) -> bytes:
    """Return a JSON value in its one canonical form.

    :raises ValueError: where it holds a number that is not finite, or has more than 4,300 digits.
    """
    return _ENCODER.encode(value).encode("ascii")


def digest(value: Any) -> str:
    """Return the SHA-256 of a JSON value in canonical form, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def storable(value: Any, depth: int = 0) -> Any:
    """Return a JSON value as a file can hold it: half characters become U+FFFD.

    :raises ValueError: where it lies deeper than :data:`MAX_DEPTH`.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"lists and objects lie more than {MAX_DEPTH} deep in each other")
    if isinstance(value, str):
        return _HALVES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {storable(key): storable(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [storable(each, depth + 1) for each in value]
    return value


def strings_of(value: Any) -> Iterator[str]:
    """Yield every string of a JSON value, names of fields included, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from strings_of(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from strings_of(each)


def texts_of(value: Any) -> Iterator[str]:
    """Yield every text of a JSON value, names of fields left out, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_of(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts_of(each)
