"""A system's settings: defaults, the user's for its name, a preset, the user's for the variant."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from pytest_comem.errors import SettingsError
from pytest_comem.memory.base import OptionValue
from pytest_comem.suggest import did_you_mean

_TRUTH: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def effective_options(
    name: str,
    *,
    defaults: Mapping[str, OptionValue],
    presets: Mapping[str, Mapping[str, OptionValue]],
    variant: str,
    shared: Mapping[str, object],
    own: Mapping[str, object],
) -> dict[str, OptionValue]:
    """Return the settings in force for the system called *name*; later sources win.

    :param defaults: of the system; texts from the user are read as the default's type.
    :param presets: named sets of settings.
    :param variant: what stands behind the colon of its name; a preset, or a name of the user's.
    :param shared: the user's settings for all variants.
    :param own: the user's settings for this variant.
    :raises SettingsError: for an unknown setting, a value of another type, or a variant that is
        neither a preset nor configured.
    """
    if variant and variant not in presets and not own:
        known = did_you_mean(variant, list(presets)) if presets else "it has no presets."
        raise SettingsError(
            f"--memory-system: {name!r}: {variant!r} is unknown; {known} "
            f"Settings of your own for it: --memory-option {name}.KEY=VALUE."
        )
    return {
        **defaults,
        **_read(name, shared, defaults),
        **presets.get(variant, {}),
        **_read(name, own, defaults),
    }


def read_assignments(assignments: Sequence[str]) -> dict[str, dict[str, object]]:
    """Return settings by system from texts such as ``mem0:extract.infer=true``.

    The setting's name stands behind the last dot before the first equals sign.

    :raises SettingsError: where one has another form.
    """
    found: dict[str, dict[str, object]] = {}
    for assignment in assignments:
        left, equals, value = assignment.partition("=")
        system, dot, key = left.strip().rpartition(".")
        if not (equals and dot and system and key):
            raise SettingsError(
                f"--memory-option: {assignment!r} is not of the form SYSTEM.KEY=VALUE, "
                "such as mem0.infer=true"
            )
        found.setdefault(system, {})[key] = value.strip()
    return found


def _read(
    name: str, given: Mapping[str, object], defaults: Mapping[str, OptionValue]
) -> dict[str, OptionValue]:
    options: dict[str, OptionValue] = {}
    for key, value in given.items():
        if key not in defaults:
            known = did_you_mean(key, list(defaults)) if defaults else "it has no settings."
            raise SettingsError(f"--memory-option {name}.{key}: unknown setting; {known}")
        options[key] = _as_default(f"{name}.{key}", value, defaults[key])
    return options


def _as_default(place: str, value: object, default: OptionValue) -> OptionValue:
    if isinstance(default, bool):
        read: OptionValue | None = (
            value if isinstance(value, bool) else _TRUTH.get(str(value).lower())
        )
        kind = "true or false"
    elif isinstance(default, int):
        read, kind = _number(value, int), "a whole number"
    elif isinstance(default, float):
        read, kind = _number(value, float), "a number"
    else:
        read, kind = str(value) if not isinstance(value, (dict, list)) else None, "a text"
    if read is None:
        raise SettingsError(f"--memory-option {place}: {value!r} is not {kind}.")
    return read


def _number(value: object, kind: type[int] | type[float]) -> int | float | None:
    if isinstance(value, bool) or (kind is int and isinstance(value, float)):
        return None
    try:
        number = kind(str(value))
    except ValueError:
        return None
    return None if isinstance(number, float) and not math.isfinite(number) else number
