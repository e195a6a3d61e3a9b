"""Keys of the environment, kept out of whatever is recorded or printed.

A server may repeat the key it refuses, and a library passes on what the server says.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote

#: Names of variables that hold keys, in any letter case.
_NAME: Final = re.compile(
    r"(?:(?:^|_|API)KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|JWT)(?:_BEDROCK|_ID)?$",
    re.IGNORECASE,
)
#: Shorter values would hit innocent text.
_SHORTEST: Final = 8
#: What looks the same everywhere.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.~-]+")
#: The environment when it was last read, as Python keeps it, and what was found in it.
_known: tuple[dict[Any, Any] | None, tuple[tuple[str, str], ...]] = (None, ())


def without_secrets(text: str) -> str:
    """Return *text* with the values of the environment's keys, tokens and passwords blackened.

    They are also found as they stand in JSON and in an address.
    """
    for form, name in _found():
        text = text.replace(form, name)
    return text


def _found() -> tuple[tuple[str, str], ...]:
    """Return what is blackened, and what stands in its place, as the environment is now.

    Reading the environment decodes all of it, so that is done only where it has changed.
    """
    global _known
    held = getattr(os.environ, "_data", None)
    seen, found = _known
    if held is None or held != seen:
        seen = None if held is None else dict(held)
        forms = {form: name for name, secret in _secrets() for form in _forms(secret)}
        # The longest first: one key may be the beginning of another.
        longest_first = sorted(forms, key=len, reverse=True)
        found = tuple((form, f"<{forms[form]}>") for form in longest_first)
        _known = seen, found
    return found


def environment_without_secrets() -> dict[str, str]:
    """Return the environment for a process that needs none of the user's keys."""
    return {name: value for name, value in os.environ.items() if not _NAME.search(name)}


def _secrets() -> Iterator[tuple[str, str]]:
    """Yield the variables that hold keys, with their values."""
    for name in os.environ:
        if _is_secret(name):
            # Another thread may have removed it meanwhile.
            secret = os.environ.get(name, "").strip()
            if len(secret) >= _SHORTEST:
                yield name, secret


@lru_cache(maxsize=4096)
def _is_secret(name: str) -> bool:
    return bool(_NAME.search(name))


@lru_cache(maxsize=256)
def _forms(secret: str) -> frozenset[str]:
    """Return a key as a text may hold it."""
    if _PLAIN.fullmatch(secret):
        return frozenset({secret})
    in_json = {json.dumps(secret, ensure_ascii=plain)[1:-1] for plain in (True, False)}
    return frozenset({secret, quote(secret, safe="", errors="replace"), *in_json})
