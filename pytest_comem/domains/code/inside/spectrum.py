"""Spectrum-based fault localization: Ochiai over the lines that runs execute.

Reads ``../given.json``: script (that fails), tests (node ids that pass, empty for all), most (how
many functions are named). Prints the most suspicious functions with their lines, as JSON.

Each assertion of the script is a run of its own. Ochiai (Abreu et al., 2006): a line that *f* of
*F* failing runs and *p* passing ones execute scores ``f / sqrt(F * (f + p))``.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

Line = tuple[str, int]
_HERE = str(Path.cwd())


class Tracer:
    """Collects the lines of the checkout's functions that are executed."""

    def __init__(self) -> None:
        self.lines: set[Line] = set()
        self._ours: dict[str, str] = {}

    def _name(self, path: str) -> str:
        if path not in self._ours:
            path = os.path.normpath(path)
            inside = path.startswith(_HERE + "/")
            name = path[len(_HERE) + 1 :] if inside else ""
            test = Path(name).name.startswith(("test_", "conftest")) or name.startswith("tests/")
            self._ours[path] = "" if test else name
        return self._ours[path]

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        """Trace a call, where it is one of ours."""
        code = frame.f_code
        name = self._name(code.co_filename)
        if not name or code.co_name == "<module>" or _is_shown(frame):
            return None
        lines = self.lines

        def local(frame: FrameType, event: str, argument: object) -> Any:
            if event == "line":
                lines.add((name, frame.f_lineno))
            return local

        return local


def _is_shown(frame: FrameType) -> bool:
    """Whether a value is only being shown by the script, which computes nothing."""
    back = frame.f_back
    shown = frame.f_code.co_name in ("__repr__", "__str__")
    return shown and back is not None and back.f_code.co_filename == "script.py"


@contextlib.contextmanager
def traced() -> Iterator[set[Line]]:
    """Yield the lines that are executed meanwhile."""
    tracer = Tracer()
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        yield tracer.lines
    finally:
        sys.settrace(before)


class Passing:
    """Counts by line the passing tests that execute it."""

    def __init__(self) -> None:
        self.counts: Counter[Line] = Counter()
        self._lines: set[Line] = set()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: object) -> Iterator[None]:
        """Trace a test."""
        with traced() as lines:
            yield
        self._lines = lines

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a test that passed."""
        if report.when == "call" and report.passed:
            self.counts.update(self._lines)


def asserted(script: str) -> tuple[list[set[Line]], list[set[Line]]]:
    """Return the lines that each assertion of a script executes: of those that hold, and the rest.

    What stands between them is done and not counted, unless it fails itself.
    """
    holding: list[set[Line]] = []
    failing: list[set[Line]] = []
    space: dict[str, object] = {"__name__": "__main__"}
    for statement in ast.parse(script).body:
        code = compile(ast.Module([statement], []), "script.py", "exec")
        with traced() as lines:
            try:
                exec(code, space)
            except Exception:
                failing.append(lines)
                if not isinstance(statement, ast.Assert):
                    break
            else:
                holding += [lines] if isinstance(statement, ast.Assert) else []
    return holding, failing


def regions(path: str) -> list[tuple[str, int, int]]:
    """Return the functions of a file: name, first line, last line."""
    found: list[tuple[str, int, int]] = []

    def within(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{prefix}{child.name}."
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                start = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                found.append((prefix + child.name, start, child.end_lineno or start))
            within(child, inner)

    with contextlib.suppress(OSError, SyntaxError, ValueError):
        within(ast.parse(Path(path).read_bytes()), "")
    return found


def ranked(scores: dict[Line, float], most: int) -> list[dict[str, Any]]:
    """Return functions by their most suspicious line, then by the mean of their lines."""
    found: dict[tuple[str, str, int, int], list[tuple[float, int]]] = {}
    known = {path: regions(path) for path in {path for path, _ in scores}}
    for (path, line), score in scores.items():
        around = [one for one in known[path] if one[1] <= line <= one[2]]
        if around:
            name, start, end = min(around, key=lambda one: one[2] - one[1])
            found.setdefault((path, name, start, end), []).append((score, line))
    candidates: list[dict[str, Any]] = [
        {
            "file": path,
            "function": name,
            "start": start,
            "end": end,
            "score": round(max(each for each, _ in lines), 4),
            "mean": round(sum(each for each, _ in lines) / len(lines), 4),
            "lines": [line for _, line in sorted(lines, key=lambda one: (-one[0], one[1]))][:40],
        }
        for (path, name, start, end), lines in found.items()
    ]
    candidates.sort(key=lambda one: (-one["score"], -one["mean"], one["file"], one["start"]))
    return candidates[:most]


def main() -> dict[str, Any]:
    """Run everything, and return the ranking."""
    given = json.loads(Path("../given.json").read_text(encoding="utf-8"))
    passing = Passing()
    holding: list[set[Line]] = []
    failing: list[set[Line]] = []
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        arguments = ["-q", "--tb=no", "-p", "no:cacheprovider", "--", *given["tests"]]
        pytest.main(arguments, plugins=[passing])
        with contextlib.suppress(SyntaxError, ValueError, SystemExit):
            holding, failing = asserted(given["script"])
    for lines in holding:
        passing.counts.update(lines)
    counts = Counter(line for lines in failing for line in lines)
    scores = {
        line: count / math.sqrt(len(failing) * (count + passing.counts[line]))
        for line, count in counts.items()
    }
    return {"candidates": ranked(scores, given["most"])}


if __name__ == "__main__":
    json.dump(main(), sys.stdout)
