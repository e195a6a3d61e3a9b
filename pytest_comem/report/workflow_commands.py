"""Text of others on a terminal that GitHub's runner reads for commands.

The runner takes a line that begins with ``::``, white space aside, for a command, and ``##[``
anywhere in a line (``actions/runner``, ``ActionCommand.cs``). What a memory or a model says must
not be one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

_COMMAND: Final = re.compile(r"^(?=[^\S\n]*::)", re.MULTILINE)
_OLD_COMMAND: Final = "##["


def on_github(environment: Mapping[str, str]) -> bool:
    """Whether this process runs in a job of GitHub Actions."""
    return environment.get("GITHUB_ACTIONS", "").lower() == "true"


def without_commands(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return *text* so that no line of it is a command to GitHub; elsewhere as it is."""
    if not on_github(environment):
        return text
    return _COMMAND.sub("| ", text.replace("\r", "\n")).replace(_OLD_COMMAND, "## [")
