"""A memory that is a program: ``--memory-system cmd:PROGRAM ARGS``.

The program speaks the inject and recall JSON of ContextWeave's release. A data set is
``{"participant": ID, "sessions": [{"session_id": ID, "messages": [{"role", "content"}]}]}``, with
the speaker as ``name`` in messages of other suites than ContextWeave. Entries are handed over when
the next question is asked: what is stored before it costs its time in the question.

**mode=lines** (the default): one process for each memory instance. It reads a JSON object a line
from standard input and answers each by one line on standard output::

    {"command": "inject", "dataset": DATA SET, "target": N}    -> {"ok": true}
    {"command": "recall", "query": TEXT, "top_k": N}           -> {"additional_context": TEXT}

The data set of an inject has only the sessions that are new; ``target`` is the 1-based index of the
task about to be asked, one more than all sessions so far. Lines are ASCII, with ``\\u`` escapes.
The program ends when its standard input does. It may answer ``{"error": TEXT}`` to anything.

**mode=once**: for components written as a command. ``PROGRAM ARGS inject DATASET.json N`` gets
*all* sessions so far and a fresh working directory; then ``PROGRAM ARGS recall QUERY`` runs there
and prints the JSON object, and nothing else. Injecting every prefix costs the square of a stream's
length. A query that is longer than the system lets an argument be is an error.

In both, ``additional_context`` is one passage; a reply may have ``"items": [TEXT, ...]`` instead or
beside it, at most ``top_k``, which are taken as passages of their own. Blank ones are left out.

The working directory is the instance's own, empty at first, and removed with it: state belongs
there. Words of the command that name a file from where the run was started are handed over as
absolute paths. The command is recorded with the run: no key belongs in it. The environment has none
of the user's keys, and in mode ``once`` a recall has ``COMEM_TOP_K``. With ``model=true`` it has
``OPENAI_BASE_URL``, ``OPENAI_API_KEY`` and ``COMEM_MODEL`` of the run's endpoint, whose
calls are counted as the memory's, and in ``COMEM_EMBEDDING_URL`` and ``COMEM_EMBEDDING_MODEL`` its
embedder.

A program that ends, prints something else, more than 16 MiB, or nothing within ``timeout`` seconds
is an infrastructure error of the step, never a verdict. It is killed with all that it started when
the instance is closed and when this process dies.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final, NoReturn, Self, final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.printable import printable
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.memory.base import Capabilities, MemorySystem, OptionValue
from pytest_comem.memory.component_command import content_of, located
from pytest_comem.memory.component_names import words_of
from pytest_comem.memory.component_process import Program, shown
from pytest_comem.memory.component_sessions import Sessions
from pytest_comem.memory.setup import Setup
from pytest_comem.removal import remove_tree

MODES: Final = ("lines", "once")
#: Seconds that a program gets to end itself at the end of its input.
_GRACE: Final = 2.0
#: Characters of a command in messages.
_COMMAND: Final = 200


class ComponentMemory(MemorySystem):
    """A memory in a program of the user's; nothing is known of what it does by itself."""

    capabilities = Capabilities(verbatim=False)
    options: ClassVar[Mapping[str, OptionValue]] = {
        "command": "",
        "mode": "lines",
        "timeout": 60.0,
        "model": False,
    }

    def __init__(self, setup: Setup) -> None:
        self._sessions = Sessions()
        self._injected = False
        self._argv = located(words_of(str(setup.options["command"])), Path.cwd())
        self._name = f"component {_clipped(printable(str(setup.options['command'])))}"
        self._seconds = float(setup.options["timeout"])
        self._directory = setup.directory
        self._variables = _variables(setup)

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return an instance; in mode ``lines`` its program is started.

        :raises InfrastructureError: where it cannot be started.
        """
        if cls is not ComponentMemory:
            return cls(setup)
        kind = OnceComponent if setup.options["mode"] == "once" else LinesComponent
        return kind(setup)  # type: ignore[return-value]

    @classmethod
    def check(cls, options: Mapping[str, OptionValue]) -> None:
        """Check that there is such a program, and the settings.

        :raises SettingsError: naming what is wrong.
        """
        if os.name != "posix":
            raise SettingsError("--memory-system: cmd: programs are for Linux and macOS")
        if options["mode"] not in MODES:
            raise SettingsError(
                f"--memory-option cmd.mode: {options['mode']!r} is neither lines nor once"
            )
        if not 0 < float(options["timeout"]) <= 86_400:
            raise SettingsError(
                f"--memory-option cmd.timeout: {options['timeout']} is no number of seconds "
                "above 0 and up to 86400"
            )
        program = located(words_of(str(options["command"])), Path.cwd())[0]
        if shutil.which(program) is None:
            missing = not Path(program).exists()
            raise SettingsError(
                f"--memory-system: cmd:{printable(program)}: "
                + ("there is no such program" if missing else "it may not be executed (chmod +x)")
            )

    @classmethod
    def capabilities_with(cls, options: Mapping[str, OptionValue]) -> Capabilities:
        """Return what is known of it: whether it is given a model."""
        given = bool(options["model"])
        return replace(cls.capabilities, needs_model=given, needs_embedder=given)

    @classmethod
    def surroundings_with(cls, options: Mapping[str, OptionValue]) -> Mapping[str, OptionValue]:
        """Return hashes of the files that the command names, by the words that name them."""
        return content_of(words_of(str(options["command"])), Path.cwd())

    def ingest(self, entry: Entry) -> None:
        """Keep one entry for the next inject, which comes with the next question."""
        self._sessions.add(entry)

    def recall(self, query: Query) -> Recall:
        """Inject what is new, and ask.

        :raises InfrastructureError: where the program does anything wrong.
        """
        if self._sessions.has_new or not self._injected:
            self._injected = False
            self._inject()
            self._injected = True
        passages = self._passages(self._asked(query), query.top_k)
        return Recall(tuple(RecallItem(text) for text in passages if text.strip()))

    def _inject(self) -> None:
        raise NotImplementedError

    def _asked(self, query: Query) -> Mapping[str, Any]:
        raise NotImplementedError

    def _passages(self, reply: Mapping[str, Any], top_k: int) -> Sequence[str]:
        items = reply.get("items")
        if items is None:
            text = reply.get("additional_context")
            if not isinstance(text, str):
                raise self._wrong(
                    "answered recall without a text additional_context or a list items: "
                    f"{', '.join(map(str, reply)) or 'an empty object'}"
                )
            return [text]
        if not isinstance(items, list) or not all(isinstance(each, str) for each in items):
            raise self._wrong("answered recall with items that are not a list of texts")
        if len(items) > top_k:
            raise self._wrong(f"answered recall with {len(items)} items where top_k is {top_k}")
        return items

    def _object(self, raw: bytes, what: str) -> Mapping[str, Any]:
        """Return a reply that is one strict JSON object, and no error of the program's."""
        try:
            reply = json.loads(
                raw.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_number
            )
        except RecursionError:
            raise self._wrong(f"answered {what} with JSON that is nested too deeply") from None
        except ValueError as error:
            reason = printable(str(error))[:120]
            raise self._wrong(
                f"answered {what} with what is not JSON ({reason}): {shown(raw)}"
            ) from None
        if not isinstance(reply, dict):
            raise self._wrong(f"answered {what} with what is no JSON object: {shown(raw)}")
        if "error" in reply:
            raise self._wrong(f"refused {what}: {printable(str(reply['error']))[:500]}")
        return reply

    def _wrong(self, problem: str) -> InfrastructureError:
        return InfrastructureError(f"{self._name} {problem}", type="adapter")


@final
class LinesComponent(ComponentMemory):
    """A component that is one process, asked by JSON lines."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.program: Final = Program(self._argv, self._name, self._directory, self._variables)

    def _inject(self) -> None:
        target = self._sessions.target
        reply = self._reply("inject", {"dataset": self._sessions.take(), "target": target})
        if reply.get("ok") is not True:
            raise self._wrong('answered inject with something else than {"ok": true}')

    def _asked(self, query: Query) -> Mapping[str, Any]:
        return self._reply("recall", {"query": query.text, "top_k": query.top_k})

    def _reply(self, command: str, more: Mapping[str, Any]) -> Mapping[str, Any]:
        line = json.dumps({"command": command, **more}).encode("ascii") + b"\n"
        return self._object(self.program.ask(line, command, self._seconds), command)

    def _wrong(self, problem: str) -> InfrastructureError:
        return self.program.fault(problem)

    def close(self) -> None:
        """End the program's input, and it where it stays."""
        self.program.end(_GRACE)


@final
class OnceComponent(ComponentMemory):
    """A component that is a command, run once for each inject and each recall."""

    def _inject(self) -> None:
        target = self._sessions.target
        dataset = self._directory / "dataset.json"
        dataset.write_text(json.dumps(self._sessions.everything()), encoding="ascii")
        work = self._work
        if work.exists():
            remove_tree(work)
        work.mkdir()
        self._output("inject", [str(dataset), str(target)], self._variables)

    def _asked(self, query: Query) -> Mapping[str, Any]:
        variables = {**self._variables, "COMEM_TOP_K": str(query.top_k)}
        return self._object(self._output("recall", [query.text], variables), "recall")

    @property
    def _work(self) -> Path:
        return self._directory / "work"

    def _output(self, command: str, more: Sequence[str], variables: Mapping[str, str]) -> bytes:
        program = Program([*self._argv, command, *more], self._name, self._work, variables)
        return program.output(command, self._seconds)


def _variables(setup: Setup) -> dict[str, str]:
    if not setup.options["model"]:
        return {}
    endpoint = setup.endpoint
    return {
        "OPENAI_BASE_URL": endpoint.chat_url,
        # Of our own endpoint, which asks for none: the user's stays here.
        "OPENAI_API_KEY": endpoint.api_key,
        "COMEM_MODEL": endpoint.chat_model,
        "COMEM_EMBEDDING_URL": endpoint.embedding_url,
        "COMEM_EMBEDDING_MODEL": endpoint.embedding_model,
    }


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field is there twice in one object")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _clipped(command: str) -> str:
    """Return a command as messages name it: its end says which program it is."""
    return command if len(command) <= _COMMAND else f"{command[:40]} ... {command[45 - _COMMAND :]}"
