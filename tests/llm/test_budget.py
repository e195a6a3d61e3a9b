"""What a run may spend."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pytest_comem.llm.budget import Budget, Ledger


def test_without_bounds_nothing_is_reached_or_written(tmp_path: Path) -> None:
    """An unbounded run keeps no books."""
    budget = Budget(ledger=Ledger(tmp_path / "spent"))
    assert budget.spend("m", 10**9, None) is None
    assert budget.reached() is None
    assert not (tmp_path / "spent").exists()


def test_tokens_are_bounded() -> None:
    """The bound is reached exactly at its number."""
    budget = Budget(max_tokens=100)
    budget.spend("m", 99, None)
    assert budget.reached() is None
    budget.spend("m", 1, None)
    assert "--comem-max-tokens 100" in (budget.reached() or "")


def test_cost_is_bounded() -> None:
    """Dollars add up to the bound."""
    budget = Budget(max_cost=0.5)
    assert budget.spend("m", 1, 0.25) is None
    assert budget.reached() is None
    budget.spend("m", 1, 0.25)
    assert "$0.5000 of --comem-max-cost 0.5" in (budget.reached() or "")


def test_an_unknown_price_cannot_keep_a_bound_on_cost() -> None:
    """It is said, with the ways out, and never taken for nothing."""
    problem = Budget(max_cost=1.0).spend("vendor/x", 5, None)
    assert problem is not None
    assert "vendor/x" in problem
    assert "--comem-max-tokens" in problem
    assert Budget(max_tokens=10).spend("vendor/x", 5, None) is None


def test_processes_share_one_ledger(tmp_path: Path) -> None:
    """What four processes spend at once is seen to the last token by each."""
    place = tmp_path / "state" / "spent"
    code = (
        "import sys; from pathlib import Path\n"
        "from pytest_comem.llm.budget import Ledger\n"
        "ledger = Ledger(Path(sys.argv[1]))\n"
        "for _ in range(500): ledger.add(7, 0.001)\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(place)]) for _ in range(4)]
    assert [process.wait(60) for process in running] == [0] * 4
    ledger = Ledger(place)
    ledger.refresh()
    ledger.refresh()
    assert ledger.tokens == 4 * 500 * 7
    assert round(ledger.cost, 6) == 2.0


def test_a_line_still_being_written_is_read_later(tmp_path: Path) -> None:
    """Only whole lines count."""
    place = tmp_path / "spent"
    ledger = Ledger(place)
    place.write_bytes(b"5 0.5\n7 0.")
    ledger.refresh()
    assert (ledger.tokens, ledger.cost) == (5, 0.5)
    with place.open("ab") as file:
        file.write(b"25\n")
    ledger.refresh()
    assert (ledger.tokens, ledger.cost) == (12, 0.75)
