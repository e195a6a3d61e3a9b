"""The scripted model's part for A-MEM: it describes a note, and says which neighbours it links to.

Words and sentences are the note's own. Neighbours are linked where they share words of substance;
their own descriptions are left alone.
"""

from __future__ import annotations

import json
import re
from typing import Final

from pytest_comem.endpoint.chat import ChatReply, ChatRequest
from pytest_comem.language.words import STOP_WORDS, content_words, words

#: How many keywords and tags a note gets, and how many neighbours it is linked to, at most.
_KEYWORDS: Final = 6
_TAGS: Final = 3
_LINKS: Final = 3
#: Words of substance that two notes have in common to be linked.
_SHARED: Final = 2

_ANALYSIS: Final = "Generate a structured analysis of the following content by:"
_CONTENT: Final = "Content for analysis:"
_EVOLUTION: Final = "You are an AI memory evolution agent responsible for managing and evolving"
_NEIGHBOURS: Final = "The nearest neighbors memories (each line starts with memory_id):"
_NOTE: Final = re.compile(r"\n\s*content: (.*)\n\s*keywords: ", re.DOTALL)
_NEIGHBOUR: Final = re.compile(
    r"^\s*memory_id:([^\t]+)\ttalk start time:[^\t]*\tmemory content: (.*?)\tmemory context: ",
    re.DOTALL | re.MULTILINE,
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")


def answer(request: ChatRequest) -> ChatReply | None:
    """Return the reply to one of the library's own prompts, or ``None`` for any other."""
    asked = request.text_of("user").strip()
    if asked.startswith(_ANALYSIS):
        return _reply(_description(asked.partition(_CONTENT)[2].strip()))
    if asked.startswith(_EVOLUTION):
        note, _, neighbours = asked.partition(_NEIGHBOURS)
        return _reply(_evolution(note, neighbours))
    return None


def _description(text: str) -> dict[str, object]:
    return {
        "keywords": _salient(text)[:_KEYWORDS],
        "context": _SENTENCE.split(text, maxsplit=1)[0],
        "tags": _salient(text)[:_TAGS],
    }


def _evolution(prompt: str, neighbours: str) -> dict[str, object]:
    found = _NOTE.search(prompt)
    text = found[1] if found else ""
    about = content_words(text)
    linked = [
        memory_id
        for memory_id, content in _NEIGHBOUR.findall(neighbours)
        if len(about & content_words(content)) >= _SHARED
    ][:_LINKS]
    return {
        "should_evolve": bool(linked),
        "actions": ["strengthen"] if linked else [],
        "suggested_connections": linked,
        "tags_to_update": _salient(text)[:_TAGS],
        "new_context_neighborhood": [],
        "new_tags_neighborhood": [],
    }


def _salient(text: str) -> list[str]:
    """Return the words of substance in the order of the text, each once."""
    spoken = (word for word in words(text) if len(word) > 2 and word not in STOP_WORDS)
    return list(dict.fromkeys(spoken))


def _reply(content: dict[str, object]) -> ChatReply:
    return ChatReply(json.dumps(content))
