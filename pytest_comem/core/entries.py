"""What a memory system and an agent may see: entries, queries and the people behind them.

Keeping hidden annotations away from the method under test is structural: these classes have no
field that could hold an expected action, a leak target or a query type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Principal:
    """A person or program that speaks or asks.

    :param id: identifier, unique within an episode.
    :param role: role word of the benchmark, such as ``nurse`` or ``contractor``.
    """

    id: str
    role: str


@final
@dataclass(frozen=True, slots=True)
class Relationship:
    """One relationship fact, as the benchmark states it.

    :param type: such as ``project_member``.
    :param fields: the fact's other fields in file order, ``(name, value)``.
    """

    type: str
    fields: tuple[tuple[str, str], ...]

    def names(self, principal_id: str) -> bool:
        """Whether one of the fact's fields is this principal."""
        return any(value == principal_id for _, value in self.fields)

    def get(self, name: str) -> str | None:
        """Return the value of field *name*, or ``None``."""
        return dict(self.fields).get(name)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.fields)


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to remember, handed to a memory system in the order of the episode.

    :param id: identifier, unique within an episode (a turn id in GateMem).
    :param text: natural language only, no memory-operation labels.
    :param speaker: who said it.
    :param timestamp: ISO 8601 as the benchmark states it (seconds may be absent), or ``None``.
    :param kind: such as ``dialogue`` or ``note_update``, or ``None``.
    """

    id: str
    text: str
    speaker: Principal
    timestamp: str | None = None
    kind: str | None = None


@final
@dataclass(frozen=True, slots=True)
class Query:
    """A question to a memory, and what the one who answers may know about the asker.

    :param text: the question.
    :param requester: who asks.
    :param relationships: the relationship facts that name the requester, no others.
    :param policy: the domain's policy, natural language.
    :param top_k: how many items a memory may hand over at most.
    """

    text: str
    requester: Principal
    relationships: tuple[Relationship, ...]
    policy: str
    top_k: int
