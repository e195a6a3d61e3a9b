"""The scripted model's part for PlugMem: sentences as facts, tagged by their own words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pytest_comem.endpoint.chat import ChatReply, ChatRequest
from pytest_comem.endpoint.scripts.material import answer_task, sentences
from pytest_comem.language.words import STOP_WORDS, content_words, values, words

_TAGS: Final = 5
#: Share of content words two facts have in common to count as one.
_SAME: Final = 0.6
_RULE: Final = re.compile(r"\b(always|never|must|should|before|after|first|then|whenever|step)\b")
_HOW: Final = re.compile(r"\bhow (do|does|should|can|to)\b|\b(procedure|process|steps) (for|to)\b")
_WHO_SAID: Final = re.compile(r"\bwho (said|told|asked)\b|\b(exact words|conversation)\b")


def answer(request: ChatRequest) -> ChatReply | None:
    """Return the reply to one of PlugMem's prompts, or ``None`` for any other."""
    return answer_task(
        request,
        {
            "pytest-comem plugmem: structure": _structure,
            "pytest-comem plugmem: plan": _plan,
            "pytest-comem plugmem: merge": _merge,
        },
    )


def _structure(material: Mapping[str, Any]) -> Mapping[str, Any]:
    """Each sentence as a fact, and those that say what is to be done as procedures."""
    facts, procedures = [], []
    for number, turn in enumerate(material["turns"]):
        for sentence in sentences(turn["text"]):
            facts.append({"turn": number, "text": sentence, "tags": _tags(sentence)})
            if _RULE.search(sentence.lower()):
                procedures.append(
                    {"turns": [number], "subgoal": sentence[:120], "text": sentence},
                )
    return {"facts": facts, "procedures": procedures}


def _plan(material: Mapping[str, Any]) -> Mapping[str, Any]:
    question = material["question"]
    asked = question.lower()
    mode = "semantic"
    if _HOW.search(asked):
        mode = "procedural"
    elif _WHO_SAID.search(asked):
        mode = "episodic"
    return {"mode": mode, "tags": _tags(question), "subgoal": question}


def _merge(material: Mapping[str, Any]) -> Mapping[str, Any]:
    """Where both say nearly the same, the later one in place of both."""
    merges = []
    for number, pair in enumerate(material["pairs"]):
        earlier, later = content_words(pair["earlier"]), content_words(pair["later"])
        if len(earlier & later) >= _SAME * max(1, len(earlier | later)):
            merges.append(
                {
                    "pair": number,
                    "text": pair["later"],
                    "deactivate_earlier": True,
                    "deactivate_later": True,
                }
            )
    return {"merges": merges}


def _tags(text: str) -> list[str]:
    """Return names, codes and numbers of a text, then its longest words."""
    found = sorted(values(text))
    longest = sorted(
        dict.fromkeys(word for word in words(text) if word not in STOP_WORDS),
        key=lambda word: -len(word),
    )
    return list(dict.fromkeys([*found, *longest]))[:_TAGS]
