"""Where a gate's rules come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_comem.errors import SettingsError
from pytest_comem.gate.configuration import GateConfiguration, configured_gate


def configured(pyproject: Path, *given: str, **more: object) -> GateConfiguration:
    """Return the gate that *given* asks for."""
    wanted = {"baseline": None, "inconclusive": "", **more}
    return configured_gate(given, pyproject, **wanted)  # type: ignore[arg-type]


@pytest.fixture
def pyproject(tmp_path: Path) -> Path:
    """A pyproject.toml with a gate."""
    path = tmp_path / "pyproject.toml"
    path.write_text(
        '[tool.comem.gate]\nrules = ["gatemem.MGS >= 0.3", "unscored <= 2%"]\n'
        'baseline = "tests/base.json"\ninconclusive = "fail"\n'
    )
    return path


def test_the_word_on_takes_the_table(pyproject: Path) -> None:
    """Rules, baseline and what inconclusive counts as; the path is beside the file."""
    gate = configured(pyproject, "on")
    assert [rule.written.text for rule in gate.rules] == ["gatemem.MGS >= 0.3", "unscored <= 2%"]
    assert gate.baseline == pyproject.parent / "tests" / "base.json"
    assert gate.inconclusive == "fail"


def test_rules_of_the_command_line_stand_alone_or_beside(pyproject: Path) -> None:
    """Without the word nothing of the table holds; with it, both are judged."""
    alone = configured(pyproject, "gatemem.U >= 0.5")
    assert (len(alone.rules), alone.baseline, alone.inconclusive) == (1, None, "warn")
    both = configured(pyproject, "on", "gatemem.U >= 0.5")
    assert [rule.written.text for rule in both.rules][-1] == "gatemem.U >= 0.5"
    assert len(both.rules) == 3


def test_the_command_line_wins(pyproject: Path) -> None:
    """A baseline and a word that are given come before the table's."""
    gate = configured(pyproject, "on", baseline=Path("other.json"), inconclusive="pass")
    assert (gate.baseline, gate.inconclusive) == (Path("other.json"), "pass")


def test_no_gate_is_no_gate(tmp_path: Path) -> None:
    """Nothing given: no rules, whatever the file says."""
    assert configured(tmp_path / "pyproject.toml").rules == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there are none"),
        ("[tool.comem.gate]\nrules = []", "there are none"),
        ('[tool.comem.gate]\nrules = "gatemem.MGS >= 0.3"', "not a list of texts"),
        ("[tool.comem.gate]\nrules = [3]", "not a list of texts"),
        ('[tool.comem.gate]\nrule = ["a"]', "did you mean rules"),
        ('[tool.comem.gate]\nrules = ["gatemem.U >= 1"]\nbaseline = 3', "not a path"),
        ('[tool.comem.gate]\nrules = ["gatemem.U >= 1"]\nbaseline = "a\\u0000"', "not a path"),
        ('[tool.comem.gate]\n"a\\u001b" = 1', r"'a\\x1b' is unknown"),
        ('[tool.comem.gate]\nrules = ["gatemem.U >= 1"]\ninconclusive = "wran"', "warn"),
        ('[tool.comem]\ngate = "on"', "not a table"),
        ("[tool.comem.gate\n", "not TOML"),
        ('[tool.comem.gate]\nrules = ["unscored <= 2%", "gatemem.U > 1"]', "rule 2 of .*column 11"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(tmp_path: Path, text: str, said: str) -> None:
    """The file, the key and the way out are named."""
    pyproject = tmp_path / "pyproject.toml"
    pyproject.write_text(text)
    with pytest.raises(SettingsError, match=said) as error:
        configured(pyproject, "on")
    assert str(pyproject) in str(error.value)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    """Where rules are wanted of a file that is missing, that is what is said."""
    with pytest.raises(SettingsError, match="no such file"):
        configured(tmp_path / "pyproject.toml", "on")
