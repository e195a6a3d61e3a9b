"""Sharing against isolation: what a memory hands on, beside what it keeps apart.

Handing on everything brings every artifact to whoever needs it, and to whoever must not be led by
it; handing on nothing keeps all apart. Sharing is VHS where the memory alone delivers inputs. Where
the harness does, a consumer's inputs come whatever the memory is, and sharing is SR: whether the
memory's additions leave workflows intact.
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


def sharing_metric(handoff: str) -> str:
    """Return which metric stands for sharing.

    :param handoff: who delivers inputs, ``declared`` or ``memory``.
    """
    return "VHS" if handoff == "memory" else "SR"


@final
@dataclass(frozen=True, slots=True)
class TradeOff:
    """A memory system's place in the trade-off; ``None`` where too little stands behind a value.

    :param name: of the system, with its model where there are several.
    :param ahead: no other system is at least as good at both and better at one of them; ``None``
        without both values.
    """

    name: str
    sharing: Measured | None
    isolation: Measured | None
    ahead: bool | None


def trade_offs(
    rows: Sequence[tuple[str, Mapping[str, Measured]]], handoff: str
) -> tuple[TradeOff, ...]:
    """Return the place of each row, in their order.

    :param rows: names with their measured metrics.
    """
    metric = sharing_metric(handoff)
    places = [(name, found.get(metric), found.get(ISOLATION)) for name, found in rows]
    known = [
        (sharing.value, isolation.value)
        for _, sharing, isolation in places
        if sharing is not None and isolation is not None
    ]
    return tuple(
        TradeOff(name, sharing, isolation, _is_ahead(sharing, isolation, known))
        for name, sharing, isolation in places
    )


def _is_ahead(
    sharing: Measured | None, isolation: Measured | None, others: Sequence[tuple[float, float]]
) -> bool | None:
    if sharing is None or isolation is None:
        return None
    one = (sharing.value, isolation.value)
    return not any(other[0] >= one[0] and other[1] >= one[1] and other != one for other in others)
