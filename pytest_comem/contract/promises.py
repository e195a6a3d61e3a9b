"""Every promise there is, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Final

from pytest_comem.contract import changing, instances, principals, writing
from pytest_comem.contract.promise import Promise


def _in(*modules: ModuleType) -> dict[str, Promise]:
    found = (value for module in modules for value in vars(module).values())
    return {one.name: one for one in found if isinstance(one, Promise)}


#: In the order of the suite.
PROMISES: Final[Mapping[str, Promise]] = _in(writing, changing, principals, instances)
