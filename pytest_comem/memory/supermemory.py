"""Supermemory, a hosted service, through its own client.

Everything an instance stores lies in one namespace of its own, which is deleted when it closes. The
service takes texts into a queue; an entry counts as ingested when the service says that it, and
whatever it learns from it, is done. Speaker and entry id travel as metadata.

Nothing here knows the service's address: it must be given, so that no run contacts it by accident.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, final

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.memory.base import (
    Capabilities,
    MemorySystem,
    OptionValue,
    Package,
    UnknownEntryError,
)

if TYPE_CHECKING:
    import httpx
    from supermemory import Supermemory as Client

    from pytest_comem.memory.setup import Setup

#: Holds the key; never an option, which would be written to the manifest.
KEY: Final = "SUPERMEMORY_API_KEY"
#: Names of metadata kept with every document.
_ENTRY: Final = "entry_id"
_SPEAKER: Final = "speaker"
_ROLE: Final = "role"
#: Documents listed, and deleted, in one call.
_PAGE: Final = 100
#: Similarity from which on something is found: everything, as with every other system.
_THRESHOLD: Final = 0.0
#: When the service learns from a text: at once, because a question can follow.
_DREAMING: Final = "instant"


@final
class Supermemory(MemorySystem):
    """One namespace of the service.

    Options: ``base_url`` of the service or a server that speaks like it, required; ``task_type``
    ``superrag`` (texts are made searchable) or ``memory`` (the service also learns from them, each
    text at once, which it bills); ``timeout`` in seconds for one call, and for processing one
    entry; ``poll_seconds`` between two looks at an entry being processed; ``max_retries`` of one
    call by the client.

    :param client: the service's client.
    :param http: the connection behind it, closed at the end; the client has no way to close it.
    :param namespace: unique to this instance, also among runs.
    """

    packages = (Package("supermemory", "supermemory", ">=5.0.1,<6"),)
    capabilities = Capabilities(
        deletes=True,
        updates=True,
        lists=True,
        principals=True,
        deletes_principals=True,
        external_service=True,
    )
    options: ClassVar[Mapping[str, OptionValue]] = {
        "base_url": "",
        "task_type": "superrag",
        "timeout": 60.0,
        "poll_seconds": 0.5,
        "max_retries": 2,
    }
    presets: ClassVar[Mapping[str, Mapping[str, OptionValue]]] = {
        "extract": {"task_type": "memory"}
    }
    fixed: ClassVar[Mapping[str, OptionValue]] = {
        "search threshold": _THRESHOLD,
        "search limit": "top-k",
        "dreaming (task_type memory)": _DREAMING,
    }

    def __init__(
        self, client: Client, http: httpx.Client, namespace: str, options: Mapping[str, OptionValue]
    ) -> None:
        self._client = client
        self._http = http
        self._namespace = namespace
        self._task_type = str(options["task_type"])
        self._timeout = float(options["timeout"])
        self._pause = float(options["poll_seconds"])
        #: Ids of the documents made of each entry, those deleted since included.
        self._stored: dict[str, list[str]] = {}
        self._is_used = False

    @classmethod
    def check(cls, options: Mapping[str, OptionValue]) -> None:
        """Refuse to start without the service's address and a key.

        :raises SettingsError: where one is missing.
        """
        if not options["base_url"]:
            raise SettingsError(
                "supermemory needs the address of the service: "
                "--memory-option supermemory.base_url=https://api.supermemory.ai"
            )
        if not os.environ.get(KEY):
            raise SettingsError(f"supermemory needs a key in the environment variable {KEY}")

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return an empty memory; the service is contacted with the first entry."""
        import httpx
        from supermemory import Supermemory as Client

        options = setup.options
        timeout = float(options["timeout"])
        http = httpx.Client(timeout=timeout, follow_redirects=True)
        client = Client(
            base_url=str(options["base_url"]),
            api_key=os.environ[KEY],
            timeout=timeout,
            max_retries=int(options["max_retries"]),
            httpx_client=http,
        )
        # The set-up's namespace is unique on this machine. The account may be shared with others,
        # whose namespaces closing must never delete; so a random part stands in front.
        return cls(client, http, f"comem_{uuid.uuid4().hex}_{setup.namespace}"[:100], options)

    @classmethod
    def capabilities_with(cls, options: Mapping[str, OptionValue]) -> Capabilities:
        """Return what it does; what the service learns is not what it was told."""
        return replace(cls.capabilities, verbatim=options["task_type"] != "memory")

    def ingest(self, entry: Entry) -> None:
        """Add the entry, and wait until it is searchable."""
        self._is_used = True
        more = {"date": entry.timestamp} if entry.timestamp is not None else {}
        added = self._client.add(
            self._namespace,
            content=entry.text,
            metadata={
                _ENTRY: entry.id,
                _SPEAKER: entry.speaker.id,
                _ROLE: entry.speaker.role,
            },
            **self._processing(),
            **more,
        )
        self._stored.setdefault(entry.id, []).append(added.id)
        self._wait_for(added.id)

    def recall(self, query: Query) -> Recall:
        """Return what the service finds, passages and what it learned."""
        return self._search(query)

    def recall_of(self, principal_id: str, query: Query) -> Recall:
        """Return what the service finds among what one principal said."""
        return self._search(query, filter=_said_by(principal_id))

    def entries(self) -> Sequence[RecallItem]:
        """Return the text of every document."""
        return [_item(document.content or "", document) for document in self._documents()]

    def delete(self, entry_id: str) -> None:
        """Delete the documents made of one entry, and what was learned from them.

        :raises UnknownEntryError: where the service reports an id it does not know.
        """
        self._delete(self._ids(entry_id), entry_id)

    def update(self, entry_id: str, text: str) -> None:
        """Replace the text of one entry, and wait until it is searchable.

        :raises UnknownEntryError: where the service reports an id it does not know.
        """
        from supermemory.errors import NotFoundError

        for document_id in self._ids(entry_id):
            try:
                self._client.documents.update(
                    self._namespace, document_id, content=text, **self._processing()
                )
            except NotFoundError as error:
                raise UnknownEntryError(entry_id) from error
            self._wait_for(document_id)

    def delete_principal(self, principal_id: str) -> None:
        """Delete every document of what one principal said."""
        said = self._documents(filter=_said_by(principal_id))
        ids = [document.id for document in said]
        for start in range(0, len(ids), _PAGE):
            self._delete(ids[start : start + _PAGE], principal_id)

    def close(self) -> None:
        """Delete the namespace and close the connection."""
        from supermemory.errors import NotFoundError

        try:
            if self._is_used:
                self._client.namespaces.delete(self._namespace)
        except NotFoundError:
            pass
        finally:
            self._http.close()

    def _search(self, query: Query, **more: Any) -> Recall:
        found = self._client.search(
            self._namespace, query=query.text, limit=query.top_k, threshold=_THRESHOLD, **more
        )
        items = (
            _item(result.memory or result.chunk or "", result, float(result.similarity))
            for result in found.results
        )
        return Recall(tuple(items))

    def _documents(self, **more: Any) -> list[Any]:
        return list(self._pages(**more))

    def _pages(self, **more: Any) -> Iterator[Any]:
        page, pages = 1, 1.0
        while page <= pages:
            listed = self._client.list(
                self._namespace,
                "documents",
                page=page,
                limit=_PAGE,
                sort="createdAt",
                order="asc",
                include={"content": True},
                **more,
            )
            yield from listed.documents
            page, pages = page + 1, listed.pagination.total_pages

    def _processing(self) -> dict[str, Any]:
        """Return how texts are processed."""
        learning = {"dreaming": _DREAMING} if self._task_type == "memory" else {}
        return {"task_type": self._task_type, **learning}

    def _wait_for(self, document_id: str) -> None:
        latest = monotonic() + self._timeout
        while True:
            state = self._client.documents.get(self._namespace, document_id).system
            if state.status == "failed":
                raise InfrastructureError("supermemory could not process an entry", type="provider")
            if state.status == "done" and state.dreaming_status == "done":
                return
            if monotonic() >= latest:
                raise InfrastructureError(
                    f"supermemory did not process an entry within {self._timeout:g} s; "
                    f"it is {state.status}, learning from it is {state.dreaming_status}",
                    type="provider",
                )
            sleep(self._pause)

    def _delete(self, ids: Sequence[str], name: str) -> None:
        from supermemory.errors import NotFoundError

        try:
            problems = self._client.documents.delete(self._namespace, ids=ids).errors
        except NotFoundError as error:
            raise UnknownEntryError(name) from error
        for problem in problems:
            if "not found" in problem.error.lower():
                raise UnknownEntryError(name)
            raise InfrastructureError(
                f"supermemory did not delete an entry: {problem.error}", type="provider"
            )

    def _ids(self, entry_id: str) -> Sequence[str]:
        """Return the documents of an entry; for one never ingested its own id."""
        return self._stored.get(entry_id, [entry_id])


def _said_by(principal_id: str) -> dict[str, Any]:
    return {"field": _SPEAKER, "operator": "eq", "value": principal_id, "case_sensitive": True}


def _item(text: str, found: Any, score: float | None = None) -> RecallItem:
    metadata = found.metadata
    sources = (str(metadata[_ENTRY]),) if _ENTRY in metadata else ()
    speaker = (
        Principal(str(metadata[_SPEAKER]), str(metadata.get(_ROLE, "")))
        if _SPEAKER in metadata
        else None
    )
    return RecallItem(text, score, sources, speaker)
