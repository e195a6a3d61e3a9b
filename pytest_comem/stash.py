"""Typed keys of what the plugin keeps on pytest's objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from pytest_comem.core.outcomes import Outcome
    from pytest_comem.session import ComemSession


#: The plugin's session of this pytest run; absent where nothing is evaluated.
SESSION: Final[pytest.StashKey[ComemSession]] = pytest.StashKey()

#: The outcome of a step, on its item.
OUTCOME: Final[pytest.StashKey[Outcome]] = pytest.StashKey()
