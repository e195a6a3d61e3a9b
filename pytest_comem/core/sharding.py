"""Which part of a benchmark one machine of several plays, without any of them knowing the others.

An episode's part follows from its own name, so episodes that are added to the data later leave all
others where they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Shard:
    """One part of several.

    :param number: 1 for the first.
    :param of: how many there are.
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Return the shard written as ``I/N``.

        :raises ValueError: where *text* is none.
        """
        number, slash, of = text.partition("/")
        if not (slash and number.strip().isdecimal() and of.strip().isdecimal()):
            raise ValueError(f"{text!r} is not I/N, such as 1/4")
        found = cls(int(number), int(of))
        if not 1 <= found.number <= found.of:
            raise ValueError(f"{text!r} names no part: I goes from 1 to N")
        return found

    def holds(self, domain: str, episode: str) -> bool:
        """Whether an episode, with every step on every system, belongs to this part."""
        digest = sha256(f"{domain}\0{episode}".encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"
