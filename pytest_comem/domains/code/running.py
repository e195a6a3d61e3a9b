"""Running a repository's code: a checkout, patches, and one program, in a sandbox of their own.

Nothing of a repository, a patch or a script is ever run, imported or applied on the host.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, Final, final

from pytest_comem.domains.code.inside.start import NOT_APPLIED
from pytest_comem.domains.code.interpreter import interpreter_for
from pytest_comem.errors import BenchmarkDefect, InfrastructureError
from pytest_comem.records.remembering import Remembered
from pytest_comem.sandbox.base import INSIDE, MIB, Ended, Limits, Sandbox
from pytest_comem.sandbox.interpreter import Interpreter
from pytest_comem.sandbox.reading import UnreadableError, read_file
from pytest_comem.sandbox.registry import choose

#: Of one run; a whole suite of a shipped repository takes less than a second.
LIMITS: Final = Limits(seconds=120, memory_mib=1024, processes=64, disk_mib=256, output_bytes=MIB)
#: Longest patch or script that is tried, in characters.
MAX_TEXT: Final = 200_000
PYTEST: Final = ("-m", "pytest", "-rA", "--tb=short", "-p", "no:cacheprovider")
_RESULTS: Final = Remembered["Ran"](4_000)
_CHECKOUT: Final = "repo"
#: Our programs for inside, a package of the same name as here, without what is around it.
_PACKAGE: Final = "pytest_comem.domains.code.inside"
_TOOLS: Final = f"tools/{_PACKAGE.replace('.', '/')}"
_AROUND: Final = (
    "tools/pytest_comem",
    "tools/pytest_comem/domains",
    "tools/pytest_comem/domains/code",
)
_SCRIPT: Final = "script.py"
_GIVEN: Final = "given.json"
#: The same results everywhere and always.
_STEADY: Final = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "TZ": "UTC",
    "COLUMNS": "200",
}


@final
@dataclass(frozen=True, eq=False)
class Tree:
    """All files of a commit, by path."""

    files: Mapping[str, bytes]

    @cached_property
    def sha256(self) -> str:
        """Hash of all paths and contents."""
        found = hashlib.sha256()
        for path in sorted(self.files):
            found.update(f"{path}\0{len(self.files[path])}\0".encode())
            found.update(self.files[path])
        return found.hexdigest()

    def text(self, path: str) -> str:
        """Return a file as text; nothing where there is no such file."""
        return self.files.get(path, b"").decode("utf-8", "replace")


@final
@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a run.

    :param applied: whether all patches applied; nothing else was run where they did not.
    :param status: exit status; ``None`` where a limit ended it.
    :param kept: text of a file that was asked for; ``None`` where it is not there.
    """

    applied: bool
    status: int | None
    stdout: str
    stderr: str
    ended: Ended
    kept: Mapping[str, str | None]


@final
class Runner:
    """Runs programs on checkouts in one kind of sandbox; results are remembered by content.

    :param sandbox: name of the kind, or ``auto``.
    :raises SettingsError: where it does not work here.
    """

    def __init__(self, sandbox: str = "auto") -> None:
        self._kind = choose(sandbox)
        self._python: Interpreter = interpreter_for(self._kind.name)

    @property
    def kind(self) -> str:
        """Name of the kind of sandbox."""
        return self._kind.name

    def suite(self, tree: Tree, patches: Sequence[str] = (), tests: Sequence[str] = ()) -> Ran:
        """Run pytest on a patched checkout.

        :param tests: files or node ids; everything where none are given.
        """
        return self._ran(tree, patches, [*PYTEST, "--", *tests] if tests else PYTEST)

    def script(self, tree: Tree, patches: Sequence[str], script: str) -> Ran:
        """Run a script within a patched checkout."""
        return self._ran(tree, patches, [f"../{_SCRIPT}"], files={_SCRIPT: script})

    def driver(self, tree: Tree, name: str, given: Any, limits: Limits = LIMITS) -> Any:
        """Run one of our programs on a checkout and return what it prints, as JSON.

        :raises InfrastructureError: where it breaks; ``None`` where a limit ended it.
        """
        files = {_GIVEN: json.dumps(given, sort_keys=True)}
        ran = self._ran(tree, (), ["-m", f"{_PACKAGE}.{name}"], files=files, limits=limits)
        if ran.status is None:
            return None
        try:
            return json.loads(ran.stdout)
        except (ValueError, RecursionError):
            told = ran.stderr.strip()[-500:] or "it says nothing"
            text = f"the program {name} broke in the sandbox (status {ran.status}): {told}"
            raise InfrastructureError(text, type="sandbox") from None

    def patched(self, tree: Tree, patch: str, paths: Sequence[str]) -> Mapping[str, str | None]:
        """Return some files of a patched checkout; nothing where the patch does not apply."""
        ran = self._ran(tree, [patch], ["-c", ""], keep=tuple(paths))
        return ran.kept if ran.applied else {}

    def _ran(
        self,
        tree: Tree,
        patches: Sequence[str],
        arguments: Sequence[str],
        *,
        files: Mapping[str, str] | None = None,
        keep: tuple[str, ...] = (),
        limits: Limits = LIMITS,
    ) -> Ran:
        texts = [*patches, *(files or {}).values()]
        if any(len(text) > MAX_TEXT * (10 if _GIVEN in (files or {}) else 1) for text in texts):
            return Ran(False, None, "", f"longer than {MAX_TEXT:,} characters", "exit", {})
        parts = [self.kind, list(self._python.command), tree.sha256, list(patches)]
        key = [*parts, list(arguments), dict(files or {}), list(keep)]
        return _RESULTS.get(
            key, lambda: self._run(tree, patches, arguments, files or {}, keep, limits)
        )

    def _run(
        self,
        tree: Tree,
        patches: Sequence[str],
        arguments: Sequence[str],
        files: Mapping[str, str],
        keep: tuple[str, ...],
        limits: Limits,
    ) -> Ran:
        with tempfile.TemporaryDirectory(prefix="comem-code-", ignore_cleanup_errors=True) as place:
            workspace = Path(place)
            _lay_out(workspace, tree, patches, files)
            with self._kind.open(
                workspace, limits=limits, read_only=self._python.read_only, label="repository code"
            ) as sandbox:
                start = [*self._python.command, f"../{_TOOLS}/start.py", str(len(patches))]
                environment = self._environment(sandbox, ours=_GIVEN in files)
                finished = sandbox.run([*start, *arguments], cwd=_CHECKOUT, environment=environment)
                if not sandbox.is_alive():
                    raise InfrastructureError("the sandbox of a run died", type="sandbox")
                applied = finished.status != NOT_APPLIED
                kept = {path: _kept(sandbox, path) for path in keep} if applied else {}
        return Ran(
            applied,
            finished.status,
            _text(finished.stdout, sandbox),
            _text(finished.stderr, sandbox),
            finished.ended,
            kept,
        )

    def _environment(self, sandbox: Sandbox, *, ours: bool) -> dict[str, str]:
        checkout = f"{sandbox.inside}/{_CHECKOUT}"
        # The checkout last: nothing in it can stand for pytest, or for our programs.
        tools = f"{sandbox.inside}/tools" if ours else ""
        path = [self._python.libraries, tools, checkout, f"{checkout}/src"]
        return {**_STEADY, "PYTHONPATH": ":".join(part for part in path if part)}


def _kept(sandbox: Sandbox, path: str) -> str | None:
    try:
        found = read_file(sandbox.workspace, f"{_CHECKOUT}/{path}", 4 * MAX_TEXT)
    except UnreadableError:
        return None
    return found.decode("utf-8", "replace")


def _lay_out(workspace: Path, tree: Tree, patches: Sequence[str], files: Mapping[str, str]) -> None:
    """Write checkout, patches, our programs and what they are given.

    :raises BenchmarkDefect: where a path of the tree leads out of the checkout.
    """
    everything = {f"{_CHECKOUT}/{path}": content for path, content in tree.files.items()}
    for path in tree.files:
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts or "\0" in path:
            raise BenchmarkDefect(f"a file of a repository has the path {path[:200]!r}")
    everything |= {f"patches/{n}.patch": _bytes(text) for n, text in enumerate(patches)}
    everything |= {f"{_TOOLS}/{name}": content for name, content in _tools().items()}
    everything |= {f"{name}/__init__.py": b"" for name in _AROUND}
    everything |= {name: _bytes(text) for name, text in files.items()}
    (workspace / _CHECKOUT).mkdir(exist_ok=True)
    for name, content in everything.items():
        place = workspace / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def _text(written: bytes, sandbox: Sandbox) -> str:
    """Return what a program wrote, the workspace called the same everywhere."""
    return written.decode("utf-8", "replace").replace(sandbox.inside, INSIDE)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


@lru_cache(maxsize=1)
def _tools() -> Mapping[str, bytes]:
    """Return our programs for inside, by file name."""
    place = Path(__file__).parent / "inside"
    return {path.name: path.read_bytes() for path in sorted(place.glob("*.py"))}
