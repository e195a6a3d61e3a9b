"""A run's data found again, or the reason why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from html_pages import chunks, play, write_run
from made_outcomes import made
from tiny_project import checkpoint, episode, write_data

from pytest_comem.engine.runs import read_run
from pytest_comem.report.html.page import page
from pytest_comem.report.html.sources import find_source


def played(folder: Path) -> Path:
    """Return a run of one checkpoint at turn 3 of 6."""
    data = write_data(folder, [episode("one")], [checkpoint("one", 1, 3)])
    return play(folder, "--memory-system=full-context", f"--comem-data={data}")


def details(run: Path) -> dict[str, Any]:
    """Return the details of the run's only episode."""
    found: dict[str, Any] = chunks("".join(page([read_run(run)])))["e0"]
    return found


def test_entries_are_those_of_the_data(tmp_path: Path) -> None:
    """Who said what is there up to the end, and how far it was told; items are entries' numbers."""
    found = details(played(tmp_path))
    assert [entry[0] for entry in found["entries"]] == [f"t{number}" for number in range(1, 7)]
    assert found["texts"][:6] == [f"fact{number} of one" for number in range(1, 7)]
    assert found["steps"]["0"]["asOf"] == 2
    assert found["cells"]["0"]["0"]["items"] == [{"from": 0, "to": 2}]
    assert found["patterns"] == ["fact3"]
    assert found["spans"] == [{"2": [0, 5]}]
    assert found["steps"]["0"]["kind"] == "required"


def test_changed_data_are_not_believed(tmp_path: Path) -> None:
    """Where a file is another one now, the page says which and shows what the run itself holds."""
    run = played(tmp_path)
    write_data(tmp_path, [episode("one", turns=5)], [checkpoint("one", 1, 3)])
    source = find_source(read_run(run))
    assert not source.episodes
    assert "medical/episodes.jsonl differ from what its manifest noted" in source.missing
    found = details(run)
    assert found["entries"] == []
    assert found["missing"] == source.missing
    assert len(found["cells"]["0"]["0"]["items"]) == 3


def test_data_elsewhere_are_found_when_named(tmp_path: Path) -> None:
    """A directory of equal files stands for the one that is gone."""
    run = played(tmp_path)
    (tmp_path / "data").rename(tmp_path / "moved")
    assert "could not be read" in find_source(read_run(run)).missing
    assert "one" in find_source(read_run(run), tmp_path / "moved").episodes


def test_synthetic_data_are_made_again(tmp_path: Path) -> None:
    """A seed and a number are enough."""
    run = play(tmp_path, "--memory-system=none", "--comem-synthetic=1", "--comem-domains=office")
    assert list(find_source(read_run(run)).episodes) == ["synthetic_0_office_001"]


def test_a_run_without_a_manifest_says_so(tmp_path: Path) -> None:
    """Nothing is guessed where nothing was noted; what the judge named is still marked."""
    leaky = made(0, False, category="safety")
    run = write_run(tmp_path / "run", [leaky])
    (run / "manifest.json").write_text(json.dumps({}))
    assert "does not say which data" in details(run)["missing"]
