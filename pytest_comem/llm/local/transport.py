"""Calls of a local model: its server is started by the first one, so that a replay starts none."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn, final

from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.llm.local.files import find_weights
from pytest_comem.llm.local.server import LocalModelServer
from pytest_comem.llm.wire import OpenAIWire


@final
class LocalTransport:
    """One local model; from any thread, one call at a time.

    The server would queue calls as well, but then a call's timeout would run while others are
    answered.

    :param name: one of :data:`~pytest_comem.llm.local.files.LOCAL_MODELS`.
    :raises ProviderFault: where a package is missing, with the command that installs it.
    """

    def __init__(self, name: str) -> None:
        try:
            self.server = LocalModelServer(find_weights(name))
        except SettingsError as error:
            raise ProviderFault(Fault.BAD_REQUEST, str(error)) from None
        self._name = name
        self._turn = threading.Lock()
        self._wire: OpenAIWire | None = None
        self._closed = False

    def chat(self, call: ChatCall) -> Completion:
        """Make one attempt; a server that has died meanwhile is started again.

        :raises ProviderFault: where it fails.
        """
        with self._turn:
            completion = self._running().chat(call)
        # Nobody is paid for it.
        return replace(completion, cost=0.0)

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
        """Refuse: it is no embedder.

        :raises ProviderFault: always.
        """
        raise ProviderFault(
            Fault.BAD_REQUEST,
            f"{self._name} is no embedder; --comem-embedder names one",
        )

    def close(self) -> None:
        """End the server, also while it answers; later attempts fail."""
        self._closed = True
        self.server.close()
        # Another thread may just be replacing it.
        if (wire := self._wire) is not None:
            wire.close()

    def _running(self) -> OpenAIWire:
        if self._closed:
            _over()
        if self._wire is None or self.server.pid is None:
            self._start()
        assert self._wire is not None
        return self._wire

    def _start(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None
        try:
            self._wire = OpenAIWire(self.server.start(), keyed=False)
        except InfrastructureError as error:
            # Not worth another try: whatever is wrong with it lasts.
            raise ProviderFault(Fault.BAD_REQUEST, str(error)) from None
        if self._closed:
            # By another thread, which may have looked before there was anything to end.
            self.close()
            _over()


def _over() -> NoReturn:
    raise ProviderFault(Fault.CONNECTION, "the run is over")
