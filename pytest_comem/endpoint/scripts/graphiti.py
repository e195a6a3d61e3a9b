"""The scripted model's part for Graphiti: entities are words of a turn, facts its sentences.

The library names the shape it wants in every request. Nothing is ever said to be a duplicate or
to contradict: what the library merges, it merges by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from pytest_comem.endpoint.chat import ChatReply, ChatRequest
from pytest_comem.language.words import STOP_WORDS, words

#: Entities of one turn beside its speaker, at most.
_ENTITIES: Final = 4
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_SPEAKER: Final = re.compile(r"([^:\s]+): (.*)", re.DOTALL)
#: Replies that do not depend on the request.
_FIXED: Final[Mapping[str, object]] = {
    "EdgeDuplicate": {"duplicate_facts": [], "contradicted_facts": []},
    "EdgeTimestamps": {"valid_at": None, "invalid_at": None},
    "SummarizedEntities": {"summaries": []},
    "EntitySummary": {"summary": ""},
}


def answer(request: ChatRequest) -> ChatReply | None:
    """Return the reply to one of the library's own prompts, or ``None`` for any other."""
    asked = request.text_of("user")
    shape = _shape(request)
    if shape in _FIXED:
        return _reply(_FIXED[shape])
    if shape == "ExtractedEntities":
        return _reply({"extracted_entities": _entities(_tagged(asked, "CURRENT MESSAGE"))})
    if shape == "ExtractedEdges":
        names = [str(entity["name"]) for entity in _listed(_tagged(asked, "ENTITIES"))]
        return _reply({"edges": _facts(_tagged(asked, "CURRENT_MESSAGE"), names)})
    if shape == "NodeResolutions":
        return _reply({"entity_resolutions": _all_new(_listed(_tagged(asked, "ENTITIES")))})
    return None


def _entities(message: str) -> list[dict[str, object]]:
    speaker, text = _said(message)
    names = [speaker, *_salient(text)] if speaker else _salient(text)
    return [
        {"name": name, "entity_type_id": 0, "episode_indices": [0]} for name in dict.fromkeys(names)
    ]


def _facts(message: str, names: list[str]) -> list[dict[str, object]]:
    """Return a fact a sentence, from who said it to the first entity the sentence names."""
    speaker, text = _said(message)
    source = speaker if speaker in names else next(iter(names), "")
    others = [name for name in names if name != source]
    facts: list[dict[str, object]] = []
    for sentence in _SENTENCE.split(text.strip()):
        if sentence and others:
            named = set(words(sentence))
            facts.append(
                {
                    "source_entity_name": source,
                    "target_entity_name": next((n for n in others if n in named), others[0]),
                    "relation_type": "SAID_ABOUT",
                    "fact": sentence,
                    "episode_indices": [0],
                }
            )
    return facts


def _all_new(entities: list[Mapping[str, Any]]) -> list[dict[str, object]]:
    return [
        {"id": entity["id"], "name": entity["name"], "duplicate_candidate_id": -1}
        for entity in entities
    ]


def _salient(text: str) -> list[str]:
    """Return words of substance, or any words at all where there is none."""
    spoken = words(text)
    chosen = [word for word in spoken if len(word) > 2 and word not in STOP_WORDS] or spoken
    return list(dict.fromkeys(chosen))[:_ENTITIES] or text.split()[:1]


def _said(message: str) -> tuple[str, str]:
    found = _SPEAKER.fullmatch(message)
    return (found[1], found[2]) if found else ("", message)


def _shape(request: ChatRequest) -> str:
    schema = (request.response_format or {}).get("json_schema")
    return str(schema.get("name", "")) if isinstance(schema, Mapping) else ""


def _tagged(prompt: str, tag: str) -> str:
    """Return what stands between a tag's marks, the quotes of a JSON text removed."""
    found = re.search(rf"<{tag}>\s*(.*?)\s*</{tag}>", prompt, re.DOTALL)
    inside = found[1] if found else ""
    try:
        read = json.loads(inside)
    except ValueError:
        return inside
    return read if isinstance(read, str) else inside


def _listed(text: str) -> list[Mapping[str, Any]]:
    try:
        read = json.loads(text)
    except ValueError:
        return []
    return [one for one in read if isinstance(one, dict)] if isinstance(read, list) else []


def _reply(content: object) -> ChatReply:
    return ChatReply(json.dumps(content))
