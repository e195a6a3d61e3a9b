"""Keys of the environment, kept out of whatever is recorded or printed.

A server may repeat the key it refuses, and a library passes on what the server says.
"""

from __future__ import annotations

import os
from typing import Final

_ENDINGS: Final = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
#: Shorter values would hit innocent text.
_SHORTEST: Final = 8


def without_secrets(text: str) -> str:
    """Return *text* with the values of the environment's keys, tokens and passwords blackened."""
    for name, value in os.environ.items():
        secret = value.strip()
        if name.endswith(_ENDINGS) and len(secret) >= _SHORTEST and secret in text:
            text = text.replace(secret, f"<{name}>")
    return text
