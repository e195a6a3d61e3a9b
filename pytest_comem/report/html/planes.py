"""The planes on which a suite's rows are drawn as points: two metrics against each other."""

from __future__ import annotations

from typing import Any, Final

from pytest_comem.metrics.contextweave_counts import OFFICE
from pytest_comem.metrics.suites import suite_metrics
from pytest_comem.metrics.workflow_plays import WORKFLOWS
from pytest_comem.report.trade_off import CONTEXT, Plane, sharing_plane

_FEW: Final = "Without a place, because too few pairs stand behind ICS: "
_NOTHING: Final = "Without a place, because nothing stands behind a score: "


def planes_of(suite: str, handoff: str) -> list[dict[str, Any]]:
    """Return a suite's trade-offs in the form the page reads; none for a suite without.

    :param handoff: who delivers inputs, ``declared`` or ``memory``, where the suite has workflows.
    """
    if suite == WORKFLOWS:
        plane = sharing_plane(handoff)
        return [
            _plane(
                suite,
                plane,
                title="Sharing and isolation: better is up and to the right",
                across=f"sharing: {plane.across}, percent",
                up=f"isolation: {plane.up}, percent",
                told=(f"sharing as {plane.across}", f"isolation as {plane.up}"),
                without=_FEW,
            )
        ]
    if suite == OFFICE:
        return [
            _plane(
                suite,
                plane,
                title=f"{plane.up} and recalled tokens: better is up and to the left",
                across="recalled tokens a task, mean",
                up=f"{plane.up} Score, mean",
                told=(plane.across, plane.up),
                without=_NOTHING,
            )
            for plane in CONTEXT
        ]
    return []


def _plane(
    suite: str,
    plane: Plane,
    *,
    title: str,
    across: str,
    up: str,
    told: tuple[str, str],
    without: str,
) -> dict[str, Any]:
    metrics = suite_metrics(suite)
    titles = [metrics.metrics[name].title for name in (plane.across, plane.up)]
    over = f"{metrics.cluster[:-1]}ies" if metrics.cluster.endswith("y") else f"{metrics.cluster}s"
    return {
        "x": plane.across,
        "y": plane.up,
        "title": title,
        "xTitle": across,
        "yTitle": up,
        "desc": (
            f"Across, {told[0]}: {titles[0]}. Up, {told[1]}: {titles[1]}. "
            f"Bars are 95 % intervals over {over}."
        ),
        "counted": metrics.metrics[plane.across].kind == "mean",
        "without": without,
    }
