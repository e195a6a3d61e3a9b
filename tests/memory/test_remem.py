"""ReMem: what flows where in the graph, and how a model looks for evidence."""

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
from pytest_comem.memory.remem_graph import EpisodicGraph, Fact, Kind

if find_spec("numpy") is None:
    pytest.skip("numpy is not installed: pytest-comem[rag]", allow_module_level=True)

from pytest_comem.memory.remem import ReMemIterative, ReMemSingle
from pytest_comem.memory.remem_index import EpisodicIndex

ANN = Principal("ann", "owner")


class ByHand:
    """An embedder whose vectors are given; every other text points elsewhere."""

    name = "by hand"
    dimensions = 3

    def __init__(self, vectors: Mapping[str, tuple[float, float, float]]) -> None:
        self.vectors = vectors

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the given vectors."""
        return [list(self.vectors.get(text, (0.0, 0.0, 1.0))) for text in texts]


class Remembering:
    """A model that takes the first sentence as gist, one fact, and the steps it is given."""

    def __init__(self, *steps: Callable[[dict[str, Any]], dict[str, str]]) -> None:
        self.steps = list(steps)
        self.asked: list[dict[str, Any]] = []

    def ask(self, messages: Sequence[Mapping[str, str]], *, json_object: bool = False) -> str:
        """Return an extraction, or the next of the given steps."""
        material = json.loads(messages[1]["content"])
        if messages[0]["content"].startswith("pytest-comem remem: next step"):
            self.asked.append(material)
            return json.dumps(self.steps.pop(0)(material))
        gist = material["text"].partition(".")[0]
        subject, _, rest = gist.partition(" is ")
        fact = {"subject": subject, "predicate": "is", "object": rest}
        return json.dumps({"gists": [gist], "facts": [fact] if rest else []})


class Silent(Remembering):
    """Takes nothing from any turn."""

    def ask(self, messages: Sequence[Mapping[str, str]], *, json_object: bool = False) -> str:
        """Return an empty extraction, or the next of the given steps."""
        if "next step" in messages[0]["content"].partition("\n")[0]:
            return super().ask(messages, json_object=json_object)
        return '{"gists": [], "facts": []}'


def step(tool: str, argument: str = "") -> Callable[[dict[str, Any]], dict[str, str]]:
    """Return a step that does not look at what was found."""
    return lambda material: {"tool": tool, "argument": argument}


def found_by(kind: str, material: dict[str, Any]) -> str:
    """Return the id of the first node of this kind in the steps so far."""
    shown = [one for past in material["steps"] for one in past["found"]]
    return str(next(one["id"] for one in shown if one["kind"] == kind))


def entry(text: str, id: str = "e") -> Entry:
    """Return an entry."""
    return Entry(id, text, ANN)


def ask(text: str, top_k: int = 20) -> Query:
    """Return a query."""
    return Query(text, ANN, (), "", top_k)


def numbers(graph: EpisodicGraph) -> dict[str, int]:
    """Return the numbers of nodes by their text."""
    return {node.text: node.number for node in graph.nodes}


@pytest.fixture
def graph() -> EpisodicGraph:
    """A turn with gist G, fact ``a r b``; another with gist H that names a, fact ``a s c``."""
    made = EpisodicGraph()
    made.add_turn(entry("one", "e1"), ["G"], [Fact("a", "r", "b")])
    made.add_turn(entry("two", "e2"), ["H a"], [Fact("a", "s", "c", "in May")])
    return made


def test_links_have_the_weights_of_their_kind(graph: EpisodicGraph) -> None:
    """Supports, grounds and roles 1, mentions 0.8, names that occur together 0.6."""
    at = numbers(graph)

    def links(text: str) -> dict[str, float]:
        linked = graph.neighbours(at[text], tuple(Kind), 99)
        return {graph.nodes[number].text: weight for number, weight in linked}

    assert links("one") == {"G": 1.0, "a r b": 1.0, "a": 0.8, "b": 0.8}
    assert links("G") == {"one": 1.0, "a r b": 1.0}
    assert links("H a") == {"two": 1.0, "a s c [in May]": 1.0, "a": 0.8}
    assert links("a r b") == {"one": 1.0, "G": 1.0, "a": 1.0, "b": 1.0}
    assert links("b") == {"one": 0.8, "a r b": 1.0, "a": 0.6}


def test_equal_gists_facts_and_names_are_one_node() -> None:
    """A name counts as the same in whatever case; a turn never does."""
    graph = EpisodicGraph()
    graph.add_turn(entry("x", "e1"), ["G"], [Fact("Ann", "is", "in")])
    graph.add_turn(entry("x", "e2"), ["G"], [Fact("ANN", "is", "in"), Fact("Ann", "is", "in")])
    kinds = [node.kind for node in graph.nodes]
    assert {kind: kinds.count(kind) for kind in Kind} == {
        "turn": 2,
        "gist": 1,
        "fact": 2,
        "entity": 2,
    }


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"G": 0.8}, {"one": 0.8}),
        # Straight, and by its gist: 0.6 * 1 * 0.1 each.
        ({"a r b": 0.6}, {"one": 0.06}),
        # (0.8 + 0.06 + 0.06) / 3
        ({"G": 0.8, "a r b": 0.6}, {"one": 0.92 / 3}),
        # By the fact, and by the fact's gist: 0.5 * 1 * 1 * 0.1 each.
        ({"b": 0.5}, {"one": 0.05}),
        ({"a": 0.5}, {"two": 0.05, "one": 0.05}),
        ({"one": 0.9, "G": 0.5}, {"one": 0.7}),
        # One: (0.4 + 0.05 + 0.05) / 3; two: the entity's paths only.
        ({"G": 0.4, "a": 0.5}, {"one": 0.5 / 3, "two": 0.05}),
        ({}, {}),
    ],
)
def test_scores_flow_to_turns(
    graph: EpisodicGraph, scores: dict[str, float], expected: dict[str, float]
) -> None:
    """A gist's whole, a fact's and an entity's a tenth by each path; a turn gets the mean."""
    at = numbers(graph)
    evidence = graph.evidence({at[text]: score for text, score in scores.items()})
    assert [node.text for node, _ in evidence] == list(expected)
    assert [score for _, score in evidence] == pytest.approx(list(expected.values()))


def test_of_equal_turns_the_later_comes_first(graph: EpisodicGraph) -> None:
    """Whatever order they were found in."""
    at = numbers(graph)
    evidence = graph.evidence({at["G"]: 0.5, at["H a"]: 0.5})
    assert [node.text for node, _ in evidence] == ["two", "one"]


def test_a_name_of_every_turn_does_not_reach_them_all() -> None:
    """From an entity three facts are followed, the first ones."""
    graph = EpisodicGraph()
    for number in range(9):
        graph.add_turn(entry(f"t{number}", str(number)), [], [Fact("a", "r", f"b{number}")])
    evidence = graph.evidence({numbers(graph)["a"]: 1.0})
    assert [node.text for node, _ in evidence] == ["t2", "t1", "t0"]


def test_gists_that_say_the_same_are_linked() -> None:
    """At a cosine of 0.8 and more, with the cosine as weight; not at 0.6."""
    embedder = ByHand({"G": (1, 0, 0), "H": (0.8, 0.6, 0), "I": (0.6, -0.8, 0)})
    index = EpisodicIndex(embedder, 0.79999)
    for text in ("G", "H", "I"):
        index.add_turn(entry(f"turn {text}", text), [text], [])
    index.semantic("anything", 1)
    at = numbers(index.graph)
    ((synonym, weight),) = index.graph.neighbours(at["G"], (Kind.GIST,), 9)
    assert synonym == at["H"]
    assert weight == pytest.approx(0.8)
    assert index.graph.neighbours(at["I"], (Kind.GIST,), 9) == []


def test_retrieval_by_meaning_ranks_gists_facts_and_entities_together() -> None:
    """Turns are not looked at, nor what points away; equal ones stand in the order they came."""
    embedder = ByHand(
        {
            "q": (1, 0, 0),
            "turn": (1, 0, 0),
            "G": (0.6, 0.8, 0),
            "a r b": (0.8, 0.6, 0),
            "a": (1, 0, 0),
            "b": (-1, 0, 0),
        }
    )
    index = EpisodicIndex(embedder, 0.8)
    index.add_turn(entry("turn"), ["G"], [Fact("a", "r", "b")])
    at = numbers(index.graph)
    found = index.semantic("q", 10)
    assert [number for number, _ in found] == [at["a"], at["a r b"], at["G"]]
    assert [score for _, score in found] == pytest.approx([1.0, 0.8, 0.6])
    assert [number for number, _ in index.semantic("q", 10, {at["a"]})] == [at["a r b"], at["G"]]
    assert [number for number, _ in index.semantic("q", 1)] == [at["a"]]


def test_retrieval_by_words_gives_shares_of_the_best() -> None:
    """What shares no word is not found; the best has 1."""
    index = EpisodicIndex(HashEmbedder(), 0.8)
    index.add_turn(entry("The gate code is 4417", "e1"), ["gate code 4417"], [])
    for number in range(6):
        index.add_turn(
            entry(f"Bread {number} is fresh", f"b{number}"), [f"fresh bread {number}"], []
        )
    found = index.lexical("gate code", 10)
    assert [index.node(number).text for number, _ in found] == [
        "gate code 4417",
        "The gate code is 4417",
    ]
    assert found[0][1] == 1.0
    assert 0 < found[1][1] < 1


def test_around_a_gist_is_what_it_and_its_synonyms_are_linked_to() -> None:
    """A synonym's fact counts the product of both links, or its own cosine if that is more."""
    embedder = ByHand(
        {"q": (1, 0, 0), "G": (0, 1, 0), "H": (0, 0.8, 0.6), "x r y": (0.9, 0.43588989, 0)}
    )
    index = EpisodicIndex(embedder, 0.79999)
    index.add_turn(entry("one", "e1"), ["G"], [])
    index.add_turn(entry("two", "e2"), ["H"], [Fact("x", "r", "y")])
    index.add_turn(entry("three", "e3"), ["I"], [])
    index.semantic("q", 1)
    around = index.around_gist(numbers(index.graph)["G"], "q", 9)
    assert {index.node(number).text: score for number, score in around} == {
        "one": 1.0,
        "x r y": pytest.approx(0.9),
        "H": pytest.approx(0.8),
        "two": pytest.approx(0.8),
    }
    assert [index.node(number).text for number, _ in around][:2] == ["one", "x r y"]


def test_around_an_entity_are_its_facts_and_their_turns() -> None:
    """A turn that mentions it has 0.8, by the fact 1; a name beside it 0.6."""
    index = EpisodicIndex(ByHand({"q": (1, 0, 0)}), 1.1)
    index.add_turn(entry("one", "e1"), ["G"], [Fact("a", "r", "b")])
    index.add_turn(entry("two", "e2"), ["I"], [])
    around = index.around_entity(numbers(index.graph)["a"], "q", 9)
    assert {index.node(number).text: score for number, score in around} == {
        "a r b": 1.0,
        "one": 1.0,
        "G": 1.0,
        "b": 0.6,
    }


def test_single_recalls_verbatim_turns() -> None:
    """With id, speaker and text as said; no more than top-k."""
    memory = ReMemSingle(HashEmbedder(), MemoryModel(Remembering()))
    for number, text in enumerate(
        ["The gate is green.  Really!", "The bread is fresh.", "The gate is old."]
    ):
        memory.ingest(entry(text, f"e{number}"))
    (first, *_) = memory.recall(ask("The gate is green")).items
    assert (first.text, first.source_ids, first.speaker) == (
        "The gate is green.  Really!",
        ("e0",),
        ANN,
    )
    assert [len(memory.recall(ask("The gate", k)).items) for k in (0, 1, 2)] == [0, 1, 2]


def test_how_many_nodes_are_found_can_be_set() -> None:
    """Ten as in the paper, so that at most ten turns come by gists; 0 is the run's top-k."""
    counts = []
    for setting in (10, 3, 0):
        memory = ReMemSingle(HashEmbedder(), MemoryModel(Remembering()), retrieve_top=setting)
        for number in range(15):
            memory.ingest(entry(f"Item {number} here.", f"e{number}"))
        counts.append(len(memory.recall(ask("item here", 15)).items))
    assert counts == [10, 3, 15]


def test_a_turn_nothing_was_taken_from_is_found_by_words_only() -> None:
    """Single retrieval does not look at turns; the iterative one can."""
    texts = ["Hm", "The bread is fresh.", "The door is red.", "The gate is old."]
    single = ReMemSingle(HashEmbedder(), MemoryModel(Silent()))
    iterative = ReMemIterative(
        HashEmbedder(), MemoryModel(Silent(step("lexical_retrieve"), step("answer")))
    )
    for memory in (single, iterative):
        for text in texts:
            memory.ingest(entry(text, text))
    assert single.recall(ask("Hm")).items == ()
    assert [item.text for item in iterative.recall(ask("Hm")).items] == ["Hm"]


def iterate(*steps: Callable[[dict[str, Any]], dict[str, str]]) -> tuple[list[str], Remembering]:
    """Return what is recalled by these steps, and the model that took them."""
    model = Remembering(*steps)
    memory = ReMemIterative(HashEmbedder(), MemoryModel(model), retrieve_top=1)
    for text in ("The gate is green.", "The gate is old.", "The bread is fresh."):
        memory.ingest(entry(text, text))
    return [item.text for item in memory.recall(ask("The gate is green")).items], model


def test_a_model_that_answers_at_once_recalls_nothing() -> None:
    """No step, no evidence."""
    assert iterate(step("answer"))[0] == []


def test_at_most_five_steps_are_taken() -> None:
    """The model is told how many are left, and what each step found."""
    _, model = iterate(*[step("semantic_retrieve")] * 9)
    assert [asked["steps_left"] for asked in model.asked] == [5, 4, 3, 2, 1]
    assert [len(asked["steps"]) for asked in model.asked] == [0, 1, 2, 3, 4]


def test_what_was_found_is_left_out_of_later_retrievals() -> None:
    """Each of five searches for one node finds another one."""
    _, model = iterate(*[step("semantic_retrieve")] * 5)
    ids = [one["id"] for past in model.asked[-1]["steps"] for one in past["found"]]
    assert len(ids) == len(set(ids)) == 4


def test_the_surroundings_of_a_gist_bring_its_turn() -> None:
    """A step may go on from what an earlier one found."""
    found, model = iterate(
        step("semantic_retrieve"),
        lambda material: {
            "tool": "find_gist_contexts",
            "argument": found_by("gist", material),
        },
        step("answer"),
    )
    assert found[0] == "The gate is green."
    assert {one["kind"] for one in model.asked[-1]["steps"][1]["found"]} == {"turn", "fact"}


def test_the_surroundings_of_an_entity_bring_the_turns_that_name_it() -> None:
    """Both turns about the gate, the other one not."""
    found, _ = iterate(
        step("semantic_retrieve", "The gate"),
        step("semantic_retrieve", "The gate"),
        step("semantic_retrieve", "The gate"),
        lambda material: {
            "tool": "find_entity_contexts",
            "argument": found_by("entity", material),
        },
        step("answer"),
    )
    assert set(found) >= {"The gate is green.", "The gate is old."}
    assert "The bread is fresh." not in found


def test_what_was_not_found_has_no_surroundings() -> None:
    """An id the model made up finds nothing, and the search goes on."""
    found, model = iterate(
        step("find_gist_contexts", "gist-1"), step("semantic_retrieve"), step("answer")
    )
    assert model.asked[1]["steps"][0]["found"] == []
    assert found == ["The gate is green."]


@pytest.mark.parametrize(
    "choice", [{"tool": "guess", "argument": ""}, {"argument": "x"}, {"tool": None}]
)
def test_a_step_that_is_none_is_the_providers_error(choice: dict[str, str]) -> None:
    """It is not taken for an answer."""
    with pytest.raises(InfrastructureError, match="remem: next step") as caught:
        iterate(lambda material: choice)
    assert caught.value.type == "provider"


def test_settings_that_make_no_sense_are_refused() -> None:
    """The error names the system."""
    for setting in ({"steps": 0}, {"context_top": 0}, {"retrieve_top": -1}):
        with pytest.raises(SettingsError, match="remem"):
            ReMemIterative(HashEmbedder(), MemoryModel(Remembering()), **setting)
