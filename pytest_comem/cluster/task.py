"""What workers of a cluster run: look at themselves, play an episode, forget a run."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, final

from pytest_comem.cluster import fingerprint
from pytest_comem.cluster.holding import HOLDINGS, Held
from pytest_comem.cluster.messages import Message, played_to_plain, written
from pytest_comem.cluster.parcel import Parcel
from pytest_comem.core.outcomes import Attribution, Failure
from pytest_comem.core.printable import printable
from pytest_comem.engine.runner import EpisodeRunner
from pytest_comem.errors import ComemError
from pytest_comem.secrets import without_secrets

if TYPE_CHECKING:
    from distributed import Worker

    from pytest_comem.core.steps import Step
    from pytest_comem.engine.runner import Played

#: Seconds between looks at whether anybody still wants the episode.
_BETWEEN: Final = 0.2
#: Seconds that a played step waits for others to go with; a message costs as much as a quick step.
_LINGERING: Final = 0.02
#: Seconds before the first and later looks at whether an answer is there.
_PAUSES: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
#: Played steps in one message.
_MOST: Final = 64
_UNSEEN: Final = Failure(Attribution.INFRASTRUCTURE, "harness", "known where the run was started")


def identify() -> str:
    """Return this worker's versions as JSON."""
    return json.dumps(fingerprint.of_code())


async def inspect(parcel: Parcel, dask_worker: Worker) -> str:
    """Return what this worker would play with as JSON, or under ``problem`` why it cannot.

    Reading data takes its time: the worker goes on with what it has to do.
    """
    directory = Path(dask_worker.local_directory)
    return await asyncio.to_thread(_inspect, parcel, directory)


async def forget(token: str) -> None:
    """Let go of a run that is over."""
    await asyncio.to_thread(HOLDINGS.forget, token)


def play_episode(name: str, parcel: Parcel, queue: str) -> None:
    """Play an episode for the run that *parcel* names.

    Which of its steps are to be played is asked for at the begin: where the worker before was
    lost, they are fewer. Nothing that goes wrong is raised, all of it is told.

    :param name: of the episode among the run's.
    :param queue: where the run hears of it.
    """
    from distributed import get_worker

    line = _Line(name, queue)
    try:
        with HOLDINGS.using(parcel, Path(get_worker().local_directory)) as held:
            _play(line, held)
    except Exception as error:
        line.tell("begun" if line.turn is None else "end", problem=_told(error))


@final
class _Line:
    """How an episode's task speaks with its run."""

    def __init__(self, name: str, queue: str) -> None:
        from distributed import Queue, get_client, get_worker

        self._worker = get_worker()
        self._key = self._worker.get_current_task()
        self._client = get_client()
        self._name = name
        self._queue = Queue(queue, client=self._client)
        #: Names this go at the episode, once it has begun.
        self.turn: str | None = None

    def tell(self, kind: str, **more: Any) -> None:
        """Send a message; when this returns, it survives this worker."""
        message: Message = {
            "kind": kind,
            "episode": self._name,
            "worker": self._worker.address,
            "turn": self.turn,
            **more,
        }
        self._queue.put(written(message))

    def begin(self, **more: Any) -> Message | None:
        """Say that the episode begins, and return what is to be played; ``None`` for nothing."""
        from distributed import Queue

        turn = uuid.uuid4().hex
        answers = Queue(f"comem-{turn}", client=self._client)
        self.turn = turn
        try:
            self.tell("begun", **more)
            pauses = deque(_PAUSES)
            while not answers.qsize():
                if not self.is_wanted():
                    return None
                sleep(pauses.popleft() if len(pauses) > 1 else pauses[0])
            answer: Message | None = json.loads(answers.get())
            return answer
        finally:
            answers.close()

    def is_wanted(self) -> bool:
        """Whether the run still wants this task: it may be cancelled, or its process dead."""
        task = self._worker.state.tasks.get(self._key)
        return task is not None and task.state != "cancelled"


def _play(line: _Line, held: Held) -> None:
    answer = line.begin(fingerprint=held.fingerprint)
    if not answer:
        return
    materials = held.materials
    wanted = [held.steps[label] for label in answer["play"]]
    known = [held.steps[label] for label in answer["known"]]
    placed = materials.with_suites([*known, *wanted])
    runner = EpisodeRunner(
        placed,
        concurrency=1,
        output=HOLDINGS.output(),
        ended=lambda: materials.door.stopped,
        step_timeout=materials.settings.step_timeout,
        episode_timeout=materials.settings.episode_timeout,
        # What came of them stays with the run; here it only matters which they are.
        known={
            step: suite.unscored(step, system, _UNSEEN)
            for step, suite, system in placed[: len(known)]
        },
    )
    try:
        runner.demand(wanted)
        for batch in _batches(runner, wanted, line.is_wanted):
            line.tell("played", played=[played_to_plain(one) for one in batch])
    finally:
        runner.stop()
    stopped = materials.door.stopped
    ended = None if stopped is None else [str(stopped), str(stopped.kind)]
    line.tell("end", ended=ended, **held.calls())


def _batches(
    runner: EpisodeRunner, steps: Sequence[Step], is_wanted: Callable[[], bool]
) -> Iterator[list[Played]]:
    """Yield what has been played as it comes, what comes at about the same time together."""
    left = deque(steps)
    while left and is_wanted():
        batch: list[Played] = []
        until = monotonic() + _BETWEEN
        while left and len(batch) < _MOST:
            try:
                batch.append(runner.result(left[0], timeout=max(0.0, until - monotonic())))
            except TimeoutError:
                break
            left.popleft()
            until = min(until, monotonic() + _LINGERING)
        if batch:
            yield batch


def _inspect(parcel: Parcel, directory: Path) -> str:
    try:
        with HOLDINGS.using(parcel, directory) as held:
            held.materials.check(models=True)
            return json.dumps(held.fingerprint)
    except Exception as error:
        return json.dumps({"problem": _told(error)})


def _told(error: Exception) -> str:
    """Return what went wrong, as a terminal may have it."""
    text = str(error) if isinstance(error, ComemError) else f"{type(error).__name__}: {error}"
    return printable(without_secrets(text))
