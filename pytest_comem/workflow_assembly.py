"""From the options of a run to its CoMemBench suite: corpus, what plays its domains, executor.

Loaded where the suite is asked for, and by nobody else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, final

from pytest_comem.core.steps import model_labels
from pytest_comem.engine.rundir import STATE
from pytest_comem.engine.workflow_data import WorkflowData, load_workflows
from pytest_comem.engine.workflow_players import WorkflowPlayer
from pytest_comem.engine.workflows import WorkflowRun, WorkflowSuite
from pytest_comem.errors import SettingsError
from pytest_comem.executors.base import HandoffMode
from pytest_comem.executors.registry import find_executor
from pytest_comem.locations import fixture_path
from pytest_comem.sandbox.registry import AUTO
from pytest_comem.settings import Settings
from pytest_comem.workflows.schema import Domain

if TYPE_CHECKING:
    from pytest_comem.executors.domain import DomainKit
    from pytest_comem.llm.door import Door
    from pytest_comem.workflows.certification import DomainChecks


@final
@dataclass(frozen=True, slots=True)
class Means:
    """What the domains are given to play with.

    :param sandbox: kind of sandbox for what nobody trusts.
    :param prover: that proofs are checked by, ``coq`` or ``lean``, with ``:PROGRAM`` where its
        command is not in ``PATH``.
    :param state: where workspaces and databases of a run go; a temporary place where ``None``.
    """

    sandbox: str = AUTO
    prover: str = "coq"
    state: Path | None = None


def _retrieval(means: Means) -> DomainKit:
    from pytest_comem.domains.retrieval.kit import RetrievalKit

    return RetrievalKit()


def _code(means: Means) -> DomainKit:
    from pytest_comem.domains.code.kit import CodeKit

    return CodeKit(means.sandbox)


def _mathematics(means: Means) -> DomainKit:
    from pytest_comem.domains.mathematics.kit import MathematicsKit

    prover, _, program = means.prover.partition(":")
    return MathematicsKit(prover=prover, sandbox=means.sandbox, program=program or None)


def _tools(means: Means) -> DomainKit:
    from pytest_comem.domains.tools.kit import ToolsKit

    return ToolsKit(means.sandbox, means.state and means.state / "tools")


#: What plays each domain.
KITS: Final[Mapping[Domain, Callable[[Means], DomainKit]]] = {
    Domain.OFFLINE_RETRIEVAL: _retrieval,
    Domain.REPOSITORY_CODE: _code,
    Domain.FORMAL_MATHEMATICS: _mathematics,
    Domain.STATEFUL_TOOL: _tools,
}


def _retrieval_checks(sandbox: str) -> DomainChecks:
    from pytest_comem.domains.retrieval.checks import RetrievalChecks

    return RetrievalChecks()


def _code_checks(sandbox: str) -> DomainChecks:
    from pytest_comem.domains.code.checks import CodeChecks

    return CodeChecks(sandbox)


def _mathematics_checks(sandbox: str) -> DomainChecks:
    from pytest_comem.domains.mathematics.checks import MathematicsChecks

    return MathematicsChecks(sandbox=sandbox)


def _tools_checks(sandbox: str) -> DomainChecks:
    from pytest_comem.domains.tools.checks import ToolsChecks

    return ToolsChecks()


#: What certifies each domain, by a kind of sandbox.
CHECKS: Final[Mapping[Domain, Callable[[str], DomainChecks]]] = {
    Domain.OFFLINE_RETRIEVAL: _retrieval_checks,
    Domain.REPOSITORY_CODE: _code_checks,
    Domain.FORMAL_MATHEMATICS: _mathematics_checks,
    Domain.STATEFUL_TOOL: _tools_checks,
}


def domain_checks(sandbox: str = AUTO) -> Mapping[Domain, DomainChecks]:
    """Return what certifies the domains.

    :param sandbox: kind of sandbox for what nobody trusts.
    """
    return {domain: make(sandbox) for domain, make in CHECKS.items()}


def shipped_families() -> Path:
    """Return the directory of the shipped families."""
    return fixture_path("comembench", "families")


def suite_of(
    settings: Settings,
    door: Door,
    systems: Sequence[str],
    domains: Sequence[str],
    run_path: Path,
) -> WorkflowSuite:
    """Return CoMemBench as the options of a run name it.

    :param systems: labels of the run's memory systems.
    :param domains: only these; all where none are named.
    :param run_path: where the run is recorded.
    :raises ComemError: naming what is wrong with a family, a domain, the sandbox or the executor.
    """
    root = settings.families or shipped_families()
    data = load_workflows(root, [Domain(name) for name in domains])
    if settings.limit is not None:
        data = data.only(first_of_each_domain(data, settings.limit))
    run = WorkflowRun(
        run_path,
        cast(HandoffMode, settings.handoff),
        settings.repeats,
        settings.seed,
        settings.workflow_top_k,
    )
    return make_workflow_suite(
        run,
        door,
        data=data,
        executor=settings.executor,
        means=Means(settings.sandbox, settings.prover, run_path / STATE),
        players=make_workflow_players(settings, door, systems),
    )


def make_workflow_players(
    settings: Settings, door: Door, systems: Sequence[str]
) -> list[WorkflowPlayer]:
    """Return who does the work: every model in every repeat.

    Where a run names an offline reader, the domains' own workers do it.

    :param systems: labels of the run's memory systems.
    :raises SettingsError: where an option for the models cannot be used.
    """
    from pytest_comem.executors.model_worker import ModelWorker
    from pytest_comem.llm.specs import answering_model
    from pytest_comem.llm.structured import StructuredModel
    from pytest_comem.models.registry import reader_names

    labels = model_labels(settings.models, systems)
    repeats = range(settings.repeats) if settings.repeats > 1 else (None,)
    players = []
    for name in dict.fromkeys(settings.models):
        for repeat in repeats:
            worker = None
            if name not in reader_names():
                spec = answering_model(settings, name, repeat or 0)
                structured = settings.calls.structured
                worker = ModelWorker(StructuredModel(door, spec, structured=structured))
            players.append(WorkflowPlayer(name, labels[name], repeat, worker))
    return players


def first_of_each_domain(data: WorkflowData, limit: int) -> frozenset[str]:
    """Return the ids of the first *limit* families of each domain."""
    families: dict[Domain, dict[str, None]] = {}
    for one in data.instances:
        families.setdefault(one.family.domain, {}).setdefault(one.family.family_id)
    return frozenset(name for found in families.values() for name in list(found)[:limit])


def make_workflow_suite(
    run: WorkflowRun,
    door: Door,
    *,
    data: WorkflowData | None = None,
    executor: str = "topology",
    means: Means | None = None,
    players: Sequence[WorkflowPlayer] = (),
) -> WorkflowSuite:
    """Return CoMemBench over a corpus, without the families that cannot be played here.

    :param data: the shipped corpus where none is given.
    :param executor: name of who runs the nodes.
    :param means: what the domains are given.
    :param players: who does the work; the domains' own workers where none are given.
    :raises ComemError: naming what is wrong with a family, a domain, the sandbox or the executor,
        and where no family can be played.
    """
    data = data or load_workflows(shipped_families())
    means = means or Means()
    families = {one.family.family_id: one.family for one in data.instances}
    kits = {
        domain: KITS[domain](means)
        for domain in dict.fromkeys(family.domain for family in families.values())
        if domain in KITS
    }
    excluded = {
        name: reason
        for name, family in families.items()
        if family.domain in kits and (reason := kits[family.domain].missing(family))
    }
    played = data.only(families.keys() - excluded.keys())
    if not played.instances:
        reasons = "; ".join(dict.fromkeys(excluded.values()))
        raise SettingsError(f"no family of CoMemBench can be played here: {reasons}")
    run = replace(run, excluded=excluded, sandbox=_used_sandbox(played, means.sandbox))
    return WorkflowSuite(played, kits, find_executor(executor), run, door, players)


def _used_sandbox(data: WorkflowData, name: str) -> str:
    """Return the kind of sandbox that the families use, or nothing where they use none."""
    if {one.family.domain for one in data.instances} <= {Domain.OFFLINE_RETRIEVAL}:
        return ""
    from pytest_comem.sandbox.registry import choose

    return choose(name).name
