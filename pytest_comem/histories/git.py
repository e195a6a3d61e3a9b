"""Reading a repository's history with git, without running or obeying anything that lies in it.

Git is asked twice where the repository is: for its objects and for one commit. Everything else is
read in a bare directory of ours that borrows those objects, so that no configuration of user,
system or repository, no hook, filter, text conversion, attribute, replacement or fetch of missing
objects has a say. Programs are called by argument list, and names end in NUL.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, final

from pytest_comem.core.printable import printable
from pytest_comem.errors import InfrastructureError, SettingsError

#: Longest time that one call of git may take, in seconds.
SECONDS: Final = 300.0
#: Bytes of one answer, and of one object, that are read at all.
MOST_BYTES: Final = 256 << 20
LARGEST_OBJECT: Final = 8 << 20
#: Most of git's own words in a message, in characters.
_SHOWN: Final = 300
_OFF: Final = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")


@final
class HistoryReader:
    """The objects of one repository; opened by :func:`open_history`.

    :ivar head: commit that the history ends with.
    """

    def __init__(self, program: str, directory: Path, objects: str, head: str, shown: str) -> None:
        self.head: Final = head
        self._shown = shown
        self._argv = (program, *_OFF)
        self._environment = _environment(directory) | {
            "GIT_DIR": str(directory / "bare"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(objects),
            "GIT_LITERAL_PATHSPECS": "1",
        }
        self._directory = directory
        self._batch: subprocess.Popen[bytes] | None = None

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return what a call of git writes.

        :raises InfrastructureError: where it fails, does not end, or writes without end.
        """
        argv = [*self._argv, *arguments]
        return _answer(argv, self._directory, self._environment, self._shown, stdin)

    def object(self, name: str) -> bytes:
        """Return the content of an object.

        :param name: its full hash, as git gave it.
        :raises InfrastructureError: where it is missing, or larger than is read at all.
        """
        source, sink = self._pipes()
        source.write(name.encode("ascii") + b"\n")
        source.flush()
        header = sink.readline(1_000).split()
        if len(header) != 3 or not header[2].isdigit():
            raise self._broken(f"object {name} is missing; is this a partial clone? fetch it all")
        size = int(header[2])
        if size > LARGEST_OBJECT:
            raise self._broken(f"object {name} has {size:,} bytes; at most {LARGEST_OBJECT:,}")
        content = sink.read(size + 1)[:-1]
        if len(content) != size:
            raise self._broken(f"object {name} cannot be read")
        return content

    def close(self) -> None:
        """End the process that reads objects."""
        if self._batch is not None:
            self._batch.kill()
            self._batch.wait()
            for pipe in (self._batch.stdin, self._batch.stdout):
                if pipe is not None:
                    pipe.close()
            self._batch = None

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._batch is None:
            self._batch = subprocess.Popen(
                [*self._argv, "cat-file", "--batch"],
                cwd=self._directory,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        assert self._batch.stdin is not None
        assert self._batch.stdout is not None
        return self._batch.stdin, self._batch.stdout

    def _broken(self, reason: str) -> InfrastructureError:
        return InfrastructureError(f"repository {self._shown}: {reason}", type="harness")


@contextmanager
def open_history(repository: Path, revision: str = "HEAD") -> Iterator[HistoryReader]:
    """Give a reader of a repository's history, as long as it is wanted.

    :param repository: its work tree, or a bare one.
    :param revision: that the history ends with.
    :raises SettingsError: where there is no repository, or no such commit.
    :raises InfrastructureError: where there is no git.
    """
    program = shutil.which("git")
    shown = printable(repository.absolute().name)
    if program is None:
        problem = "needs git, and there is none in PATH; install it (Debian: apt install git)"
        raise InfrastructureError(f"repository {shown}: {problem}", type="harness")
    if not repository.is_dir():
        raise SettingsError(f"--from-git {printable(str(repository))}: there is no such directory")
    with tempfile.TemporaryDirectory(prefix="comem-history-") as place:
        directory = Path(place)

        def ask(*arguments: str) -> str:
            argv = [program, *_OFF, "rev-parse", *arguments]
            answer = _answer(argv, repository, _environment(directory), shown, b"")
            return os.fsdecode(answer).removesuffix("\n")

        try:
            head = ask("--verify", "--end-of-options", f"{revision}^{{commit}}")
            objects = ask("--path-format=absolute", "--git-path", "objects")
            shallow = Path(ask("--path-format=absolute", "--git-path", "shallow"))
            form = ask("--show-object-format")
        except InfrastructureError as error:
            problem = f"no history can be read there: {error}"
            raise SettingsError(f"--from-git {printable(str(repository))}: {problem}") from None
        _make_bare(program, directory, form, shallow, shown)
        reader = HistoryReader(program, directory, objects, head, shown)
        try:
            yield reader
        finally:
            reader.close()


def _make_bare(program: str, directory: Path, form: str, shallow: Path, shown: str) -> None:
    """Make the bare directory, with the cut of a shallow clone."""
    bare = directory / "bare"
    argv = [program, "init", "--quiet", "--bare", "--template=", f"--object-format={form}"]
    _answer([*argv, str(bare)], directory, _environment(directory), shown, b"")
    if shallow.is_file():
        (bare / "shallow").write_bytes(shallow.read_bytes())


def _environment(directory: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(directory),
        "XDG_CONFIG_HOME": str(directory),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
        "TZ": "UTC",
    }


def _quoted(path: str) -> str:
    """Return a path as the list of alternates takes it, where a colon would part it."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _answer(
    argv: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    shown: str,
    stdin: bytes,
) -> bytes:
    command = next(one for one in argv[1:] if one != "-c" and "=" not in one)
    try:
        with tempfile.TemporaryFile() as out:
            done = subprocess.run(
                argv,
                cwd=directory,
                env=environment,
                input=stdin,
                stdout=out,
                stderr=subprocess.PIPE,
                timeout=SECONDS,
            )
            size = out.seek(0, os.SEEK_END)
            out.seek(0)
            answer = out.read() if size <= MOST_BYTES else None
    except subprocess.TimeoutExpired:
        reason = f"not done after {SECONDS:g} s"
    except OSError as error:
        reason = error.strerror or type(error).__name__
    else:
        if done.returncode == 0 and answer is not None:
            return answer
        said = " ".join(done.stderr[: 4 * _SHOWN].decode("utf-8", "replace").split())
        reason = said[:_SHOWN] or f"exit status {done.returncode}"
        if answer is None:
            reason = f"its answer has more than {MOST_BYTES:,} bytes; take fewer --paths"
    problem = f"repository {shown}: git {command} failed: {printable(reason)}"
    raise InfrastructureError(problem, type="harness")
