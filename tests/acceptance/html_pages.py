"""HTML pages taken apart again, and runs that pages are made of."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.records import OUTCOMES, to_line, to_record

_CHUNK = re.compile(r'<script type="application/octet-stream" id="chunk-(\w+)">([^<]*)</script>')


def chunks(page: str) -> dict[str, Any]:
    """Return what a page holds, by the name of the chunk."""
    return {
        name: json.loads(zlib.decompress(base64.b64decode(data)))
        for name, data in _CHUNK.findall(page)
    }


def write_run(
    folder: Path, outcomes: Iterable[Outcome], manifest: Mapping[str, Any] | None = None
) -> Path:
    """Write a run directory of *outcomes*, finished unless *manifest* says otherwise."""
    folder.mkdir(parents=True)
    lines = (to_line(to_record(each)) for each in outcomes)
    (folder / OUTCOMES).write_text("".join(lines), encoding="utf-8")
    said = {"run": "0000abcd", "started": "2026-01-02T03:04:05+00:00", "finished": {"planned": 1}}
    (folder / "manifest.json").write_text(json.dumps({**said, **(manifest or {})}))
    return folder


def play(folder: Path, *arguments: str) -> Path:
    """Play GateMem in a process of its own, and return the run's directory."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COMEM_DATA", "PYTEST_ADDOPTS") and not name.startswith("PYTEST_XDIST")
    }
    folder.mkdir(parents=True, exist_ok=True)
    run = folder / "run"
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-r", "", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, f"--comem-run-dir={run}", *arguments, "gatemem"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return run
