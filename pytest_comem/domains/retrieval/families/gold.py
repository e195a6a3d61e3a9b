"""Gold outputs, computed from where the corpus tells which fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from pytest_comem.domains.retrieval import contents
from pytest_comem.domains.retrieval.corpus.writing import Telling, Written
from pytest_comem.domains.retrieval.families.blueprint import Blueprint, Step
from pytest_comem.domains.retrieval.relations import RELATIONS
from pytest_comem.domains.retrieval.searching import ENGINE, ENGINE_VERSION
from pytest_comem.domains.retrieval.spans import Span

#: Passages any one of which serves.
Group = tuple[Span, ...]


@final
@dataclass(frozen=True, slots=True)
class GoldNode:
    """What a node makes.

    :param claims: entities that it stands for; one where it is resolved or an answer.
    :param groups: a group a passage that it has to cite; by entity for a search.
    """

    content: Any
    claims: tuple[str, ...]
    groups: tuple[Group, ...]


@final
class Library:
    """Looks up where a fact is told, and what is quoted there."""

    def __init__(self, written: Written, sha256: str) -> None:
        self.sha256 = sha256
        self._texts = {one.doc_id: one.text for one in written.documents}
        self._told: dict[tuple[str, str, str, str], list[tuple[str, Telling]]] = {}
        for telling in written.tellings:
            fact, place = telling.fact, telling.partition
            between = RELATIONS[fact.relation]
            for anchor, other, kind in (
                (fact.subject, fact.object, between.object),
                (fact.object, fact.subject, between.subject),
            ):
                key = (place, fact.relation, anchor, kind)
                self._told.setdefault(key, []).append((other, telling))

    def found(self, step: Step, anchor: str) -> dict[str, Group]:
        """Return the entities that a search finds, each with all passages that give it."""
        told = self._told.get((step.partition, step.relation, anchor, step.seeks), [])
        groups: dict[str, Group] = {}
        for entity, one in sorted(told, key=lambda each: (each[1].doc_id, each[1].start)):
            groups[entity] = (*groups.get(entity, ()), Span(one.doc_id, one.start, one.end))
        return groups

    def quoted(self, span: Span, entity: str = "") -> dict[str, Any]:
        """Return a quotation as artifacts hold it."""
        text = self._texts[span.doc_id][span.start : span.end]
        return contents.Quotation(span, text, entity).as_json()


def gold_of(
    blueprint: Blueprint, anchors: Sequence[str], library: Library
) -> dict[str, GoldNode] | None:
    """Return what every node makes, or ``None`` where the clues do not lead to one answer."""
    names = dict(zip("AB", anchors, strict=False))
    done: dict[str, GoldNode] = {}
    for step in blueprint.steps:
        found = _MAKERS[step.action](step, [done[name] for name in step.inputs], names, library)
        if found is None:
            return None
        done[step.node_id] = found
    return done


_Inputs = Sequence[GoldNode]
_Names = Mapping[str, str]


def _search(step: Step, inputs: _Inputs, names: _Names, library: Library) -> GoldNode | None:
    anchor = names[step.anchor] if step.anchor else inputs[0].claims[0]
    groups = library.found(step, anchor)
    if not groups:
        return None
    content = {
        "partition": step.partition,
        "engine": {"name": ENGINE, "version": ENGINE_VERSION},
        "corpus": library.sha256,
        "findings": [library.quoted(spans[0], entity) for entity, spans in groups.items()],
    }
    return GoldNode(content, tuple(groups), tuple(groups.values()))


def _agreed(inputs: _Inputs, field: str, library: Library) -> GoldNode | None:
    """Return the one entity that all evidence gives, with a passage of each."""
    common = [name for name in inputs[0].claims if all(name in one.claims for one in inputs)]
    if len(common) != 1:
        return None
    groups = tuple(one.groups[one.claims.index(common[0])] for one in inputs)
    evidence = [library.quoted(spans[0]) for spans in groups]
    return GoldNode({field: common[0], "evidence": evidence}, (common[0],), groups)


def _resolve(step: Step, inputs: _Inputs, names: _Names, library: Library) -> GoldNode | None:
    return _agreed(inputs, "entity", library)


def _answer(step: Step, inputs: _Inputs, names: _Names, library: Library) -> GoldNode | None:
    return _agreed(inputs, "answer", library)


def _joined(inputs: _Inputs) -> tuple[Group, ...]:
    return tuple(dict.fromkeys(group for one in inputs for group in one.groups))


def _audit(step: Step, inputs: _Inputs, names: _Names, library: Library) -> GoldNode:
    claims = tuple(dict.fromkeys(claim for one in inputs for claim in one.claims))
    groups = _joined(inputs)
    content = {
        "claims": list(claims),
        "checks": [{**group[0].as_json(), "exact": True} for group in groups],
        "corpus": library.sha256,
        "passed": True,
    }
    return GoldNode(content, claims, groups)


def _bundle(step: Step, inputs: _Inputs, names: _Names, library: Library) -> GoldNode:
    resolved = [one.claims[0] for one in inputs if "entity" in one.content]
    answer = next(one.content["answer"] for one in inputs if "answer" in one.content)
    quoted = _joined([one for one in inputs if "evidence" in one.content])
    audited = _joined([one for one in inputs if "checks" in one.content])
    content = {
        "answer": answer,
        "entities": resolved,
        "citations": [library.quoted(group[0]) for group in quoted],
        "audited": [group[0].as_json() for group in audited],
    }
    return GoldNode(content, (*resolved, answer), _joined(inputs))


def _verify(step: Step, inputs: _Inputs, names: _Names, library: Library) -> GoldNode:
    groups = _joined(inputs)
    answer = inputs[0].claims[-1]
    content = {
        "answer": answer,
        "verdict": "supported",
        "documents": sorted({group[0].doc_id for group in groups}),
        "exact": len({group[0] for group in groups}),
    }
    return GoldNode(content, (answer,), groups)


_MAKERS = {
    "search": _search,
    "resolve": _resolve,
    "answer": _answer,
    "audit": _audit,
    "bundle": _bundle,
    "verify": _verify,
}
