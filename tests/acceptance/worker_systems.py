"""Memory systems with bad manners, for tests of worker processes."""

# ruff: noqa: D102
from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, RecallItem, Withheld, WithheldReason
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.base import MemorySystem, OptionValue, UnknownEntryError
from pytest_comem.memory.setup import Setup


class Echo(MemorySystem):
    """Keeps everything in a dictionary and has every operation."""

    own_process = True
    options: ClassVar[Mapping[str, OptionValue]] = {"word": "plain", "number": 1}

    def __init__(self, setup: Setup | None = None) -> None:
        self.setup = setup
        self.kept: dict[str, Entry] = {}

    @classmethod
    def open(cls, setup: Setup) -> Self:
        return cls(setup)

    def ingest(self, entry: Entry) -> None:
        self.kept[entry.id] = entry

    def recall(self, query: Query) -> Recall:
        return Recall(tuple(self.entries())[: query.top_k])

    def recall_of(self, principal_id: str, query: Query) -> Recall:
        kept = [entry for entry in self.kept.values() if entry.speaker.id == principal_id]
        return Recall(tuple(_item(entry) for entry in kept))

    def entries(self) -> Sequence[RecallItem]:
        return [_item(entry) for entry in self.kept.values()]

    def delete(self, entry_id: str) -> None:
        self._known(entry_id)
        del self.kept[entry_id]

    def update(self, entry_id: str, text: str) -> None:
        old = self._known(entry_id)
        self.kept[entry_id] = Entry(old.id, text, old.speaker, old.timestamp, old.kind)

    def delete_principal(self, principal_id: str) -> None:
        for entry in [one for one in self.kept.values() if one.speaker.id == principal_id]:
            del self.kept[entry.id]

    def _known(self, entry_id: str) -> Entry:
        if entry_id not in self.kept:
            raise UnknownEntryError(entry_id)
        return self.kept[entry_id]


class Curator(Echo):
    """Says something of every kind a recall can say."""

    def recall(self, query: Query) -> Recall:
        return Recall(
            tuple(RecallItem(e.text, 0.1 + n, (e.id,), e.speaker) for n, e in _numbered(self)),
            (Withheld(WithheldReason.UNAUTHORIZED, float("inf"), ("a", "b")),),
            enforced_access=True,
            enforced_deletion=True,
        )


class Reporter(Echo):
    """Recalls what it was given to work with."""

    def recall(self, query: Query) -> Recall:
        setup = self.setup
        assert setup is not None
        endpoint = setup.endpoint
        facts = [f"{fact.type} {fact.fields}" for fact in query.relationships]
        texts = [
            f"options {sorted(setup.options.items())}",
            f"top_k {setup.top_k} seed {setup.seed}",
            f"directory {setup.directory} namespace {setup.namespace}",
            f"chat {endpoint.chat_url} {endpoint.chat_model} {endpoint.api_key}",
            f"embedder {setup.embedder.name} {setup.embedder.dimensions}",
            f"vector {setup.embedder.embed([query.text])[0]}",
            f"query {query.text} {query.requester} {query.policy} {query.top_k} {facts}",
            f"arguments {sys.argv} {'local-key' in str(os.environ)}",
        ]
        return Recall.from_texts(texts)


class Homely(Echo):
    """Writes to the directory it is prepared with, and recalls where that is."""

    home: Path

    @classmethod
    def prepare(cls, home: Path) -> None:
        (home / "cache").write_text("x")
        cls.home = home

    def recall(self, query: Query) -> Recall:
        return Recall.from_texts([str(self.home)])


class Printer(Echo):
    """Prints wherever it can, and reads standard input."""

    def ingest(self, entry: Entry) -> None:
        print("printed", entry.text)
        print("complained", file=sys.stderr)
        os.write(1, b'{"ok": null}\n')
        sys.stdin.read()
        subprocess.run(["echo", "from a child"], check=True)
        super().ingest(entry)


class Flooder(Echo):
    """Prints more than a pipe holds."""

    def ingest(self, entry: Entry) -> None:
        sys.stderr.write("y" * 300_000)
        super().ingest(entry)


class Fragile(Echo):
    """Raises what an entry's text says."""

    def ingest(self, entry: Entry) -> None:
        raise {
            "value": ValueError("a bad\nvalue"),
            "exit": SystemExit(3),
            "base": Rude("rude"),
            "provider": InfrastructureError("no answer", type="provider"),
            "unknown": UnknownChildError("t9"),
            "not": NotImplementedError("never"),
        }[entry.text]

    def recall(self, query: Query) -> Recall:
        return ["no recall"]  # type: ignore[return-value]

    def close(self) -> None:
        raise RuntimeError("will not close")


class UnknownChildError(UnknownEntryError):
    """A library's own."""


class Rude(BaseException):
    """Not an Exception."""


class Mortal(Echo):
    """Dies of a signal, of itself, or with a child that outlives it."""

    def ingest(self, entry: Entry) -> None:
        print("famous last words", flush=True)
        if entry.text == "orphan" and os.fork() == 0:
            time.sleep(60)
        if entry.text == "exit":
            os._exit(7)
        os.kill(os.getpid(), signal.SIGKILL)


class Hanger(Echo):
    """Never closes, and has a child that sleeps; both process ids are recalled."""

    def __init__(self, setup: Setup | None = None) -> None:
        super().__init__(setup)
        self.child = subprocess.Popen(["sleep", "600"])

    def recall(self, query: Query) -> Recall:
        return Recall.from_texts([str(os.getpid()), str(self.child.pid)])

    def ingest(self, entry: Entry) -> None:
        if entry.text == "hang":
            time.sleep(600)

    def close(self) -> None:
        time.sleep(600)


class Unopenable(Echo):
    """Cannot be opened."""

    @classmethod
    def open(cls, setup: Setup) -> Self:
        raise OSError("no room")


class Bare(MemorySystem):
    """Has none of the optional operations."""

    own_process = True

    def ingest(self, entry: Entry) -> None:
        pass

    def recall(self, query: Query) -> Recall:
        return Recall()


def _item(entry: Entry) -> RecallItem:
    return RecallItem(entry.text, None, (entry.id,), entry.speaker)


def _numbered(memory: Echo) -> list[tuple[int, Entry]]:
    return list(enumerate(memory.kept.values()))
