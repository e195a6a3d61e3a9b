"""Generate and validate: tries mutants of a region until one passes all it has to pass.

Reads ``../given.json``: file, start, end, lines, script, tests (node ids, empty for all), most (how
many mutants are tried), skipped (hashes of sources that were refused before). Prints the first
source under which the script ends well and all tests pass, with its operator, as JSON. Where the
script ends well without any change, there is none.

Each mutant is tried in a process of its own that is limited in processor time and memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.abc
import io
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from pytest_comem.domains.code.inside.mutation import mutants

#: Seconds of processor time that the script may take in a try, and that the tests may.
_CPU, _TEST_CPU = 1, 10
#: Bytes of memory of a try, and seconds on the clock after which it is taken for hanging.
_MEMORY, _CLOCK = 1 << 30, 60
#: Mutants under which the script passes, and whose tests are run, at most.
_MOST_TESTED = 80


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the checkout's modules from code that was compiled once."""

    def __init__(self, root: Path) -> None:
        self.code: dict[str, tuple[CodeType, bool]] = {}
        self.paths: dict[str, str] = {}
        for top in (root / "src", root):
            for path in sorted(top.rglob("*.py")):
                parts = path.relative_to(top).with_suffix("").parts
                if parts[0] not in ("tests", "test", "src", "conftest", "setup"):
                    self._take(parts, path)

    def _take(self, parts: tuple[str, ...], path: Path) -> None:
        package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if package else parts)
        with contextlib.suppress(SyntaxError, ValueError):
            code = compile(path.read_bytes(), str(path), "exec")
            self.code.setdefault(name, (code, package))
            self.paths.setdefault(str(path), name)

    def change(self, path: Path, source: bytes) -> bool:
        """Have another source for a file from now on; whether it is Python at all."""
        name = self.paths.get(str(path))
        try:
            code = compile(source, str(path), "exec")
        except (SyntaxError, ValueError):
            return False
        if name is None:
            return False
        self.code[name] = (code, self.code[name][1])
        return True

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Find a module of the checkout."""
        if name not in self.code:
            return None
        code, package = self.code[name]
        spec = ModuleSpec(name, self, origin=code.co_filename, is_package=package)
        spec.has_location = True
        if package:
            spec.submodule_search_locations = [str(Path(code.co_filename).parent)]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """Have the usual module made."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code."""
        exec(self.code[module.__name__][0], module.__dict__)


def ends_well(work: Callable[[], int], seconds: int) -> bool:
    """Whether *work* comes to an end without an error, in a process of its own."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            signal.alarm(_CLOCK)
            status = work()
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else int(error.code is not None)
        except BaseException:
            status = 1
        finally:
            os._exit(status & 0xFF if isinstance(status, int) else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def script_of(text: str) -> Callable[[], int]:
    """Return the work of a script."""
    code = compile(text, "script.py", "exec")

    def work() -> int:
        exec(code, {"__name__": "__main__"})
        return 0

    return work


def tests_of(names: list[str]) -> Callable[[], int]:
    """Return the work of running tests."""
    import pytest

    arguments = ["-q", "-x", "--tb=no", "-p", "no:cacheprovider", "--", *names]

    def work() -> int:
        return int(pytest.main(arguments))

    return work


def main() -> dict[str, Any]:
    """Try, and return what came of it."""
    given = json.loads(Path("../given.json").read_text(encoding="utf-8"))
    path = Path(given["file"]).resolve()
    root = Path.cwd().resolve()
    nothing = {"source": None, "operator": "", "tried": 0}
    if not path.is_relative_to(root) or not path.is_file():
        return nothing
    raw = path.read_bytes()
    try:
        found = mutants(raw, given["start"], given["end"], given["lines"])
        script = script_of(given["script"])
    except (SyntaxError, ValueError, RecursionError):
        return nothing
    finder = Finder(root)
    sys.meta_path.insert(0, finder)
    tests = None
    # Whatever the script imports of the standard library is loaded once, not in every try.
    warm(finder)
    if ends_well(script, _CPU):
        return nothing
    tried = tested = 0
    for mutant in found[: given["most"]]:
        source = mutant.applied(raw)
        if hashlib.sha256(source).hexdigest() in given["skipped"]:
            continue
        if not finder.change(path, source):
            continue
        tried += 1
        if not ends_well(script, _CPU):
            continue
        if tested == _MOST_TESTED:
            break
        tested += 1
        # Loaded when there is something to test: what forks with it forks slowly.
        tests = tests or tests_of(given["tests"])
        if ends_well(tests, _TEST_CPU):
            text = source.decode("utf-8", "replace")
            return {"source": text, "operator": mutant.operator, "tried": tried}
    return {**nothing, "tried": tried}


def warm(finder: Finder) -> None:
    """Import what the checkout's modules import from elsewhere."""
    for name in sorted(finder.code):
        quiet = io.StringIO()
        with (
            contextlib.suppress(BaseException),
            contextlib.redirect_stdout(quiet),
            contextlib.redirect_stderr(quiet),
        ):
            importlib.import_module(name)
    for name in [name for name in sys.modules if name in finder.code]:
        del sys.modules[name]


if __name__ == "__main__":
    json.dump(main(), sys.stdout)
