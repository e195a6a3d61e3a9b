"""PlugMem, implemented from its paper: experience turned into facts and procedures.

"PlugMem: A Task-Agnostic Plugin Memory Module for LLM Agents" (Yang et al., arXiv 2603.03296). The
package of that name on the index is something else, so this is ours; no code of the release is
used. Where it differs from the paper, the docstring of :class:`PlugMem` says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final, Self, final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.errors import SettingsError
from pytest_comem.memory.base import Capabilities, MemorySystem, OptionValue, Package
from pytest_comem.memory.bm25 import item_of
from pytest_comem.memory.model import MemoryModel
from pytest_comem.memory.paper_calls import paper_calls
from pytest_comem.memory.prompts import PLUGMEM_MERGE, PLUGMEM_PLAN, PLUGMEM_STRUCTURE

if TYPE_CHECKING:
    from pytest_comem.embedders.base import Embedder
    from pytest_comem.memory.setup import Setup

#: Facts that lead to turns where a question asks for a situation.
_EPISODIC_FACTS: Final = 30

OPTIONS: Final[dict[str, OptionValue]] = {
    "trajectory": 10,
    "nearest": 5,
    "importance": 0.0,
    "merge_every": 100,
    "alike": 0.5,
}


@final
class PlugMem(MemorySystem):
    """A graph of facts and procedures taken from stretches of conversation by a model.

    A stretch (the paper's trajectory) ends after a number of turns, or when the memory is asked. A
    model plans each question: which kind of memory, which tags, which subgoal. Semantic: the facts
    nearest to the question and those its tags vote for, ranked by value. Procedural: the procedures
    of the nearest subgoal. Episodic: the verbatim turns that the nearest facts stand on. Facts and
    procedures are handed over in the model's words. From time to time a model looks at pairs of
    facts that share a tag and are alike, and writes one in place of two; what it calls superseded
    stays in the graph and is not found any more.

    As in the release, a fact's value is its nearness unless votes are given weight; of the paper's
    value, recency, return and credibility have no part here, and turns are not regrouped by
    subgoal.

    Options: ``trajectory``, turns of a stretch at most; ``nearest``, facts by nearness (5 in the
    paper; 0 for the run's top-k); ``importance``, weight of votes; ``merge_every``, turns between
    merges (0 for never); ``alike``, cosine from which a pair is looked at.
    """

    capabilities = Capabilities(verbatim=False, needs_model=True, needs_embedder=True)
    packages = (Package("numpy", "rag", ">=1.26", library=False),)
    options: ClassVar = OPTIONS
    calls = paper_calls("plugmem", "PlugMem")

    def __init__(
        self,
        embedder: Embedder,
        model: MemoryModel,
        *,
        trajectory: int = 10,
        nearest: int = 5,
        importance: float = 0.0,
        merge_every: int = 100,
        alike: float = 0.5,
    ) -> None:
        from pytest_comem.memory.plugmem_graph import KnowledgeGraph

        if trajectory < 1 or nearest < 0 or merge_every < 0:
            raise SettingsError(
                "plugmem: trajectory must be 1 or more, nearest and merge_every 0 or more"
            )
        self._model = model
        self._graph = KnowledgeGraph(embedder, importance)
        self._trajectory = trajectory
        self._nearest = nearest
        self._merge_every = merge_every
        self._alike = alike
        self._turns: list[Entry] = []
        self._structured = 0
        self._merged = 0

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return an empty memory that uses the run's embedder and memory model."""
        return cls(setup.embedder, MemoryModel.of(setup), **setup.options)  # type: ignore[arg-type]

    def ingest(self, entry: Entry) -> None:
        """Add the entry to the stretch at hand; a full stretch is taken apart."""
        self._turns.append(entry)
        if len(self._turns) - self._structured >= self._trajectory:
            self._structure()

    def recall(self, query: Query) -> Recall:
        """Return facts, procedures or verbatim turns, whichever the question is planned to need."""
        if len(self._turns) > self._structured:
            self._structure()
        plan = self._model.ask(PLUGMEM_PLAN, {"question": query.text})
        mode, tags, subgoal = plan.text("mode"), plan.texts("tags"), plan.text("subgoal")
        items: Iterable[RecallItem]
        if mode == "semantic":
            found = self._graph.find_facts(query.text, tags, self._nearest or query.top_k)
            facts = self._graph.facts
            items = (self._item(facts[n].text, facts[n].turns, value) for n, value in found)
        elif mode == "procedural":
            ways = self._graph.procedures
            items = (
                self._item(ways[n].text, ways[n].turns, value)
                for n, value in self._graph.find_procedures(subgoal)
            )
        elif mode == "episodic":
            items = self._situations(query.text)
        else:
            raise plan.broken(f"{mode!r} is not semantic, episodic or procedural")
        return Recall(tuple(items)[: max(0, query.top_k)])

    def _structure(self) -> None:
        """Have the turns since the last stretch taken apart, and merge facts if it is time."""
        start = self._structured
        stretch = self._turns[start:]
        reply = self._model.ask(
            PLUGMEM_STRUCTURE,
            {
                "turns": [
                    {
                        "number": number,
                        "speaker": entry.speaker.id,
                        "role": entry.speaker.role,
                        "text": entry.text,
                    }
                    for number, entry in enumerate(stretch)
                ]
            },
        )
        facts = [
            (one.text("text"), one.number("turn", len(stretch)), one.texts("tags"))
            for one in reply.objects("facts")
        ]
        procedures = [
            (one.text("text"), one.numbers("turns", len(stretch)), one.text("subgoal"))
            for one in reply.objects("procedures")
        ]
        for text, turn, tags in facts:
            if text:
                self._graph.add_fact(text, (start + turn,), tags)
        for text, turns, subgoal in procedures:
            if text:
                stands_on = tuple(sorted({start + turn for turn in turns}))
                self._graph.add_procedure(text, stands_on, subgoal)
        self._structured = len(self._turns)
        if self._merge_every and self._structured - self._merged >= self._merge_every:
            self._merged = self._structured
            self._merge()

    def _merge(self) -> None:
        """Have pairs of facts that are alike looked at, all in one call."""
        pairs = self._graph.pairs_to_merge(self._alike)
        if not pairs:
            return
        facts = self._graph.facts
        material = [
            {"number": number, "earlier": facts[one].text, "later": facts[other].text}
            for number, (one, other) in enumerate(pairs)
        ]
        reply = self._model.ask(PLUGMEM_MERGE, {"pairs": material})
        merges = {one.number("pair", len(pairs)): one for one in reply.objects("merges")}
        for number, one in sorted(merges.items()):
            text = one.text("text")
            if not text:
                raise one.broken("a merge has no text")
            earlier, later = pairs[number]
            self._graph.merge(
                earlier,
                later,
                text,
                drop_earlier=one.flag("deactivate_earlier"),
                drop_later=one.flag("deactivate_later"),
            )

    def _situations(self, question: str) -> list[RecallItem]:
        """Return the turns that the nearest facts stand on, each with its best fact's value."""
        values: dict[int, float] = {}
        for number, value in self._graph.nearest_facts(question, _EPISODIC_FACTS):
            for turn in self._graph.facts[number].turns:
                values.setdefault(turn, value)
        return [item_of(self._turns[turn], value) for turn, value in values.items()]

    def _item(self, text: str, turns: tuple[int, ...], value: float) -> RecallItem:
        entries = [self._turns[turn] for turn in turns]
        speakers = {entry.speaker: None for entry in entries}
        speaker = next(iter(speakers)) if len(speakers) == 1 else None
        return RecallItem(text, value, tuple(entry.id for entry in entries), speaker)
