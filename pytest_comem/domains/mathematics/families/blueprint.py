"""Blueprints: which theorems a family proves, and who hands what to whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

from pytest_comem.domains.mathematics.families.library import LIBRARY
from pytest_comem.domains.mathematics.families.theorem import Theorem


@final
@dataclass(frozen=True, slots=True)
class Step:
    """One node to be; *action* is state, prove, audit, bundle or verify.

    :param theorem: what it is about.
    """

    node_id: str
    action: str
    theorem: str
    inputs: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Blueprint:
    """A family to be.

    :param revisions: pairs (node that sends back, node that works again).
    :param axioms: that proofs may rest on.
    :param lean: whether all of it is stated in Lean, too.
    """

    slug: str
    module: str
    title: str
    steps: tuple[Step, ...]
    revisions: tuple[tuple[str, str], ...] = ()
    axioms: tuple[str, ...] = ()
    lean: bool = False
    split: Literal["train", "development", "test"] = "test"


def theorem_of(module: str, name: str) -> Theorem:
    """Return a theorem of the library.

    :raises KeyError: where the module has none of this name.
    """
    return {one.name: one for one in LIBRARY[module]}[name]


def parsed(lines: str) -> tuple[Step, ...]:
    """Return steps from lines such as ``nil: join_nil`` or ``swap: turn_join < nil assoc``.

    Such a line becomes two nodes: ``say_swap`` finds the statement, ``swap`` proves it from that
    and the named proofs. ``axioms: audit swap main``, ``all: bundle main axioms`` and
    ``check: verify all`` are one node each, about the theorem of the last proof before them.
    """
    steps: list[Step] = []
    main = ""
    for line in lines.strip().splitlines():
        node_id, rest = (part.strip() for part in line.split(":"))
        first, *inputs = rest.split()
        if first in ("audit", "bundle", "verify"):
            steps.append(Step(node_id, first, main, tuple(inputs)))
            continue
        main, said = first, f"say_{node_id}"
        steps.append(Step(said, "state", main))
        steps.append(Step(node_id, "prove", main, (said, *inputs[1:])))
    return tuple(steps)
