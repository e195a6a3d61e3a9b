"""ReMem, implemented from its paper and from how GateMem runs it as a baseline.

"REMem: Reasoning with Episodic Memory in Language Agent" (arXiv 2602.13530); GateMem (arXiv
2606.18829) compares a single retrieval and an iterative one. There is no package to stand on, so
this is ours; no code of either release is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall
from pytest_comem.errors import SettingsError
from pytest_comem.memory.base import Capabilities, MemorySystem, OptionValue, Package
from pytest_comem.memory.bm25 import item_of
from pytest_comem.memory.model import MemoryModel, Reply
from pytest_comem.memory.paper_calls import paper_calls
from pytest_comem.memory.prompts import REMEM_EXTRACT, REMEM_TOOL
from pytest_comem.memory.remem_graph import Fact
from pytest_comem.memory.remem_index import EpisodicIndex, Found

if TYPE_CHECKING:
    from pytest_comem.embedders.base import Embedder
    from pytest_comem.memory.setup import Setup

#: Characters of a node's text shown to the model that chooses the next step.
_SHOWN: Final = 300

_OPTIONS: Final[dict[str, OptionValue]] = {"retrieve_top": 10, "synonymy": 0.8}
_STEP_OPTIONS: Final[dict[str, OptionValue]] = {**_OPTIONS, "steps": 5, "context_top": 5}


class _ReMem(MemorySystem):
    """What both variants share: a graph filled turn by turn, and verbatim turns recalled.

    A model takes gists and facts from each turn as it comes. Nodes found for a question pass their
    scores on to the verbatim turns they stand on, and turns are ranked by the mean of what they
    get; see :meth:`.remem_graph.EpisodicGraph.evidence`. A turn that no found node leads to is not
    recalled, so that fewer than ``top_k`` turns are common.
    """

    capabilities = Capabilities(timestamps=True, needs_model=True, needs_embedder=True)
    packages = (Package("numpy", "rag", ">=1.26", library=False),)
    options: ClassVar[Mapping[str, OptionValue]] = _OPTIONS

    def __init__(
        self,
        embedder: Embedder,
        model: MemoryModel,
        *,
        retrieve_top: int = 10,
        synonymy: float = 0.8,
    ) -> None:
        if retrieve_top < 0:
            raise SettingsError("remem: retrieve_top must be 0 or more")
        self._model = model
        self._index = EpisodicIndex(embedder, synonymy)
        self._retrieve_top = retrieve_top

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return an empty memory that uses the run's embedder and memory model."""
        return cls(setup.embedder, MemoryModel.of(setup), **setup.options)  # type: ignore[arg-type]

    def ingest(self, entry: Entry) -> None:
        """Have a model take gists and facts from the entry, and add all of it to the graph."""
        reply = self._model.ask(
            REMEM_EXTRACT,
            {
                "said": entry.timestamp or "",
                "speaker": entry.speaker.id,
                "role": entry.speaker.role,
                "text": entry.text,
            },
        )
        facts = [_fact(one) for one in reply.objects("facts")]
        self._index.add_turn(entry, reply.texts("gists"), [fact for fact in facts if fact.text])

    def recall(self, query: Query) -> Recall:
        """Return the verbatim turns that what was found stands on."""
        found = self._find(query.text, self._retrieve_top or query.top_k)
        evidence = self._index.graph.evidence(found)[: max(0, query.top_k)]
        return Recall(tuple(item_of(node.entry, score) for node, score in evidence if node.entry))

    def _find(self, question: str, top: int) -> dict[int, float]:
        """Return nodes by number with their scores."""
        raise NotImplementedError


@final
class ReMemSingle(_ReMem):
    """One retrieval by meaning over gists, facts and entities.

    Options: ``retrieve_top``, nodes found (10 in the paper; 0 for the run's top-k); ``synonymy``,
    cosine from which gists are linked (0.8).
    """

    calls = paper_calls("remem", "ReMemSingle")

    def _find(self, question: str, top: int) -> dict[int, float]:
        return dict(self._index.semantic(question, top))


@final
class ReMemIterative(_ReMem):
    """A model looks for evidence step by step, choosing how each time.

    Retrievals leave out what was found before; a node found twice keeps its best score. A gist or
    entity that was not found has no surroundings.

    Options: those of :class:`ReMemSingle`; ``steps``, at most (5); ``context_top``, nodes found
    around one (5).
    """

    options: ClassVar[Mapping[str, OptionValue]] = _STEP_OPTIONS
    calls = paper_calls("remem", "ReMemIterative")

    def __init__(
        self,
        embedder: Embedder,
        model: MemoryModel,
        *,
        steps: int = 5,
        context_top: int = 5,
        **shared: Any,
    ) -> None:
        super().__init__(embedder, model, **shared)
        if steps < 1 or context_top < 1:
            raise SettingsError("remem: steps and context_top must be 1 or more")
        self._steps = steps
        self._context_top = context_top

    def _find(self, question: str, top: int) -> dict[int, float]:
        scores: dict[int, float] = {}
        trail: list[dict[str, Any]] = []
        while len(trail) < self._steps:
            material = {
                "question": question,
                "steps": trail,
                "steps_left": self._steps - len(trail),
            }
            choice = self._model.ask(REMEM_TOOL, material)
            tool, argument = choice.text("tool"), choice.optional_text("argument")
            if tool == "answer":
                break
            found = self._take(choice, tool, argument, question, top, scores)
            for number, score in found:
                scores[number] = max(score, scores.get(number, score))
            trail.append({"tool": tool, "argument": argument, "found": self._shown(found)})
        return scores

    def _take(
        self,
        choice: Reply,
        tool: str,
        argument: str,
        question: str,
        top: int,
        scores: Mapping[int, float],
    ) -> Found:
        if tool == "semantic_retrieve":
            return self._index.semantic(argument or question, top, scores)
        if tool == "lexical_retrieve":
            return self._index.lexical(argument or question, top, scores)
        around = {
            "find_gist_contexts": self._index.around_gist,
            "find_entity_contexts": self._index.around_entity,
        }.get(tool)
        if around is None:
            raise choice.broken(f"{tool!r} is not one of the tools")
        kind = tool.split("_")[1]
        for number in scores:
            node = self._index.node(number)
            if node.kind == kind and node.id == argument:
                return around(number, question, self._context_top)
        return []

    def _shown(self, found: Found) -> list[dict[str, Any]]:
        nodes = [(self._index.node(number), score) for number, score in found]
        return [
            {
                "id": node.id,
                "kind": str(node.kind),
                "text": node.text[:_SHOWN],
                "score": round(score, 4),
            }
            for node, score in nodes
        ]


def _fact(reply: Reply) -> Fact:
    return Fact(
        reply.text("subject"),
        reply.text("predicate"),
        reply.text("object"),
        reply.optional_text("qualifier"),
    )
