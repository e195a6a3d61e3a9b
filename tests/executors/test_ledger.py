"""What nodes have made, and what may go along which edge."""

from __future__ import annotations

from workflow_play import SIGNER, surroundings

from pytest_comem.executors.ledger import Ledger, within_reach
from pytest_comem.workflows.artifacts import Artifact, make_artifact
from pytest_comem.workflows.receipts import Receipt, Verdict, issue

AROUND = surroundings("bridge-search")
FAMILY, GOLD = AROUND.family, AROUND.gold
NORTH, SOUTH = FAMILY.inputs("resolve")


def receipt(artifact: Artifact, verdict: Verdict = "verified") -> Receipt:
    """Return a receipt of an artifact."""
    return issue(
        SIGNER,
        artifact,
        verdict,
        run_id="run-1",
        instance_id="w-1",
        attempt=1,
        evaluator=FAMILY.node(artifact.producer.node_id).evaluator,
        evidence={},
    )


def ledger(*verified: str, rejected: tuple[str, ...] = ()) -> Ledger:
    """Return a ledger in which these nodes have made their gold artifacts."""
    found = Ledger(FAMILY)
    for name in verified:
        found.enter(GOLD[name], receipt(GOLD[name]))
    for name in rejected:
        found.enter(GOLD[name], receipt(GOLD[name], "rejected"))
    return found


def test_only_what_meets_the_contract_goes_along_an_edge() -> None:
    """Neither what nobody made nor what was rejected."""
    found = ledger("search_north", rejected=("search_south",))
    made = found.over(NORTH)
    assert made is not None
    assert made.artifact == GOLD["search_north"]
    assert found.over(SOUTH) is None
    assert Ledger(FAMILY).over(NORTH) is None
    contract = SOUTH.contract.model_copy(update={"verification": "none"})
    assert found.over(SOUTH.model_copy(update={"contract": contract})) is not None


def test_the_last_output_counts_and_no_earlier_one() -> None:
    """A rejected revision takes the place of what was verified before."""
    found = ledger("search_north", "search_south")
    assert found.is_eligible("resolve")
    found.enter(GOLD["search_south"], receipt(GOLD["search_south"], "rejected"))
    assert not found.is_verified("search_south")
    assert not found.is_eligible("resolve")


def test_a_verified_output_raises_the_version_of_the_next() -> None:
    """Until then the node's own version stands, however often it fails."""
    assert ledger().next_version("search_north") == 1
    assert ledger(rejected=("search_north",)).next_version("search_north") == 1
    found = ledger("search_north")
    assert found.next_version("search_north") == 2
    again = GOLD["search_north"]
    newer = make_artifact(
        again.content,
        semantic_type=again.semantic_type,
        entity_scope=again.entity_scope,
        version=2,
        producer=again.producer,
    )
    found.enter(newer, receipt(newer))
    assert found.next_version("search_north") == 3


def test_eligible_is_who_requires_something_that_is_verified() -> None:
    """Roots require nothing; one verified input of two is too few."""
    found = ledger("question", "search_north")
    assert not found.is_eligible("question")
    assert found.is_eligible("search_north")
    assert not found.is_eligible("resolve")


def test_what_is_lacking_is_said_for_each_input() -> None:
    """Valid, exposed and used: the first that fails is named."""
    found = ledger("search_north", "search_south")
    north, south = (GOLD[name].artifact_id for name in ("search_north", "search_south"))
    assert found.lacking("resolve", {north, south}, {north, south}) == ()
    assert found.lacking("resolve", {north}, {north}) == (
        "the retrieval_result_bundle of search_south was not exposed",
    )
    assert found.lacking("resolve", {north, south}, set()) == (
        "the retrieval_result_bundle of search_north was not used",
        "the retrieval_result_bundle of search_south was not used",
    )
    assert ledger("search_north").lacking("resolve", {north}, {north}) == (
        "the retrieval_result_bundle of search_south has no valid receipt",
    )


def test_a_memory_that_alone_delivers_hands_over_what_it_exposes() -> None:
    """The harness hands over everything; both in the order of the edges."""
    found = ledger("search_north", "search_south")
    edges = FAMILY.inputs("resolve")
    declared = [edge.source for edge, _ in within_reach(found, edges, None)]
    assert declared == ["search_north", "search_south"]
    exposed = {GOLD["search_south"].artifact_id}
    assert [edge.source for edge, _ in within_reach(found, edges, exposed)] == ["search_south"]
