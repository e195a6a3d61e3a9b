"""From the options of a run to its CoMemBench suite: corpus, what plays its domains, executor.

Loaded where the suite is asked for, and by nobody else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_comem.engine.workflow_data import load_workflows
from pytest_comem.engine.workflows import WorkflowRun, WorkflowSuite
from pytest_comem.executors.registry import find_executor
from pytest_comem.locations import fixture_path
from pytest_comem.workflows.schema import Domain

if TYPE_CHECKING:
    from pytest_comem.executors.domain import DomainKit
    from pytest_comem.llm.door import Door


def _retrieval() -> DomainKit:
    from pytest_comem.domains.retrieval.kit import RetrievalKit

    return RetrievalKit()


#: What plays each domain.
KITS: Final[Mapping[Domain, Callable[[], DomainKit]]] = {Domain.OFFLINE_RETRIEVAL: _retrieval}


def shipped_families() -> Path:
    """Return the directory of the shipped families."""
    return fixture_path("comembench", "families")


def make_workflow_suite(
    run: WorkflowRun, door: Door, *, root: Path | None = None, executor: str = "topology"
) -> WorkflowSuite:
    """Return CoMemBench over a corpus.

    :param root: directory of the families; the shipped ones where none is given.
    :param executor: name of who runs the nodes.
    :raises ComemError: naming what is wrong with a family, a domain or the executor.
    """
    data = load_workflows(root or shipped_families())
    wanted = dict.fromkeys(one.family.domain for one in data.instances)
    kits = {domain: KITS[domain]() for domain in wanted if domain in KITS}
    return WorkflowSuite(data, kits, find_executor(executor), run, door)
