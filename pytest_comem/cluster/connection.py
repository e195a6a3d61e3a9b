"""The connection of a run to a Dask cluster."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, final

from pytest_comem.cluster import task
from pytest_comem.cluster.messages import Message, read, written
from pytest_comem.cluster.parcel import Parcel

if TYPE_CHECKING:
    from distributed import Client, Future

#: Seconds in which a run that is over says so to the workers and leaves.
_LEAVING: Final = 3.0


@final
class Cluster:
    """A cluster whose workers can play a run, and the one place that speaks with it.

    :param address: of the scheduler.
    :param client: connected to it; closed with this.
    :param parcel: what workers make the run from.
    :param fingerprint: what has to be the same on every worker.
    """

    def __init__(
        self, address: str, client: Client, parcel: Parcel, fingerprint: dict[str, str]
    ) -> None:
        from distributed import Queue

        self.address: Final = address
        self.fingerprint: Final = fingerprint
        self._client = client
        self._parcel = parcel
        self._queue = Queue(f"comem-{parcel.token}", client=client)
        self._sent = 0
        self._closed = False

    def workers(self) -> dict[str, int]:
        """Return the threads of every worker by its address.

        :raises OSError: where the scheduler does not answer.
        """
        return dict(self._client.nthreads())

    def submit(self, episode: str, workers: Collection[str] = ()) -> Future:
        """Hand in an episode; :meth:`received` tells what becomes of it.

        :param workers: those that would do best, where it matters.
        """
        self._sent += 1
        future = self._client.submit(
            task.play_episode,
            episode,
            self._parcel,
            self._queue.name,
            key=f"comem-{self._parcel.token}-{episode}-{self._sent}",
            pure=False,
            retries=0,
            workers=sorted(workers) or None,
            allow_other_workers=bool(workers),
        )
        future.add_done_callback(lambda done: self._settled(episode, done))
        return future

    def answer(self, turn: str, message: Message) -> None:
        """Tell a worker that has begun an episode what to play of it."""
        from distributed import Queue

        queue = Queue(f"comem-{turn}", client=self._client)
        queue.put(written(message))
        queue.close()

    def say(self, kind: str, **more: Any) -> None:
        """Put a message behind all that has come so far."""
        self._queue.put(written({"kind": kind, **more}))

    def received(self) -> list[Message]:
        """Return the next messages, waiting for them.

        :raises OSError: where the scheduler is lost.
        :raises ValueError: where something else has come.
        """
        lines = [self._queue.get()]
        lines += self._queue.get(batch=True)
        return [read(line) for line in lines]

    def cancel(self, futures: Iterable[Future]) -> None:
        """Want tasks no more; those at work notice it."""
        self._client.cancel(list(futures), force=True)

    def close(self) -> None:
        """Let workers forget the run, and leave; in seconds, whatever has become of the cluster."""
        if self._closed:
            return
        self._closed = True
        leaving = threading.Thread(target=self._leave, name="comem-leaving", daemon=True)
        leaving.start()
        leaving.join(_LEAVING)

    def _leave(self) -> None:
        # Where a part of the cluster is gone, there is nothing left to tell it.
        with suppress(Exception):
            self._client.run(task.forget, self._parcel.token, on_error="ignore")
        with suppress(Exception):
            self._queue.close()
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._client.close()

    def _settled(self, episode: str, future: Future) -> None:
        """Say what has become of a task; called on a thread of the client's."""
        if self._closed:
            return
        problem, died = "", False
        if future.status == "error":
            from distributed import KilledWorker

            error = future.exception()
            died = isinstance(error, KilledWorker)
            problem = f"{type(error).__name__}: {error}"
        with suppress(Exception):
            self.say(
                "settled",
                episode=episode,
                key=str(future.key),
                status=future.status,
                died=died,
                problem=problem,
            )
