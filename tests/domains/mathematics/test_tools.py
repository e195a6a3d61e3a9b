"""What a language model that does a node's work may use."""

from __future__ import annotations

from typing import Any

import pytest
from mathematics_play import coq_checker, needs_coq

from pytest_comem.domains.mathematics.tools import CHECK, READ, SEARCH, ProverTools
from pytest_comem.executors.domain import ToolRefusal
from pytest_comem.workflows.views import CapabilityToken


def tools(*names: str, module: str = "Lists") -> ProverTools:
    """Return the tools that a token with these names gives."""
    token = CapabilityToken(token_id="t-1", node_id="n", tools=names, servers=())
    return ProverTools(coq_checker(module), token)


def test_the_token_says_which_tools_there_are() -> None:
    """In a fixed order; others are refused by name."""
    some = tools(CHECK, READ)
    assert [spec.name for spec in some.specs()] == [READ, CHECK]
    assert all(spec.parameters["type"] == "object" for spec in some.specs())
    with pytest.raises(ToolRefusal, match="there is no tool 'search_theorems' here"):
        some.call(SEARCH, {"words": "x"})
    with pytest.raises(ToolRefusal, match="there is no tool 'rm' here"):
        some.call("rm", {})


def test_a_module_is_read_with_what_it_rests_on() -> None:
    """Lemmas first; a module that is not there is refused with those that are."""
    text = tools(READ, module="Trees").call(READ, {"module": "Trees"})
    assert text.index("Fixpoint join") < text.index("Fixpoint mirror")
    with pytest.raises(ToolRefusal, match=r"there is no module '\.\./etc'; there are Base, Binary"):
        tools(READ).call(READ, {"module": "../etc"})


def test_theorems_are_found_by_their_words() -> None:
    """The likest first, with name, statement and hash."""
    text = tools(SEARCH).call(SEARCH, {"words": "turned round twice is the list again"})
    assert text.startswith("turn_turn (statement_sha256 ")
    assert "forall l : list nat, turn (turn l) = l" in text
    assert tools(SEARCH).call(SEARCH, {"words": "zebra"}) == "nothing was found"


@needs_coq
def test_proofs_are_checked_as_the_evaluator_checks_them() -> None:
    """With the lemmas before; what is rejected comes with the reason."""
    nil = {"theorem": "join_nil", "script": "induction l; simpl; congruence."}
    use = {"theorem": "turn_turn", "script": "intros. apply join_nil.", "lemmas": [nil]}
    box = tools(CHECK)
    assert box.call(CHECK, nil).startswith("accepted by coq ")
    assert box.call(CHECK, nil).endswith("; axioms: none")
    assert box.call(CHECK, use).startswith("rejected: it does not compile: ")
    assert "only tactics are allowed" in box.call(CHECK, {**nil, "script": "Admitted."})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "theorem has to be a text"),
        ({"theorem": 7, "script": "auto."}, "theorem has to be a text"),
        ({"theorem": "join_nil", "script": " "}, "script has to be a text"),
        ({"theorem": "no_such", "script": "auto."}, "has no registered theorem 'no_such'"),
        ({"theorem": "even_add", "script": "auto."}, "has no registered theorem 'even_add'"),
        ({"theorem": "join_nil", "script": "auto.", "lemmas": [7]}, "a lemma is an object"),
    ],
)
def test_arguments_of_any_shape_are_refused_in_words(arguments: dict[str, Any], said: str) -> None:
    """And nothing is compiled."""
    with pytest.raises(ToolRefusal, match=said):
        tools(CHECK).call(CHECK, arguments)


def test_nothing_is_added_to_a_content() -> None:
    """There is no state that could know better."""
    assert tools().complete({"a": 1}) == {"a": 1}
