"""Rules read from text.

::

    rule    = "pin" NODE-ID
            | "no" "new" path
            | "unscored" ["[" SYSTEM "]"] "<=" number
            | "regressions" ["[" SYSTEM "]"] "<=" number
            | path (">=" | "<=") bound
    path    = SUITE ["[" SYSTEM "]"] ["." DOMAIN] "." NAME
    bound   = number | "baseline" [("+" | "-") number]
    number  = DIGITS ["." DIGITS] ["%"]

A number without a percent sign is a fraction: 0.3 is 30%.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn, final

from pytest_comem.gate.rules import (
    Bound,
    MetricRule,
    Name,
    NoNew,
    Pin,
    Regressions,
    Rule,
    Scope,
    Unscored,
    Written,
)

_WORD: Final = re.compile(r"[^\W\d][\w-]*")
_NUMBER: Final = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?![\w.])")
_OPERATOR: Final = re.compile(r"[<>=!]+|[≤≥]")
_SPACE: Final = re.compile(r"\s*")
#: Operators that somebody may mean, and what to write.
_INSTEAD: Final = {
    "<": "<=",
    ">": ">=",
    "=<": "<=",
    "=>": ">=",
    "≤": "<=",
    "≥": ">=",
}
_BASELINE: Final = "baseline"
#: Also the one that prose has.
_MINUS: Final = ("-", "\N{MINUS SIGN}")
_EXAMPLE: Final = "gatemem.MGS >= 0.30"


def parse_rule(text: str, source: str) -> Rule:
    """Return the rule that *text* is.

    :param source: where it stands, for messages.
    :raises RuleError: naming the rule, the column and what is expected there.
    """
    return _Parser(Written(text, source)).rule()


@final
class _Parser:
    """Reads one rule from left to right."""

    def __init__(self, written: Written) -> None:
        self._written = written
        self._text = written.text
        self._at = 0
        self._skip()

    def rule(self) -> Rule:
        if not self._text.strip():
            self._fail(f"the rule is empty; write one such as {_EXAMPLE}")
        first = self._word(f"a rule begins with a name, such as {_EXAMPLE}")
        if first.text == "pin" and self._peek() not in (".", "["):
            return self._pin()
        if first.text == "no" and self._peek() not in (".", "["):
            return self._no_new()
        counts = first.text in ("unscored", "regressions")
        rule = self._counted(first) if counts else self._metric(first)
        self._end()
        return rule

    def _metric(self, first: Name) -> MetricRule:
        scope, metric = self._path(first)
        at_least = self._operator()
        return MetricRule(self._written, scope, metric, at_least, self._bound())

    def _pin(self) -> Pin:
        node_id = self._text[self._at :].rstrip()
        column = self._at
        if not node_id:
            self._fail("the id of a step is expected here, as pytest prints it")
        if "::" not in node_id or not node_id.endswith("]"):
            self._fail(
                "not the id of a step; copy one from pytest's output, such as "
                "gatemem/test_governance.py::test_checkpoint[...]"
            )
        return Pin(self._written, Name(node_id, column))

    def _no_new(self) -> NoNew:
        expected = "'no' is followed by 'new' and a class of failures: no new gatemem.access_leak"
        column = self._at
        if self._word(expected).text != "new":
            self._fail(expected, column)
        scope, failure = self._path(self._word("a suite is expected here, such as gatemem"))
        self._end()
        return NoNew(self._written, scope, failure)

    def _counted(self, first: Name) -> Unscored | Regressions:
        scope = Scope(system=self._system())
        column = self._at
        if self._operator():
            self._fail(f"{first.text} are held under a bound: write <=", column)
        column = self._at
        value, percent = self._number()
        if percent and value > 100:
            self._fail("more than 100 %", column)
        if first.text == "unscored":
            if value > 1 and not percent:
                self._fail(_too_much(value), column)
            return Unscored(self._written, scope, value / 100 if percent else value)
        if not percent and not value.is_integer():
            self._fail("a whole number of steps, or percent of them, is expected here", column)
        return Regressions(self._written, scope, value / 100 if percent else value, percent)

    def _path(self, suite: Name) -> tuple[Scope, Name]:
        system = self._system()
        names: list[Name] = []
        while self._peek() == ".":
            self._take()
            names.append(self._word("a name is expected after the dot"))
        if not names:
            self._fail(f"a dot and a name are expected after {suite.text!r}, such as {_EXAMPLE}")
        if len(names) > 2:
            self._fail("at most suite.domain.name", names[2].column)
        domain = names[0] if len(names) == 2 else None
        return Scope(suite, system, domain), names[-1]

    def _system(self) -> Name | None:
        if self._peek() != "[":
            return None
        opened = self._at
        self._take()
        column = self._at
        # The last one: names of systems may hold brackets, and nothing after a name does.
        end = self._text.rfind("]", column)
        if end < 0:
            self._fail("the bracket is not closed", opened)
        name = self._text[column:end].strip()
        if not name:
            self._fail("the name of a memory system is expected in the brackets", column)
        self._at = end + 1
        self._skip()
        return Name(name, column)

    def _operator(self) -> bool:
        """Take an operator; true for at least, false for at most."""
        found = _OPERATOR.match(self._text, self._at)
        if found is None:
            self._fail("<= or >= is expected here")
        operator = found.group()
        if operator not in ("<=", ">="):
            if operator in _INSTEAD:
                self._fail(f"{operator!r} is not used; write {_INSTEAD[operator]}")
            self._fail(f"{operator!r} is not used, because a measured value has an interval; "
                       "write <= or >=")  # fmt: skip
        self._at = found.end()
        self._skip()
        return operator == ">="

    def _bound(self) -> Bound:
        column = self._at
        if self._text.startswith(_BASELINE, self._at):
            self._at += len(_BASELINE)
            self._skip()
            sign = self._peek()
            if sign not in ("+", *_MINUS):
                return Bound(0.0, percent=False, relative=True, column=column)
            self._take()
            column = self._at
            value, percent = self._number()
            return Bound(value if sign == "+" else -value, percent, relative=True, column=column)
        if _WORD.match(self._text, self._at):
            self._fail("a number or 'baseline' is expected here")
        below = self._peek() in _MINUS
        if below:
            self._take()
        value, percent = self._number()
        return Bound(-value if below else value, percent, relative=False, column=column)

    def _number(self) -> tuple[float, bool]:
        found = _NUMBER.match(self._text, self._at)
        if found is None:
            self._fail("a number is expected here, such as 0.30 or 30%")
        self._at = found.end()
        self._skip()
        percent = self._peek() == "%"
        if percent:
            self._take()
        return float(found.group()), percent

    def _word(self, expected: str) -> Name:
        found = _WORD.match(self._text, self._at)
        if found is None:
            self._fail(expected)
        name = Name(found.group(), self._at)
        self._at = found.end()
        self._skip()
        return name

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> None:
        self._at += 1
        self._skip()

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        assert found is not None
        self._at = found.end()

    def _end(self) -> None:
        if self._at < len(self._text):
            self._fail("the rule should end here")

    def _fail(self, problem: str, column: int | None = None) -> NoReturn:
        raise self._written.error(self._at if column is None else column, problem)


def _too_much(value: float) -> str:
    return f"{value:g} is {100 * value:g} %; write {value:g}% or a fraction"
