"""Our grading held against the official evaluation of SWE-bench, which runs in Docker.

Needs a Docker engine with the project's image (``sh fixtures/images/build.sh``), and a Python that
has the whole package ``swebench`` (``pip install swebench``): this one, or the one that
``COMEM_SWEBENCH_PYTHON`` names. Nothing is fetched.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from code_play import needs_grader, runner

from pytest_comem.domains.code.families.gold import Bench
from pytest_comem.domains.code.grading import PARSER, grade
from pytest_comem.domains.code.running import PYTEST
from pytest_comem.domains.code.shipped import shipped_material
from pytest_comem.sandbox.docker_shape import IMAGE

PYTHON = os.environ.get("COMEM_SWEBENCH_PYTHON", sys.executable)
INSTANCE = "lumenfold__tidespan-7"

pytestmark = needs_grader


def said(command: Sequence[str], **more: Any) -> str:
    """Return what a command writes, and fail where it does."""
    found: subprocess.CompletedProcess[str] = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, **more
    )
    assert found.returncode == 0, found.stderr[-2_000:]
    return found.stdout


@cache
def lacking() -> str:
    """Return what is missing for the official evaluation."""
    checks = {
        "a Docker engine": ["docker", "version"],
        f"the image {IMAGE}: sh fixtures/images/build.sh": ["docker", "image", "inspect", IMAGE],
        "the whole package: pip install swebench, or COMEM_SWEBENCH_PYTHON": [
            *(PYTHON, "-c", "import swebench.harness.run_evaluation"),
        ],
    }
    if shutil.which("docker") is None:
        return "there is no command docker"
    for name, command in checks.items():
        found = subprocess.run(command, capture_output=True, timeout=120, check=False)
        if found.returncode:
            return f"the official evaluation needs {name}"
    return ""


@pytest.fixture
def bench() -> Bench:
    """Return an instance on its base commit."""
    if lacking():
        pytest.skip(lacking())
    material = shipped_material()
    one = material.instances[INSTANCE]
    return Bench(runner(), material.trees.tree(one.repo, one.base_commit), one)


@pytest.fixture
def image(bench: Bench, tmp_path: Path) -> Iterator[str]:
    """Yield a local image that holds the instance's repository where SWE-bench has it."""
    checkout = tmp_path / "testbed"
    for path, content in bench.tree.files.items():
        place = checkout / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    name = f"swebench/sweb.eval.x86_64.{INSTANCE.replace('__', '_1776_')}:latest"
    command = ["docker", "create", "--network=none", "--workdir=/testbed", IMAGE]
    container = said([*command, "tail", "-f", "/dev/null"]).strip()
    try:
        said(["docker", "cp", f"{checkout}/.", f"{container}:/testbed"])
        said(["docker", "start", container])
        set_up = (
            "git init -q && git config user.name x && git config user.email x@localhost && "
            "git config --global --add safe.directory /testbed && git add -A && git commit -qm base"
        )
        said(["docker", "exec", container, "sh", "-c", set_up])
        said(["docker", "commit", container, name])
        yield name
    finally:
        said(["docker", "rm", "--force", "--volumes", container])
        subprocess.run(["docker", "rmi", "--force", name], capture_output=True, check=False)


def official(bench: Bench, image: str, patch: str, directory: Path) -> dict[str, Any]:
    """Return the report of ``swebench.harness.run_evaluation`` on a patch."""
    one = bench.instance
    script = [
        *("#!/bin/bash", "set -uxo pipefail", "cd /testbed"),
        *("git apply -v - <<'EOF_TEST_PATCH'", one.test_patch.rstrip("\n"), "EOF_TEST_PATCH"),
        ": '>>>>> Start Test Output'",
        f"python3 {' '.join(PYTEST)}",
        ": '>>>>> End Test Output'",
    ]
    row = {
        **one.model_dump(mode="json"),
        "image": image,
        "log_parser": PARSER,
        "eval_type": "pass_and_fail",
        "eval_script": "\n".join(script) + "\n",
    }
    prediction = {"instance_id": INSTANCE, "model_name_or_path": "x", "model_patch": patch}
    directory.mkdir()
    (directory / "instances.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (directory / "predictions.jsonl").write_text(json.dumps(prediction) + "\n", encoding="utf-8")
    said(
        [
            *(PYTHON, "-m", "swebench.harness.run_evaluation", "--run_id", "run"),
            *("--dataset_name", "instances.jsonl", "--predictions_path", "predictions.jsonl"),
            *("--max_workers", "1", "--timeout", "120"),
        ],
        cwd=directory,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"},
    )
    (report,) = directory.glob(f"logs/run_evaluation/run/x/{INSTANCE}/report.json")
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))[INSTANCE]
    return found


@pytest.mark.parametrize("which", ["right", "wrong"])
def test_the_official_evaluation_says_the_same(
    bench: Bench, image: str, which: str, tmp_path: Path
) -> None:
    """Of the right patch and of one that fails, test by test."""
    one = bench.instance
    patch = one.patch if which == "right" else bench.failing_patches[0]
    theirs = official(bench, image, patch, tmp_path / "evaluation")
    ours = grade(
        bench.runner.suite(bench.tree, [patch, one.test_patch]), one.FAIL_TO_PASS, one.PASS_TO_PASS
    )
    assert theirs["patch_successfully_applied"] is ours.found is True
    assert theirs["resolved"] is ours.resolved is (which == "right")
    failing = [test for kind in theirs["tests_status"].values() for test in kind["failure"]]
    assert sorted(failing) == sorted(ours.failing)
