"""What a worker gets: no more than the paper lists, and the same for both twins."""

from __future__ import annotations

import pytest
from workflow_play import surroundings, twins

from pytest_comem.workflows.hidden import Operator
from pytest_comem.workflows.twins import gold_views
from pytest_comem.workflows.views import NodeView, capability_token, node_view, strings_of_view


def test_a_view_has_the_papers_parts() -> None:
    """Task, context, incoming artifacts, contract, output type, token; and which node it is."""
    assert set(NodeView.model_fields) == {
        "node_id",
        "task",
        "authorized_context",
        "incoming_artifacts",
        "handoff_contract",
        "output_type",
        "capability_token",
    }


def test_a_view_holds_what_its_node_declares() -> None:
    """Contracts of its dependencies only: a revision edge is control, not an input."""
    view = node_view(surroundings().family, "patch")
    assert [one.source for one in view.handoff_contract] == ["plan", "repro_parse"]
    assert view.output_type == "patch_candidate"
    assert view.incoming_artifacts == ()
    with pytest.raises(KeyError):
        node_view(surroundings().family, "patches")


def test_a_token_allows_what_it_names() -> None:
    """And nothing else."""
    token = capability_token(surroundings().family, "tests")
    assert token.allows_tool("run")
    assert token.allows_server("sandbox")
    assert not token.allows_tool("write")
    assert not token.allows_server("run")


def test_twins_read_the_same_elsewhere() -> None:
    """Every view but the target's is equal to the last letter, ids included."""
    around = surroundings()
    pair = twins(Operator.SIBLING_CROSSWIRE, "locate_parse")
    before = gold_views(around.family, around.gold)
    after = gold_views(around.family, around.gold, pair.polluted.pollution)
    differing = [
        name
        for name in before
        if list(strings_of_view(before[name])) != list(strings_of_view(after[name]))
    ]
    assert differing == ["locate_parse"]
