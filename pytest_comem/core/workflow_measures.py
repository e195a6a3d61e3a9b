"""How the outcomes of workflow nodes name what tokens were used for (CoMemBench)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

#: What tokens are used for, as traces name it.
Purpose = Literal["execution", "coordination", "retrieval_context", "recovery", "memory"]
PURPOSES: Final[tuple[Purpose, ...]] = (
    *("execution", "coordination", "retrieval_context", "recovery", "memory"),
)
#: The measure of a verdict that counts tokens, by purpose.
TOKEN_MEASURES: Final[Mapping[Purpose, str]] = {use: f"tokens_{use}" for use in PURPOSES}
