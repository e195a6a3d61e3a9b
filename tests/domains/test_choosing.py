"""The naive choice among what is shown, which all domains share."""

from __future__ import annotations

from typing import Any

from pytest_comem.domains.choosing import chosen
from pytest_comem.executors.domain import Shown
from pytest_comem.workflows.artifacts import Artifact, Producer, make_artifact
from pytest_comem.workflows.schema import HandoffContract, Task
from pytest_comem.workflows.views import (
    CapabilityToken,
    IncomingArtifact,
    InputContract,
    NodeView,
)

SCOPE = "brass astrolabe: plate"


def artifact(content: Any = None, **fields: Any) -> Artifact:
    """Return an artifact that fits, but for some fields."""
    like = {
        "semantic_type": "source_evidence",
        "entity_scope": SCOPE,
        "version": 1,
        "producer": Producer(family_id="elsewhere", node_id="x"),
    }
    found = {"maker": "Ada"} if content is None else content
    return make_artifact(found, **{**like, **fields})


RIGHT = artifact({"maker": "Berit"}, producer=Producer(family_id="own", node_id="plate"))


def view(*incoming: Artifact, scopes: tuple[str, ...] = (SCOPE,)) -> NodeView:
    """Return the view of a node with one contract a scope."""
    return NodeView(
        node_id="maker",
        task=Task(instruction="Name the maker of the instrument, and where she was born."),
        authorized_context=(),
        incoming_artifacts=tuple(
            IncomingArtifact(artifact=one, receipt_id="r-1") for one in incoming
        ),
        handoff_contract=tuple(
            InputContract(
                source="plate",
                contract=HandoffContract(
                    semantic_type="source_evidence", entity_scope=scope, version=1
                ),
                required=True,
            )
            for scope in scopes
        ),
        output_type="resolved_candidate",
        capability_token=CapabilityToken(token_id="t-1", node_id="maker", tools=(), servers=()),
    )


def test_declared_inputs_alone_are_taken() -> None:
    """Where nothing else is shown."""
    assert chosen(Shown(view(RIGHT))) == (RIGHT,)


def test_of_equals_the_last_is_taken() -> None:
    """Whoever made it, verified or not: the worker does not ask."""
    later = artifact()
    assert chosen(Shown(view(RIGHT), (RIGHT, later))) == (later,)


def test_words_come_before_versions() -> None:
    """A newer version wins, unless an older one has more words of the task."""
    newer = artifact(version=2)
    wordy = artifact({"t": "maker of the instrument born " * 9}, version=0)
    assert chosen(Shown(view(RIGHT), (newer, artifact()))) == (newer,)
    assert chosen(Shown(view(RIGHT), (newer, wordy))) == (wordy,)


def test_other_types_and_entities_are_passed_over() -> None:
    """Another type never fits; another entity fits where its name holds all of the right one's."""
    strange = artifact(semantic_type="patch_plan")
    about = artifact(entity_scope="the moon")
    namesake = artifact(entity_scope=f"great {SCOPE}")
    assert chosen(Shown(view(RIGHT), (strange, about))) == (RIGHT,)
    assert chosen(Shown(view(RIGHT), (strange, about, namesake))) == (namesake,)
    assert chosen(Shown(view(), (strange, about))) == ()


def test_every_contract_gets_its_own() -> None:
    """In the order of the contracts, and what serves two of them once."""
    other = artifact(entity_scope="copper quadrant: ledger")
    both = view(RIGHT, other, scopes=("copper quadrant: ledger", SCOPE))
    assert chosen(Shown(both)) == (other, RIGHT)
    assert chosen(Shown(view(RIGHT, scopes=(SCOPE, SCOPE)))) == (RIGHT,)


def test_hostile_artifacts_are_looked_at_within_bounds() -> None:
    """Megabytes of words are read as far as others are."""
    huge = artifact({"t": ["maker " * 200_000, {"deep": "maker " * 200_000}]})
    many = (huge, *(artifact({"n": n}) for n in range(600)))
    assert chosen(Shown(view(RIGHT), many)) == (huge,)
