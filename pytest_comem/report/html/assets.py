"""The page's own code: plain files beside this module, put together without a build step.

The scripts are ES modules as far as editors and readers are concerned. In the page they are one
script: imports fall away and exported names are names of that script, so each has to be unique.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from pathlib import Path
from typing import Final

_WEB: Final = Path(__file__).parent / "web"
#: What comes later uses what comes earlier.
SCRIPTS: Final = (
    *("dom", "chunks", "model", "place", "figures", "scorecard", "scatter", "charts", "versus"),
    *("search", "filters", "list", "passages", "panel", "theme", "main"),
)
_IMPORT: Final = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ", re.MULTILINE)


def asset(name: str) -> str:
    """Return the text of one of the page's files."""
    return (_WEB / name).read_text(encoding="utf-8")


def script() -> str:
    """Return all scripts as one, in a scope of its own."""
    parts = (_EXPORT.sub("", _IMPORT.sub("", asset(f"{name}.js"))) for name in SCRIPTS)
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "})();\n"


def digest(text: str) -> str:
    """Return what a Content-Security-Policy names an inline script or style by."""
    return "sha256-" + b64encode(hashlib.sha256(text.encode()).digest()).decode()
