"""What a library raised or returned, told so that any terminal and log can show it.

A library's message may hold whatever was written to it, terminal escapes as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pytest_comem.core.printable import printable
from pytest_comem.secrets import without_secrets


def describe(error: BaseException) -> str:
    """Return an exception as its type and its message's first line."""
    first, _, more = without_secrets(str(error)).strip().partition("\n")
    text = f"{type(error).__name__}: {first}" if first else type(error).__name__
    return printable(re.sub(r"\s+", " ", text))[:300] + (" ..." if more else "")


def shown(found: Sequence[Any]) -> str:
    """Return what was read, short."""
    text = ", ".join(repr(one)[:120] for one in found[:5])
    more = f", ... {len(found)} in all" if len(found) > 5 else ""
    return f"[{text}{more}]"
