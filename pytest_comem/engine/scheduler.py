"""Which worker plays which episode under pytest-xdist.

An episode's steps share one memory, so they must stay on one worker. Episodes are handed out
whole, a few ahead of what a worker is doing, and every finished item costs constant time. The
episode is read off the node id (:attr:`pytest_comem.core.steps.Step.label`); no marks are needed.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any, Final, final

import pytest

_MIN_PENDING: Final = 2


@final
class EpisodeScheduling:
    """Implements xdist's ``Scheduling`` protocol.

    :param numnodes: workers expected at the start.
    :param ahead: episodes a worker may hold at once.
    :param group_of: the group a node id belongs to, or ``None`` for an item of its own.
    """

    def __init__(
        self,
        config: pytest.Config,
        *,
        numnodes: int,
        ahead: int,
        group_of: Callable[[str], str | None],
    ) -> None:
        self.config = config
        self.numnodes = numnodes
        self.collection: list[str] | None = None
        self._ahead = ahead
        self._group_of = group_of
        self._collections: dict[Any, list[str]] = {}
        self._pending: dict[Any, dict[int, None]] = {}
        self._open: dict[Any, Counter[int]] = {}
        self._groups: list[int] = []
        self._unassigned: deque[list[int]] = deque()

    @property
    def nodes(self) -> list[Any]:
        """The workers."""
        return list(self._pending)

    @property
    def collection_is_completed(self) -> bool:
        """Whether every expected worker has said what it collected."""
        return len(self._collections) >= self.numnodes

    @property
    def tests_finished(self) -> bool:
        """Whether nothing is left to hand out and no worker has more than its last item."""
        return (
            self.collection_is_completed
            and not self._unassigned
            and all(len(pending) < _MIN_PENDING for pending in self._pending.values())
        )

    @property
    def has_pending(self) -> bool:
        """Whether anything is left to do."""
        return bool(self._unassigned) or any(self._pending.values())

    def add_node(self, node: Any) -> None:
        """A worker is ready."""
        self._pending[node] = {}
        self._open[node] = Counter()

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        """A worker has collected; one that comes late must have collected the same."""
        if self.collection is not None and list(collection) != self.collection:
            self._report_difference(node, collection)
            return
        self._collections[node] = list(collection)

    def schedule(self) -> None:
        """Hand out the first episodes, or serve a worker that came later."""
        if self.collection is None:
            first, *others = self._collections.items()
            for node, collection in others:
                if collection != first[1]:
                    self._report_difference(node, collection)
                    return
            self.collection = first[1]
            self._unassigned.extend(self._in_groups(range(len(self.collection))))
        # One episode each before anyone gets a second one.
        for node in self.nodes:
            if self._unassigned and not self._pending[node]:
                self._send(node)
        for node in self.nodes:
            self._serve(node)

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        """An item is done."""
        self._forget(node, item_index)
        self._serve(node)

    def mark_test_pending(self, item: str) -> None:
        """An item is to be run again (asked for by plugins that handle crashes)."""
        assert self.collection is not None
        self._unassigned.appendleft([self.collection.index(item)])
        for node in self.nodes:
            self._serve(node)

    def remove_pending_tests_from_node(self, node: Any, indices: Sequence[int]) -> None:
        """Work is never stolen: it would tear an episode apart."""
        raise NotImplementedError

    def remove_node(self, node: Any) -> str | None:
        """A worker is gone; return the item it died in, and hand its other episodes on."""
        pending = list(self._pending.pop(node))
        self._open.pop(node)
        self._collections.pop(node, None) if self.collection is None else None
        if not pending:
            return None
        assert self.collection is not None
        self._unassigned.extendleft(reversed(self._in_groups(pending[1:])))
        for other in self.nodes:
            self._serve(other)
        return self.collection[pending[0]]

    def _in_groups(self, indices: Sequence[int]) -> list[list[int]]:
        assert self.collection is not None
        if not self._groups:
            numbers: dict[str, int] = {}
            for index, node_id in enumerate(self.collection):
                group = self._group_of(node_id) or f"\0{index}"
                self._groups.append(numbers.setdefault(group, len(numbers)))
        gathered: dict[int, list[int]] = {}
        for index in indices:
            gathered.setdefault(self._groups[index], []).append(index)
        return list(gathered.values())

    def _forget(self, node: Any, index: int) -> None:
        del self._pending[node][index]
        open_groups = self._open[node]
        group = self._groups[index]
        open_groups[group] -= 1
        if not open_groups[group]:
            del open_groups[group]

    def _serve(self, node: Any) -> None:
        """Give *node* more episodes where it needs them, or let it end."""
        if node.shutting_down:
            return
        while self._unassigned and self._wants_more(node):
            self._send(node)
        if not self._unassigned:
            node.shutdown()

    def _wants_more(self, node: Any) -> bool:
        fair = 1 + len(self._unassigned) // (2 * len(self._pending))
        held = len(self._open[node])
        return len(self._pending[node]) < _MIN_PENDING or held < min(self._ahead, fair)

    def _send(self, node: Any) -> None:
        indices = self._unassigned.popleft()
        self._pending[node].update(dict.fromkeys(indices))
        self._open[node].update(self._groups[index] for index in indices)
        node.send_runtest_some(indices)

    def _report_difference(self, node: Any, collection: Sequence[str]) -> None:
        known = set(self.collection or next(iter(self._collections.values())))
        odd = sorted(known.symmetric_difference(collection))[:3]
        report = pytest.CollectReport(
            nodeid=node.gateway.id,
            outcome="failed",
            longrepr=f"worker {node.gateway.id} collected other tests than the first: {odd}",
            result=[],
        )
        self.config.hook.pytest_collectreport(report=report)
