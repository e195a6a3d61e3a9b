"""mem0's public calls as the adapter publishes them for counter-examples."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from string import Template

import pytest

from pytest_comem.memory.mem0_calls import CALLS

if any(find_spec(name) is None for name in ("mem0", "qdrant_client", "langchain")):
    pytest.skip("mem0ai is not installed: pytest-comem[mem0]", allow_module_level=True)


def test_the_public_calls_run(tmp_path: Path) -> None:
    """Counter-examples made of the published calls run and show what the adapter shows."""
    run = _program(
        [
            ("open", {"directory": str(tmp_path / "d")}),
            ("ingest", {"text": 'It\'s {tea} "now"', "principal": "ann", "timestamp": None}),
            ("recall", {"query": "tea", "k": 1}),
            ("entries", {}),
            ("update", {"text": "It's $coffee"}),
            ("recall_of", {"query": "coffee", "principal": "ann", "k": 5}),
            ("close", {}),
            ("open", {"directory": str(tmp_path / "d")}),
            ("entries", {}),
            ("delete", {}),
            ("entries", {}),
            ("ingest", {"text": "more", "principal": "ann", "timestamp": None}),
            ("delete_principal", {"principal": "ann"}),
            ("recall", {"query": "more", "k": 3}),
            ("close", {}),
        ]
    )
    found = subprocess.run(
        [sys.executable, "-c", run],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path / "home")},
    )
    tea, coffee = ['It\'s {tea} "now"'], ["It's $coffee"]
    assert found.stdout.splitlines() == [str(x) for x in (tea, tea, coffee, coffee, [], [])]


def _program(steps: Sequence[tuple[str, dict[str, object]]]) -> str:
    """Return source that takes the published calls in order and prints what each one found."""
    lines = [CALLS.preamble]
    for name, values in steps:
        places = {place: repr(value) for place, value in values.items()}
        template = Template(getattr(CALLS, name))
        lines.append(template.substitute(m="memory", id="stored", **places))
        if name in ("recall", "recall_of", "entries"):
            lines.append("print(found)")
    return "\n".join(lines)
