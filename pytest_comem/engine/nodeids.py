"""What a node id says about the step behind it.

The controller of a parallel run never sees items, only their ids.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_comem.core.steps import safe


def label_in(node_id: str, systems: Sequence[str]) -> str | None:
    """Return the step's label in *node_id*, or ``None`` for a test without a step.

    :param systems: labels of the run's memory systems.
    """
    _, bracket, label = node_id.rpartition("[")
    if not bracket or not label.endswith("]") or "-" not in label:
        return None
    if label[:-1] in systems:
        # A test of a whole system, whose name may begin with another's.
        return None
    if not any(label.startswith(f"{safe(system)}-") for system in systems):
        return None
    return label[:-1]


def run_in(node_id: str, systems: Sequence[str]) -> str | None:
    """Return the :attr:`Step.run_label` in *node_id*, or ``None`` for a test without a step."""
    label = label_in(node_id, systems)
    return None if label is None else label.rpartition("-")[0]
