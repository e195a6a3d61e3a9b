from __future__ import annotations

from pathlib import Path

import pytest

from pytest_comem.core.steps import safe
from pytest_comem.errors import SettingsError
from pytest_comem.memory.component_names import component_labels, component_name
from pytest_comem.memory.wanted import Wanted, wanted_systems
from pytest_comem.settings import Settings


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("cmd:mem", "cmd-mem"),
        ("cmd:/opt/a b/mem.sh", "cmd-a"),
        ("cmd:'/opt/a b/mem.sh' x", "cmd-mem"),
        ("cmd:python3 -u lib/keyword_memory.py --port=1", "cmd-keyword_memory"),
        ("cmd:python3.12 -m pkg.mod", "cmd-pkg.mod"),
        ("cmd:node a/b.mjs", "cmd-b"),
        ("cmd:python3", "cmd-python3"),
        ("cmd:./mémoire:v1", "cmd-m_moire_v1"),
        ("cmd:./" + "x" * 300, "cmd-" + "x" * 32),
        ("cmd:./---", "cmd-program"),
        ("mine=cmd:mem a=b", "mine"),
        ("mine=cmd", "mine"),
        ("cmd", "cmd"),
    ],
)
def test_a_label_is_short_and_safe(name: str, label: str) -> None:
    """The program's name, that of the script an interpreter runs, or the user's own."""
    found = component_name(name)
    assert found is not None
    assert found.label == label == safe(label)


@pytest.mark.parametrize("name", ["bm25", "cmdx:y", "my.cmd:Class", "mem0:extract", "a:cmd:b"])
def test_other_systems_are_left_alone(name: str) -> None:
    """Only what is written as a command is one."""
    assert component_name(name) is None


@pytest.mark.parametrize("name", ["=cmd:x", "a/b=cmd:x", "cmd=cmd:x", "é=cmd:x", "a" * 41 + "=cmd"])
def test_a_label_of_the_users_has_to_be_one(name: str) -> None:
    """It goes into ids and names of directories."""
    with pytest.raises(SettingsError, match="is no name for a component"):
        component_name(name)


def test_labels_differ() -> None:
    """Those we make give way; those of the user must not be taken."""
    names = ("bm25", "cmd:a/mem.py x", "cmd:b/mem.py", "cmd-mem=cmd:c", "cmd:d/mem.py")
    labels = [one.label for one in component_labels(names).values()]
    assert labels == ["cmd-mem.2", "cmd-mem.3", "cmd-mem", "cmd-mem.4"]
    for taken in ("bm25=cmd:x", "y=cmd:x"):
        with pytest.raises(SettingsError, match="is the name of two systems"):
            component_labels(("bm25", "y=cmd:z", taken))


def test_settings_of_all_components_and_of_one() -> None:
    """``cmd.KEY`` is for all, a label's for that one; the command is a setting like others."""
    settings = Settings(
        ("cmd:mem -x", "two=cmd"),
        memory_options=(
            "cmd.mode=once",
            "two.mode=lines",
            "two.command=a b,c",
            "cmd-mem.timeout=3",
        ),
        top_k=(5, 9),
    )
    first, _, third, _ = found = wanted_systems(settings, Path("no-such.toml"))
    assert [one.label for one in found] == ["cmd-mem-k5", "cmd-mem-k9", "two-k5", "two-k9"]
    assert first == Wanted(
        "cmd:cmd-mem", 5, "cmd-mem-k5", {"mode": "once"}, {"timeout": "3", "command": "mem -x"}
    )
    assert third.own == {"mode": "lines", "command": "a b,c"}
