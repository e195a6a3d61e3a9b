"""The rules of a gate as values, as they were written; nothing here knows which names exist."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from pytest_comem.core.printable import printable
from pytest_comem.errors import SettingsError

#: Characters of a rule that a message shows around the place.
_SHOWN: Final = 100


class RuleError(SettingsError):
    """A rule that cannot be used; the message shows it with the place."""


@final
@dataclass(frozen=True, slots=True)
class Written:
    """A rule as it stands somewhere.

    :param text: of the rule.
    :param source: where it stands, such as ``--comem-gate``.
    """

    text: str
    source: str

    def error(self, column: int, problem: str) -> RuleError:
        """Return what is raised because of *problem*.

        :param column: of the rule's text, 0-based; shown counted from 1.
        """
        start = max(0, column - _SHOWN)
        before = ("..." if start else "") + printable(self.text[start:column])
        after = printable(self.text[column : column + _SHOWN])
        rest = "..." if column + _SHOWN < len(self.text) else ""
        return RuleError(
            f"{self.source}: column {column + 1}: {problem}\n  {before}{after}{rest}\n"
            f"  {' ' * _width(before)}^"
        )


def _width(text: str) -> int:
    """Return how many columns of a terminal *text* takes."""
    return sum(1 + (unicodedata.east_asian_width(one) in "WF") for one in text)


@final
@dataclass(frozen=True, slots=True)
class Name:
    """A name in a rule.

    :param text: the name.
    :param column: where it begins, 0-based.
    """

    text: str
    column: int


@final
@dataclass(frozen=True, slots=True)
class Scope:
    """What part of a run a rule is about.

    :param suite: ``None`` for all suites.
    :param system: label of a memory system, or ``None`` for every one that is not a reference.
    :param domain: ``None`` for all domains.
    """

    suite: Name | None = None
    system: Name | None = None
    domain: Name | None = None


@final
@dataclass(frozen=True, slots=True)
class Bound:
    """What a metric is held against.

    :param value: a number, or what is added to the baseline's value.
    :param percent: the number was written in percent.
    :param relative: it is a distance from the baseline.
    :param column: where the number begins, 0-based.
    """

    value: float
    percent: bool
    relative: bool
    column: int


@final
@dataclass(frozen=True, slots=True)
class MetricRule:
    """A metric is at least, or at most, so much."""

    written: Written
    scope: Scope
    metric: Name
    at_least: bool
    bound: Bound


@final
@dataclass(frozen=True, slots=True)
class NoNew:
    """No step fails in a way in which it did not fail in the baseline."""

    written: Written
    scope: Scope
    failure: Name


@final
@dataclass(frozen=True, slots=True)
class Pin:
    """A step must pass.

    :param node_id: as pytest prints it.
    """

    written: Written
    node_id: Name


@final
@dataclass(frozen=True, slots=True)
class Unscored:
    """At most so large a part of the steps has no verdict.

    :param most: between 0 and 1.
    """

    written: Written
    scope: Scope
    most: float


@final
@dataclass(frozen=True, slots=True)
class Regressions:
    """At most so many steps fail that passed in the baseline.

    :param most: a number of steps, or a part of those compared where *share*.
    :param share: whether *most* is a part, between 0 and 1.
    """

    written: Written
    scope: Scope
    most: float
    share: bool


Rule: TypeAlias = MetricRule | NoNew | Pin | Unscored | Regressions


def needs_baseline(rule: Rule) -> bool:
    """Whether *rule* means nothing without a baseline."""
    if isinstance(rule, MetricRule):
        return rule.bound.relative
    return isinstance(rule, NoNew | Regressions)
