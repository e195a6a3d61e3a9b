"""Outputs that an evaluator has to reject, made from gold."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from pytest_comem.domains.retrieval import contents
from pytest_comem.domains.retrieval.families.gold import GoldNode
from pytest_comem.records.canonical import canonical, texts_of
from pytest_comem.workflows.certification import SHORTEST_HIDDEN
from pytest_comem.workflows.hidden import NegativeMutation

_LISTS = (*contents.QUOTED_FIELDS, *contents.SPAN_FIELDS)


def negatives_of(
    node: GoldNode, rival: GoldNode, inputs: int, all_texts: str
) -> Iterator[NegativeMutation]:
    """Yield the mutations that apply to a node.

    :param rival: what the node makes for another question.
    :param inputs: how many inputs the node requires.
    :param all_texts: what the family's workers may read; a mutation may add nothing of it.
    """
    for kind, change in _KINDS.items():
        content = change(copy.deepcopy(node.content))
        if content is not None and canonical(content) != canonical(node.content):
            yield NegativeMutation(name=kind.replace("_", "-"), kind=kind, content=content)
    wrong = rival.content
    if _tells(wrong, node.content, all_texts):
        wrong = {"note": "nothing found"}
    yield NegativeMutation(name="of-another-question", kind="wrong_artifact", content=wrong)
    if inputs:
        content = _without_a_handoff(copy.deepcopy(node.content))
        yield NegativeMutation(name="missing-handoff", kind="missing_handoff", content=content)


def _tells(wrong: Any, own: Any, all_texts: str) -> bool:
    """Whether a mutation has a text that workers may read and the node's gold has not."""
    known = set(texts_of(own))
    long = (text for text in texts_of(wrong) if len(text) >= SHORTEST_HIDDEN)
    return any(text in all_texts for text in long if text not in known)


def _first(content: Any) -> Any | None:
    """Return the first entry of a content's first list of spans."""
    found = (content[field][0] for field in _LISTS if content.get(field))
    return next(found, None)


def _edited_quotation(content: Any) -> Any | None:
    entry = _first(content)
    if entry is None or "quotation" not in entry:
        return None
    first, _, rest = entry["quotation"].partition(" ")
    entry["quotation"] = f"{first} certainly {rest}"
    return content


def _wrong_document(content: Any) -> Any | None:
    if content.get("documents"):
        return {**content, "documents": ["pla-001", *content["documents"][1:]]}
    entry = _first(content)
    if entry is None:
        return None
    partition, _, number = entry["doc_id"].partition("-")
    entry["doc_id"] = f"{partition}-{int(number) % 15 + 1:03}"
    return content


def _wrong_offsets(content: Any) -> Any | None:
    entry = _first(content)
    if entry is None:
        return None
    # More than half a sentence away, so that spans without a quotation are wrong as well.
    shift = (entry["end"] - entry["start"]) * 3 // 4
    entry["start"] += shift
    entry["end"] += shift
    return content


def _without_a_handoff(content: Any) -> Any:
    """Return what a node makes that never got one of its inputs."""
    for field in ("audited", "documents", *_LISTS):
        if content.get(field):
            content[field] = content[field][:-1] if field != "audited" else []
            break
    return content


_KINDS: dict[str, Callable[[Any], Any | None]] = {
    "edited_quotation": _edited_quotation,
    "wrong_document": _wrong_document,
    "wrong_offsets": _wrong_offsets,
}
