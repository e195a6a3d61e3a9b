"""Public calls of the systems that are this project's own, for counter-examples that run."""

from __future__ import annotations

from pytest_comem.memory.calls import PublicCalls

_PREAMBLE = """\
from itertools import count
from pathlib import Path

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.registry import LocalEndpoint
from pytest_comem.memory.{module} import {name}
from pytest_comem.memory.setup import Setup

embedder = HashEmbedder()
endpoint = LocalEndpoint(embedder)
numbers = count(1)


def opened(directory):
    return {name}.open(
        Setup(
            Path(directory),
            options={name}.options,
            top_k=20,
            embedder=embedder,
            endpoint=endpoint,
        )
    )
"""


def paper_calls(module: str, name: str) -> PublicCalls:
    """Return the calls of the class *name* of ``pytest_comem.memory``'s *module*."""
    return PublicCalls(
        preamble=_PREAMBLE.format(module=module, name=name),
        open="$m = opened($directory)",
        ingest="""\
$id = f"entry-{next(numbers)}"
$m.ingest(Entry($id, $text, Principal($principal, "someone"), $timestamp))""",
        recall="""\
asked = Query($query, Principal("asker", "someone"), (), "", $k)
found = [item.text for item in $m.recall(asked).items]""",
        close="$m.close()",
    )
