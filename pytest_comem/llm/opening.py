"""The door of a run, as its options want it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pytest_comem.llm.budget import Budget, Ledger
from pytest_comem.llm.cassette import Cassette, CassetteMode
from pytest_comem.llm.door import Door
from pytest_comem.llm.retries import RetryPolicy
from pytest_comem.settings import CallSettings

#: File in a run's state that says what its processes have spent.
_SPENT: Final = "spent"


def open_door(calls: CallSettings, state: Path, *, worker: str = "", resumed: bool = False) -> Door:
    """Return the door of one process of a run.

    :param state: directory that all processes of the run share.
    :param worker: name of the process among them; empty where it is the only one.
    :param resumed: the run goes on with an earlier one; what that has recorded is kept.
    :raises SettingsError: where there are no recordings to replay.
    """
    cassette = None
    if calls.cassette_dir is not None:
        mode = CassetteMode(calls.cassette)
        if resumed and mode is CassetteMode.RECORD:
            mode = CassetteMode.AUTO
        cassette = Cassette(mode, calls.cassette_dir, worker=worker)
    return Door(
        cassette=cassette,
        budget=Budget(calls.max_cost, calls.max_tokens, Ledger(state / _SPENT)),
        retries=RetryPolicy(retries=calls.retries),
        concurrency=calls.concurrency,
    )
