"""The memory boundary: what is written, and how recalls are artifacts again."""

from __future__ import annotations

import pytest
from workflow_play import surroundings

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.executors.boundary import Boundary, entry_of, query_of
from pytest_comem.workflows.artifacts import Artifact

AROUND = surroundings("bridge-search")
NORTH, SOUTH = AROUND.gold["search_north"], AROUND.gold["search_south"]


class Answering:
    """A memory that answers what it was made with."""

    def __init__(self, *items: RecallItem) -> None:
        self.items = items

    def ingest(self, entry: Entry) -> None:
        """Forget the entry."""

    def recall(self, query: Query) -> Recall:
        """Return the items."""
        return Recall(self.items)


def proposed(*items: RecallItem) -> tuple[list[Artifact], list[str]]:
    """Return the artifacts and texts of a recall, after both searches were written."""
    boundary = Boundary(Answering(*items), 20)
    for artifact in (NORTH, SOUTH):
        boundary.write(artifact, receipt_id="r-1", verified=True)
    found = boundary.ask(AROUND.family, AROUND.family.node("resolve"))
    return list(found.artifacts), list(found.texts)


@pytest.mark.parametrize(
    "item",
    [
        RecallItem("what was found", source_ids=(NORTH.artifact_id,)),
        RecallItem(f"see {NORTH.artifact_id}, please"),
        RecallItem(f"sha256 {NORTH.content_hash}"),
        RecallItem(entry_of(NORTH, None, verified=False).text),
    ],
)
def test_an_item_is_the_artifact_that_it_names(item: RecallItem) -> None:
    """By its sources, else by an artifact's id or content hash in its text."""
    assert proposed(item) == ([NORTH], [])


def test_sources_come_before_what_a_text_says() -> None:
    """A text that names another artifact than its source does not bring it along."""
    item = RecallItem(f"like {SOUTH.artifact_id}", source_ids=(NORTH.artifact_id,))
    assert proposed(item) == ([NORTH], [])


def test_what_is_no_artifact_is_a_text() -> None:
    """Unknown sources and ids make no artifact out of a text."""
    item = RecallItem("a-0123456789abcdef says so", source_ids=("a-else",))
    assert proposed(item, RecallItem("hello")) == ([], [item.text, "hello"])


def test_each_artifact_is_there_once_in_the_memorys_order() -> None:
    """One passage may stand on several entries, and several on one."""
    both = RecallItem("both", source_ids=(SOUTH.artifact_id, NORTH.artifact_id))
    again = RecallItem("again", source_ids=(NORTH.artifact_id,))
    assert proposed(both, again) == ([SOUTH, NORTH], [])


def test_an_entry_reads_like_its_artifact() -> None:
    """Its first line says what it is, who made it and whether it is verified."""
    entry = entry_of(NORTH, "r-7", verified=True)
    header, content = entry.text.split("\n", 1)
    assert header == (
        "retrieval_result_bundle for north archive, version 1, made by search_north of "
        f"bridge-search, verified (receipt r-7); artifact {NORTH.artifact_id}"
    )
    assert content == '{"documents": ["n-17"], "quotation": "raised by M. Okafor in the dry year"}'
    assert (entry.id, entry.speaker.id) == (NORTH.artifact_id, "search_north")
    assert ", not verified; artifact" in entry_of(NORTH, None, verified=False).text


def test_a_node_asks_with_its_task_and_its_contracts() -> None:
    """Types and entities are named, each once."""
    query = query_of(AROUND.family, AROUND.family.node("resolve"), 5)
    assert query.text == (
        "Say which builder both archives mean.\n"
        "Needed: retrieval_result_bundle for north archive; "
        "retrieval_result_bundle for south archive"
    )
    assert (query.requester.id, query.top_k) == ("resolve", 5)
