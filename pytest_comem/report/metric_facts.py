"""Metrics with their intervals as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pytest_comem.metrics.intervals import Measured
from pytest_comem.metrics.sample import Sample


def measured(found: Mapping[str, Measured], sample: Sample | None = None) -> dict[str, Any]:
    """Return metrics with their intervals; with a sample, also what a share is of what."""
    values: dict[str, Any] = {}
    for name, one in found.items():
        values[name] = asdict(one)
        if sample is not None and sample.metrics.numerators(name) is not None:
            values[name]["count"] = sample.behind(name)[0]
    return values
