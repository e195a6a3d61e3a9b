"""Blueprints: a family's material and steps, with who it is about left open.

Words, places and values of steps may hold ``{who}``. A step's *truth* is SQL over the material and
the truths of earlier steps, each a table by its name, with ``:who``: an account of the result that
shares nothing with how workers reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, final

from pytest_comem.domains.tools.tables import Table


@final
@dataclass(frozen=True, slots=True)
class Source:
    """A table of the material, and where it lies: see :mod:`..material`."""

    where: Mapping[str, str]
    table: Table


#: Makes sources by name, for the two that a family may be about.
MakeSources = Callable[[Random, tuple[str, str]], Mapping[str, Source]]


@final
@dataclass(frozen=True, slots=True)
class Step:
    """One node to be.

    :param kind: semantic type of what it makes.
    :param title: what the result is called.
    :param say: what has to be done, in words.
    :param read: sources by name, or ``NAME=NODE`` for what lies at the place of an input.
    :param work: steps, facts, code, run and convert; see :mod:`..working`.
    """

    node_id: str
    kind: str
    title: str
    say: str
    place: Mapping[str, Any]
    truth: str
    inputs: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    work: Mapping[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class Blueprint:
    """A family to be.

    :param title: of the family.
    :param who: who it is about, and another of nearly the same name.
    :param forms: tables to be filled in.
    :param revisions: pairs (node that sends back, node that works again).
    """

    slug: str
    title: str
    who: tuple[str, str]
    sources: MakeSources
    steps: tuple[Step, ...]
    database: Literal["sqlite", "postgres"] | None = None
    forms: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    repository: bool = False
    revisions: tuple[tuple[str, str], ...] = ()
    split: Literal["train", "development", "test"] = "test"
