"""What ``comem merge`` says."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_comem.engine.merging import Merged


def describe(merged: Merged) -> Iterator[str]:
    """Yield lines about a merged run: what is in it, what is missing, what to do next."""
    finished = merged.finished
    runs = "run" if len(merged.shares) == 1 else "runs"
    yield (
        f"merged {len(merged.shares)} {runs}: {finished['scored']:,} of {finished['planned']:,} "
        "steps are scored"
    )
    for share in merged.shares:
        yield f"  {share}"
    if finished["ended"]:
        yield f"not the whole run: {finished['ended']}"
    yield f"written: {merged.path}; see it: comem report {merged.path}"
