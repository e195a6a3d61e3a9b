"""Retrieval that honours policy, deletion and consent (ours; the paper has no such baseline).

Beyond the policy's relationships it reads the dialogue itself: what is deleted in it stays
unavailable, who is given or loses access in it is treated so from then on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, WithheldReason
from pytest_comem.language.access import Grant, grant_of
from pytest_comem.language.bm25 import BM25Index
from pytest_comem.language.consent import concerns, permissions, topics_given, withdrawals
from pytest_comem.memory.base import Capabilities, MemorySystem
from pytest_comem.memory.deletions import DeletionLedger
from pytest_comem.memory.restricted import restricted_recall, withheld_recall


@final
class RagGoverned(MemorySystem):
    """The best entries among those that are neither deleted nor out of bounds."""

    capabilities: ClassVar[Capabilities] = Capabilities(governs_access=True, governs_deletion=True)

    def __init__(self) -> None:
        self._index = BM25Index()
        self._entries: list[Entry] = []
        self._deletions = DeletionLedger()
        self._consents: list[Entry] = []

    def ingest(self, entry: Entry) -> None:
        """Index the entry, and take note of what it deletes, allows or withdraws."""
        self._index.add(entry.text)
        self._entries.append(entry)
        self._deletions.add(entry.text)
        if withdrawals(entry.text) or permissions(entry.text):
            self._consents.append(entry)

    def recall(self, query: Query) -> Recall:
        """Return the best available entries, and which better ones were kept back and why."""
        if self._deletions.asks_for_deleted(query.text):
            return withheld_recall(
                self._index,
                self._entries,
                query,
                WithheldReason.DELETED,
                enforced_deletion=True,
            )
        grant = self._grant(query)
        unavailable = self._deletions.unavailable()

        def objection(number: int) -> WithheldReason | None:
            entry = self._entries[number]
            if not grant.covers(entry.text, entry.speaker):
                # Also where it is deleted as well: that it was there is not for this requester.
                return WithheldReason.UNAUTHORIZED
            return WithheldReason.DELETED if number in unavailable else None

        return restricted_recall(
            self._index, self._entries, query, objection, enforced_deletion=True
        )

    def _grant(self, query: Query) -> Grant:
        """Return the requester's grant after the consents and withdrawals so far, in order."""
        grant = grant_of(query)
        if grant.everything:
            return grant
        for entry in self._consents:
            if entry.speaker.id == query.requester.id:
                continue
            if any(concerns(said, query.requester) for said in withdrawals(entry.text)):
                grant = replace(grant, entitled=False)
                continue
            for said in permissions(entry.text):
                if concerns(said, query.requester):
                    topics = grant.topics if grant.entitled else frozenset()
                    grant = replace(grant, entitled=True, topics=topics | topics_given(said))
        return grant
