"""Prices that the user gives with a model, in the words of LiteLLM's price table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, final

from pytest_comem.errors import SettingsError

_INPUT: Final = "input_cost_per_token"
_OUTPUT: Final = "output_cost_per_token"
#: Parameters that are ours and never sent.
PRICE_PARAMETERS: Final = (_INPUT, _OUTPUT)


@final
class Prices(NamedTuple):
    """US dollars a token; ``None`` where not given."""

    input: float | None
    output: float | None

    @property
    def given(self) -> bool:
        """Whether there is any; then no table is asked."""
        return self.input is not None or self.output is not None

    @property
    def complete(self) -> bool:
        """Whether a chat can be priced."""
        return self.input is not None and self.output is not None

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """Return US dollars, or ``None`` where price or tokens are unknown."""
        if not input_tokens and not output_tokens:
            # A provider that does not count is not free of charge.
            return None
        total = 0.0
        for price, tokens in ((self.input, input_tokens), (self.output, output_tokens)):
            if tokens and price is None:
                return None
            total += tokens * (price or 0.0)
        return total


def prices_of(parameters: Mapping[str, Any]) -> Prices:
    """Return the prices among a model's parameters; what is no price counts as not given."""
    return Prices(*(_price(parameters.get(name)) for name in PRICE_PARAMETERS))


def check_prices(parameters: Mapping[str, Any]) -> None:
    """Check the prices among a model's parameters.

    :raises SettingsError: where one is no amount of money.
    """
    for name in PRICE_PARAMETERS:
        if name in parameters and _price(parameters[name]) is None:
            raise SettingsError(f"{name}: {parameters[name]!r} is not a price in US dollars.")


def without_prices(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body as it may be sent."""
    return {name: value for name, value in body.items() if name not in PRICE_PARAMETERS}


def _price(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None
