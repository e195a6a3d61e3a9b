"""Stand-ins for ids that libraries draw at random, so that equal runs send equal requests.

LangMem, for one, writes a fresh UUID into every prompt and names memories by UUIDs. A recorded
call would never be found again, and a reply that names a memory would name one of another run.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final, final
from uuid import UUID, uuid5

#: With dashes or without, in small letters, as libraries print them; of fixed length, so that
#: matching takes linear time.
_UUID: Final = re.compile(
    r"(?<![0-9a-f])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})(?![0-9a-f])"
)
#: Stand-ins are made from numbers below this one.
_NAMES: Final = UUID("b7b5c1de-3c0b-5d6f-8f5e-2a5c8a1f4e90")


@final
class Aliases:
    """One instance's UUIDs and what stands for them, numbered by first appearance.

    A UUID that stands in a conversation is replaced as well, and comes back in the reply.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._aliases: dict[str, str] = {}
        self._originals: dict[str, str] = {}

    def hide(self, value: Any) -> Any:
        """Return a JSON value with each UUID replaced by its stand-in."""
        return _replaced(value, self._alias_of)

    def reveal(self, value: Any) -> Any:
        """Return a JSON value with each stand-in replaced by the UUID it stands for."""
        return _replaced(value, self._original_of)

    def _alias_of(self, digits: str) -> str:
        with self._lock:
            alias = self._aliases.get(digits)
            if alias is None:
                alias = uuid5(_NAMES, str(len(self._aliases))).hex
                self._aliases[digits] = alias
                self._originals[alias] = digits
            return alias

    def _original_of(self, digits: str) -> str:
        with self._lock:
            return self._originals.get(digits, digits)


def _replaced(value: Any, replace: Callable[[str], str]) -> Any:
    """Return *value* with every UUID in its texts replaced; the same object where none is.

    :param replace: from 32 digits to 32 others.
    """

    def in_its_form(found: re.Match[str]) -> str:
        text = found.group()
        digits = replace(text.replace("-", ""))
        return str(UUID(digits)) if "-" in text else digits

    def within(value: Any) -> Any:
        # Not in all of it as JSON, whose escapes have digits of their own.
        if isinstance(value, str):
            return _UUID.sub(in_its_form, value)
        if isinstance(value, Mapping):
            return {within(name): within(member) for name, member in value.items()}
        return [within(member) for member in value] if isinstance(value, list | tuple) else value

    changed = within(value)
    return value if changed == value else changed
