"""Running a repository's code in a sandbox."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from code_play import FILES, GOLD_RANGES, TREE, WRONG_RANGES, runner

from pytest_comem.domains.code.running import MAX_TEXT, Runner, Tree
from pytest_comem.errors import BenchmarkDefect, InfrastructureError, SettingsError
from pytest_comem.sandbox.base import Limits


def with_file(path: str, text: str) -> Tree:
    """Return the tiny tree with one more file."""
    return Tree({**TREE.files, path: text.encode()})


def test_a_suite_says_the_status_of_every_test() -> None:
    """In the lines of pytest's summary, without plugins and cache."""
    ran = runner().suite(TREE)
    assert (ran.applied, ran.status, ran.ended) == (True, 0, "exit")
    assert "PASSED tests/test_names.py::test_sorted_names" in ran.stdout
    assert "plugins:" not in ran.stdout
    only = runner().suite(TREE, (), ["tests/test_names.py"])
    assert "test_ranges" not in only.stdout


def test_patches_are_applied_in_order() -> None:
    """What they change is what runs; the tree that was given stays as it was."""
    script = "from pocket import within\nprint(within(3, 1, 3))"
    assert runner().script(TREE, [], script).stdout == "False\n"
    assert runner().script(TREE, [GOLD_RANGES], script).stdout == "True\n"
    assert TREE.text("pocket/ranges.py") == FILES["pocket/ranges.py"]


@pytest.mark.parametrize("patch", ["", "no patch", GOLD_RANGES.replace("low <=", "low <")])
def test_a_patch_that_does_not_fit_is_told(patch: str) -> None:
    """Nothing else runs then."""
    ran = runner().script(TREE, [WRONG_RANGES, patch], "print('ran')")
    assert not ran.applied
    assert ran.stdout == ""


def test_a_patch_cannot_leave_the_checkout(tmp_path: Path) -> None:
    """Neither upwards nor by an absolute path nor through a link."""
    for path in ("../outside.txt", "../../outside.txt", f"{tmp_path}/outside.txt"):
        patch = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+text\n"
        assert not runner().script(TREE, [patch], "print('ran')").applied
    link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n"
    linked = f"{link}+{tmp_path}\n\\ No newline at end of file\n"
    through = "diff --git a/l/x b/l/x\nnew file mode 100644\n--- /dev/null\n+++ b/l/x\n"
    runner().script(TREE, [linked, f"{through}@@ -0,0 +1 @@\n+text\n"], "")
    assert not list(tmp_path.iterdir())


def test_nothing_of_the_environment_can_be_imported() -> None:
    """No package of the host's but pytest and what it needs, and no file of the checkout for it."""
    script = """
import importlib.util
for name in ("pydantic", "numpy", "httpx", "pip", "setuptools"):
    assert importlib.util.find_spec(name) is None, name
import pytest
print(pytest.__name__, hasattr(pytest, "fixture"))
"""
    tree = with_file("pytest.py", "raise SystemExit('taken')")
    ran = runner().script(tree, [], script)
    assert ran.stdout == "pytest True\n", ran.stderr


@pytest.mark.skipif(runner().kind == "none", reason="there is no sandbox here")
def test_nothing_of_the_host_is_seen() -> None:
    """Neither its variables nor its home nor its network; the interpreter is read-only."""
    script = """
import os, pathlib, socket, sys
assert "COMEM_SECRET" not in os.environ
assert not pathlib.Path(os.environ["TEST_HOME"]).exists() if "TEST_HOME" in os.environ else True
try:
    socket.create_connection(("127.0.0.1", 9), 1)
except OSError as error:
    print(type(error).__name__)
try:
    pathlib.Path(os.__file__).write_text("")
except OSError as error:
    print("read-only")
"""
    os.environ["COMEM_SECRET"] = "x"
    try:
        ran = runner().script(TREE, [], script)
    finally:
        del os.environ["COMEM_SECRET"]
    assert ran.stdout.endswith("read-only\n"), ran.stderr


def test_what_runs_too_long_or_says_too_much_is_ended() -> None:
    """That is a result, not a failure of the infrastructure."""
    said = runner().script(TREE, [], "while True: print('x' * 10_000)")
    assert (said.status, said.ended) == (None, "output")
    limits = Limits(seconds=1)
    tree = with_file("pytest_comem/__init__.py", "")
    assert runner().driver(tree, "spectrum", _slow(), limits) is None


def _slow() -> dict[str, object]:
    return {"script": "while True: pass", "tests": [], "most": 3}


def test_a_program_of_ours_that_breaks_is_infrastructure() -> None:
    """It never reads as a result."""
    with pytest.raises(InfrastructureError, match="spectrum broke in the sandbox"):
        runner().driver(TREE, "spectrum", {"no": "script"})


def test_files_can_be_kept() -> None:
    """Those of a patched checkout; a link is not followed, and what is not there is said."""
    found = runner().patched(TREE, GOLD_RANGES, ["pocket/ranges.py", "none.py"])
    assert "low <= value <= high" in str(found["pocket/ranges.py"])
    assert found["none.py"] is None
    assert runner().patched(TREE, "no patch", ["pocket/ranges.py"]) == {}


def test_a_tree_whose_paths_lead_out_is_a_defect() -> None:
    """Of the benchmark; nothing is written."""
    for path in ("../x", "/x", "a/../../x", "a\0b"):
        with pytest.raises(BenchmarkDefect, match="has the path"):
            runner().suite(with_file(path, ""))


def test_a_text_that_is_too_long_is_not_tried() -> None:
    """It counts as a patch that does not apply."""
    ran = runner().suite(TREE, ["x" * (MAX_TEXT + 1)])
    assert not ran.applied
    assert "longer than" in ran.stderr


def test_the_hash_of_a_tree_follows_from_paths_and_contents() -> None:
    """Moving a letter from a name to a content gives another."""
    one, other = Tree({"ab": b"c"}), Tree({"a": b"bc"})
    assert one.sha256 != other.sha256
    assert one.sha256 == Tree({"ab": b"c"}).sha256


def test_an_unknown_sandbox_is_a_setting() -> None:
    """With a hint."""
    with pytest.raises(SettingsError, match="bubblewrap"):
        Runner("bubblewrep")
