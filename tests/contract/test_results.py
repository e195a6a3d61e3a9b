"""The published table of results against the deviations that CI holds the libraries to."""

from __future__ import annotations

from pathlib import Path

from pytest_comem.contract.deviations import load_deviations
from pytest_comem.contract.promises import PROMISES
from pytest_comem.locations import suites_root

FOLDER = suites_root() / "contract"


def rows() -> dict[str, list[str]]:
    """Return the cells of the published table by their first."""
    lines = (FOLDER / "RESULTS.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("| ")]
    split = ([cell.strip() for cell in line.strip("|").split("|")] for line in table)
    return {first: others for first, *others in split}


def test_the_table_says_what_the_deviations_say() -> None:
    """A promise is marked broken exactly where a deviation is on record."""
    table = rows()
    systems = [name.strip("`") for name in table["promise"]]
    marked = {
        (system, f"test_{name}")
        for name, promise in PROMISES.items()
        for system, cell in zip(systems, table[promise.statement], strict=True)
        if cell == "**no**"
    }
    names = [f"test_{name}" for name in PROMISES]
    known = load_deviations([Path(FOLDER / "deviations.toml")], names)
    assert marked == {(one.system, one.promise) for one in known if one.system in systems}


def test_every_broken_promise_has_its_program() -> None:
    """Each is followed by code that ends in an assertion."""
    text = (FOLDER / "RESULTS.md").read_text(encoding="utf-8")
    broken = sum(cells.count("**no**") for cells in rows().values())
    sections = text.partition("\n## Reports")[0].split("\n### ")[1:]
    assert len(sections) == broken
    for section in sections:
        program = section.split("```python")[1].split("```")[0]
        assert "\nassert " in program
