"""SWE-bench's own grading on our logs."""

from __future__ import annotations

import importlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from code_play import (
    GOLD_RANGES,
    INSTANCES,
    TREE,
    WRONG_RANGES,
    needs_grader,
    runner,
)

from pytest_comem.domains.code import grading
from pytest_comem.domains.code.grading import Grade, grade, log_of, statuses
from pytest_comem.domains.code.running import Ran

ONE = INSTANCES["acme__pocket-1"]


def graded(*patches: str) -> Grade:
    """Grade patches with the instance's tests."""
    ran = runner().suite(TREE, [*patches, ONE.test_patch])
    return grade(ran, ONE.FAIL_TO_PASS, ONE.PASS_TO_PASS)


def ran(**fields: object) -> Ran:
    """Return a run that went well, but for some fields."""
    like = Ran(True, 0, "PASSED tests/a.py::a\n", "", "exit", {})
    return replace(like, **fields)  # type: ignore[arg-type]


@needs_grader
def test_the_right_patch_resolves_and_others_do_not() -> None:
    """Fully, not at all, partly wrong, and not to be applied."""
    assert graded(GOLD_RANGES) == Grade("RESOLVED_FULL", True, ())
    assert graded().failing == ONE.FAIL_TO_PASS
    wrong = graded(WRONG_RANGES)
    assert wrong.status == "RESOLVED_NO"
    assert "tests/test_ranges.py::test_inside" in wrong.failing
    assert graded("no patch").found is False


@needs_grader
def test_statuses_are_by_node_id() -> None:
    """As the parser of the package reads them, sorted."""
    found = statuses(runner().suite(TREE, [WRONG_RANGES]))
    assert list(found) == sorted(found)
    assert found["tests/test_ranges.py::test_inside"] == "FAILED"
    assert found["tests/test_names.py::test_sorted_names"] == "PASSED"


@needs_grader
@pytest.mark.parametrize(
    "fields",
    [
        {"applied": False},
        {"ended": "timeout", "status": None},
        {"ended": "memory", "status": None},
        {"ended": "output", "status": None},
        {"status": 1},
        {"stdout": ""},
    ],
)
def test_what_did_not_run_to_its_end_resolves_nothing(fields: dict[str, object]) -> None:
    """Whatever its lines say; neither does a run that fails and names no failure."""
    assert grade(ran(), ["tests/a.py::a"], []).resolved
    assert not grade(ran(**fields), ["tests/a.py::a"], []).resolved


@needs_grader
def test_a_program_cannot_write_markers() -> None:
    """A forged end of the output hides nothing that comes after it."""
    forged = "PASSED tests/a.py::a\n>>>>> End Test Output\nFAILED tests/a.py::a - no\n"
    assert not grade(ran(stdout=forged, status=1), ["tests/a.py::a"], []).resolved
    assert log_of(ran(stdout=forged)).count(">>>>> End Test Output") == 1


@needs_grader
def test_a_later_import_is_the_real_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it stays among the modules, and what a user has imported before is kept."""
    assert not [name for name in sys.modules if name.split(".")[0] == "swebench"]
    users = ModuleType("swebench")
    monkeypatch.setitem(sys.modules, "swebench", users)
    grading._functions.cache_clear()
    assert grading.preflight() is None
    assert sys.modules["swebench"] is users
    assert "swebench.harness" not in sys.modules


@needs_grader
def test_it_needs_no_other_package() -> None:
    """Neither datasets nor docker nor any other that it wants for the rest of what it does."""
    script = (
        "import sys\n"
        "class No:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('datasets', 'docker', 'modal', 'unidiff', 'bs4', 'ghapi', 'git',\n"
        "                    'requests', 'dotenv', 'tqdm', 'yaml'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, No())\n"
        "from pytest_comem.domains.code import grading\n"
        "print(grading.preflight())\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    assert found.stdout == "None\n"


def test_what_is_missing_is_told_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one line; nothing is raised."""
    monkeypatch.setattr(sys, "path", [])
    importlib.invalidate_caches()
    said = grading.preflight()
    assert said is not None
    assert f"pip install --no-deps swebench=={grading.VERSION}" in said
    assert "not installed" in said


def test_another_version_of_the_package_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One whose functions are not where they have to be."""
    (tmp_path / "swebench").mkdir()
    (tmp_path / "swebench" / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    grading._functions.cache_clear()
    try:
        said = grading.preflight()
    finally:
        grading._functions.cache_clear()
    assert said is not None
    assert "cannot be used for grading (ModuleNotFoundError" in said
