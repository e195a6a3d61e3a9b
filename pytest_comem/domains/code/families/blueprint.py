"""Blueprints: the steps of a family, and the instance that it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final


@final
@dataclass(frozen=True, slots=True)
class Step:
    """One node to be.

    :param action: analyse, reproduce, baseline, localize, plan, implement, test, release, verify.
    :param option: the method of a localization (spectrum, words), the scope of a test (focused,
        regression); else nothing.
    """

    node_id: str
    action: str
    option: str = ""
    inputs: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Blueprint:
    """A family to be.

    :param instance: id of the instance.
    :param neighbour: id of the instance whose results can be mistaken for its own.
    :param revisions: pairs (node that sends back, node that works again).
    """

    slug: str
    instance: str
    neighbour: str
    steps: tuple[Step, ...]
    revisions: tuple[tuple[str, str], ...] = ()
    split: Literal["train", "development", "test"] = "test"


def parsed(lines: str) -> tuple[Step, ...]:
    """Return steps from lines such as ``focus: test focused fix script``."""
    return tuple(_step(line) for line in lines.strip().splitlines())


def _step(line: str) -> Step:
    node_id, rest = (part.strip() for part in line.split(":"))
    action, *words = rest.split()
    if action in ("localize", "test"):
        return Step(node_id, action, words[0], tuple(words[1:]))
    return Step(node_id, action, "", tuple(words))
