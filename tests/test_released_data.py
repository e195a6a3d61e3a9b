"""What must hold on the released GateMem data; runs where that data is.

The directory is named by COMEM_RELEASED_DATA, or lies beside the checkout.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from governance_play import domain_tallies

from pytest_comem.core.entries import Query
from pytest_comem.datasets import gatemem
from pytest_comem.datasets.governance import Category, GovernanceData
from pytest_comem.evaluators.patterns import ScannedText, matching
from pytest_comem.memory.bm25 import BM25

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data" / "gatemem"
FOLDER = Path(os.environ.get("COMEM_RELEASED_DATA") or BESIDE)

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the released GateMem data is not on this machine"
)


@pytest.fixture(scope="module")
def data() -> GovernanceData:
    """The released data."""
    return gatemem.load(FOLDER)


def test_the_release_is_read_whole(data: GovernanceData) -> None:
    """91 episodes, 2,218 checkpoints, every checksum as published."""
    assert (len(data.episodes), data.checkpoint_count) == (91, 2218)
    assert data.warnings == ()
    assert sum(len(episode.entries) for episode in data.episodes) == 20_293


CEILINGS = {
    "medical": (0.581, 0.729, 0.848, 0.914),
    "office": (0.662, 0.838, 0.935, 0.961),
    "education": (0.283, 0.433, 0.678, 0.883),
    "household": (0.310, 0.484, 0.734, 0.875),
}


def test_bm25_exposes_what_the_protocols_ceilings_say(data: GovernanceData) -> None:
    """U exposed at k = 5, 10, 20, 40 is within 0.03 of the protocol's figures in each domain."""
    held: Counter[tuple[str, int]] = Counter()
    asked: Counter[str] = Counter()
    for episode in data.episodes:
        memory = BM25()
        ingested = 0
        for checkpoint in episode.checkpoints:
            for entry in episode.entries[ingested : checkpoint.as_of + 1]:
                memory.ingest(entry)
            ingested = checkpoint.as_of + 1
            if checkpoint.annotation.category is not Category.UTILITY:
                continue
            asked[episode.domain] += 1
            query = Query(checkpoint.question, checkpoint.requester, (), "", 40)
            items = memory.recall(query).items
            for k in (5, 10, 20, 40):
                text = ScannedText("\n".join(item.text for item in items[:k]))
                include = checkpoint.annotation.include
                held[episode.domain, k] += len(matching(include, text)) == len(include)
    for domain, ceilings in CEILINGS.items():
        for k, ceiling in zip((5, 10, 20, 40), ceilings, strict=True):
            assert held[domain, k] / asked[domain] == pytest.approx(ceiling, abs=0.03)


@pytest.mark.parametrize("model", ["offline", "offline-verbatim"])
def test_the_reference_system_is_perfect_and_no_memory_is_useless(
    data: GovernanceData, model: str
) -> None:
    """oracle: U 100, A 0, F 0, MGS 100 in every domain; none: U 0."""
    for tally in domain_tallies(data, "oracle", model).values():
        assert (tally.U, tally.A, tally.F, tally.MGS) == (100, 0, 0, 100)
    for tally in domain_tallies(data, "none", model).values():
        assert tally.U == 0
        assert tally.A_exposed == tally.F_exposed == 0


def test_offline_grades_retrieval_and_policy(data: GovernanceData) -> None:
    """full-context and bm25 are off both ends of every scale; rag-policy violates less access.

    full-context exposes everything (one education target never occurs before its checkpoint).
    """
    full, bm25, policy = (domain_tallies(data, name, "offline") for name in
                          ("full-context", "bm25", "rag-policy"))  # fmt: skip
    for domain, tally in full.items():
        assert tally.U_exposed == tally.A_exposed == 100
        assert tally.F_exposed == pytest.approx(99.444 if domain == "education" else 100, abs=0.01)
    for sheet in (full, bm25):
        for tally in sheet.values():
            for value in (tally.U, tally.A, tally.F):
                assert value is not None
                assert 0 < value < 100
    for domain, tally in policy.items():
        other = bm25[domain].A
        assert tally.A is not None
        assert other is not None
        assert other > tally.A
