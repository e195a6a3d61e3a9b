"""The simulated resource service: recorded attributes of a task's resources, by text requests.

A request is ``list``, or ``NAME: ATTRIBUTE``. Case and blanks around do not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, final

from pytest_comem.office.operations import Result
from pytest_comem.streams.schema import Resource
from pytest_comem.suggest import did_you_mean

_HOW: Final = "ask 'list', or 'NAME: ATTRIBUTE'"
#: Characters of a request that are looked at, and of what an answer repeats of it.
_LONGEST: Final = 1_000
_REPEATED: Final = 100


@final
class ResourceService:
    """Answers what is recorded, and nothing else.

    :param resources: of a task.
    """

    def __init__(self, resources: Sequence[Resource]) -> None:
        self._resources = {_key(one.name): one for one in resources}

    def ask(self, request: str) -> Result:
        """Return a recorded answer; what is not known is a result that is not ok."""
        if _key(request) == "list":
            return self._list()
        # A name may hold a colon itself, so the longest one that is known counts.
        for name, attribute in _splits(request[:_LONGEST]):
            if (found := self._resources.get(_key(name))) is not None:
                return _answer(found, attribute)
        name, colon, _ = request[:_LONGEST].partition(":")
        if not colon and (found := self._resources.get(_key(name))) is not None:
            known = ", ".join(found.attributes)
            return Result(False, f"what about {found.name}? It has: {known}; {_HOW}")
        return Result(False, f"there is no {_short(name)}; {self._hint(name)} {_HOW}")

    def _list(self) -> Result:
        if not self._resources:
            return Result(True, "nothing is recorded for this task", [])
        lines = [f"{one.name}: {', '.join(one.attributes)}" for one in self._resources.values()]
        return Result(True, "\n".join(lines), [one.name for one in self._resources.values()])

    def _hint(self, name: str) -> str:
        names = [one.name for one in self._resources.values()]
        return _hint(name, names) if names else "nothing is recorded for this task."


def _answer(resource: Resource, attribute: str) -> Result:
    recorded = {_key(name): value for name, value in resource.attributes.items()}
    value = recorded.get(_key(attribute))
    if value is not None:
        return Result(True, value, value)
    hint = _hint(attribute, resource.attributes)
    return Result(False, f"{resource.name} has no {_short(attribute)}; {hint}")


def _splits(request: str) -> Iterable[tuple[str, str]]:
    """Yield name and attribute for each colon, the last one first."""
    at = len(request)
    while (at := request.rfind(":", 0, at)) >= 0:
        yield request[:at], request[at + 1 :]


def _key(text: str) -> str:
    return " ".join(text[:_LONGEST].casefold().split())


def _short(text: str) -> str:
    return repr(text.strip()[:_REPEATED])


def _hint(name: str, known: Iterable[str]) -> str:
    return did_you_mean(" ".join(name[:_REPEATED].split()), known)
