"""The libraries that the instances are about, each at its newest commit."""

from __future__ import annotations

import ast
import re
import sys

import pytest

from pytest_comem.domains.code.repositories import code_root, repository, repository_names
from pytest_comem.domains.code.running import Runner, Tree

each = pytest.mark.parametrize("name", repository_names())


@each
def test_passes_its_own_tests(name: str) -> None:
    """All of them, and there are many."""
    found = repository(name)
    ran = Runner().suite(Tree(found.tree(found.head)))
    assert ran.status == 0, ran.stdout[-2000:]
    assert len(re.findall(r"^PASSED ", ran.stdout, re.MULTILINE)) >= 40


@each
def test_needs_the_standard_library_alone(name: str) -> None:
    """But for its tests, which need pytest."""
    found = repository(name)
    for path, raw in found.tree(found.head).items():
        if not path.endswith(".py"):
            continue
        allowed = {name, *sys.stdlib_module_names, *(["pytest"] * path.startswith("tests/"))}
        for node in ast.walk(ast.parse(raw)):
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").partition(".")[0] in allowed, path
            elif isinstance(node, ast.Import):
                assert {one.name.partition(".")[0] for one in node.names} <= allowed, path


@each
def test_its_version_is_in_its_changelog(name: str) -> None:
    """The newest heading is the version of the package."""
    found = repository(name)
    tree = found.tree(found.head)
    version = re.search(r'^__version__ = "(.+)"$', tree[f"{name}/__init__.py"].decode(), re.M)
    headings = re.findall(r"^## (.+)$", tree["CHANGELOG.md"].decode(), re.MULTILINE)
    assert version is not None
    assert headings[0] == version[1]


def test_histories_are_stored_as_patches() -> None:
    """No linter or collector of tests takes them for code of this repository."""
    files = [path for path in code_root().rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= {".patch", ".json", ".jsonl", ".md"}
