"""The five operators, and the proof that twins differ in one artifact."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workflow_play import NAMES, surroundings, twins

from pytest_comem.records.canonical import canonical
from pytest_comem.workflows.altering import altered
from pytest_comem.workflows.artifacts import unmet
from pytest_comem.workflows.hidden import Decoy, Instance, Operator, Pollution
from pytest_comem.workflows.pollution import BREAKS, Inapplicable, pollute
from pytest_comem.workflows.twins import all_twins, gold_views, verify_twin
from pytest_comem.workflows.views import strings_of_view


def polluted(operator: Operator, target: str, name: str = "dates-fix") -> Pollution:
    """Return the pollution of a pair that exists."""
    found = twins(operator, target, name).polluted.pollution
    assert found is not None
    return found


def foreign_to(name: str) -> list[Any]:
    """Return the finished artifacts of the tests' other families."""
    return [
        artifact
        for other in NAMES
        if other != name
        for artifact in surroundings(other).gold.values()
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_pair_is_proven(name: str) -> None:
    """Whatever operator and consumer: the twins differ in the one artifact."""
    around = replace(surroundings(name), foreign=foreign_to(name))
    pairs, none = all_twins(around)
    assert len(pairs) + len(none) == 5 * len(around.family.nodes)
    for pair in pairs:
        assert verify_twin(pair.clean, pair.polluted, around.gold) == ()


def test_every_operator_applies_somewhere() -> None:
    """On the family that has branches, versions, entities and a foreign decoy."""
    pairs, _ = all_twins(surroundings())
    assert {one.polluted.pollution.operator for one in pairs if one.polluted.pollution} == set(
        Operator
    )


@pytest.mark.parametrize("name", NAMES)
def test_no_view_names_an_operator(name: str) -> None:
    """Nor the condition: no string of any view of any twin, ids and names of fields included."""
    around = surroundings(name)
    hidden = {operator.value for operator in Operator} | {"pollut", "decoy", "clean", "twin"}
    for pair in all_twins(around)[0]:
        for view in gold_views(around.family, around.gold, pair.polluted.pollution).values():
            for text in strings_of_view(view):
                assert not [word for word in hidden if word in text]
                assert pair.polluted.instance_id not in text


def test_a_sibling_is_of_another_branch() -> None:
    """Its producer neither comes before nor after the right one, and makes the same type."""
    found = polluted(Operator.SIBLING_CROSSWIRE, "locate_parse")
    around = surroundings()
    assert found.artifact.producer.node_id == "repro_format"
    assert found.artifact.content == around.gold["repro_format"].content
    assert found.artifact.artifact_id != around.gold["repro_format"].artifact_id
    assert found.receipt_id is not None


def test_an_unverified_result_has_no_receipt() -> None:
    """All else is as the contract wants."""
    found = polluted(Operator.UNVERIFIED_RESULT, "tests")
    edge = {one.source: one for one in surroundings().family.inputs("tests")}[
        found.artifact.producer.node_id
    ]
    assert found.receipt_id is None
    assert unmet(edge, "dates-fix", found.artifact, verified=False) == ("verification",)


def test_a_stale_version_is_the_decoy_where_there_is_one() -> None:
    """Hand-written content goes before derived content."""
    found = polluted(Operator.STALE_VERSION, "release")
    assert (found.artifact.producer.node_id, found.artifact.version) == ("patch", 1)
    assert found.artifact.content == {"diff": "+    if day > 31:\n+        raise ValueError(day)"}


def test_a_foreign_completion_is_of_another_workflow() -> None:
    """By a decoy, or by what other families have finished."""
    found = polluted(Operator.FOREIGN_COMPLETION, "locate_format")
    assert found.artifact.producer.family_id == "money-fix"
    around = surroundings("bridge-search")
    bundle = around.gold["search_north"]
    moved = bundle.producer.model_copy(update={"family_id": "other"})
    other = bundle.model_copy(update={"producer": moved, "content": {"documents": ["x"]}})
    drawn = pollute(replace(around, foreign=[other]), Operator.FOREIGN_COMPLETION, "resolve")
    assert isinstance(drawn, Pollution)
    assert drawn.artifact.content == {"documents": ["x"]}


@pytest.mark.parametrize(
    ("name", "operator", "target", "reason"),
    [
        ("sum-proof", "sibling_crosswire", "compile", "no branch beside its inputs"),
        ("dates-fix", "sibling_crosswire", "tests", "no branch beside its inputs"),
        ("dates-fix", "wrong_entity", "issue", "it requires no input with a verified receipt"),
        ("sum-proof", "foreign_completion", "compile", "no other workflow here has finished"),
    ],
)
def test_where_an_operator_does_not_apply(
    name: str, operator: str, target: str, reason: str
) -> None:
    """There is no artifact, and a reason."""
    found = pollute(surroundings(name), Operator(operator), target)
    assert isinstance(found, Inapplicable)
    assert found.reason.startswith(reason)


def test_nothing_that_is_yet_to_be_made_is_given_away() -> None:
    """No pollution has the content of its target's own result, or of a later one."""
    around = surroundings("sum-proof")
    own = around.gold["compile"].content
    decoy = Decoy(operator=Operator.UNVERIFIED_RESULT, producer="induction", content=own)
    found = pollute(replace(around, decoys=[decoy]), Operator.UNVERIFIED_RESULT, "compile")
    assert isinstance(found, Inapplicable)


def test_the_same_pollution_everywhere() -> None:
    """Whatever the hash seed, the same artifact is drawn."""
    code = (
        "from workflow_play import *; from pytest_comem.workflows.twins import all_twins;"
        "print(*(p.polluted.model_dump_json(exclude={'family'}) "
        "for p in all_twins(surroundings())[0]))"
    )
    acceptance = Path(__file__).resolve().parents[1] / "acceptance"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(acceptance)!r}); {code}"],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert "sibling_crosswire" in outputs.pop()


def test_another_entity_needs_no_result_of_its_own() -> None:
    """Where only later nodes know another entity's result, content is derived."""
    found = polluted(Operator.WRONG_ENTITY, "lemma_step", "sum-proof")
    assert found.artifact.producer.node_id == "statement"
    assert found.artifact.entity_scope != "sum_odd.statement"


def changed(instance: Instance, **fields: Any) -> Instance:
    """Return a polluted instance with other fields in its pollution."""
    assert instance.pollution is not None
    return instance.model_copy(update={"pollution": instance.pollution.model_copy(update=fields)})


def with_artifact(instance: Instance, **fields: Any) -> Instance:
    """Return a polluted instance with other fields in its artifact."""
    assert instance.pollution is not None
    return changed(instance, artifact=instance.pollution.artifact.model_copy(update=fields))


GOLD = surroundings().gold
FAULTS: dict[str, Callable[[Instance], Instance]] = {
    "the twin has no additional artifact": lambda it: it.model_copy(update={"pollution": None}),
    "the families differ": lambda it: it.model_copy(
        update={"family": it.family.model_copy(update={"title": "other"})}
    ),
    "the additional artifact's hash is not that of its content": lambda it: with_artifact(
        it, content={"passed": 8}
    ),
    "the additional artifact is one that the workflow makes anyway": lambda it: changed(
        it, artifact=GOLD["plan"]
    ),
    "the additional artifact satisfies a contract of its target, so it is applicable": lambda it: (
        with_artifact(it, entity_scope="calendar")
    ),
    "no input of the target is missed by what stale_version is for": lambda it: changed(
        it, operator=Operator.STALE_VERSION
    ),
    "no input of the target is missed by what wrong_entity is for": lambda it: with_artifact(
        it, semantic_type="other"
    ),
    "the view of patch names the operator wrong_entity": lambda it: with_artifact(
        it, artifact_id="wrong_entity-1"
    ),
    "the additional artifact gives away what tests has yet to make": lambda it: with_artifact(
        it, content=GOLD["tests"].content, content_hash=GOLD["tests"].content_hash
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_twin_is_refused(fault: str) -> None:
    """Each way of differing in something else, or in nothing, is named."""
    around = surroundings()
    decoy = Decoy(
        operator=Operator.WRONG_ENTITY, producer="plan", content={"steps": []}, entity_scope="moon"
    )
    found = pollute(replace(around, decoys=[decoy]), Operator.WRONG_ENTITY, "patch")
    assert isinstance(found, Pollution)
    pair = twins(Operator.WRONG_ENTITY, "patch")
    twin = pair.polluted.model_copy(update={"pollution": found})
    assert verify_twin(pair.clean, twin, around.gold) == ()
    assert fault in verify_twin(pair.clean, FAULTS[fault](twin), around.gold)


def test_two_clean_instances_are_no_pair() -> None:
    """Nor is a polluted one a control."""
    pair = twins(Operator.WRONG_ENTITY, "patch")
    gold = surroundings().gold
    assert verify_twin(pair.clean, pair.clean, gold)
    assert "the control is not clean" in verify_twin(pair.polluted, pair.polluted, gold)


def test_each_operator_breaks_its_term() -> None:
    """Of the slot it is made for, and of no other kind but the entity of a foreign one."""
    around = surroundings()
    for pair in all_twins(around)[0]:
        found = pair.polluted.pollution
        assert found is not None
        verified = found.receipt_id is not None
        terms = [
            set(unmet(edge, "dates-fix", found.artifact, verified=verified))
            for edge in around.family.inputs(found.target)
        ]
        allowed = {BREAKS[found.operator], "entity_scope"}
        assert any(BREAKS[found.operator] in each and each <= allowed for each in terms)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def form(value: Any) -> Any:
    """Return the types of a JSON value at their places."""
    if isinstance(value, dict):
        return {key: form(each) for key, each in value.items()}
    return [form(each) for each in value] if isinstance(value, list) else type(value)


@settings(deadline=None, max_examples=60)
@given(JSON, st.integers(0, 9))
def test_altered_content_has_the_same_form(content: Any, seed: int) -> None:
    """It differs, and lists, fields and types stay; or there is none."""
    found = altered(content, Random(seed))
    if found is not None:
        assert canonical(found) != canonical(content)
        assert form(found) == form(content)
        assert canonical(altered(content, Random(seed))) == canonical(found)
