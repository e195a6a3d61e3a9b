"""Executors by name."""

from __future__ import annotations

import pytest

from pytest_comem.errors import SettingsError
from pytest_comem.executors.registry import find_executor
from pytest_comem.executors.topology import TopologyExecutor


def test_an_executor_is_found_by_its_name() -> None:
    """Ours by its own, others by theirs."""
    assert find_executor("topology").name == "topology"
    other = TopologyExecutor()
    assert find_executor("debate", {"debate": lambda: other}) is other


def test_an_unknown_name_is_an_error_that_names_the_nearest() -> None:
    """A slip of the pen is easily mended."""
    with pytest.raises(SettingsError, match="'topolgy' is unknown; did you mean topology"):
        find_executor("topolgy")
