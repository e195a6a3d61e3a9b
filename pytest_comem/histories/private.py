"""What in a text is private: how each kind is found, bounded and without a look at anything else.

Found are addresses of people and machines, phone numbers, keys and passwords, and home directories.
Names of people are no form that could be found; they are known from the history.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, final

from pytest_comem.office.styles import dates_in

_EMAIL: Final = re.compile(
    r"(?<![\w.+%-])[A-Za-z0-9][\w.+%-]{0,63}@[A-Za-z0-9][A-Za-z0-9.-]{0,200}\.[A-Za-z]{2,24}(?![\w-])",
    re.ASCII,
)
_USER_INFO: Final = re.compile(
    r"(?<=://)(?P<value>[^\s/@:\"'<>]{1,100}:[^\s/@\"'<>]{1,200})(?=@[A-Za-z0-9\[])"
)
_BLOCK: Final = re.compile(
    r"-----BEGIN (?P<what>[A-Z ]{0,30}PRIVATE KEY)-----"
    r"(?P<value>(?:[^-]|-(?!----)){1,16000})-----END (?P=what)-----"
)
_PREFIXES: Final = (
    *(r"sk-", r"gh[pousr]_", r"github_pat_", r"glpat-", r"AKIA", r"ASIA", r"xox[abeprs]-", r"AIza"),
    *(r"npm_", r"pypi-", r"hf_", r"eyJ", r"[Bb]earer ", r"whsec_", r"SG\.", r"dop_v1_"),
)
_KEY: Final = re.compile(
    rf"(?<![\w-])(?P<before>{'|'.join(_PREFIXES)})(?P<value>[A-Za-z0-9_-][A-Za-z0-9_.~+/-]{{15,}})",
    re.ASCII,
)
_ASSIGNED: Final = re.compile(
    r"(?P<before>(?:api|access|secret|auth|private)?[_-]?(?:key|secret|token|passwd|password|passphrase)"
    r"[\"'`]?[ \t]{0,3}[:=]{1,2}[ \t]{0,3}[\"'`]?)(?P<value>[A-Za-z0-9+/_.~!@#%^&*-]{8,})",
    re.IGNORECASE | re.ASCII,
)
_IPV4: Final = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)", re.ASCII)
_IPV6: Final = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{6,39}(?![\w:])", re.ASCII)
_PHONE: Final = re.compile(
    r"(?<![\w.+/-])(?:\+\d{1,3}[ .(-]{1,2}\d{1,4}[ .)-]{0,2}\d{2,5}(?:[ .-]?\d{2,5}){0,3}"
    r"|\+\d{10,14}|\(\d{3}\) ?\d{3}[-. ]\d{4}|\d{3}-\d{3}-\d{4})(?![\w-])",
    re.ASCII,
)
_HOME: Final = re.compile(
    r"(?:(?<=/)~|(?<![\w.])(?:/home/|/Users/|[A-Za-z]:\\{1,2}Users\\{1,2}))"
    r"(?P<value>[A-Za-z0-9][\w.-]{0,63})",
    re.ASCII,
)
_DIGITS: Final = range(8, 16)


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """Something private, ``text[start:end]``.

    :param kind: a name of :data:`FINDERS`.
    """

    kind: str
    start: int
    end: int
    value: str


def _plainly(kind: str, pattern: re.Pattern[str], is_one: Callable[[str], bool]) -> _Finder:
    def find(text: str) -> Iterator[Finding]:
        for match in pattern.finditer(text):
            group = "value" if "value" in pattern.groupindex else 0
            if is_one(match[group]):
                yield Finding(kind, match.start(group), match.end(group), match[group])

    return find


def _always(value: str) -> bool:
    return True


def _is_password(value: str) -> bool:
    """Whether what is given to a name such as ``token`` is no word or name of code."""
    marks = sum(not one.isalnum() for one in value)
    mixed = any(one.isdigit() for one in value) and any(one.isalpha() for one in value)
    return mixed and marks <= len(value) // 3


def _is_key(value: str) -> bool:
    return any(one.isdigit() for one in value) or value.isupper() or len(value) >= 32


def _is_ipv4(value: str) -> bool:
    if any(int(part) > 255 for part in value.split(".")):
        return False
    return not value.startswith(("127.", "0.", "255."))


def _is_ipv6(value: str) -> bool:
    groups = [part for part in value.split(":") if part]
    if len(groups) < 3 or not any(one.isdigit() for one in value):
        return False
    try:
        ipaddress.IPv6Address(value)
    except ValueError:
        return False
    return True


def _is_phone(value: str) -> bool:
    digits = sum(one.isdigit() for one in value)
    return digits in _DIGITS and not dates_in(value.lstrip("+"))


_Finder = Callable[[str], Iterator[Finding]]
#: Each kind by name, in the order in which they are replaced.
FINDERS: Final[Mapping[str, _Finder]] = {
    kind: _plainly(kind, pattern, is_one)
    for kind, pattern, is_one in (
        ("key block", _BLOCK, _always),
        ("user information", _USER_INFO, _always),
        ("key", _KEY, _is_key),
        ("password", _ASSIGNED, _is_password),
        ("e-mail address", _EMAIL, _always),
        ("IPv6 address", _IPV6, _is_ipv6),
        ("IPv4 address", _IPV4, _is_ipv4),
        ("phone number", _PHONE, _is_phone),
        ("home directory", _HOME, _always),
    )
}
