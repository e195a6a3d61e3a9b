"""The papers' figures as they are shipped, and what a damaged file is answered with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.datasets.reference import load_reference
from pytest_comem.errors import DataError
from pytest_comem.locations import fixture_path

SHIPPED = json.loads(fixture_path("reference", "gatemem.json").read_bytes())


def test_gatemem_is_whole() -> None:
    """7 methods with 6 models on 4 domains, each once (arXiv 2606.18829)."""
    found = load_reference("gatemem")
    cells = {(row.method, row.backbone, row.domain) for row in found.rows}
    assert len(found.rows) == len(cells) == 7 * 6 * 4
    assert (found.arxiv, found.checkpoints, found.judge) == ("2606.18829", 2218, "GPT-4o")
    assert len(found.backbones) == 6


def test_mgs_is_the_product() -> None:
    """U (1 - A) (1 - F) up to rounding, but for the one row that is printed otherwise."""
    other = []
    for row in load_reference("gatemem").rows:
        u, a, f = (row.values[name] for name in ("U", "A", "F"))
        if abs(u * (1 - a / 100) * (1 - f / 100) - row.values["MGS"]) > 0.15:
            other.append((row.method, row.backbone, row.domain))
    assert other == [("Mem0", "Llama-4-Maverick", "education")]


@pytest.mark.parametrize("name", ["comembench", "contextweave"])
def test_the_other_papers_name_their_source(name: str) -> None:
    """Nothing reads them yet; they are JSON and say where they come from."""
    assert json.loads(fixture_path("reference", f"{name}.json").read_bytes())["source"]


@pytest.mark.parametrize(
    "damage",
    [
        {"columns": ["method"]},
        {"rows": [["Mem0", "GPT-5.4", "medical", 1, 2, 3]]},
        {"rows": [["Mem0", "GPT-5.4", "medical", 1, 2, 3, 101]]},
        {"rows": [["Mem0", "GPT-5.4", "medical", 1, 2, 3, None]]},
        {"rows": [["Nobody", "GPT-5.4", "medical", 1, 2, 3, 4]]},
        {"systems": []},
        {"source": None},
    ],
)
def test_a_damaged_file_is_a_data_error(tmp_path: Path, damage: dict[str, Any]) -> None:
    """The message names the file."""
    path = tmp_path / "figures.json"
    path.write_text(json.dumps({**SHIPPED, **damage}))
    with pytest.raises(DataError, match=r"figures\.json: not figures of a paper"):
        load_reference("gatemem", path)


def test_a_suite_without_figures_is_told() -> None:
    """The message names the file that is missing."""
    with pytest.raises(DataError, match=r"nothing\.json: cannot be read"):
        load_reference("nothing")
