"""What a language model may use: search and reading, with the offsets of every sentence.

Answers are JSON, so that no text of a document can look like a part of an answer's form.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.domains.retrieval import contents
from pytest_comem.domains.retrieval.documents import Corpus, Document
from pytest_comem.domains.retrieval.reading import sentences
from pytest_comem.domains.retrieval.searching import (
    ENGINE,
    ENGINE_VERSION,
    MAX_QUERY,
    search_tool,
)
from pytest_comem.domains.retrieval.tools import OPEN, SEARCH
from pytest_comem.executors.domain import ToolRefusal, ToolSpec
from pytest_comem.language.bm25 import tokenize
from pytest_comem.workflows.views import NodeView

#: Documents that one search names.
_MOST: Final = 10
#: Characters of sentences in one answer.
_ROOM: Final = 12_000
#: Characters of an argument that an answer repeats.
_SHOWN: Final = 100


def _parameters(**members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


SPECS: Final = (
    ToolSpec(
        SEARCH,
        f"Finds documents of one partition by words, best first, at most {_MOST}; of each it gives "
        "the sentence that fits the words best, with its offsets.",
        _parameters(
            partition={"type": "string"},
            query={"type": "string", "description": "words that the document should have"},
        ),
    ),
    ToolSpec(
        OPEN,
        "Gives a document's sentences with their offsets in code points; end is the offset after "
        "the last one.",
        _parameters(
            doc_id={"type": "string"},
            start={"type": "integer", "description": "offset to read from; 0 for the beginning"},
        ),
    ),
)


@final
class RetrievalToolbox:
    """The tools of one node over a corpus that never changes."""

    def __init__(self, corpus: Corpus, view: NodeView) -> None:
        self._corpus = corpus
        self._view = view

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tools that the node's token names."""
        return tuple(each for each in SPECS if self._view.capability_token.allows_tool(each.name))

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Search, or open a document; the answer is JSON.

        :raises ToolRefusal: where the node has no such tool, or it does not take the arguments.
        """
        allowed = [each.name for each in self.specs()]
        if name not in allowed:
            raise ToolRefusal(f"there is no such tool here; there is {_either(allowed)}")
        answer = self._search(arguments) if name == SEARCH else self._open(arguments)
        return json.dumps(answer, ensure_ascii=False)

    def complete(self, content: Any) -> Any:
        """Return a content with the engine and the corpus that the tools work with."""
        if not isinstance(content, dict):
            return content
        made_here: Mapping[str, Mapping[str, Any]] = {
            contents.EVIDENCE: {
                "engine": {"name": ENGINE, "version": ENGINE_VERSION},
                "corpus": self._corpus.sha256,
            },
            contents.PROVENANCE: {"corpus": self._corpus.sha256},
        }
        return {**content, **made_here.get(self._view.output_type, {})}

    def _search(self, arguments: Mapping[str, Any]) -> Any:
        partition, query = _text(arguments, "partition"), _text(arguments, "query")
        partitions = sorted({document.partition for document in self._corpus.documents})
        if partition not in partitions:
            raise ToolRefusal(f"partition is {_either(partitions)}, not {_short(partition)}")
        found = search_tool(self._corpus).search(query[:MAX_QUERY], partition, _MOST)
        words = frozenset(tokenize(query[:MAX_QUERY]))
        return [{**_about(each), "sentence": _best(each, words)} for each in found]

    def _open(self, arguments: Mapping[str, Any]) -> Any:
        doc_id, start = _text(arguments, "doc_id"), arguments.get("start", 0)
        if type(start) is not int or start < 0:
            raise ToolRefusal("start is a whole number from 0")
        document = self._corpus.by_id.get(doc_id)
        if document is None:
            raise ToolRefusal(f"the corpus has no document {_short(doc_id)}")
        here: list[dict[str, Any]] = []
        room, later = _ROOM, None
        for each in _sentences(document):
            if each["end"] <= start:
                continue
            if here and len(each["text"]) > room:
                later = each["start"]
                break
            room -= len(each["text"])
            here.append(each)
        return {**_about(document), "sentences": here, "read_on_from": later}


def _sentences(document: Document) -> Iterator[dict[str, Any]]:
    for start, end in sentences(document.text):
        yield {"start": start, "end": end, "text": document.text[start:end]}


def _best(document: Document, words: frozenset[str]) -> dict[str, Any] | None:
    """Return the sentence with most of these words, the first of equals."""
    every = list(_sentences(document))
    return max(
        every, key=lambda each: len(words.intersection(tokenize(each["text"]))), default=None
    )


def _about(document: Document) -> dict[str, Any]:
    return {
        "doc_id": document.doc_id,
        "title": document.title,
        "date": document.date,
        "partition": document.partition,
    }


def _text(arguments: Mapping[str, Any], name: str) -> str:
    found = arguments.get(name)
    if not isinstance(found, str) or not found.strip():
        raise ToolRefusal(f"{name} is a text that is not empty")
    return found.strip()


def _either(names: Sequence[str]) -> str:
    return " or ".join(names) or "none"


def _short(text: str) -> str:
    return repr(text[:_SHOWN])
