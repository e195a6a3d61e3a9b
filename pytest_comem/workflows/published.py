"""The released files of CoMemBench, as far as they can be understood.

The release (Hugging Face ``SenLab/Comembench``, CC BY 4.0) names its fields in ways that are not
known here, and its oracles and pollution plans are held out by its authors. So this reader tries a
table of plausible names, says what it did not understand, and makes no family that could be played:
what comes out is structure and texts, nothing that decides a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.errors import DataError
from pytest_comem.records.strict_json import clipped
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.published_names import (
    CONTEXT,
    DOCUMENT,
    EDGE,
    FAMILY,
    MATH,
    NODE,
    Names,
)
from pytest_comem.workflows.published_rows import Skipped, rows_of
from pytest_comem.workflows.schema import TopologyLabel
from pytest_comem.workflows.topology import topology

FAMILIES_FILE: Final = "workflow_families.jsonl"
CONTEXTS_FILE: Final = "node_contexts.jsonl"
CORPORA_FILE: Final = "retrieval_corpora.jsonl"
MATH_FILE: Final = "math_cases.jsonl"
FILES: Final = (FAMILIES_FILE, CONTEXTS_FILE, CORPORA_FILE, MATH_FILE)

Fields = Mapping[str, Any]


@final
@dataclass(frozen=True, slots=True)
class PublishedFamily:
    """A released workflow family.

    :param fields: what was understood of it, by our names, as the file has it.
    :param nodes: what was understood of each node, by its id.
    :param edges: what was understood of each dependency edge.
    """

    family_id: str
    fields: Fields
    nodes: Mapping[str, Fields]
    edges: tuple[Fields, ...]

    @property
    def labels(self) -> frozenset[TopologyLabel]:
        """Topology labels that its edges have; none where they form a cycle or were not read."""
        pairs = tuple(dict.fromkeys((one["source"], one["target"]) for one in self.edges))
        known = tuple(pair for pair in pairs if set(pair) <= set(self.nodes))
        graph = Graph(tuple(self.nodes), known)
        return frozenset() if graph.cycle() else frozenset(topology(graph))


@final
@dataclass(slots=True)
class PublishedRelease:
    """What was read of a release, and what was not.

    :param contexts: texts or values of the authorized context, by family and node.
    :param documents: rows of the retrieval corpora.
    :param math_cases: rows of the mathematics cases.
    :param unmapped: fields that no name of the table fits, with how often they were seen, by file
        and path, such as ``("workflow_families.jsonl", "nodes[].budget")``.
    :param skipped: rows that were left out, with the reason.
    :param missing: files that are not there.
    """

    families: dict[str, PublishedFamily] = field(default_factory=dict)
    contexts: dict[tuple[str, str], Any] = field(default_factory=dict)
    documents: list[Fields] = field(default_factory=list)
    math_cases: list[Fields] = field(default_factory=list)
    unmapped: dict[tuple[str, str], int] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    missing: tuple[str, ...] = ()

    def report(self) -> Iterator[str]:
        """Yield what was read and what was not, a line each."""
        yield f"{len(self.families):,} families, {len(self.contexts):,} node contexts"
        yield f"{len(self.documents):,} documents, {len(self.math_cases):,} mathematics cases"
        yield from (f"{name}: not there" for name in self.missing)
        for (file, path), count in sorted(self.unmapped.items()):
            yield f"{file}: field {clipped(path)} was not understood ({count:,} times)"
        for one in self.skipped:
            yield f"{one.file}:{one.line}: left out: {one.reason}"
        yield "oracles and pollution plans are held out by the authors: nothing here can be scored"


def read_published(directory: Path) -> PublishedRelease:
    """Return what the released files of a directory say.

    :raises DataError: where none of the files is there.
    """
    there = [name for name in FILES if (directory / name).is_file()]
    if not there:
        raise DataError(f"none of {', '.join(FILES)} is here", file=str(directory))
    release = PublishedRelease(missing=tuple(name for name in FILES if name not in there))
    for name in there:
        for line, row in rows_of(directory / name, name, release.skipped):
            reason = _READERS[name](release, row)
            if reason:
                release.skipped.append(Skipped(name, line, reason))
    return release


def _understood(release: PublishedRelease, file: str, names: Names, row: Fields, at: str) -> Fields:
    """Return a row by our names, and note the fields that have none."""
    found: dict[str, Any] = {}
    used: set[str] = set()
    for ours, known in names.items():
        theirs = next((name for name in known if name in row and name not in used), None)
        if theirs is not None:
            found[ours] = row[theirs]
            used.add(theirs)
    for theirs in row:
        if theirs not in used:
            place = (file, f"{at}{theirs}")
            release.unmapped[place] = release.unmapped.get(place, 0) + 1
    return found


def _family(release: PublishedRelease, row: Fields) -> str:
    found = dict(_understood(release, FAMILIES_FILE, FAMILY, row, ""))
    family_id = found.pop("family_id", None)
    if not isinstance(family_id, str):
        return "no field that looks like a family's id"
    if family_id in release.families:
        return "a family of this id was there before"
    nodes = dict(_nodes(release, found.pop("nodes", None)))
    edges = tuple(_edges(release, found.pop("edges", None)))
    release.families[family_id] = PublishedFamily(family_id, found, nodes, edges)
    return "" if nodes else "its nodes were not understood; the rest was kept"


def _nodes(release: PublishedRelease, value: Any) -> Iterator[tuple[str, Fields]]:
    if isinstance(value, dict):
        value = [
            {"node_id": name, **each} if isinstance(each, dict) else {"node_id": name, "task": each}
            for name, each in value.items()
        ]
    for each in value if isinstance(value, list) else ():
        row = {"node_id": each} if isinstance(each, str) else each
        if isinstance(row, dict):
            found = _understood(release, FAMILIES_FILE, NODE, row, "nodes[].")
            if isinstance(found.get("node_id"), str):
                yield found["node_id"], found


def _edges(release: PublishedRelease, value: Any) -> Iterator[Fields]:
    for each in value if isinstance(value, list) else ():
        row = (
            dict(zip(("source", "target"), each, strict=False)) if isinstance(each, list) else each
        )
        if not isinstance(row, dict):
            continue
        found = dict(_understood(release, FAMILIES_FILE, EDGE, row, "edges[]."))
        contract = found.pop("contract", None)
        if isinstance(contract, dict):
            at = "edges[].contract."
            found |= _understood(release, FAMILIES_FILE, EDGE, contract, at)
        if isinstance(found.get("source"), str) and isinstance(found.get("target"), str):
            yield found


def _context(release: PublishedRelease, row: Fields) -> str:
    found = _understood(release, CONTEXTS_FILE, CONTEXT, row, "")
    family_id, node_id = found.get("family_id"), found.get("node_id")
    if not (isinstance(family_id, str) and isinstance(node_id, str) and "context" in found):
        return "no fields that look like family, node and context"
    if (family_id, node_id) in release.contexts:
        return "a context of this node was there before"
    release.contexts[family_id, node_id] = found["context"]
    return ""


def _document(release: PublishedRelease, row: Fields) -> str:
    found = _understood(release, CORPORA_FILE, DOCUMENT, row, "")
    if not {"text", "documents"} & set(found):
        return "no field that looks like a document's text"
    release.documents.append(found)
    return ""


def _math(release: PublishedRelease, row: Fields) -> str:
    found = _understood(release, MATH_FILE, MATH, row, "")
    if "statement" not in found:
        return "no field that looks like a statement"
    release.math_cases.append(found)
    return ""


_READERS: Final = {
    FAMILIES_FILE: _family,
    CONTEXTS_FILE: _context,
    CORPORA_FILE: _document,
    MATH_FILE: _math,
}
