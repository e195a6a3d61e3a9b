"""Building a repository from its patches with git, the same everywhere.

Git reads no configuration, hook, template or attribute of the user or the system, and takes names
and dates from the patches alone, so a commit has the same hash on every machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, final

from pytest_comem.core.printable import printable
from pytest_comem.errors import BenchmarkDefect, InfrastructureError

#: Longest time that one call of git may take, in seconds.
SECONDS: Final = 60.0
#: Most of git's own words in a message, in characters.
_SHOWN: Final = 300
_SETTINGS: Final = {
    "core.autocrlf": "false",
    "core.attributesFile": os.devnull,
    "core.hooksPath": os.devnull,
    "core.fsync": "none",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "am.threeWay": "false",
    "apply.whitespace": "nowarn",
}


@final
class Git:
    """Plain ``git`` in a directory of ours, called by argument list and never by a shell.

    :param shown: name of the repository in messages.
    :raises InfrastructureError: where there is no git.
    """

    def __init__(self, directory: Path, shown: str) -> None:
        self.directory = directory
        self._shown = shown
        program = shutil.which("git")
        if program is None:
            problem = "needs git, and there is none in PATH; install it (Debian: apt install git)"
            raise InfrastructureError(f"repository {shown}: {problem}", type="harness")
        self._argv = [program]
        for name, value in _SETTINGS.items():
            self._argv += ["-c", f"{name}={value}"]
        self._environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(directory),
            "XDG_CONFIG_HOME": str(directory),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_DEFAULT_HASH": "sha1",
            "GIT_CEILING_DIRECTORIES": str(directory.parent),
            "GIT_COMMITTER_NAME": "repository keeper",
            "GIT_COMMITTER_EMAIL": "keeper@example.org",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
            "TZ": "UTC",
        }

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return what a call of git writes.

        :raises InfrastructureError: where it fails or does not end.
        """
        status, out, err = self._call(arguments, stdin)
        if status:
            raise self._broken(arguments, _words(err) or f"exit status {status}")
        return out

    def apply_mails(self, patches: Sequence[Path]) -> None:
        """Make a commit of every patch, in order.

        :raises BenchmarkDefect: naming the patch that does not apply.
        :raises InfrastructureError: where git fails for another reason.
        """
        arguments = ["am", "--quiet", "--no-gpg-sign", "--committer-date-is-author-date"]
        status, out, err = self._call([*arguments, *map(str, patches)], b"")
        if status and b"Patch failed at" in out + err:
            problem = f"a patch of its history does not apply: {_words(out + err)}"
            raise BenchmarkDefect(f"repository {self._shown}: {problem}; get the unchanged files")
        if status:
            raise self._broken(arguments, _words(err) or f"exit status {status}")

    def _call(self, arguments: Sequence[str], stdin: bytes) -> tuple[int, bytes, bytes]:
        try:
            done = subprocess.run(
                [*self._argv, *arguments],
                cwd=self.directory,
                env=self._environment,
                input=stdin,
                capture_output=True,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise self._broken(arguments, f"not done after {SECONDS:g} s") from None
        except OSError as error:
            raise self._broken(arguments, error.strerror or type(error).__name__) from None
        return done.returncode, done.stdout, done.stderr

    def _broken(self, arguments: Sequence[str], reason: str) -> InfrastructureError:
        problem = f"git {arguments[0]} failed: {reason}; is git 2.30 or newer installed?"
        return InfrastructureError(f"repository {self._shown}: {problem}", type="harness")


def _words(raw: bytes) -> str:
    text = printable(" ".join(raw.decode("utf-8", "replace").split()))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
