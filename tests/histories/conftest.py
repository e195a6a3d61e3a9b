"""Repositories made for tests, commit by commit, with git's own import."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

START: Final = datetime(2024, 1, 8, 9, 0, tzinfo=UTC)
ADA: Final = "Ada Stone <ada@corp.example.com>"
BEN: Final = "Ben Field <ben@corp.example.com>"


class History:
    """A history that grows, and is a repository once it is asked for."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._stream = bytearray()
        self._count = 0

    def commit(
        self,
        message: str,
        files: Mapping[str, str | bytes | None],
        minutes: int,
        author: str = ADA,
        more: str = "",
    ) -> int:
        """Add a commit and return its mark.

        :param files: content by path; ``None`` deletes, and a text ``link:`` or ``module:`` makes
            a symbolic link or a submodule.
        :param minutes: after the start.
        :param more: further lines, such as ``merge :3``.
        """
        self._count += 1
        seconds = int((START + timedelta(minutes=minutes)).timestamp())
        said = message.encode()
        head = f"commit refs/heads/main\nmark :{self._count}\nauthor {author} {seconds} +0100\n"
        head += f"committer {author} {seconds} +0100\ndata {len(said)}\n"
        self._stream += head.encode() + said + b"\n"
        if more:
            self._stream += f"{more}\n".encode()
        for path, content in files.items():
            self._stream += self._entry(path, content)
        return self._count

    def made(self) -> Path:
        """Return the repository's directory."""
        self.directory.mkdir(parents=True)
        for arguments, given in (
            (("init", "--quiet", "-b", "main"), b""),
            (("fast-import", "--quiet"), bytes(self._stream)),
        ):
            subprocess.run(["git", *arguments], cwd=self.directory, input=given, check=True)
        return self.directory

    def _entry(self, path: str, content: str | bytes | None) -> bytes:
        if content is None:
            return f"D {path}\n".encode()
        if isinstance(content, str) and content.startswith("module:"):
            return f"M 160000 {'1' * 40} {path}\n".encode()
        link = isinstance(content, str) and content.startswith("link:")
        raw = content.encode() if isinstance(content, str) else content
        raw = raw.removeprefix(b"link:") if link else raw
        mode = "120000" if link else "100644"
        return f"M {mode} inline {path}\ndata {len(raw)}\n".encode() + raw + b"\n"


@pytest.fixture
def history(tmp_path: Path) -> History:
    """Return an empty history."""
    return History(tmp_path / "repository")


@pytest.fixture
def long_history(history: History) -> Callable[[int], Path]:
    """Return what makes a history of so many commits: notes with habits, and a changelog.

    Every note has its day in the name, a date written 08.01.2024, a line about who keeps it and a
    heading for decisions; every fourth commit is of somebody else, and addresses are everywhere.
    """

    def make(commits: int) -> Path:
        changes = ["# Changes", ""]
        for number in range(commits):
            day = START + timedelta(days=number)
            if number % 4 == 3:
                text = f"Seen from 10.0.0.{number % 200 + 1} by ben@corp.example.com, {number}.\n"
                history.commit(f"Log {number}", {"docs/log.txt": text}, number * 1440, BEN)
                continue
            shown = f"{day.day:02}.{day.month:02}.{day.year}"
            topic = ("harbour", "bridges", "weather", "lantern")[number % 4]
            note = f"# Note of meeting {number}\n\nDate: {shown}\nKept by: Ada Stone\n\n"
            note += f"We spoke of {topic} number {number} with guest{number}@corp.example.com.\n\n"
            note += f"## Decisions\n\n- Build {topic} stage {number} before the season ends.\n"
            changes.append(f"- {shown}: added the {topic} meeting {number}.")
            files = {
                f"docs/notes/{day.date().isoformat()}-{topic}.md": note,
                "docs/changes.md": "\n".join(changes) + "\n",
            }
            message = f"docs: added notes about the {topic} meeting {number}\n\nThey were late.\n\n"
            message += "Signed-off-by: Ada Stone <ada@corp.example.com>\n"
            history.commit(message, files, number * 1440)
        return history.made()

    return make
