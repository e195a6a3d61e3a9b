"""A run's episodes on a cluster: one task an episode, outcomes as they are made.

Everything that comes from workers comes in one order, through one queue, to one thread. A worker's
message is in that queue before the worker goes on, so that what it had told survives it. Dask
itself starts a lost worker's tasks elsewhere; a task asks at its begin what is left to play, and so
a second begin is how a loss is noticed first. Where no worker is left to begin, looking at the
cluster's workers tells.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Final, final

from pytest_comem.cluster.bookkeeping import Bookkeeping
from pytest_comem.cluster.connection import Cluster
from pytest_comem.cluster.fingerprint import differences
from pytest_comem.cluster.messages import Message, played_from_plain
from pytest_comem.cluster.remote import MOST_LOST, MOST_UNFIT, RemoteEpisode
from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.core.printable import printable
from pytest_comem.core.steps import RunKey, Step
from pytest_comem.engine.causes import Cause, cause_of
from pytest_comem.engine.episode import Played
from pytest_comem.engine.suite import Suite
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import Fault
from pytest_comem.memory.registry import SystemUnderTest

#: Seconds between looks at the cluster's workers.
_BETWEEN: Final = 0.5
#: Looks in a row that do not find a worker before it counts as lost: one may be older than it.
_LOOKS: Final = 2
#: Seconds a stopping run waits, in all, for workers to close their memories.
_CLOSING_TIME: Final = 2.0


@final
class ClusterRunner:
    """Plays the episodes of a run on a cluster, as :class:`EpisodeRunner` does on threads.

    Once a step is demanded, all wanted steps of its episode are played.

    :param steps: the wanted steps, in the order of the items.
    :param cluster: whose workers play; closed by its owner.
    :param door: of this process; ends the run, also when workers say so.
    :param replayed: calls are answered by recordings.
    :param known: outcomes of an earlier run that still hold.
    """

    def __init__(
        self,
        steps: Sequence[tuple[Step, Suite, SystemUnderTest]],
        *,
        cluster: Cluster,
        door: Door,
        known: Mapping[Step, Outcome],
        replayed: bool = False,
    ) -> None:
        self._cluster = cluster
        self._door = door
        self._books = Bookkeeping(door, replayed=replayed)
        self._change = threading.Condition(threading.RLock())
        self._over = threading.Event()
        self._ended_early = False
        self._episodes: dict[RunKey, RemoteEpisode] = {}
        self._unfit: set[str] = set()
        for step, suite, system in steps:
            if step.run not in self._episodes:
                name = str(len(self._episodes))
                self._episodes[step.run] = RemoteEpisode(name, suite, system)
            self._episodes[step.run].announce(step, known.get(step))
        self._by_name = {episode.name: episode for episode in self._episodes.values()}
        self._threads = [
            threading.Thread(target=target, name="comem-cluster", daemon=True)
            for target in (self._listen, self._look)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def books(self) -> Bookkeeping:
        """What workers have called."""
        return self._books

    def demand(self, steps: Sequence[Step]) -> None:
        """Say that *steps* will be asked for; their episodes go to the cluster."""
        with self._change:
            for step in steps:
                episode = self._episodes[step.run]
                if episode.task is None and episode.unfinished and not self._end():
                    episode.task = self._cluster.submit(episode.name)

    def result(self, step: Step) -> Played:
        """Return the played *step*, waiting for it.

        :raises KeyError: where the step was not announced.
        :raises CancelledError: where the runner was stopped before.
        """
        future = self._episodes[step.run].futures[step]
        if not future.done():
            self.demand([step])
        return future.result()

    def stop(self) -> None:
        """Ask no more steps, and give workers a moment to close memories."""
        with self._change:
            self._over.set()
            self._cancel()
            deadline = monotonic() + _CLOSING_TIME
            while any(one.turn for one in self._by_name.values()) and monotonic() < deadline:
                self._change.wait(deadline - monotonic())
            for episode in self._by_name.values():
                episode.let_go()
        self._say("halt")

    def _listen(self) -> None:
        try:
            while True:
                for message in self._cluster.received():
                    if message["kind"] == "halt":
                        return
                    with self._change:
                        self._take(message)
                        self._end()
                        self._change.notify_all()
        except Exception as error:
            self._disconnected(error)

    def _look(self) -> None:
        while not self._over.wait(_BETWEEN):
            if any(one.turn for one in self._by_name.values()):
                try:
                    self._say("alive", workers=[*self._cluster.workers()])
                except Exception:
                    # The other thread hears of it as well.
                    continue

    def _say(self, kind: str, **more: object) -> None:
        try:
            self._cluster.say(kind, **more)
        except Exception:
            # Without a scheduler, nobody listens any more.
            return

    def _take(self, message: Message) -> None:
        kind = message["kind"]
        if kind == "alive":
            self._seen(frozenset(message["workers"]))
            return
        episode = self._by_name[message["episode"]]
        if kind == "begun":
            self._begun(episode, message)
        elif kind == "played":
            for one in message["played"]:
                played = played_from_plain(one)
                if not played.stopped and episode.accept(played):
                    self._books.add(played.outcome)
        elif kind == "end":
            self._ended(episode, message)
        elif kind == "settled":
            self._settled(episode, message)

    def _begun(self, episode: RemoteEpisode, message: Message) -> None:
        worker, turn = str(message["worker"]), message["turn"]
        if episode.turn:
            self._lose(episode)
        if "problem" in message:
            problems = [str(message["problem"])]
        else:
            problems = differences(self._cluster.fingerprint, message["fingerprint"])
        answer: Message = {}
        if problems:
            self._unfit.add(worker)
            self._elsewhere(episode, f"worker {worker}: {problems[0]}")
        elif episode.unfinished and not self._over.is_set():
            episode.begin(turn, worker)
            answer = {
                "play": [step.label for step in episode.unfinished],
                "known": [step.label for step in episode.finished],
            }
        if turn is not None:
            self._cluster.answer(turn, answer)

    def _ended(self, episode: RemoteEpisode, message: Message) -> None:
        if "process" in message:
            self._books.report(message["process"], message["number"], message["calls"])
        if message.get("ended"):
            text, kind = message["ended"]
            self._door.end(text, Fault(kind))
        if message["turn"] != episode.turn:
            return
        worker = episode.leave()
        episode.task.release()
        if episode.unfinished and not self._over.is_set() and self._door.stopped is None:
            problem = message.get("problem", "it left the episode before the last step")
            self._fail(episode, "harness", f"worker {worker} could not go on: {problem}")

    def _settled(self, episode: RemoteEpisode, message: Message) -> None:
        """A task is over. As a rule all is known by then, and nothing is left to be done."""
        current = episode.task is not None and str(episode.task.key) == message["key"]
        if not current or not episode.unfinished or self._over.is_set():
            return
        if message["status"] == "finished":
            self._fail(episode, "harness", "its task ended without a word")
        elif episode.turn:
            # Given up by Dask, or cancelled by somebody: nobody plays it any more.
            self._lose(episode)
            if episode.unfinished:
                episode.task = self._cluster.submit(episode.name)
        else:
            why = message["problem"] or message["status"]
            self._elsewhere(episode, f"its task could not be run: {why}")

    def _seen(self, workers: frozenset[str]) -> None:
        for episode in self._by_name.values():
            if not episode.turn or episode.worker in workers:
                episode.unseen = 0
                continue
            episode.unseen += 1
            if episode.unseen >= _LOOKS:
                self._lose(episode)

    def _lose(self, episode: RemoteEpisode) -> None:
        """The worker that played *episode* is gone."""
        worker = episode.leave()
        episode.lost.append(worker)
        self._books.lost.add(worker)
        if len(episode.lost) >= MOST_LOST:
            names = " and ".join(dict.fromkeys(episode.lost))
            self._fail(episode, "worker", f"the workers {names} were lost while they played it")

    def _elsewhere(self, episode: RemoteEpisode, problem: str) -> None:
        """Try *episode* on another worker than the one that has refused it."""
        episode.unfit.append(problem)
        fit = set(self._cluster.workers()) - self._unfit
        if len(episode.unfit) >= MOST_UNFIT or not fit:
            self._fail(episode, "worker", f"no worker that can play it: {problem}")
        elif episode.unfinished and not self._over.is_set():
            episode.task = self._cluster.submit(episode.name, fit)

    def _fail(self, episode: RemoteEpisode, kind: str, what: str) -> None:
        told = printable(f"{what[:1].upper()}{what[1:]}")
        failure = Failure(Attribution.INFRASTRUCTURE, kind, told)
        episode.refuse(Cause(failure, f"not asked, because {what}"))

    def _end(self) -> bool:
        """Whether the run was ended; then nothing more is asked."""
        stopped = self._door.stopped
        if stopped is None:
            return False
        cause = cause_of(stopped)
        if not self._over.is_set() and not self._ended_early:
            self._ended_early = True
            self._cancel()
            for episode in self._by_name.values():
                episode.refuse(cause)
        return True

    def _cancel(self) -> None:
        tasks = [one.task for one in self._by_name.values() if one.task is not None]
        unfinished = [task for task in tasks if task.status == "pending"]
        try:
            self._cluster.cancel(unfinished)
        except Exception:
            # Without a scheduler there is nobody to be told.
            return

    def _disconnected(self, error: Exception) -> None:
        with self._change:
            if not self._over.is_set():
                detail = printable(f"{type(error).__name__}: {error}")
                lost = "was lost" if isinstance(error, OSError) else "said what makes no sense"
                self._door.end(
                    f"the scheduler at {self._cluster.address} {lost} ({detail}); what was played "
                    "stays, and --comem-resume goes on with it",
                    Fault.CONNECTION,
                )
                self._end()
            for episode in self._by_name.values():
                episode.leave()
            self._change.notify_all()
