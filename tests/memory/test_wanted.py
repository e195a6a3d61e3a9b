from __future__ import annotations

from pathlib import Path

import pytest

from pytest_comem.errors import SettingsError
from pytest_comem.memory.wanted import Wanted, wanted_systems
from pytest_comem.settings import Settings


def wanted(
    *names: str,
    options: tuple[str, ...] = (),
    top_k: tuple[int, ...] = (20,),
    file: str | Path = "",
) -> list[Wanted]:
    """Return what a run asks for."""
    settings = Settings(names, memory_options=options, top_k=top_k)
    return wanted_systems(settings, Path(file or "no-such.toml"))


@pytest.fixture
def pyproject(tmp_path: Path) -> Path:
    """A project's settings of two systems."""
    file = tmp_path / "pyproject.toml"
    file.write_text(
        '[tool.comem.systems.a]\nx = 1\ny = "file"\n'
        '[tool.comem.systems."a:v"]\nz = true\n[tool.comem.systems.other]\nq = 1\n'
    )
    return file


def test_names_in_order() -> None:
    """One each, labelled by its name, with no settings."""
    assert wanted("b", "a:v", "m:C") == [
        Wanted("b", 20, "b", {}, {}),
        Wanted("a:v", 20, "a:v", {}, {}),
        Wanted("m:C", 20, "m:C", {}, {}),
    ]


def test_a_sweep_plays_each_system_with_each_top_k() -> None:
    """The labels say which; a single value leaves labels alone."""
    found = wanted("a", "b", top_k=(5, 10))
    assert [(one.name, one.top_k, one.label) for one in found] == [
        ("a", 5, "a-k5"),
        ("a", 10, "a-k10"),
        ("b", 5, "b-k5"),
        ("b", 10, "b-k10"),
    ]


def test_settings_for_a_name_are_shared_by_its_variants(pyproject: Path) -> None:
    """The command line wins over the file, and a variant has settings of its own beside them."""
    plain, variant = wanted("a", "a:v", options=("a.y=line", "a:v.w=1"), file=pyproject)
    assert (plain.shared, plain.own) == ({}, {"x": 1, "y": "line"})
    assert (variant.shared, variant.own) == ({"x": 1, "y": "line"}, {"z": True, "w": "1"})


def test_the_file_may_name_systems_of_other_runs(pyproject: Path) -> None:
    """Only the command line must be about this run."""
    assert wanted("b", file=pyproject)[0].own == {}
    with pytest.raises(SettingsError, match=r"--memory-option aa\.KEY: no such system .* mean a"):
        wanted("a:v", options=("aa.x=1",))
    assert wanted("a:v", options=("a.x=1",))[0].shared == {"x": "1"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.comem", "not TOML"),
        ("tool = 1", "tool of tool.comem.systems is not a table"),
        ("[tool]\ncomem = 1", "comem of tool.comem.systems is not a table"),
        ("[tool.comem]\nsystems = [1]", "systems of tool.comem.systems is not a table"),
        ("[tool.comem.systems]\na = 1", r"tool\.comem\.systems\.a: not a table"),
        ("x = '\xff'", "not TOML"),
    ],
)
def test_an_unreadable_file(tmp_path: Path, text: str, message: str) -> None:
    """The message names the file and the place in it."""
    file = tmp_path / "pyproject.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError, match=rf"pyproject\.toml: .*{message}"):
        wanted("a", file=file)


@pytest.mark.parametrize("text", ["", "[tool.other]\nx = 1\n", "[tool.comem]\n"])
def test_a_file_that_says_nothing(tmp_path: Path, text: str) -> None:
    """Most projects' files have no such table."""
    file = tmp_path / "pyproject.toml"
    file.write_text(text)
    assert wanted("a", file=file)[0].own == {}
