"""A month of Loadline: its files, and what a right summary of it says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, final

from pytest_comem.office.embedded.maintainer.benchmark_data import (
    counted,
    mean,
    runs_of,
    shown,
    true_millis,
)

MEASURED: Final = "the lab machines"
LAB_2: Final = "petrel and heron, lab 2"
LAB_5: Final = "petrel and heron, lab 5"


@final
@dataclass(frozen=True, slots=True)
class Month:
    """A month's summary; its figures are told from the rows by plain arithmetic.

    :param slow_clock: whether heron's clock was still slow.
    :param lab: where the machines stood.
    """

    number: int
    name: str
    slow_clock: bool
    lab: str

    @property
    def month(self) -> str:
        """Return the month such as ``2025-02``."""
        return f"2025-{self.number:02}"

    @property
    def data(self) -> str:
        """Return the path of the month's runs."""
        return f"loadline/data/runs-{self.month}.csv"

    @property
    def report(self) -> str:
        """Return the path of the reference's summary."""
        return f"loadline/reports/{self.month}-bench.md"

    def times(self, case: str | None = None) -> list[Decimal]:
        """Return the true times of the runs that count."""
        return counted(runs_of(self.number, self.slow_clock), self.slow_clock, case)

    def fastest(self) -> Decimal:
        """Return the true time of heron's fastest run; warm-ups are never the fastest."""
        runs = [run for run in runs_of(self.number, self.slow_clock) if run.host == "heron"]
        return min(true_millis(run, self.slow_clock) for run in runs)

    def row(self, case: str, uncut: bool = False) -> str:
        """Return a case's row of the full table; *uncut* as it is without habits of numbers."""
        times = self.times(case)
        cells = [case, str(len(times)), shown(mean(times)), shown(max(times))]
        text = f"| {' | '.join(cells)} |"
        return bare(text) if uncut else text


def bare(text: str) -> str:
    """Return a text without commas in numbers, and whole numbers without a decimal."""
    return re.sub(r"\.0\b", "", text.replace(",", ""))
