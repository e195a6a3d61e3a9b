"""Applies the patches to the checkout, in order, and becomes the program that was asked for.

``start.py COUNT ARGUMENT...``: as many patches lie in ``../patches``; the arguments are Python's.
A patch that does not apply ends it with exit status 97.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NOT_APPLIED = 97


def applied(path: str) -> bool:
    """Apply a patch to the current directory; whether it fits, without any fuzz."""
    if shutil.which("git"):
        command = ["git", "apply", path]
    else:
        command = ["patch", "--batch", "--forward", "--fuzz=0", "-p1", "-i", path]
    found = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)
    return found.returncode == 0


def main(arguments: list[str]) -> None:
    """Apply, and become the program; ends where a patch does not apply."""
    above = Path.cwd().parent
    os.environ.update(GIT_CONFIG_NOSYSTEM="1", GIT_CEILING_DIRECTORIES=str(above))
    for number in range(int(arguments[0])):
        if not applied(str(above / "patches" / f"{number}.patch")):
            sys.exit(NOT_APPLIED)
    flags = ["-s", "-P", *(["-S"] if sys.flags.no_site else [])]
    os.execv(sys.executable, [sys.executable, *flags, *arguments[1:]])


if __name__ == "__main__":
    main(sys.argv[1:])
