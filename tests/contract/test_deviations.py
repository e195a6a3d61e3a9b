from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from systems import workshop
from toy_memories import Toy

from pytest_comem.contract.deviations import deviation_for, load_deviations
from pytest_comem.contract.promises import PROMISES
from pytest_comem.core.outcomes import SystemInfo
from pytest_comem.errors import SettingsError
from pytest_comem.locations import suites_root
from pytest_comem.memory.registry import SystemUnderTest

NAMES = ["test_one", "test_two"]
ROW = """[[deviation]]
system = "mem0"
promise = "test_one"
versions = ">=2,<3"
reason = "it does otherwise"
"""


def write(folder: Path, text: str) -> Path:
    """Write a file of deviations."""
    path = folder / "deviations.toml"
    path.write_text(text, encoding="utf-8")
    return path


def system(folder: Path, name: str, version: str, label: str = "") -> SystemUnderTest:
    """Return a correct memory under a library's name and version."""
    info = SystemInfo(label or name, version, "", False, 20)
    make: Any = Toy
    place = workshop(folder / "state")
    return SystemUnderTest(info, Toy.capabilities, make, {}, place, name)


def test_the_shipped_file_is_right() -> None:
    """What comes with the package can be read and names promises there are."""
    names = [f"test_{name}" for name in PROMISES]
    assert load_deviations([suites_root() / "contract" / "deviations.toml"], names)


@pytest.mark.parametrize(
    ("name", "version", "promise", "covered"),
    [
        ("mem0", "mem0ai 2.2.1", "test_one", True),
        ("mem0:extract", "mem0ai 2.2.1", "test_one", True),
        ("mem0", "mem0ai 3.0", "test_one", False),
        ("mem0", "2.2.1", "test_two", False),
        ("mem00", "2.2.1", "test_one", False),
        ("mem0", "unknown", "test_one", False),
        ("mem0-k20", "2.2.1", "test_one", False),
    ],
)
def test_a_row_covers_a_promise_a_system_and_versions(
    tmp_path: Path, name: str, version: str, promise: str, covered: bool
) -> None:
    """A row is about one promise, the system with all its variants, and the versions it names."""
    known = load_deviations([write(tmp_path, ROW)], NAMES)
    found = deviation_for(known, promise, system(tmp_path, name, version))
    assert (found is not None) is covered


def test_a_row_covers_a_system_in_a_sweep(tmp_path: Path) -> None:
    """The top-k behind the label is no part of the name; a name that ends like one is."""
    (known,) = load_deviations([write(tmp_path, ROW.replace('"mem0"', '"x-k20"'))], NAMES)
    assert known.covers("test_one", system(tmp_path, "x-k20", "2.0", "x-k20-k20"))
    assert known.covers("test_one", system(tmp_path, "x-k20", "2.0"))
    assert not known.covers("test_one", system(tmp_path, "x", "2.0", "x-k20"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROW + ROW.replace("test_one", "test_on"), "deviation 2: promise 'test_on' is unknown"),
        (ROW.replace(">=2,<3", "2 to 3"), "deviation 1: versions '2 to 3' is no version specifier"),
        (ROW.replace("reason", "reson"), "deviation 1: field 'reson'; did you mean reason"),
        (ROW.replace('"it does otherwise"', '" "'), "deviation 1: field 'reason' is missing"),
        (ROW.replace('"mem0"', "7"), "deviation 1: field 'system' is missing or no text"),
        ("[deviation]\n", r"tables \[\[deviation\]\] and nothing else"),
        ("deviation = [7]\n", "deviation 1: not a table"),
        ("[[deviation\n", "cannot be read as TOML"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, text: str, message: str) -> None:
    """Whatever is wrong, the message says in which file and row."""
    path = write(tmp_path, text)
    with pytest.raises(SettingsError, match=message) as caught:
        load_deviations([path], NAMES)
    assert str(caught.value).startswith(str(path))


def test_a_deviation_that_is_kept_now_fails(tmp_path: Path) -> None:
    """An entry that is no longer true is to be removed, and the test says so."""
    from pytest_comem.contract.items import Contract

    pytest.importorskip("hypothesis")
    (known,) = load_deviations([write(tmp_path, ROW)], NAMES)
    item: Any = SimpleNamespace()
    contract = Contract(item, system(tmp_path, "mem0", "2.0"), known, seed=0, embedder="hash")
    with pytest.raises(pytest.fail.Exception, match=r"keeps this promise now: remove the entry"):
        contract.holds(PROMISES["an_empty_memory_recalls_nothing"])
