"""What a gate consists of, from the command line, the ini file and ``[tool.comem.gate]``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.errors import SettingsError
from pytest_comem.gate.parsing import parse_rule
from pytest_comem.gate.rules import Rule
from pytest_comem.settings import INCONCLUSIVE_AS
from pytest_comem.suggest import did_you_mean

#: What stands for the rules of ``[tool.comem.gate]``.
ON: Final = "on"
_TABLE: Final = "tool.comem.gate"
_KEYS: Final = ("rules", "baseline", "inconclusive")


@final
@dataclass(frozen=True, slots=True)
class GateConfiguration:
    """What is to be judged.

    :param rules: in the order given; empty where there is no gate.
    :param baseline: a baseline's file, a run directory or a file of outcomes, or ``None``.
    :param inconclusive: one of ``INCONCLUSIVE_AS``.
    """

    rules: tuple[Rule, ...] = ()
    baseline: Path | None = None
    inconclusive: str = INCONCLUSIVE_AS[0]


def configured_gate(
    given: Sequence[str],
    pyproject: Path,
    *,
    baseline: Path | None,
    inconclusive: str,
    option: str = "--comem-gate",
) -> GateConfiguration:
    """Return the gate that *given* asks for.

    :param given: rules, or :data:`ON` for those of *pyproject*, whose table then also names the
        baseline and what inconclusive counts as, unless these are given.
    :param baseline: what the user named, or ``None``.
    :param inconclusive: what the user named, or empty.
    :param option: where the rules were given, for messages.
    :raises SettingsError: naming the rule and the column, or the key of the table.
    """
    table = _table(pyproject) if ON in given else {}
    rules: list[Rule] = []
    for text in given:
        if text == ON:
            rules.extend(_rules(table, pyproject))
        else:
            rules.append(parse_rule(text, option))
    if baseline is None and "baseline" in table:
        named = table["baseline"]
        if not isinstance(named, str) or not named.strip() or "\0" in named:
            raise SettingsError(f"{pyproject}: {_TABLE}.baseline is not a path")
        baseline = (pyproject.parent / named).resolve()
    return GateConfiguration(
        tuple(rules), baseline, inconclusive or _inconclusive(table, pyproject)
    )


def _rules(table: Mapping[str, Any], pyproject: Path) -> list[Rule]:
    texts = table.get("rules", [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise SettingsError(f"{pyproject}: {_TABLE}.rules is not a list of texts")
    if not texts:
        missing = "" if pyproject.exists() else " (no such file)"
        raise SettingsError(
            f"{pyproject}: the rules of {_TABLE} are wanted, and there are none{missing}; "
            'write such as rules = ["gatemem.MGS >= 0.30"], or give them on the command line '
            '(--comem-gate "gatemem.MGS >= 0.30", comem gate RUN --rule "gatemem.MGS >= 0.30")'
        )
    return [
        parse_rule(text, f"{pyproject}: rule {number} of {_TABLE}")
        for number, text in enumerate(texts, start=1)
    ]


def _inconclusive(table: Mapping[str, Any], pyproject: Path) -> str:
    found = table.get("inconclusive", INCONCLUSIVE_AS[0])
    if found not in INCONCLUSIVE_AS:
        raise SettingsError(
            f"{pyproject}: {_TABLE}.inconclusive: {found!r} is unknown; "
            f"{did_you_mean(str(found), INCONCLUSIVE_AS)}"
        )
    return str(found)


def _table(pyproject: Path) -> Mapping[str, Any]:
    """Return ``[tool.comem.gate]``; empty where there is no such file or table."""
    try:
        found: Any = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"{pyproject}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{pyproject}: not TOML: {error}") from None
    for key in _TABLE.split("."):
        found = found.get(key, {})
        if not isinstance(found, dict):
            raise SettingsError(f"{pyproject}: {key} of {_TABLE} is not a table")
    for key in found:
        if key not in _KEYS:
            nearest = did_you_mean(key, _KEYS)
            raise SettingsError(f"{pyproject}: {_TABLE}: {key!r} is unknown; {nearest}")
    return dict(found)
