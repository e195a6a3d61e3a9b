from __future__ import annotations

from typing import Any

import pytest

from pytest_comem.errors import SettingsError
from pytest_comem.memory.base import OptionValue
from pytest_comem.memory.options import effective_options, read_assignments

DEFAULTS: dict[str, OptionValue] = {"infer": False, "depth": 3, "threshold": 0.5, "mode": "fast"}
PRESETS = {"extract": {"infer": True, "depth": 9}}


def effective(
    variant: str = "", shared: dict[str, object] | None = None, own: dict[str, object] | None = None
) -> dict[str, Any]:
    """Return the settings in force for ``toy`` or ``toy:variant``."""
    return effective_options(
        f"toy:{variant}" if variant else "toy",
        defaults=DEFAULTS,
        presets=PRESETS,
        variant=variant,
        shared=shared or {},
        own=own or {},
    )


def test_later_sources_win() -> None:
    """Defaults, settings for all variants, the preset, settings for this variant: in this order."""
    assert effective() == DEFAULTS
    assert effective("extract") == {**DEFAULTS, "infer": True, "depth": 9}
    found = effective(
        "extract", shared={"depth": 1, "mode": "slow", "threshold": 1}, own={"threshold": "2"}
    )
    assert found == {"infer": True, "depth": 9, "threshold": 2.0, "mode": "slow"}


def test_a_variant_of_the_users_own() -> None:
    """A name behind the colon needs no preset where the user configures it."""
    assert effective("mine", own={"depth": 4})["depth"] == 4
    with pytest.raises(SettingsError, match=r"'extrat' is unknown; did you mean extract"):
        effective("extrat")
    with pytest.raises(SettingsError, match=r"--memory-option toy:mine\.KEY=VALUE"):
        effective("mine", shared={"depth": 4})


@pytest.mark.parametrize(
    ("key", "given", "read"),
    [
        ("infer", "true", True),
        ("infer", "Off", False),
        ("infer", "YES", True),
        ("infer", True, True),
        ("depth", "12", 12),
        ("depth", -1, -1),
        ("depth", "9" * 400, int("9" * 400)),
        ("threshold", "1e-3", 0.001),
        ("threshold", 2, 2.0),
        ("mode", "", ""),
        ("mode", "a=b.c", "a=b.c"),
        ("mode", 7, "7"),
    ],
)
def test_values_are_read_as_the_defaults_type(key: str, given: object, read: object) -> None:
    """Texts of the command line and values of a TOML file alike."""
    found = effective(own={key: given})[key]
    assert found == read
    assert type(found) is type(read)


@pytest.mark.parametrize(
    ("key", "given", "kind"),
    [
        ("infer", "maybe", "true or false"),
        ("infer", 1, "true or false"),
        ("depth", "1.5", "a whole number"),
        ("depth", 1.5, "a whole number"),
        ("depth", True, "a whole number"),
        ("depth", [1], "a whole number"),
        ("threshold", "high", "a number"),
        ("threshold", "nan", "a number"),
        ("threshold", float("inf"), "a number"),
        ("mode", ["a"], "a text"),
        ("mode", {}, "a text"),
    ],
)
def test_values_of_another_type_are_refused(key: str, given: object, kind: str) -> None:
    """The message names the system, the setting, the value and what is wanted."""
    with pytest.raises(SettingsError, match=rf"--memory-option toy\.{key}: .* is not {kind}\."):
        effective(own={key: given})


def test_unknown_settings_are_refused() -> None:
    """The nearest setting is told, or that there is none."""
    with pytest.raises(SettingsError, match=r"toy\.dept: unknown setting; did you mean depth"):
        effective(own={"dept": 1})
    with pytest.raises(SettingsError, match="it has no settings"):
        effective_options(
            "bare", defaults={}, presets={}, variant="", shared={}, own={"depth": "1"}
        )


def test_assignments() -> None:
    """System and setting part at the last dot before the first equals sign; later ones win."""
    given = ["a.x=1", "a.x=2", "a:v.x=3", "my.pkg:Cls.x = y.z=4 ", "a.y="]
    assert read_assignments(given) == {
        "a": {"x": "2", "y": ""},
        "a:v": {"x": "3"},
        "my.pkg:Cls": {"x": "y.z=4"},
    }
    assert read_assignments([]) == {}


@pytest.mark.parametrize("wrong", ["x", "x=1", "a.x", ".x=1", "a.=1", "=", ""])
def test_assignments_of_another_form(wrong: str) -> None:
    """The message shows the form."""
    with pytest.raises(SettingsError, match=r"SYSTEM\.KEY=VALUE, such as mem0\.infer=true"):
        read_assignments([wrong])
