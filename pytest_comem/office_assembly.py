"""From the options of a run to its ContextWeave suite: streams, agents, graders.

Loaded where the suite is asked for, and by nobody else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_comem.core.steps import model_labels
from pytest_comem.engine.office import OfficeRun, OfficeSuite
from pytest_comem.engine.office_data import OfficeData, load_office
from pytest_comem.engine.office_runs import TaskDoer
from pytest_comem.engine.office_tasks import OfficePlayer
from pytest_comem.engine.rundir import STATE
from pytest_comem.errors import SettingsError
from pytest_comem.locations import fixture_path
from pytest_comem.office.base import Comparer, Grader, OfficeAgent, Rater
from pytest_comem.settings import Settings

if TYPE_CHECKING:
    from pytest_comem.llm.door import Door

#: Where workspaces are laid out, in a run's state.
_OFFICE: Final = "office"


def shipped_streams() -> Path:
    """Return the directory of the shipped streams."""
    return fixture_path("contextweave")


def office_suite_of(
    settings: Settings, door: Door, systems: Sequence[str], run_path: Path
) -> OfficeSuite:
    """Return ContextWeave as the options of a run name it.

    :param systems: labels of the run's memory systems.
    :param run_path: where the run is recorded.
    :raises ComemError: naming what is wrong with a stream, the agent, the judge or the sandbox.
    """
    from pytest_comem.sandbox.registry import choose

    data = load_office(settings.streams or shipped_streams(), settings.limit)
    kind = choose(settings.sandbox).name
    run = OfficeRun(
        run_path,
        settings.pass_score,
        settings.office_top_k,
        settings.seed,
        settings.concurrency,
        kind,
    )
    players = make_office_players(settings, door, systems, kind, run_path / STATE / _OFFICE)
    _require_doable(data, players)
    return OfficeSuite(data, players, run, door)


def make_office_players(
    settings: Settings, door: Door, systems: Sequence[str], sandbox: str, directory: Path
) -> list[OfficePlayer]:
    """Return who does the tasks: every model in every repeat.

    :param sandbox: name of a kind that works here.
    :param directory: where workspaces are laid out.
    :raises SettingsError: where an option for agent, models or judge cannot be used, or the
        libraries for documents are missing.
    """
    from pytest_comem.office.libraries import missing_libraries
    from pytest_comem.office.workbench import BenchSettings

    if (missing := missing_libraries(sandbox)) is not None:
        raise SettingsError(f"ContextWeave: {missing}")
    grader, comparer, rater = _judges(settings, door, sandbox)
    agent_of: Callable[[str, int], OfficeAgent]
    if settings.agent == "auto":
        agent_of = partial(_agent, settings, door)
    else:
        agent_of = partial(_program, settings, door, sandbox, directory)
    labels = model_labels(settings.models, systems)
    repeats = range(settings.repeats) if settings.repeats > 1 else (None,)
    return [
        OfficePlayer(
            name,
            labels[name],
            repeat,
            TaskDoer(
                agent_of(name, repeat or 0),
                grader,
                BenchSettings(sandbox),
                directory,
            ),
            comparer,
            rater,
        )
        for name in dict.fromkeys(settings.models)
        for repeat in repeats
    ]


def _judges(settings: Settings, door: Door, sandbox: str) -> tuple[Grader, Comparer, Rater | None]:
    """Return what grades, compares and rates: rules alone, or with a judge model."""
    from pytest_comem.office.grading import RULES_NAME, RuleGrader
    from pytest_comem.office.rule_comparer import RuleComparer

    rules = RuleGrader(sandbox)
    if settings.judge == RULES_NAME:
        return rules, RuleComparer(settings.seed), None
    from pytest_comem.llm.specs import judging_model
    from pytest_comem.office.model_comparer import ModelComparer
    from pytest_comem.office.model_grader import ModelGrader
    from pytest_comem.office.model_judging import OfficeJudge
    from pytest_comem.office.model_rater import ModelRater

    judge = OfficeJudge(door, judging_model(settings), structured=settings.calls.structured)
    return ModelGrader(rules, judge), ModelComparer(judge, settings.seed), ModelRater(judge)


def _program(
    settings: Settings, door: Door, sandbox: str, directory: Path, model: str, repeat: int
) -> OfficeAgent:
    """Return a program as the agent; it asks the run's model, where that is a language model."""
    from pytest_comem.embedders.hash import HashEmbedder
    from pytest_comem.endpoint.sockets import forwarded_model
    from pytest_comem.llm.specs import answering_model
    from pytest_comem.models.registry import reader_names
    from pytest_comem.office.command_agent import CommandAgent
    from pytest_comem.office.command_agent_program import MOUNTS, check_apart, read_program

    program = read_program(settings.agent, os.environ.get(MOUNTS, ""))
    check_apart(program, settings.streams or shipped_streams(), directory)
    if model in reader_names():
        return CommandAgent(program, sandbox)
    spec = answering_model(settings, model, repeat)
    return CommandAgent(program, sandbox, forwarded_model(spec, door, HashEmbedder()))


def _agent(settings: Settings, door: Door, model: str, repeat: int) -> OfficeAgent:
    from pytest_comem.models.registry import reader_names
    from pytest_comem.office.offline_agent import OfflineAgent

    if model in reader_names():
        return OfflineAgent()
    from pytest_comem.llm.specs import answering_model
    from pytest_comem.llm.structured import StructuredModel
    from pytest_comem.office.model_agent import ModelAgent

    spec = answering_model(settings, model, repeat)
    return ModelAgent(StructuredModel(door, spec, structured=settings.calls.structured))


def _require_doable(data: OfficeData, players: Sequence[OfficePlayer]) -> None:
    """Refuse a run where an agent cannot do a task at all."""
    from pytest_comem.office.base import Shown

    for target in data.targets.values():
        shown = Shown(target.stream.participant, target.task.task, plan=target.task.plan)
        for player in players:
            if (why := player.doer.agent.missing(shown)) is not None:
                raise SettingsError(
                    f"ContextWeave, participant {target.participant}, task {target.id}: {why}"
                )
