"""What the manifest of joined runs says: what they have in common, and how they ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_comem.core.hashing import stable_hash
from pytest_comem.engine.nodeids import label_in
from pytest_comem.engine.rundir import MANIFEST
from pytest_comem.engine.shares import Share, missing_shards
from pytest_comem.errors import DataError
from pytest_comem.llm.statistics import CallStatistics


def merged_manifest(shares: Sequence[Share], reasons: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the manifest of the run that *shares* are merged into.

    :param reasons: why each recorded step has no verdict, or ``None`` where it has one, by label.
    :raises DataError: where a manifest's summary is not one of this version.
    """
    runs = _runs(shares)
    common = _common([share.manifest for share in shares])
    for name in ("run", "started", "merged", "finished"):
        common.pop(name, None)
    return {
        "run": stable_hash(sorted(each["run"] for each in runs))[:8],
        "started": min(share.started for share in shares),
        **common,
        "merged": runs,
        "finished": _finished(shares, runs, reasons),
    }


def _runs(shares: Sequence[Share]) -> list[dict[str, Any]]:
    """Return what is said about each run; of copies of one, about one that is finished."""
    found: dict[str, dict[str, Any]] = {}
    for each in (run for share in shares for run in share.runs):
        if each["run"] not in found or found[each["run"]]["finished"] is None:
            found[each["run"]] = each
    return list(found.values())


def _finished(
    shares: Sequence[Share],
    runs: Sequence[Mapping[str, Any]],
    reasons: Mapping[str, str | None],
) -> dict[str, Any]:
    unscored, planned = _unscored(shares, reasons)
    contracts = [each["contract"] for each in runs if "contract" in each]
    ends = _ends(shares, runs)
    if any(each != contracts[0] for each in contracts):
        ends.append("the runs differ in what came of the memory contract; see each of them")
        contracts.clear()
    return {
        "at": max(each["finished"] or "" for each in runs),
        "planned": planned,
        "recorded": len(reasons),
        "scored": sum(reason is None for reason in reasons.values()),
        "unscored": unscored,
        "ended": "; ".join(ends) or None,
        "calls": _calls(shares),
        **({"contract": contracts[0]} if contracts else {}),
    }


def _unscored(
    shares: Sequence[Share], reasons: Mapping[str, str | None]
) -> tuple[dict[str, str], int]:
    """Return why steps have no verdict, by node id, and how many steps were planned.

    A step that was recorded in a run that was not finished goes by its label: nobody has noted
    its node id.
    """
    systems = list(shares[0].manifest["systems"])
    told: dict[str, tuple[str, str]] = {}
    for share in shares:
        for node_id, reason in ((share.finished or {}).get("unscored") or {}).items():
            told.setdefault(label_in(node_id, systems) or node_id, (node_id, reason))
    found: dict[str, str] = {}
    for label, known in reasons.items():
        if known is not None:
            found[told.get(label, (label, ""))[0]] = known
    for label, (node_id, reason) in told.items():
        if label not in reasons:
            found[node_id] = reason
    return found, len({*told, *reasons})


def _ends(shares: Sequence[Share], runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return why the merged run is not the whole one."""
    ends: list[str] = []
    for run in runs:
        name = f"run {run['run']}" + (f" (shard {run['shard']})" if run["shard"] else "")
        if run["finished"] is None:
            ends.append(f"{name} was not finished")
        elif ended := run.get("ended"):
            ends.append(f"{name}: {ended}")
    if missing := missing_shards(shares):
        ends.append(f"shard {missing} is not among the merged runs")
    return ends


def _calls(shares: Sequence[Share]) -> dict[str, Any]:
    """Return what all calls came to; copies of one run count once."""
    statistics = CallStatistics()
    # The last one of each id stays: a finished copy knows more than an unfinished one.
    by_id = {share.id: share for share in sorted(shares, key=lambda each: bool(each.finished))}
    for share in by_id.values():
        if share.finished is None:
            statistics.unreported += 1
            continue
        try:
            statistics.merge(share.finished["calls"])
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"not a summary of this version ({type(error).__name__}: {error})",
                file=str(share.path / MANIFEST),
                field="finished.calls",
            ) from None
    return statistics.as_json()


def _common(values: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is the same in all of *values*."""
    first, *others = values
    found: dict[str, Any] = {}
    for name, value in first.items():
        every = [value, *(other[name] for other in others if name in other)]
        if len(every) < len(values):
            continue
        if all(each == value for each in every):
            found[name] = value
        elif all(isinstance(each, Mapping) for each in every):
            found[name] = _common(every)
    return found
