"""The search tool: our own BM25 over the corpus, built once a process and then only read."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final, final

from pytest_comem.domains.retrieval.documents import Corpus, Document
from pytest_comem.language.bm25 import BM25Index, tokenize

#: Name and version stand in all evidence; another ranking needs another version.
ENGINE: Final = "comem-bm25"
ENGINE_VERSION: Final = "1"
#: Longest query that is looked at, in characters.
MAX_QUERY: Final = 1_000


@final
class SearchTool:
    """Ranks documents of one partition; any number of threads may ask."""

    def __init__(self, corpus: Corpus) -> None:
        self._documents = corpus.documents
        self._words: list[frozenset[str]] = []
        self._index = BM25Index()
        for document in corpus.documents:
            text = unicodedata.normalize("NFKC", f"{document.title}\n{document.text}")
            self._index.add(text)
            self._words.append(frozenset(tokenize(text)))

    def search(self, query: str, partition: str, top_k: int) -> tuple[Document, ...]:
        """Return the documents of a partition that share a word with a query, best first."""
        asked = unicodedata.normalize("NFKC", query[:MAX_QUERY])
        looked_for = frozenset(tokenize(asked))

        def fits(number: int) -> bool:
            here = self._documents[number].partition == partition
            return here and not looked_for.isdisjoint(self._words[number])

        found = self._index.rank(asked, top_k, keep=fits)
        return tuple(self._documents[number] for number, _ in found)


@lru_cache(maxsize=4)
def search_tool(corpus: Corpus) -> SearchTool:
    """Return the tool over a corpus, the same for all who ask in this process."""
    return SearchTool(corpus)
