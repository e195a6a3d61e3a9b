"""The project's registry file, and its commit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pytest_comem.domains.mathematics.families.library import LIBRARY
from pytest_comem.domains.mathematics.families.theorem import Theorem
from pytest_comem.domains.mathematics.projects import REGISTRY_FILE, commit_of


def registry_bytes() -> bytes:
    """Return ``project.json``: every theorem with its statements."""
    entries = [_entry(module, one) for module, found in LIBRARY.items() for one in found]
    return (json.dumps({"theorems": entries}, ensure_ascii=False, indent=1) + "\n").encode()


def shipped_commit(root: Path) -> str:
    """Return the commit of the project with the sources of *root* and the registry made anew."""
    files = {REGISTRY_FILE: registry_bytes()}
    for pattern in ("coq/*.v", "lean/*.lean"):
        for path in root.glob(pattern):
            files[path.relative_to(root).as_posix()] = path.read_bytes()
    return commit_of(files)


def _entry(module: str, one: Theorem) -> dict[str, Any]:
    statements = {"coq": one.statement}
    if one.lean is not None:
        statements["lean"] = one.lean.statement
    return {"name": one.name, "module": module, "words": one.words, "statements": statements}
