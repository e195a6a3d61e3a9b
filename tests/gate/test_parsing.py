"""Rules read from text: what they mean, and what is said of those that are none."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from pytest_comem.gate.parsing import parse_rule
from pytest_comem.gate.rules import (
    MetricRule,
    NoNew,
    Pin,
    Regressions,
    Rule,
    RuleError,
    Unscored,
    needs_baseline,
)

PIN = "gatemem/test_governance.py::test_checkpoint[bm25-medical-one-ckpt_07]"


def parsed(text: str) -> Rule:
    """Return the rule that *text* is."""
    return parse_rule(text, "--comem-gate")


@pytest.mark.parametrize(
    ("text", "value", "percent", "relative", "at_least"),
    [
        ("gatemem.MGS >= 0.30", 0.3, False, False, True),
        ("gatemem.MGS>=.3", 0.3, False, False, True),
        ("  gatemem.F <= 12.5 %  ", 12.5, True, False, False),
        ("gatemem.F <= baseline", 0.0, False, True, False),
        ("gatemem.MGS >= baseline - 0.02", -0.02, False, True, True),
        ("gatemem.MGS>=baseline-2%", -2.0, True, True, True),
        ("gatemem.A <= baseline + 1%", 1.0, True, True, False),
        ("gatemem.U >= 1", 1.0, False, False, True),
    ],
)
def test_bounds(text: str, value: float, percent: bool, relative: bool, at_least: bool) -> None:
    """A bound is a fraction, percent, or a distance from the baseline."""
    rule = parsed(text)
    assert isinstance(rule, MetricRule)
    assert rule.at_least is at_least
    bound = rule.bound
    assert (bound.value, bound.percent, bound.relative) == (value, percent, relative)
    assert needs_baseline(rule) is relative


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gatemem.MGS >= 0.3", ("gatemem", None, None, "MGS")),
        ("gatemem.medical.U >= 0.3", ("gatemem", None, "medical", "U")),
        ("gatemem[mem0:extract].U >= 0.3", ("gatemem", "mem0:extract", None, "U")),
        ("gatemem[ a.b:C ].office-2.U >= 0.3", ("gatemem", "a.b:C", "office-2", "U")),
    ],
)
def test_paths(text: str, names: tuple[str | None, ...]) -> None:
    """A path names a suite, perhaps a system in brackets and a domain, and a metric."""
    rule = parsed(text)
    assert isinstance(rule, MetricRule)
    scope = rule.scope
    parts = (scope.suite, scope.system, scope.domain, rule.metric)
    assert tuple(part and part.text for part in parts) == names


def test_the_other_rules() -> None:
    """Classes of failures, pinned steps, unscored steps and regressions have a form each."""
    rule = parsed("no new gatemem[bm25].access_leak")
    assert isinstance(rule, NoNew)
    assert rule.failure.text == "access_leak"
    rule = parsed(f"pin {PIN}")
    assert isinstance(rule, Pin)
    assert rule.node_id.text == PIN
    rule = parsed("unscored <= 2%")
    assert isinstance(rule, Unscored)
    assert rule.most == 0.02
    rule = parsed("unscored[bm25] <= 0.02")
    assert isinstance(rule, Unscored)
    assert rule.most == 0.02
    rule = parsed("regressions <= 3")
    assert isinstance(rule, Regressions)
    assert (rule.most, rule.share) == (3, False)
    rule = parsed("regressions <= 1%")
    assert isinstance(rule, Regressions)
    assert (rule.most, rule.share) == (0.01, True)


@pytest.mark.parametrize("name", ["no", "pin", "unscored", "regressions", "baseline"])
def test_words_of_rules_may_be_metrics(name: str) -> None:
    """What stands behind the dot is a name, whatever it means elsewhere."""
    rule = parsed(f"gatemem.{name} >= 0.3")
    assert isinstance(rule, MetricRule)
    assert rule.metric.text == name


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("", 1, "empty"),
        ("   ", 4, "empty"),
        ("0.3 <= gatemem.MGS", 1, "begins with a name"),
        ("gatemem >= 0.3", 9, "a dot and a name"),
        ("gatemem. >= 0.3", 10, "a name is expected after the dot"),
        ("gatemem.a.b.c >= 0.3", 13, "at most suite.domain.name"),
        ("gatemem[bm25.MGS >= 0.3", 8, "not closed"),
        ("gatemem[ ].MGS >= 0.3", 10, "the name of a memory system"),
        ("gatemem.MGS", 12, "<= or >= is expected"),
        ("gatemem.MGS 0.3", 13, "<= or >= is expected"),
        ("gatemem.MGS > 0.3", 13, "write >="),
        ("gatemem.MGS < 0.3", 13, "write <="),
        ("gatemem.MGS => 0.3", 13, "write >="),
        ("gatemem.MGS = 0.3", 13, "write <= or >="),
        ("gatemem.MGS == 0.3", 13, "write <= or >="),
        ("gatemem.MGS != 0.3", 13, "write <= or >="),
        ("gatemem.MGS >= ", 16, "a number is expected"),
        ("gatemem.MGS >= --0.3", 17, "a number is expected"),
        ("gatemem.MGS >= basline", 16, "a number or 'baseline'"),
        ("gatemem.MGS >= 0.3.1", 16, "a number is expected"),
        ("gatemem.MGS >= 1e-3", 16, "a number is expected"),
        ("gatemem.MGS >= baseline * 2", 25, "should end here"),
        ("gatemem.MGS >= baseline -", 26, "a number is expected"),
        ("gatemem.MGS >= 30% or more", 20, "should end here"),
        ("no gatemem.access_leak", 4, "no new gatemem.access_leak"),
        ("no new access_leak", 19, "a dot and a name"),
        ("no new gatemem.access_leak <= 2", 28, "should end here"),
        ("pin", 4, "the id of a step"),
        ("pin ckpt_07", 5, "not the id of a step"),
        ("unscored >= 2%", 10, "write <="),
        ("unscored <= 2", 13, "write 2%"),
        ("unscored <= 120%", 13, "more than 100 %"),
        ("regressions <= 0.5", 16, "a whole number"),
        ("regressions <= 120%", 16, "more than 100 %"),
        ("regressions <= baseline", 16, "a number is expected"),
    ],
)
def test_an_error_names_rule_and_column(text: str, column: int, said: str) -> None:
    """What is wrong is said with the rule, the column and a caret below it."""
    with pytest.raises(RuleError) as error:
        parsed(text)
    message = str(error.value)
    first, shown, caret = message.split("\n")
    assert first.startswith(f"--comem-gate: column {column}: ")
    assert said in first
    assert shown == f"  {text}"
    assert caret.index("^") == column + 1


def test_a_hostile_rule_moves_no_cursor() -> None:
    """Control characters are shown as escapes, and the caret stays below its place."""
    with pytest.raises(RuleError) as error:
        parsed("gatemem.\x1b[2J")
    _, shown, caret = str(error.value).split("\n")
    assert shown == "  gatemem.\\x1b[2J"
    assert caret.index("^") == shown.index("\\")


def test_a_bound_may_have_any_number_of_digits() -> None:
    """One that is too large for a number is an error like any other."""
    for digits in (20, 400):
        with pytest.raises(RuleError, match="whole number") if digits > 300 else nullcontext():
            assert isinstance(parsed(f"regressions <= {'9' * digits}"), Regressions)


def test_a_name_may_hold_brackets() -> None:
    """The bracket that closes is the last one."""
    rule = parsed("gatemem[a]b[c].MGS >= 0.3")
    assert isinstance(rule, MetricRule)
    assert rule.scope.system is not None
    assert rule.scope.system.text == "a]b[c"


def test_the_caret_stands_below_wide_characters() -> None:
    """Characters of two columns of a terminal count as two."""
    with pytest.raises(RuleError) as error:
        parsed("gatemem.MGS >= 0.3 記憶 x")
    with pytest.raises(RuleError) as wide:
        parsed("記憶 x")
    assert str(error.value).split("\n")[2].index("^") == 2 + 19
    assert str(wide.value).split("\n")[2].index("^") == 2 + 5


def test_of_a_long_rule_the_place_is_shown() -> None:
    """A rule of thousands of characters fills no terminal."""
    with pytest.raises(RuleError) as error:
        parsed("gatemem.MGS >= 0.3" + " " * 3000 + "x" * 3000)
    first, shown, caret = str(error.value).split("\n")
    assert "column 3019" in first
    assert len(shown) < 250
    assert shown[caret.index("^")] == "x"
