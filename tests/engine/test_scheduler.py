"""Whole episodes to workers, at constant cost."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

from pytest_comem.engine.scheduler import EpisodeScheduling


class Worker:
    """What the scheduler sees of a worker."""

    def __init__(self, name: str) -> None:
        self.gateway = SimpleNamespace(id=name)
        self.shutting_down = False
        self.given: list[int] = []

    def send_runtest_some(self, indices: list[int]) -> None:
        """Keep what was sent."""
        self.given.extend(indices)

    def shutdown(self) -> None:
        """Take no more."""
        self.shutting_down = True


def started(ids: list[str], workers: int, ahead: int = 2) -> tuple[EpisodeScheduling, list[Worker]]:
    """Return a scheduler that has handed out its first episodes."""
    config: Any = None
    scheduler = EpisodeScheduling(
        config, numnodes=workers, ahead=ahead, group_of=lambda node: node.rpartition("-")[0]
    )
    nodes = [Worker(f"gw{number}") for number in range(workers)]
    for node in nodes:
        scheduler.add_node(node)
    for node in nodes:
        scheduler.add_node_collection(node, ids)
    assert scheduler.collection_is_completed
    scheduler.schedule()
    return scheduler, nodes


def play(scheduler: EpisodeScheduling, nodes: list[Worker]) -> None:
    """Finish items round robin until nothing is left."""
    done: dict[int, int] = {id(node): 0 for node in nodes}
    for node in itertools.cycle(nodes):
        if done[id(node)] < len(node.given):
            scheduler.mark_test_complete(node, node.given[done[id(node)]])
            done[id(node)] += 1
        if not scheduler.has_pending:
            return


def test_every_item_is_given_once_and_episodes_stay_whole() -> None:
    """No episode is split between workers, whatever its size."""
    ids = [f"ep{episode}-{step}" for episode in range(9) for step in range(1 + episode % 4)]
    scheduler, nodes = started(ids, 3)
    play(scheduler, nodes)
    assert sorted(index for node in nodes for index in node.given) == list(range(len(ids)))
    for node, other in itertools.combinations(nodes, 2):
        episodes = [
            {ids[index].rpartition("-")[0] for index in each.given} for each in (node, other)
        ]
        assert not episodes[0] & episodes[1]
    assert scheduler.tests_finished
    assert all(node.shutting_down for node in nodes)


def test_a_dead_workers_episodes_go_on_elsewhere() -> None:
    """The item a worker died in is returned; its other items are given to a live worker."""
    ids = [f"ep{episode}-{step}" for episode in range(4) for step in range(3)]
    scheduler, (first, second) = started(ids, 2)
    scheduler.mark_test_complete(first, first.given[0])
    died_in = scheduler.remove_node(first)
    assert died_in == ids[first.given[1]]
    replacement = Worker("gw2")
    scheduler.add_node(replacement)
    scheduler.add_node_collection(replacement, ids)
    scheduler.schedule()
    play(scheduler, [second, replacement])
    lost = {first.given[0], first.given[1]}
    assert sorted({*second.given, *replacement.given} | lost) == list(range(len(ids)))


def test_more_workers_than_episodes_all_end() -> None:
    """A worker that gets nothing is told to end."""
    scheduler, nodes = started(["ep-1", "ep-2", "ep-3"], 4)
    play(scheduler, nodes)
    assert all(node.shutting_down for node in nodes)
    assert sum(bool(node.given) for node in nodes) == 1
