"""Values as text that stands in an HTML file and holds nothing HTML could read.

A chunk is JSON, compressed and in base64: no text of a run appears in the file as it is, so none of
it can end an element or begin one. The page inflates a chunk when it needs it.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from typing import Any

from pytest_comem.secrets import without_secrets


def chunk(value: Any) -> str:
    """Return *value* as base64 of zlib-compressed JSON, the same for equal values.

    Keys of the environment are blackened. A lone surrogate stays one: JSON's escapes hold it.

    :raises ValueError: where it holds a number that JSON has not.
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return b64encode(zlib.compress(without_secrets(text).encode("ascii", "replace"), 9)).decode()


def element(name: str, value: Any) -> str:
    """Return the element of a page that holds *value* under *name*."""
    data = chunk(value)
    return f'<script type="application/octet-stream" id="chunk-{name}">{data}</script>\n'
