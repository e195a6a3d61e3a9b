"""What a model is shown of a query and a recall: every memory's recall in the same form.

Recalled texts and the question are not to be trusted. Each stands between lines with a marker that
occurs in neither, and no line of a recalled text begins where an item's number could.
"""

from __future__ import annotations

from itertools import count
from typing import Final

from pytest_comem.core.entries import Query, Relationship
from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.recall import Recall, RecallItem, WithheldReason

#: To be raised when this module words something differently: prompts are versioned by their file.
WORDING: Final = 1

_NOTHING: Final = "(Nothing was recalled.)"
_CONTINUED: Final = "\n    "
_MARKER_LENGTH: Final = 10
_WITHHELD: Final = {
    WithheldReason.UNAUTHORIZED: "because this requester may not see it",
    WithheldReason.DELETED: "because it was deleted",
}


def prompt_values(query: Query, recall: Recall) -> dict[str, str]:
    """Return the values of the governance prompt's placeholders."""
    memory = _memory(recall)
    return {
        "policy": query.policy,
        "requester": _line(query.requester.id),
        "role": _line(query.requester.role),
        "relationships": "\n".join(_fact(fact) for fact in query.relationships) or "- none",
        "remarks": "\n".join(f"- {remark}" for remark in _remarks(recall)) or "- nothing",
        "memory": memory,
        "question": query.text,
        "marker": _marker(memory, query.text),
    }


def _memory(recall: Recall) -> str:
    return "\n".join(_item(*each) for each in enumerate(recall.items, 1)) or _NOTHING


def _item(number: int, item: RecallItem) -> str:
    known = [] if item.position is None else [f"turn {item.position + 1}"]
    if item.speaker is not None:
        known.append(f"{_line(item.speaker.id)}, {_line(item.speaker.role)}")
    origin = f" ({'; '.join(known)})" if known else ""
    return f"[{number}]{origin} {_CONTINUED.join(item.text.splitlines())}"


def _fact(fact: Relationship) -> str:
    fields = ", ".join(f"{_line(name)} = {_line(value)}" for name, value in fact)
    return f"- {_line(fact.type)}: {fields}"


def _remarks(recall: Recall) -> list[str]:
    """Return what the memory itself says, in words that no recalled text can influence."""
    remarks = [
        f"Of what matches the question it kept something back {why}{_compared(recall, reason)}."
        for reason, why in _WITHHELD.items()
        if recall.withheld_for(reason)
    ]
    if recall.enforced_access:
        remarks.append("It hands over only what it holds this requester may see.")
    if recall.enforced_deletion:
        remarks.append("It hands over nothing that it knows to be deleted.")
    return remarks


def _compared(recall: Recall, reason: WithheldReason) -> str:
    """Return how well what was kept back matches, where the memory's scores tell."""
    kept = [one.score for one in recall.withheld_for(reason) if one.score is not None]
    given = [item.score for item in recall.items if item.score is not None]
    if not kept or not given:
        return ""
    degree = "as well as or better than" if max(kept) >= max(given) else "less well than"
    return f", which matches it {degree} the best item below"


def _line(text: str) -> str:
    return " ".join(text.split())


def _marker(*texts: str) -> str:
    """Return a mark that occurs in none of *texts*, the same for the same texts."""
    for number in count():
        marker = stable_hash([number, *texts])[:_MARKER_LENGTH]
        if not any(marker in text for text in texts):
            return marker
    raise AssertionError("unreachable")
