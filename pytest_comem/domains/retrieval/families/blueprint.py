"""Blueprints: the steps of a family, with the clues that start it left open.

A step's *anchor* is ``A`` or ``B``, a name that the question gives, or nothing where it comes from
the entity that an input resolved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final


@final
@dataclass(frozen=True, slots=True)
class Step:
    """One node to be; *action* is search, resolve, answer, audit, bundle or verify."""

    node_id: str
    action: str
    inputs: tuple[str, ...] = ()
    partition: str = ""
    relation: str = ""
    seeks: str = ""
    anchor: str = ""


@final
@dataclass(frozen=True, slots=True)
class Blueprint:
    """A family to be.

    :param kinds: of the anchors A and, where there are two, B.
    :param question: with ``{A}`` and ``{B}``.
    :param revisions: pairs (node that sends back, node that works again).
    """

    slug: str
    kinds: tuple[str, ...]
    question: str
    steps: tuple[Step, ...]
    revisions: tuple[tuple[str, str], ...] = ()
    split: Literal["train", "development", "test"] = "test"


def parsed(lines: str) -> tuple[Step, ...]:
    """Return steps from lines such as ``find_1: search lives maker person A`` or ``go: audit x``.

    A search names its partition, relation, the kind it seeks, and an anchor or the resolving node.
    """
    return tuple(_step(line) for line in lines.strip().splitlines())


def _step(line: str) -> Step:
    node_id, rest = (part.strip() for part in line.split(":"))
    action, *words = rest.split()
    if action != "search":
        return Step(node_id, action, tuple(words))
    partition, relation, seeks, source = words
    if source in ("A", "B"):
        return Step(node_id, action, (), partition, relation, seeks, source)
    return Step(node_id, action, (source,), partition, relation, seeks)
