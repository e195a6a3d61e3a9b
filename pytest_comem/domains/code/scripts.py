"""Turning the steps of an issue into a script of assertions, which runs in a sandbox alone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Final

from pytest_comem.domains.code.issues import is_expression, is_import
from pytest_comem.domains.code.running import MAX_TEXT, Ran

_SHOWN: Final = '''\
import contextlib
import io


def shown(call):
    """Return what an interactive session shows of a call."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        try:
            value = call()
        except Exception as error:
            kind = type(error)
            module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
            return f"{module}{kind.__qualname__}: {error}".rstrip(": ")
    return (written.getvalue() + ("" if value is None else repr(value))).rstrip()
'''


def script_of(steps: Iterable[tuple[str, str]]) -> str:
    """Return a script that does the steps and asserts what has to be shown after each."""
    imports: list[str] = []
    body: list[str] = []
    for place, (code, expected) in enumerate(steps):
        if is_import(code):
            imports.append(code)
        elif not expected:
            body.append(code)
        elif is_expression(code):
            body.append(f"assert shown(lambda: (\n{code}\n)) == {expected!r}")
        else:
            body.append(f"def step_{place}():\n{textwrap.indent(code, '    ')}")
            body.append(f"assert shown(step_{place}) == {expected!r}")
    parts = ["\n".join(dict.fromkeys(imports)), _SHOWN, "\n".join(body)]
    return "\n\n".join(part for part in parts if part)[:MAX_TEXT] + "\n"


def outcome_of(ran: Ran) -> str:
    """Return what a script came to: ``passes``, ``fails`` by an assertion, or ``breaks``."""
    if ran.applied and ran.status == 0:
        return "passes"
    return "fails" if ran.applied and last_line(ran).startswith("AssertionError") else "breaks"


def last_line(ran: Ran) -> str:
    """Return the last line that a script said on standard error, at most 300 characters."""
    lines = [line for line in ran.stderr.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
