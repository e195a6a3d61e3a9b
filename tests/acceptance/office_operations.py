"""Operations on files, done on a directory of the test's."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from pytest_comem.office.inside.office_tools import perform


def do(root: Path, name: str, **arguments: Any) -> dict[str, Any]:
    """Do one operation."""
    (result,) = perform(root, [{"name": name, "arguments": arguments}])
    return result


def done(root: Path, name: str, **arguments: Any) -> Any:
    """Do one that has to succeed, and return its value."""
    result = do(root, name, **arguments)
    assert result["ok"], result["text"]
    return result["value"]


def refused(root: Path, name: str, **arguments: Any) -> str:
    """Do one that has to fail and change nothing, and return what it says."""
    before = state(root)
    result = do(root, name, **arguments)
    assert not result["ok"], result
    assert result["value"] is None
    assert state(root) == before
    return str(result["text"])


def state(root: Path) -> dict[str, str]:
    """Return what lies in a directory: hash by path, links as what they name."""
    return {
        path.relative_to(root).as_posix(): (
            f"-> {path.readlink()}"
            if path.is_symlink()
            else hashlib.sha256(path.read_bytes()).hexdigest()
        )
        for path in root.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def query(root: Path, statement: str, **table: str) -> Any:
    """Ask one file, as table ``t``."""
    return done(root, "query", tables=[{"name": "t", **table}], statement=statement)
