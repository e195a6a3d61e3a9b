"""A run over several processes of pytest-xdist: an episode stays on one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest

from pytest_comem import collection
from pytest_comem.core.steps import Step

_DISTRIBUTIONS: Final = ("no", "load")


def is_worker(config: pytest.Config) -> bool:
    """Whether this process plays for another one."""
    return hasattr(config, "workerinput")


def is_controller(config: pytest.Config) -> bool:
    """Whether other processes collect and play for this one."""
    return not is_worker(config) and bool(config.getoption("numprocesses", None))


def refuse_other_distributions(config: pytest.Config) -> None:
    """Refuse what would tear episodes apart.

    :raises pytest.UsageError: naming the option and the way out.
    """
    chosen = config.getoption("dist", "no")
    if not is_worker(config) and chosen not in _DISTRIBUTIONS:
        raise pytest.UsageError(
            f"--dist {chosen}: an episode's steps share one memory and must stay in order on "
            "one worker; use --dist load (the default of -n), which pytest-comem schedules"
        )


def refuse_two_kinds(config: pytest.Config, backend: str) -> None:
    """Refuse to divide a run twice.

    :param backend: address of a cluster, or empty.
    :raises pytest.UsageError: naming both options.
    """
    if backend and is_controller(config):
        raise pytest.UsageError(
            "-n and --comem-backend both say who plays the episodes; give one of them "
            "(on a cluster, its workers and their threads are the number)"
        )


def make_scheduler(config: pytest.Config, systems: Sequence[str], *, ahead: int) -> Any:
    """Return the scheduler that keeps an episode on one worker.

    :param systems: labels of the run's memory systems.
    :param ahead: episodes a worker may hold at once.
    """
    from xdist.workermanage import parse_tx_spec_config

    from pytest_comem.engine.nodeids import run_in
    from pytest_comem.engine.scheduler import EpisodeScheduling

    labels = tuple(systems)
    return EpisodeScheduling(
        config,
        numnodes=len(parse_tx_spec_config(config)),
        ahead=ahead,
        group_of=lambda node_id: run_in(node_id, labels),
    )


def queued_steps(config: pytest.Config) -> list[Step]:
    """Return the steps that this worker has been given and not begun yet."""
    from pytest_comem.engine.lookahead import queued_items

    steps = (collection.wanted_step(item) for item in queued_items(config))
    return [step for step in steps if step is not None]
