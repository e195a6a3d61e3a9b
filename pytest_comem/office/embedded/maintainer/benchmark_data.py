"""Runs of the lab's machines a month as CSV, and what a right summary of them says.

The right figures are told here from the rows by plain arithmetic, not by anybody's plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, final

from pytest_comem.office.embedded.files import table

CASES: Final = ("parse", "spell", "batches")
_HOSTS: Final = ("petrel", "heron")
_BASE: Final = {"parse": 1180, "spell": 1440, "batches": 2260}
_HEADER: Final = ("run", "case", "host", "kind", "millis")


@final
@dataclass(frozen=True, slots=True)
class Run:
    """One run: what was measured, where, and in how many milliseconds by the host's clock."""

    number: int
    case: str
    host: str
    kind: str
    millis: int


def runs_of(month: int, slow_clock: bool) -> list[Run]:
    """Return a month's runs: a warm-up and three that count, a case and host.

    :param slow_clock: whether heron still records four fifths of the true time.
    """
    runs: list[Run] = []
    for case in CASES:
        for place, host in enumerate(_HOSTS):
            for turn in range(4):
                true = _BASE[case] + 20 * month + 15 * place + 35 * turn
                if turn == 0:
                    true = 2 * true + 300
                slow = slow_clock and host == "heron"
                kind = "warmup" if turn == 0 else "run"
                runs.append(Run(len(runs) + 1, case, host, kind, true * 4 // 5 if slow else true))
    return runs


def as_csv(runs: list[Run]) -> bytes:
    """Return runs as the lab's export: semicolons."""
    rows = [(each.number, each.case, each.host, each.kind, each.millis) for each in runs]
    return table([_HEADER, *rows], delimiter=";")


def true_millis(run: Run, slow_clock: bool) -> Decimal:
    """Return what a run took by a right clock."""
    return run.millis * (Decimal("1.25") if slow_clock and run.host == "heron" else Decimal(1))


def counted(runs: list[Run], slow_clock: bool, case: str | None = None) -> list[Decimal]:
    """Return the true times of the runs that count, of one case or of all."""
    return [
        true_millis(each, slow_clock)
        for each in runs
        if each.kind != "warmup" and case in (None, each.case)
    ]


def mean(times: list[Decimal]) -> Decimal:
    """Return the mean to a tenth of a millisecond."""
    return (sum(times, Decimal(0)) / len(times)).quantize(Decimal("0.1"), ROUND_HALF_UP)


def shown(value: Decimal) -> str:
    """Return a number as the maintainer wants to see it, such as ``1,234.5``."""
    return f"{value:,.1f}"
