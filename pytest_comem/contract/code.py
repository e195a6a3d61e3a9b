"""A counter-example as Python code that runs, and fails by its own ``assert``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from string import Template
from textwrap import indent
from typing import Any, Final, final

from pytest_comem.contract.journal import ABOUT_ERRORS, Broken, Call, RaisedUnknownEntry, Step
from pytest_comem.memory.calls import PublicCalls

#: From so many writes in a row they become a loop.
_LOOP_FROM: Final = 6
#: Libraries raise any ``BaseException``.
_NOT_CAUGHT: Final = ("except KeyboardInterrupt:", "    raise")
_NO_OWN_WORDS: Final = (Call.SCORES, Call.SOURCES, Call.FAIL, Call.THREADS)


def own_interface(arguments: str, imported: str = "open_memory") -> PublicCalls:
    """Return pytest-comem's own calls, for what a library's own cannot say.

    :param arguments: of ``open_memory``, as source.
    """
    return PublicCalls(
        preamble=f"from pytest_comem.contract.opening import {imported}",
        open=f"$m = open_memory({_escaped(arguments)}, directory=$directory)",
        ingest="$id = $m.ingest($text, principal=$principal, timestamp=$timestamp)",
        recall="found = $m.recall($query, k=$k)",
        recall_of="found = $m.recall_of($principal, $query, k=$k)",
        entries="found = $m.entries()",
        delete="$m.delete($id)",
        update="$m.update($id, $text)",
        delete_principal="$m.delete_principal($principal)",
        unknown_argument="$m.probe_unknown_argument()",
        close="$m.close()",
    )


def can_say(calls: PublicCalls | None, broken: Broken) -> bool:
    """Whether a counter-example can be said in a library's own calls."""
    if calls is None or isinstance(broken.claim, RaisedUnknownEntry):
        return False
    return all(
        step.call not in _NO_OWN_WORDS and (step.call not in _TEMPLATES or _template(calls, step))
        for step in broken.steps
    )


def code_of(broken: Broken, calls: PublicCalls | None, arguments: str) -> str:
    """Return a counter-example as code, in the library's own *calls* where they can say it.

    :param arguments: of ``open_memory``, as source.
    """
    if calls is None or not can_say(calls, broken):
        threads = any(step.call is Call.THREADS for step in broken.steps)
        calls = own_interface(arguments, "in_threads" if threads else "open_memory")
    return "\n".join(_Writer(broken, calls, arguments).lines()) + "\n"


_TEMPLATES: Final = {
    Call.OPEN: "open",
    Call.REOPEN: "open",
    Call.INGEST: "ingest",
    Call.RECALL: "recall",
    Call.RECALL_OF: "recall_of",
    Call.ENTRIES: "entries",
    Call.DELETE: "delete",
    Call.UPDATE: "update",
    Call.DELETE_PRINCIPAL: "delete_principal",
    Call.UNKNOWN_ARGUMENT: "unknown_argument",
    Call.CLOSE: "close",
}


def _template(calls: PublicCalls, step: Step) -> str:
    found: str = getattr(calls, _TEMPLATES[step.call])
    # A library that needs no closing may have nothing to say there.
    return found or ("pass" if step.call is Call.CLOSE else "")


@final
class _Writer:
    def __init__(self, broken: Broken, calls: PublicCalls, arguments: str) -> None:
        self._arguments = arguments
        self._broken = broken
        self._calls = calls
        self._written = {s.values["id"] for s in broken.steps if s.call is Call.INGEST}

    def lines(self) -> Iterator[str]:
        *before, last = self._broken.steps
        yield from self._imports()
        yield from self._calls.preamble.strip().splitlines()
        yield ""
        for group in _grouped(before):
            yield from self._loop(group) if len(group) >= _LOOP_FROM else self._one(group[0])
        yield from self._last(last)

    def _imports(self) -> Iterator[str]:
        opens = any(step.call is Call.OPEN for step in self._broken.steps)
        preamble = self._calls.preamble.splitlines()
        if opens and "$directory" in self._calls.open and "import tempfile" not in preamble:
            yield "import tempfile"
        if isinstance(self._broken.claim, RaisedUnknownEntry):
            yield "from pytest_comem.memory.base import UnknownEntryError"

    def _one(self, step: Step) -> Iterator[str]:
        code = self._code(step)
        if step.may_raise:
            yield from ("try:", indent(code, "    "), *_NOT_CAUGHT, "except BaseException:")
            yield "    pass"
            if step.call is Call.RECALL_OF:
                yield "    found = []"
        else:
            yield code

    def _last(self, step: Step) -> Iterator[str]:
        claim = self._broken.claim
        message = repr(self._broken.expected)
        if isinstance(claim, ABOUT_ERRORS):
            yield "error = None"
            yield "try:"
            yield indent(self._code(step), "    ")
            yield from _NOT_CAUGHT
            yield "except BaseException as raised:"
            yield "    error = raised"
            yield f"assert {claim.source}, ({message}, error)"
        else:
            yield from self._one(step)
            yield f"assert {claim.source}, ({message}, found)"

    def _loop(self, steps: Sequence[Step]) -> Iterator[str]:
        """Write many entries; those that are needed again get their variable afterwards."""
        first = steps[0]
        yield "texts = ["
        yield from (f"    {step.values['text']!r}," for step in steps)
        yield "]"
        yield "ids = []"
        yield "for text in texts:"
        values = self._literals(first) | {"text": "text", "id": "one"}
        yield indent(Template(self._calls.ingest).substitute(values), "    ")
        yield "    ids.append(one)"
        needed = {s.values.get("id") for s in self._broken.steps if s.call is not Call.INGEST}
        for place, step in enumerate(steps):
            if step.values["id"] in needed:
                yield f"{step.values['id']} = ids[{place}]"

    def _code(self, step: Step) -> str:
        special = _SPECIAL.get(step.call)
        if special is not None:
            return Template(special).substitute(self._literals(step))
        code = Template(_template(self._calls, step)).substitute(self._literals(step)).strip()
        if step.call is Call.OPEN and "$directory" in self._calls.open:
            return f"{_directory(step.memory)} = tempfile.mkdtemp()\n{code}"
        if step.call is Call.REOPEN:
            close = Template(self._calls.close or "pass").substitute(self._literals(step)).strip()
            return f"{close}\n{code}"
        return code

    def _literals(self, step: Step) -> dict[str, str]:
        literals = {name: repr(value) for name, value in step.values.items()}
        if step.values.get("id") in self._written:
            literals["id"] = str(step.values["id"])
        return literals | {
            "m": step.memory,
            "directory": _directory(step.memory),
            "arguments": self._arguments,
        }


_SPECIAL: Final[Mapping[Call, str]] = {
    Call.KEEP: "before = found",
    Call.SCORES: "found = $m.scores($query, k=$k)",
    Call.SOURCES: "found = $m.sources($query, k=$k)",
    Call.FAIL: "$m.set_failing($part, $failing)",
    Call.THREADS: "found = in_threads($arguments, texts=$texts)",
}


def _escaped(source: str) -> str:
    return source.replace("$", "$$")


def _directory(memory: str) -> str:
    return f"directory_of_{memory}"


def _grouped(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Yield steps one by one, but many alike writes in a row as one group."""
    group: list[Step] = []

    def alike(step: Step) -> Any:
        return (step.memory, step.may_raise, step.values["principal"], step.values["timestamp"])

    def flush() -> Iterator[list[Step]]:
        if len(group) >= _LOOP_FROM and not group[0].may_raise:
            yield group.copy()
        else:
            yield from ([one] for one in group)
        group.clear()

    for step in steps:
        if step.call is not Call.INGEST or (group and alike(step) != alike(group[0])):
            yield from flush()
        if step.call is Call.INGEST:
            group.append(step)
        else:
            yield [step]
    yield from flush()
