"""PlugMem: facts, procedures and situations, and merges that deactivate."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import pytest

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.memory.model import MemoryModel

if find_spec("numpy") is None:
    pytest.skip("numpy is not installed: pytest-comem[rag]", allow_module_level=True)

from pytest_comem.memory.plugmem import PlugMem
from pytest_comem.memory.plugmem_graph import KnowledgeGraph

ANN = Principal("ann", "owner")
BOB = Principal("bob", "guest")

Answer = Callable[[dict[str, Any]], dict[str, Any]]


class ByHand:
    """An embedder whose vectors are given; every other text points elsewhere."""

    name = "by hand"
    dimensions = 3

    def __init__(self, vectors: Mapping[str, tuple[float, float, float]]) -> None:
        self.vectors = vectors

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the given vectors."""
        return [list(self.vectors.get(text, (0.0, 0.0, 1.0))) for text in texts]


class Structuring:
    """A model: each turn a fact tagged by its first word, and other answers as given."""

    def __init__(self, **answers: Answer) -> None:
        self.answers: dict[str, Answer] = {"structure": _structure, "plan": _plan, **answers}
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def ask(self, messages: Sequence[Mapping[str, str]], *, json_object: bool = False) -> str:
        """Return the answer to the task as JSON."""
        task = messages[0]["content"].partition("\n")[0].rpartition(": ")[2]
        material = json.loads(messages[1]["content"])
        self.asked.append((task, material))
        return json.dumps(self.answers[task](material))

    def count(self, task: str) -> int:
        """Return how often a task was asked for."""
        return sum(asked == task for asked, _ in self.asked)


def _structure(material: dict[str, Any]) -> dict[str, Any]:
    facts = [
        {"turn": turn["number"], "text": turn["text"], "tags": [turn["text"].split()[0]]}
        for turn in material["turns"]
    ]
    return {"facts": facts, "procedures": []}


def _plan(material: dict[str, Any]) -> dict[str, Any]:
    return {"mode": "semantic", "tags": [], "subgoal": ""}


def planned(mode: str, tags: Sequence[str] = (), subgoal: str = "") -> Answer:
    """Return the answer to any question that plans so."""
    return lambda material: {"mode": mode, "tags": list(tags), "subgoal": subgoal}


def memory_of(model: Structuring, *texts: str, **settings: Any) -> PlugMem:
    """Return a memory of what ann said; ids are e0, e1, ..."""
    memory = PlugMem(HashEmbedder(), MemoryModel(model), **settings)
    for number, text in enumerate(texts):
        memory.ingest(Entry(f"e{number}", text, ANN))
    return memory


def ask(text: str, top_k: int = 20) -> Query:
    """Return a query."""
    return Query(text, ANN, (), "", top_k)


def rounded(found: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Return values to six places; vectors are kept in single precision."""
    return [(number, round(value, 6)) for number, value in found]


def texts(memory: PlugMem, question: str, top_k: int = 20) -> list[str]:
    """Return the texts recalled."""
    return [item.text for item in memory.recall(ask(question, top_k)).items]


def test_a_stretch_ends_when_it_is_full_or_the_memory_is_asked() -> None:
    """One call for each, over the turns since the last; none where there are no new turns."""
    model = Structuring()
    memory = memory_of(model, *(f"Item {number} here." for number in range(5)), trajectory=3)
    assert model.count("structure") == 1
    texts(memory, "item")
    texts(memory, "item")
    stretches = [
        [turn["text"] for turn in material["turns"]]
        for task, material in model.asked
        if task == "structure"
    ]
    assert [len(stretch) for stretch in stretches] == [3, 2]
    assert stretches[1] == ["Item 3 here.", "Item 4 here."]


def test_facts_are_recalled_in_the_models_words() -> None:
    """With the turns they stand on as sources, across stretches."""
    model = Structuring(
        structure=lambda material: {
            "facts": [{"turn": 1, "text": "Gate: 4417", "tags": ["gate"]}],
            "procedures": [],
        }
    )
    memory = memory_of(model, "Hello.", "The gate has 4417.", "Hello.", "It stays.", trajectory=2)
    items = memory.recall(ask("gate")).items
    assert [(item.text, item.source_ids, item.speaker) for item in items] == [
        ("Gate: 4417", ("e1",), ANN),
        ("Gate: 4417", ("e3",), ANN),
    ]


@pytest.fixture
def graph() -> KnowledgeGraph:
    """Facts A, B and C at cosines 0.8, 0.6 and 0 to q; B and C have the tag x, C also y."""
    embedder = ByHand(
        {
            "q": (1, 0, 0),
            "A": (0.8, 0.6, 0),
            "B": (0.6, 0.8, 0),
            "C": (0, 1, 0),
            "x": (0, 1, 0),
            "x'": (0, 0.85, 0.52678269),
            "x''": (0, 0.95, 0.31224990),
            "y": (1, 0, 0),
        }
    )
    made = KnowledgeGraph(embedder, importance=0.1)
    made.add_fact("A", (0,), [])
    made.add_fact("B", (1,), ["x"])
    made.add_fact("C", (2,), ["x", "y"])
    return made


def test_facts_come_in_by_nearness(graph: KnowledgeGraph) -> None:
    """A: 0.8 + 0.1 * 2, B: 0.6 + 0.1 * 2 / 1 tag, by the vote of being near."""
    assert rounded(graph.find_facts("q", [], 1)) == [(0, 1.0)]
    assert rounded(graph.find_facts("q", [], 2)) == [(0, 1.0), (1, 0.8)]


def test_tags_vote_facts_in(graph: KnowledgeGraph) -> None:
    """By its exact words a tag's vote is 5, shared by the fact's tags: B 0.6 + 0.5, C 0 + 0.25."""
    assert rounded(graph.find_facts("q", ["X"], 1)) == [
        (1, 1.1),
        (0, 1.0),
        (2, 0.25),
    ]


def test_a_tag_like_one_of_the_questions_votes_less(graph: KnowledgeGraph) -> None:
    """At a cosine of 0.85 a vote is 1: B 0.6 + 0.1, C 0.05; and votes add up: C 0.05 + 0.25."""
    assert rounded(graph.find_facts("q", ["x'"], 0)) == [(1, 0.7), (2, 0.05)]
    assert rounded(graph.find_facts("q", ["x'", "y"], 0))[1] == (2, 0.3)
    assert rounded(graph.find_facts("q", ["nothing like it"], 0)) == []


def test_nearly_equal_tags_are_one(graph: KnowledgeGraph) -> None:
    """At a cosine of 0.95 a new tag is the old one; at 0.85 it is not."""
    graph.add_fact("D", (3,), ["x''"])
    graph.add_fact("E", (4,), ["x'"])
    assert [graph.tag_names(fact) for fact in graph.facts[3:]] == [["x"], ["x'"]]


def test_votes_only_let_in_unless_they_are_given_weight() -> None:
    """By default a fact's value is its nearness, as in the release."""
    model = Structuring(plan=planned("semantic", ["Bread"]))
    said = ["Bread is fresh.", *(f"The gate of house {n} is green." for n in range(7))]
    memory = memory_of(model, *said)
    items = memory.recall(ask("gate of house")).items
    assert len(items) == 6
    assert items[-1].text == "Bread is fresh."
    weighed = memory_of(model, *said, importance=1.0)
    assert texts(weighed, "gate of house")[0] == "Bread is fresh."


def test_five_facts_come_in_by_nearness() -> None:
    """As in the paper; ``nearest`` sets it, 0 for the run's top-k, which holds in any case."""
    said = [f"Item {number} is here." for number in range(9)]
    assert len(texts(memory_of(Structuring(), *said), "item")) == 5
    assert len(texts(memory_of(Structuring(), *said, nearest=0), "item", 8)) == 8
    assert len(texts(memory_of(Structuring(), *said), "item", 2)) == 2


def test_an_episodic_question_gets_verbatim_turns() -> None:
    """Those that the nearest facts stand on, as they were said, once each."""
    model = Structuring(
        plan=planned("episodic"),
        structure=lambda material: {
            "facts": [
                {"turn": turn["number"], "text": part, "tags": []}
                for turn in material["turns"]
                for part in turn["text"].split(". ")
            ],
            "procedures": [],
        },
    )
    memory = memory_of(model, "Bread is fresh. Really", "The gate is green. The gate is old")
    items = memory.recall(ask("The gate is old")).items
    assert [(item.text, item.source_ids) for item in items] == [
        ("The gate is green. The gate is old", ("e1",)),
        ("Bread is fresh. Really", ("e0",)),
    ]
    assert items[0].score == pytest.approx(1.0)


def test_a_procedural_question_gets_the_ways_to_the_nearest_goal() -> None:
    """Nearly equal goals are one; procedures of other goals stay out."""
    ways = [
        {"turns": [0, 1], "subgoal": "open the gate", "text": "Type 4417, then push."},
        {"turns": [1], "subgoal": "Open the gate", "text": "Push hard."},
        {"turns": [0], "subgoal": "bake bread for breakfast", "text": "Knead, wait, bake."},
    ]
    model = Structuring(
        plan=planned("procedural", subgoal="open the gate"),
        structure=lambda material: {"facts": [], "procedures": ways},
    )
    memory = PlugMem(HashEmbedder(), MemoryModel(model))
    memory.ingest(Entry("e0", "One.", ANN))
    memory.ingest(Entry("e1", "Two.", BOB))
    found = {item.text: item for item in memory.recall(ask("How do I open the gate?")).items}
    assert set(found) == {"Type 4417, then push.", "Push hard."}
    both = found["Type 4417, then push."]
    assert (both.source_ids, both.speaker) == (("e0", "e1"), None)
    assert found["Push hard."].speaker == BOB


def test_a_kind_of_memory_there_is_none_of_gives_nothing() -> None:
    """A procedural question where no procedure was taken down."""
    model = Structuring(plan=planned("procedural", subgoal="open the gate"))
    assert texts(memory_of(model, "The gate is green."), "How?") == []


def superseding(material: dict[str, Any]) -> dict[str, Any]:
    """Put the later of each pair in place of both."""
    return {
        "merges": [
            {
                "pair": pair["number"],
                "text": f"Now: {pair['later']}",
                "deactivate_earlier": True,
                "deactivate_later": True,
            }
            for pair in material["pairs"]
        ]
    }


def test_a_merge_deactivates_what_it_replaces() -> None:
    """The old facts are found no more; the new one stands on the turns of both."""
    model = Structuring(merge=superseding)
    memory = memory_of(
        model, "Gate code is 4417.", "Gate code is 9020.", "Bread is fresh.", merge_every=3
    )
    items = memory.recall(ask("gate code")).items
    assert [(item.text, item.source_ids) for item in items] == [
        ("Now: Gate code is 9020.", ("e0", "e1")),
        ("Bread is fresh.", ("e2",)),
    ]


def test_what_the_model_keeps_active_is_still_found() -> None:
    """It says for each of the two whether it is superseded; a pair left out stays as it is."""
    keeping = Structuring(
        merge=lambda material: {
            "merges": [
                {"pair": 0, "text": "Both.", "deactivate_earlier": True, "deactivate_later": False}
            ]
        }
    )
    said = ("Gate code is 4417.", "Gate code is 9020.")
    assert set(texts(memory_of(keeping, *said, merge_every=2), "gate")) == {said[1], "Both."}
    leaving = Structuring(merge=lambda material: {"merges": []})
    assert set(texts(memory_of(leaving, *said, merge_every=2), "gate")) == set(said)


def test_merges_come_after_so_many_turns() -> None:
    """All pairs are looked at in one call; 0 is never."""
    said = [f"Gate code is {number}." for number in range(6)]
    for every, count in ((2, 3), (3, 2), (6, 1), (0, 0)):
        model = Structuring(merge=lambda material: {"merges": []})
        memory_of(model, *said, merge_every=every, trajectory=1)
        assert model.count("merge") == count


def test_pairs_share_a_tag_and_are_alike_and_of_different_turns() -> None:
    """Each fact with the nearest later one, none twice, none that a merge has touched."""
    embedder = ByHand(
        {
            "A": (1, 0, 0),
            "B": (0.8, 0.6, 0),
            "C": (0.9, 0.43588989, 0),
            "D": (0, 1, 0),
            "other": (0, 1, 0),
        }
    )
    graph = KnowledgeGraph(embedder, 0.0)
    for number, text in enumerate("ABCD"):
        graph.add_fact(text, (number,), ["x"])
    graph.add_fact("A", (5,), ["other"])
    # A with C (0.9, nearer than B's 0.8); B with D (0.6).
    assert graph.pairs_to_merge(0.5) == [(0, 2), (1, 3)]
    assert graph.pairs_to_merge(0.7) == [(0, 2)]
    graph.merge(0, 2, "A", drop_earlier=True, drop_later=False)
    # The new A stands on turns 0 and 2; B's nearest is it.
    assert graph.pairs_to_merge(0.5) == [(1, 5)]
    graph.facts[1].turns = (0,)
    assert graph.pairs_to_merge(0.5) == [(1, 3)]


@pytest.mark.parametrize(
    "answers",
    [
        {"plan": planned("guessing")},
        {"plan": lambda material: {"mode": "semantic", "tags": 3, "subgoal": ""}},
        {"structure": lambda material: {"facts": []}},
        {
            "structure": lambda material: {
                "facts": [{"turn": 1, "text": "x", "tags": []}],
                "procedures": [],
            }
        },
    ],
)
def test_a_reply_that_cannot_be_used_is_the_providers_error(answers: dict[str, Answer]) -> None:
    """An unknown mode, a turn that is not there, a missing list."""
    with pytest.raises(InfrastructureError, match="plugmem") as caught:
        texts(memory_of(Structuring(**answers), "The gate is green."), "gate")
    assert caught.value.type == "provider"


def test_settings_that_make_no_sense_are_refused() -> None:
    """The error names the system."""
    for setting in ({"trajectory": 0}, {"nearest": -1}, {"merge_every": -1}):
        with pytest.raises(SettingsError, match="plugmem"):
            memory_of(Structuring(), **setting)
