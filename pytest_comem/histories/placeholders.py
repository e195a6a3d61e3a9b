"""Placeholders for what is private: the same value has the same one, wherever it stands.

Numbers follow the order in which values are seen, so the same history gives the same placeholders.
A placeholder has the form of what it stands for: an address stays an address of as many parts, and
a phone number keeps its blanks and marks.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from typing import Final, final

from pytest_comem.histories.private import FINDERS, Finding

#: Shorter names of people, in characters, are no names that could be told from words.
_SHORTEST_NAME: Final = 3
#: Addresses for documents: TEST-NET-1 to 3, then the block for benchmarks.
_NETS: Final = ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "198.18.0.0/15")
_WORD: Final = re.compile(r"@?(?P<word>[^\W_]+)")
_NOREPLY: Final = "@users.noreply.github.com"


@final
class Placeholders:
    """Replaces what is private in the texts and paths of one history.

    :param keep_names: whether names of people stay; their addresses do not.
    """

    def __init__(self, keep_names: bool = False) -> None:
        self._keep_names = keep_names
        self._given: dict[tuple[str, str], str] = {}
        self._used: set[str] = set()
        self._counts: dict[str, int] = {}
        self._people: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}

    @property
    def counts(self) -> dict[str, int]:
        """How many different values of each kind were replaced."""
        return dict(sorted(self._counts.items()))

    def introduce(self, people: Iterable[tuple[str, str]]) -> None:
        """Take note of names and addresses of authors, in order, before any text is replaced."""
        for name, email in people:
            number = self._number_of(email)
            key = _folded(name)
            if len(key) >= _SHORTEST_NAME:
                self._names.setdefault(key, number)
            handle = email.removesuffix(_NOREPLY) if email.endswith(_NOREPLY) else ""
            handle = handle.rpartition("+")[2]
            if handle:
                self._names.setdefault(_folded(f"@{handle}"), number)
        self._patterns = _patterns(self._names)

    def name(self, name: str, email: str) -> str:
        """Return the placeholder of an author, as a name."""
        return name if self._keep_names else f"Person {self._number_of(email)}"

    def text(self, text: str) -> str:
        """Return a text with everything private replaced."""
        for find in FINDERS.values():
            found = [one for one in find(text) if not self._is_ours(one, text)]
            text = _replaced(text, ((one.start, one.end, self._for(one)) for one in found))
        return _replaced(text, self._people_in(text))

    def left_in(self, text: str) -> str:
        """Return the kind of something private that a text still holds; empty where nothing."""
        for kind, find in FINDERS.items():
            if any(not self._is_ours(one, text) for one in find(text)):
                return kind
        return "name" if any(self._people_in(text)) else ""

    def _is_ours(self, finding: Finding, text: str) -> bool:
        """Whether it is a placeholder, or the end of a URL's user information that is one."""
        if finding.value in self._used:
            return True
        word, _, number = finding.value.partition("@")[0].partition("secret")
        return not word and text.endswith(f"://user{number}:", 0, finding.start)

    def _for(self, finding: Finding) -> str:
        value = finding.value.lower() if "address" in finding.kind else finding.value
        key = (finding.kind, value)
        if key not in self._given:
            number = self._counts[finding.kind] = self._counts.get(finding.kind, 0) + 1
            self._given[key] = self._made(finding, number)
            self._used.add(self._given[key])
        return self._given[key]

    def _made(self, finding: Finding, number: int) -> str:
        match finding.kind:
            case "e-mail address":
                return f"person{self._number_of(finding.value.lower())}@example.org"
            case "user information":
                return f"user{number}:secret{number}"
            case "IPv4 address":
                return _ipv4(number)
            case "IPv6 address":
                return f"2001:db8:0:1::{number:x}"
            case "phone number":
                return _phone(finding.value, number)
            case "home directory":
                return f"user{number}"
            case "key block":
                return f"\nexample {number}\n"
            case _:
                return _masked(finding.value, number)

    def _number_of(self, email: str) -> int:
        return self._people.setdefault(email, len(self._people) + 1)

    def _people_in(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield where names of people stand, and what takes their place."""
        at = 0
        for word in _WORD.finditer(text) if self._patterns and not self._keep_names else ():
            for start in dict.fromkeys((word.start(), word.start("word"))):
                pattern = self._patterns.get(text[start : word.end()].casefold())
                found = pattern.match(text, start) if pattern and start >= at else None
                if found:
                    at = found.end()
                    yield start, at, self._named(found[0])
                    break

    def _named(self, found: str) -> str:
        number = self._names[_folded(found)]
        if found.startswith("@"):
            return f"@person{number}"
        blank = any(one.isspace() for one in found)
        mark = " " if blank else next((one for one in found if one in "-_."), " ")
        word = "Person" if found[:1].isupper() else "person"
        return f"{word}{mark}{number}"


def _replaced(text: str, pieces: Iterable[tuple[int, int, str]]) -> str:
    def parts() -> Iterator[str]:
        at = 0
        for start, end, new in pieces:
            yield text[at:start]
            yield new
            at = end
        yield text[at:]

    return "".join(parts())


def _folded(name: str) -> str:
    """Return a name as it is compared: in small letters, with a blank between its parts."""
    plain = " ".join(re.split(r"[\s._-]+", name)).casefold()
    return re.sub(r"^[^\w@]+", "", plain).strip()


def _patterns(names: Iterable[str]) -> dict[str, re.Pattern[str]]:
    """Return what matches names, their parts joined by blanks or marks, by their first words.

    Each word of a text is looked up, so that a history of thousands of people costs no more.
    """
    forms: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda one: (-len(one), one)):
        first = _WORD.search(name)
        if first:
            parts = map(re.escape, name[first.start() :].split(" "))
            forms.setdefault(first[0], []).append(r"[\s._-]{1,3}".join(parts))
    return {
        first: re.compile(rf"(?:{'|'.join(each)})(?![^\W_])", re.IGNORECASE)
        for first, each in forms.items()
    }


def _ipv4(number: int) -> str:
    for net in map(ipaddress.IPv4Network, _NETS):
        if number < net.num_addresses - 1:
            return str(net[number])
        number -= net.num_addresses - 2
    return str(ipaddress.IPv4Address("240.0.0.0") + number)


def _phone(value: str, number: int) -> str:
    """Return a number with the blanks and marks of another; 555 is given to nobody."""
    size = sum(one.isdigit() for one in value)
    lead = "1555" if value.startswith("+") else "555"
    digits = iter(f"{lead}{number:0{max(size - len(lead), 0)}}"[:size])
    return "".join(next(digits, "0") if one.isdigit() else one for one in value)


def _masked(value: str, number: int) -> str:
    """Return a key of the same length and marks that opens nothing."""
    tail = f"{number:03}"
    body = "".join("x" if one.isalnum() else one for one in value[: -len(tail)])
    return f"{body}{tail}"
