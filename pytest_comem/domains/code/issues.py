"""Reading an issue: its title, and the examples of its fenced blocks, as an interactive session.

Nothing of an issue is evaluated here; statements are parsed to tell what they are, within bounds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from pytest_comem.domains.parsing import parse_python

#: Characters of an issue that are read, steps that are taken, and characters of a step.
READ: Final = 20_000
MOST_STEPS: Final = 40
LONGEST: Final = 2_000
_PROMPT: Final = ">>> "
_MORE: Final = "... "


@final
@dataclass(frozen=True, slots=True)
class Step:
    """A statement of a session and what is shown after it; nothing where nothing is."""

    code: str
    expected: str = ""


@final
@dataclass(frozen=True, slots=True)
class Issue:
    """What an issue asks for.

    :param entry_points: public names that its examples call, dotted; a method as ``.name``.
    :param actual: what it says to come instead.
    """

    title: str
    steps: tuple[Step, ...]
    entry_points: tuple[str, ...]
    actual: str


def read_issue(text: str) -> Issue:
    """Return what an issue says; without examples where it has none in the right form."""
    lines = text[:READ].replace("\r\n", "\n").split("\n")
    title = next((line.strip("# ").strip() for line in lines if line.strip()), "")
    steps: list[Step] = []
    actual: list[str] = []
    for language, block in _fenced(lines):
        if any(line.startswith(_PROMPT) for line in block):
            steps += _session(block)
        elif language in ("text", "") and not actual:
            actual = list(block)
    kept = tuple(step for step in steps[:MOST_STEPS] if _parsed(step.code) is not None)
    return Issue(title[:300], kept, tuple(_entry_points(kept)), "\n".join(actual)[:LONGEST])


def _fenced(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    language: str | None = None
    block: list[str] = []
    for line in lines:
        stripped = line.strip()
        if not stripped.startswith("```"):
            if language is not None:
                block.append(line)
        elif language is None:
            language, block = stripped[3:].strip().lower(), []
        else:
            yield language, block
            language = None


def _session(block: Sequence[str]) -> Iterator[Step]:
    code: list[str] = []
    shown: list[str] = []
    for line in [*block, _PROMPT]:
        if line.startswith(_PROMPT) or line == _PROMPT.strip():
            if code:
                yield Step("\n".join(code)[:LONGEST], _expected(shown))
            code, shown = [line[len(_PROMPT) :]], []
        elif not code:
            continue
        elif not shown and (line.startswith(_MORE) or line == _MORE.strip()):
            code.append(line[len(_MORE) :])
        else:
            shown.append(line)


def _expected(shown: Sequence[str]) -> str:
    """Return what a session shows; of a traceback the last line."""
    lines = list(shown)
    while lines and not lines[-1].strip():
        lines.pop()
    if lines and lines[0].startswith("Traceback (most recent call last)"):
        lines = lines[-1:]
    return "\n".join(lines)[:LONGEST]


def _parsed(code: str) -> ast.Module | None:
    found = parse_python(code)
    return found if found is not None and found.body else None


def is_expression(code: str) -> bool:
    """Whether a statement is one expression."""
    found = _parsed(code)
    return found is not None and len(found.body) == 1 and isinstance(found.body[0], ast.Expr)


def is_import(code: str) -> bool:
    """Whether a statement imports."""
    found = _parsed(code)
    return found is not None and all(
        isinstance(each, ast.Import | ast.ImportFrom) for each in found.body
    )


def _entry_points(steps: Sequence[Step]) -> Iterator[str]:
    """Yield what the statements call of what they import, each once."""
    names: dict[str, str] = {}
    found: dict[str, None] = {}
    for step in steps:
        for node in ast.walk(_parsed(step.code) or ast.Module([], [])):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    names[alias.asname or alias.name] = alias.name
            elif isinstance(node, ast.Call):
                called = _dotted(node.func, names)
                if called:
                    found[called] = None
    yield from found


def _dotted(func: ast.expr, names: dict[str, str]) -> str:
    if isinstance(func, ast.Name):
        return names.get(func.id, "")
    if not isinstance(func, ast.Attribute):
        return ""
    owner = _dotted(func.value, names) if isinstance(func.value, ast.Name | ast.Attribute) else ""
    return f"{owner}.{func.attr}"
