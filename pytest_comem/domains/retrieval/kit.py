"""Everything that plays the retrieval domain's families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.domains.retrieval.documents import Corpus
from pytest_comem.domains.retrieval.evaluating import EVALUATOR_VERSION, evaluate
from pytest_comem.domains.retrieval.schemas import schema_of
from pytest_comem.domains.retrieval.searching import ENGINE_VERSION
from pytest_comem.domains.retrieval.shipped import corpora_root, corpus_of
from pytest_comem.domains.retrieval.toolbox import RetrievalToolbox
from pytest_comem.domains.retrieval.working import OfflineWorker
from pytest_comem.errors import BenchmarkDefect, DataError
from pytest_comem.executors.domain import Judgement, Shown, Stand, Toolbox, Work
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle
from pytest_comem.workflows.schema import Domain, Family, Node
from pytest_comem.workflows.views import NodeView

#: Of the offline worker, what it chooses by, and the tools and schemas that models get.
WORKER_VERSION: Final = "1"


@final
class RetrievalStand:
    """A corpus with worker and evaluator; nothing in it changes, so all instances may share it."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._worker = OfflineWorker(corpus)

    def work(self, shown: Shown) -> Work:
        """Do a node's work by search and reading."""
        return self._worker.work(shown)

    def evaluate(
        self, node: Node, oracle: Oracle, artifact: Artifact, consumed: Sequence[Artifact]
    ) -> Judgement:
        """Judge an output by documents and spans."""
        return evaluate(self._corpus, node, oracle, artifact.content, consumed)

    def tools(self, view: NodeView) -> Toolbox:
        """Return search and reading, as far as the node's token names them."""
        return RetrievalToolbox(self._corpus, view)

    def schema(self, view: NodeView) -> Mapping[str, Any]:
        """Return the JSON Schema of what the node has to make."""
        return schema_of(view)


@final
class RetrievalKit:
    """The domain kit of offline retrieval.

    :param root: directory of the corpora that families name; the shipped one where none is given.
    """

    domain: Final = Domain.OFFLINE_RETRIEVAL
    version: Final = f"worker {WORKER_VERSION}, engine {ENGINE_VERSION}, spans {EVALUATOR_VERSION}"

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or corpora_root()

    def missing(self, family: Family) -> str | None:
        """Return nothing: all that is needed comes with the package."""
        return None

    def close(self) -> None:
        """Do nothing: instances share nothing that runs."""

    def open(self, family: Family, instance: str) -> AbstractContextManager[Stand]:
        """Return a stand over the family's corpus, whose hash is checked.

        :raises BenchmarkDefect: where the corpus is not there, or not the one it has to be.
        """
        return self._opened(family)

    @contextmanager
    def _opened(self, family: Family) -> Iterator[Stand]:
        try:
            corpus = corpus_of(family, self._root)
        except DataError as error:
            raise BenchmarkDefect(f"family {family.family_id}: {error}") from None
        yield RetrievalStand(corpus)
