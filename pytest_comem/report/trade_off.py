"""Two metrics against each other: what a memory system has to give for what it gains.

*Sharing against isolation* (CoMemBench). Handing on everything brings every artifact to whoever
needs it, and to whoever must not be led by it; handing on nothing keeps all apart. Sharing is VHS
where the memory alone delivers inputs. Where the harness does, a consumer's inputs come whatever
the memory is, and sharing is SR: whether the memory's additions leave workflows intact.

*Scores against recalled tokens* (ContextWeave). Whoever recalls more has more to go by, and more
that misleads and costs; systems are only alike at an equal number of tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from pytest_comem.metrics.intervals import Measured

#: What stands for isolation.
ISOLATION: Final = "ICS"
HEADING: Final = "sharing and isolation"
LEGEND: Final = (
    "sharing: VHS where the memory alone delivers inputs, SR where the harness does; isolation: "
    "ICS. Ahead: no other system is as good at both and better at one."
)


@final
@dataclass(frozen=True, slots=True)
class Plane:
    """Two metrics that stand for a trade-off.

    :param across: drawn from left to right.
    :param up: drawn from bottom to top; more of it is better.
    :param more_across: whether more of *across* is better, or less.
    """

    across: str
    up: str
    more_across: bool = True


#: ContextWeave's: each score against what is recalled.
CONTEXT: Final = (
    Plane("RecallTokens", "Workspace", more_across=False),
    Plane("RecallTokens", "Preference", more_across=False),
)


def sharing_metric(handoff: str) -> str:
    """Return which metric stands for sharing.

    :param handoff: who delivers inputs, ``declared`` or ``memory``.
    """
    return "VHS" if handoff == "memory" else "SR"


def sharing_plane(handoff: str) -> Plane:
    """Return CoMemBench's trade-off.

    :param handoff: who delivers inputs, ``declared`` or ``memory``.
    """
    return Plane(sharing_metric(handoff), ISOLATION)


@final
@dataclass(frozen=True, slots=True)
class TradeOff:
    """A memory system's place in a trade-off; ``None`` where too little stands behind a value.

    :param name: of the system, with its model where there are several.
    :param ahead: no other system is at least as good at both and better at one of them; ``None``
        without both values.
    """

    name: str
    across: Measured | None
    up: Measured | None
    ahead: bool | None


def trade_offs(
    rows: Sequence[tuple[str, Mapping[str, Measured]]], plane: Plane
) -> tuple[TradeOff, ...]:
    """Return the place of each row, in their order.

    :param rows: names with their measured metrics.
    """
    places = [(name, found.get(plane.across), found.get(plane.up)) for name, found in rows]
    known = [
        _worth(across, up, plane)
        for _, across, up in places
        if across is not None and up is not None
    ]
    return tuple(
        TradeOff(name, across, up, _is_ahead(across, up, plane, known))
        for name, across, up in places
    )


def _worth(across: Measured, up: Measured, plane: Plane) -> tuple[float, float]:
    """Return both values, the more the better."""
    return (across.value if plane.more_across else -across.value, up.value)


def _is_ahead(
    across: Measured | None,
    up: Measured | None,
    plane: Plane,
    others: Sequence[tuple[float, float]],
) -> bool | None:
    if across is None or up is None:
        return None
    one = _worth(across, up, plane)
    return not any(other[0] >= one[0] and other[1] >= one[1] and other != one for other in others)
