"""Who is ahead in the trade-off of sharing and isolation."""

from __future__ import annotations

from pytest_comem.metrics.intervals import Measured
from pytest_comem.report.trade_off import CONTEXT, sharing_metric, sharing_plane, trade_offs


def measured(**values: float) -> dict[str, Measured]:
    """Return metrics with these values."""
    return {name: Measured(value, value, value, 12, "wilson") for name, value in values.items()}


def test_what_stands_for_sharing() -> None:
    """Handoffs where the memory has to deliver, else whether workflows stay intact."""
    assert (sharing_metric("memory"), sharing_metric("declared")) == ("VHS", "SR")


def test_whoever_is_behind_in_both_is_not_ahead() -> None:
    """Equals do not push each other back, and nobody is placed without both values."""
    found = trade_offs(
        [
            ("shares", measured(VHS=90, ICS=40)),
            ("keeps apart", measured(VHS=50, ICS=90)),
            ("behind", measured(VHS=50, ICS=40)),
            ("twin", measured(VHS=90, ICS=40)),
            ("unknown", measured(VHS=100)),
        ],
        sharing_plane("memory"),
    )
    assert [one.ahead for one in found] == [True, True, False, True, None]
    assert found[4].across is not None
    assert found[4].up is None


def test_fewer_tokens_are_better_across() -> None:
    """Whoever recalls more for the same score is behind; whoever scores more for it is not."""
    found = trade_offs(
        [
            ("no recall", measured(RecallTokens=0, Workspace=60)),
            ("short", measured(RecallTokens=400, Workspace=80)),
            ("long", measured(RecallTokens=4000, Workspace=80)),
            ("longest", measured(RecallTokens=9000, Workspace=81)),
            ("worse", measured(RecallTokens=400, Workspace=50)),
        ],
        CONTEXT[0],
    )
    assert [one.ahead for one in found] == [True, True, False, True, False]
