"""GateMem's suite played without pytest around it."""

from __future__ import annotations

from itertools import groupby

from systems import system_called

from pytest_comem.assembly import make_players
from pytest_comem.datasets.governance import GovernanceData
from pytest_comem.engine.governance import GovernanceSuite
from pytest_comem.evaluators.governance import Scoring
from pytest_comem.evaluators.judging import RuleJudge
from pytest_comem.llm.door import Door
from pytest_comem.metrics.gatemem import Tally
from pytest_comem.metrics.sheet import Sheet
from pytest_comem.settings import Settings


def domain_tallies(data: GovernanceData, system: str, model: str) -> dict[str, Tally]:
    """Play all of *data* on one system with one reader, and return a tally a domain."""
    settings = Settings((system,), models=(model,))
    door = Door()
    players = make_players(settings, door, [system])
    suite = GovernanceSuite(data, players, RuleJudge(Scoring.PAPER), settings, door)
    found = system_called(system)
    sheet = Sheet()
    for _, steps in groupby(suite.steps(found), key=lambda step: step.run):
        for outcome in suite.play(list(steps), found):
            sheet.add(outcome, outcome.step.label)
    assert sheet.scored == data.checkpoint_count
    ((_, row),) = sheet
    return {name: repeats.of(0) for name, repeats in row.domains.items()}
