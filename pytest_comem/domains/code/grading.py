"""SWE-bench's own grading, by the functions of the ``swebench`` package.

Its modules for grading need the standard library alone, but the packages around them import
datasets, docker and more. They are imported under bare packages that are there only meanwhile, so
that ``pip install --no-deps swebench`` is enough, and a later ``import swebench`` is the real one.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any, Final, final

from pytest_comem.domains.code.running import Ran
from pytest_comem.errors import SettingsError

PACKAGE: Final = "swebench"
#: The version that grading was held against the official evaluation with.
VERSION: Final = "5.0.2"
RESOLVED: Final = "RESOLVED_FULL"
PARSER: Final = "parse_log_pytest"
#: Packages whose own ``__init__`` imports what grading does not need.
_BARE: Final = (PACKAGE, f"{PACKAGE}.harness", f"{PACKAGE}.harness.log_parsers")
_LOCK: Final = RLock()


@final
@dataclass(frozen=True, slots=True)
class Grade:
    """What SWE-bench says of a log.

    :param status: ``RESOLVED_FULL``, ``RESOLVED_PARTIAL`` or ``RESOLVED_NO``.
    :param found: whether the patch applied and the log is one of a run.
    :param failing: tests that had to pass and did not.
    """

    status: str
    found: bool
    failing: tuple[str, ...]

    @property
    def resolved(self) -> bool:
        """Whether everything passes that has to."""
        return self.status == RESOLVED


def preflight() -> str | None:
    """Return what is missing for grading and how to get it; ``None`` where nothing is."""
    way = f"pip install --no-deps {PACKAGE}=={VERSION}"
    if _spec() is None:
        return f"the package {PACKAGE}, which grades patches, is not installed: {way}"
    try:
        _functions()
    except Exception as error:
        told = f"{type(error).__name__}: {error}"[:300]
        return f"the package {PACKAGE} {version()} cannot be used for grading ({told}): {way}"
    return None


def version() -> str:
    """Return the version of the package that grades."""
    try:
        return importlib.metadata.version(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def log_of(ran: Ran) -> str:
    """Return a run of pytest as the log that the graders expect.

    What the program wrote cannot pass for a marker: there, every one is broken.
    """
    names = _functions().constants
    if not ran.applied:
        return f"{names.APPLY_PATCH_FAIL}\n"
    written = ran.stdout.replace(">>>>>", ">> >>>")
    log = f"{names.START_TEST_OUTPUT}\n{written}\n{names.END_TEST_OUTPUT}\n"
    if ran.ended == "timeout":
        return f"{log}{names.TESTS_TIMEOUT}\n"
    if ran.ended != "exit" or ran.status is None:
        return f"{log}{names.TESTS_ERROR}\n"
    return f"{log}{names.TEST_EXIT_CODE}: {ran.status}\n"


def statuses(ran: Ran) -> dict[str, str]:
    """Return the status of every test of a run by its node id; nothing where there is no run."""
    found, _ = _logs_eval(ran, (), ())
    return dict(sorted(found.items()))


def grade(ran: Ran, fail_to_pass: Sequence[str], pass_to_pass: Sequence[str]) -> Grade:
    """Grade a run of a patched repository."""
    graders = _functions().grading
    status_map, found = _logs_eval(ran, fail_to_pass, pass_to_pass)
    if not found:
        return Grade("RESOLVED_NO", False, (*fail_to_pass, *pass_to_pass))
    gold = {"FAIL_TO_PASS": list(fail_to_pass), "PASS_TO_PASS": list(pass_to_pass)}
    report = graders.get_eval_tests_report(status_map, gold)
    failing = [name for kind in gold for name in report[kind]["failure"]]
    return Grade(str(graders.get_resolution_status(report)), True, tuple(failing))


def _logs_eval(
    ran: Ran, fail_to_pass: Sequence[str], pass_to_pass: Sequence[str]
) -> tuple[Mapping[str, str], bool]:
    functions = _functions()
    spec = functions.types.TestSpec(
        instance_id="local",
        image="",
        eval_script_list=[],
        repo="",
        version="",
        FAIL_TO_PASS=list(fail_to_pass),
        PASS_TO_PASS=list(pass_to_pass),
        log_parser=PARSER,
        eval_type="pass_and_fail",
    )
    with tempfile.TemporaryDirectory(prefix="comem-log-") as place:
        path = Path(place) / "test_output.txt"
        path.write_text(log_of(ran), encoding="utf-8", newline="\n")
        found, applied = functions.grading.get_logs_eval(spec, str(path))
    return found, bool(applied)


@final
@dataclass(frozen=True, slots=True)
class _Functions:
    grading: Any
    types: Any
    constants: Any


@cache
def _functions() -> _Functions:
    """Return the package's modules that grade.

    :raises SettingsError: where there is no such package.
    """
    with _LOCK, _bare_packages():
        # The registry of all languages' parsers wants one more package; ours is in one module.
        parsers = importlib.import_module(f"{PACKAGE}.harness.log_parsers.python")
        registry = {PARSER: getattr(parsers, PARSER)}
        vars(sys.modules[f"{PACKAGE}.harness.log_parsers"])["PARSER_REGISTRY"] = registry
        grading = importlib.import_module(f"{PACKAGE}.harness.grading")
        types = importlib.import_module(f"{PACKAGE}.types")
        constants = importlib.import_module(f"{PACKAGE}.harness.constants")
        for name in ("get_logs_eval", "get_eval_tests_report", "get_resolution_status"):
            getattr(grading, name)
        types.TestSpec  # noqa: B018
        return _Functions(grading, types, constants)


@contextmanager
def _bare_packages() -> Iterator[None]:
    """Have packages without a body stand for swebench's; before and after, all is as it was."""
    spec = _spec()
    if spec is None or not spec.submodule_search_locations:
        raise SettingsError(str(preflight()))
    root = Path(next(iter(spec.submodule_search_locations)))
    before = {name: module for name, module in sys.modules.items() if _is_ours(name)}
    for name in before:
        del sys.modules[name]
    try:
        for name in _BARE:
            bare = ModuleType(name)
            bare.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
            sys.modules[name] = bare
        yield
    finally:
        for name in [name for name in sys.modules if _is_ours(name)]:
            del sys.modules[name]
        sys.modules.update(before)


def _spec() -> ModuleSpec | None:
    """Return where the package is installed, whatever a user has imported under its name."""
    return PathFinder.find_spec(PACKAGE)


def _is_ours(name: str) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")
