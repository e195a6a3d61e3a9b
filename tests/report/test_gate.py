"""A gate's lines: readable at any width and without colour, hostile text stays text."""

from __future__ import annotations

import pytest

from pytest_comem.gate.results import GateResult, Result, Ruling
from pytest_comem.report.gate import gate_lines, write_gate

METRIC = Ruling(
    "gatemem.MGS >= 0.30", "mem0", "offline", Result.PASS,
    "the interval lies at or above the bound",
    35.196, 31.7, 38.7, 30.0, "%",
)  # fmt: skip
POINTS = Ruling(
    "gatemem.F <= baseline", "mem0", "offline", Result.INCONCLUSIVE, "the interval holds the bound",
    0.04, -1.0, 2.0, 0.0, "points",
)  # fmt: skip
STEPS = Ruling(
    "regressions <= 0", "mem0", "offline", Result.FAIL, "e1_ckpt_3", 1.0, bound=0.0, unit="steps"
)
PIN = Ruling(f"pin gatemem/x.py::test[{'long' * 30}]", "mem0", "offline", Result.PASS, "it passes")


def text(*rulings: Ruling, width: int = 80, scored: int = 1) -> str:
    """Return the lines of a gate."""
    return "\n".join(gate_lines(GateResult(rulings, scored), width))


def test_a_rule_says_what_was_measured_and_what_it_was_held_against() -> None:
    """Value, interval, bound and reason stand below each rule; the result comes first."""
    lines = text(METRIC, POINTS, STEPS, PIN, width=120).splitlines()
    assert lines[:7] == [
        "PASS         gatemem.MGS >= 0.30",
        "    mem0: 35.2 [31.7, 38.7] %, bound 30.0; the interval lies at or above the bound",
        "INCONCLUSIVE gatemem.F <= baseline",
        "    mem0: 0.0 [-1.0, +2.0] points against the baseline, bound 0.0; "
        "the interval holds the bound",
        "FAIL         regressions <= 0",
        "    mem0: 1 step, bound 0; e1_ckpt_3",
        f"PASS         pin gatemem/x.py::test[{'long' * 30}]",
    ]
    assert lines[7] == "    mem0: it passes"
    assert lines[-1] == "gate: FAIL (2 PASS, 1 FAIL, 1 INCONCLUSIVE), exit status 1"


@pytest.mark.parametrize("width", [60, 80, 200])
def test_lines_fit(width: int) -> None:
    """No line is wider than the terminal, but for a name that has no space."""
    for line in text(METRIC, POINTS, STEPS, PIN, width=width).splitlines():
        assert len(line) <= width or "::" in line


def test_models_are_named_where_there_are_several() -> None:
    """With one model the system says it all."""
    other = Ruling("gatemem.MGS >= 0.30", "mem0", "openai/x", Result.PASS, "it holds")
    assert "mem0 with openai/x: it holds" in text(METRIC, other)
    assert "with offline" not in text(METRIC)


def test_nothing_scored_is_said() -> None:
    """A gate that saw no score says so, whatever its rules say."""
    found = text(PIN, scored=0)
    assert "Nothing was scored." in found
    assert found.endswith("gate: INCONCLUSIVE (1 PASS), exit status 9")


def test_hostile_names_move_no_cursor() -> None:
    """Control characters of names and reasons are shown as escapes."""
    hostile = Ruling("gatemem.U >= 0.3", "a\x1b[2J", "m", Result.PASS, "\x1b]0;title\x07 \u202e")
    found = text(hostile)
    assert "\x1b" not in found
    assert "\u202e" not in found


@pytest.mark.parametrize(("status", "said"), [(2, "interrupted"), (3, "else"), (5, "No test ran")])
def test_another_exit_status_is_explained(status: int, said: str) -> None:
    """Where pytest ends with a status of its own, the last line says why."""
    lines: list[str] = []

    class Reporter:
        _tw = type("Writer", (), {"fullwidth": 80})

        def ensure_newline(self) -> None:
            """Do nothing."""

        def write_sep(self, *_: object, **__: object) -> None:
            """Do nothing."""

        def write_line(self, line: str) -> None:
            """Keep *line*."""
            lines.append(line)

    write_gate(Reporter(), GateResult((METRIC,), 1), status)
    assert said in lines[-1]
    assert f"exit status is {status}" in lines[-1]
