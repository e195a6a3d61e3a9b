"""The scripted model's part for ReMem: turns as gists, plain statements as facts, fixed steps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pytest_comem.endpoint.chat import ChatReply, ChatRequest
from pytest_comem.endpoint.scripts.material import answer_task, sentences
from pytest_comem.language.words import content_words

_STATEMENT: Final = re.compile(
    r"(?P<subject>\S.{0,79}?)\s{1,8}"
    r"(?P<predicate>(?:is|are|was|were|has|have|had|will be|must|should|can|cannot|may|stays?|"
    r"remains?|needs?|costs?|uses?|owns?|lives?|works?|moved|changed|said|asked|means?)"
    r"(?: (?:not|now|be|to|on|in|at|for|by|with|from))*)\s{1,8}"
    r"(?P<object>\S.{0,119})",
    re.DOTALL,
)


def answer(request: ChatRequest) -> ChatReply | None:
    """Return the reply to one of ReMem's prompts, or ``None`` for any other."""
    return answer_task(
        request, {"pytest-comem remem: extract": _extract, "pytest-comem remem: next step": _step}
    )


def _extract(material: Mapping[str, Any]) -> Mapping[str, Any]:
    """The turn as its gist, and what stands before and behind a common verb of each sentence."""
    text = material["text"]
    found = filter(None, map(_STATEMENT.match, sentences(text)))
    return {
        "gists": [text],
        "facts": [
            {
                "subject": one["subject"],
                "predicate": one["predicate"],
                "object": one["object"].rstrip(" .!?"),
                "qualifier": material["said"],
            }
            for one in found
        ],
    }


def _step(material: Mapping[str, Any]) -> Mapping[str, Any]:
    """By meaning, by words, around the best gist, around an entity asked about, then the answer."""
    question, steps = material["question"], material["steps"]
    if not steps:
        return {"tool": "semantic_retrieve", "argument": ""}
    if len(steps) == 1:
        return {"tool": "lexical_retrieve", "argument": ""}
    found = [one for step in steps for one in step["found"]]
    if len(steps) == 2:
        gist = next((one for one in found if one["kind"] == "gist"), None)
        if gist is not None:
            return {"tool": "find_gist_contexts", "argument": gist["id"]}
    if steps[-1]["tool"] != "find_entity_contexts" and len(steps) < 4:
        asked = content_words(question)
        for one in found:
            if one["kind"] == "entity" and content_words(one["text"]) & asked:
                return {"tool": "find_entity_contexts", "argument": one["id"]}
    return {"tool": "answer", "argument": ""}
