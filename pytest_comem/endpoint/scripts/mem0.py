"""The scripted model's part for mem0: its additive extraction, a memory a sentence."""

from __future__ import annotations

import json
import re
from typing import Final

from pytest_comem.endpoint.chat import ChatReply, ChatRequest

#: Starts the library's only system prompt for extraction.
_ROLE: Final = "You are a Memory Extractor"
#: What is new: ``role: text`` lines between these headings of the user's prompt.
_NEW: Final = re.compile(
    r"^## Existing Memories\n[^\n]*\n\n## New Messages\n(.*)\n\n## Observation Date\n",
    re.DOTALL | re.MULTILINE,
)
_SPEAKER: Final = re.compile(r"(user|assistant): ")
_SENTENCE_END: Final = re.compile(
    r"\n+|(?<=[.!?])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\bNo\.)\s+"
)


def answer(request: ChatRequest) -> ChatReply | None:
    """Return each sentence of the new message word for word, or ``None`` for any other prompt."""
    if _ROLE not in request.text_of("system"):
        return None
    found = _NEW.search(request.text_of("user"))
    if found is None:
        return None
    speaker, text = _speaker_and_text(found[1])
    sentences = (sentence.strip() for sentence in _SENTENCE_END.split(text))
    memories = [
        {"id": str(number), "text": sentence, "attributed_to": speaker}
        for number, sentence in enumerate(filter(None, sentences))
    ]
    return ChatReply(json.dumps({"memory": memories}, ensure_ascii=False))


def _speaker_and_text(message: str) -> tuple[str, str]:
    """Split one message; the library is handed one at a time."""
    speaker = _SPEAKER.match(message)
    return (speaker[1], message[speaker.end() :]) if speaker else ("user", message)
