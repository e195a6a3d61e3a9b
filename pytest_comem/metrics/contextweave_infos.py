"""What ContextWeave's metrics are: names, directions as the paper has them, units."""

from __future__ import annotations

from typing import Final

from pytest_comem.metrics.suites import MetricInfo

#: Metrics of what came of the tasks; the others are diagnostics.
MAIN: Final = ("Workspace", "Preference", "Win", "dWorkspace", "dPreference", "RecallTokens")
#: Ratings of a judge model, from 1 to 5; without one they are blank.
RATINGS: Final = ("RelevanceRating", "FamiliarityRating", "RobustnessRating")

#: Every metric, in the order they are shown.
METRICS: Final = (
    MetricInfo("Workspace", "Workspace Score, mean", True, "score", unit="score points"),
    MetricInfo("Preference", "Preference Score, mean", True, "score", unit="score points"),
    MetricInfo("Win", "tasks whose run with recall is preferred", True, "proportion", unit="tasks"),
    MetricInfo(
        "dWorkspace",
        "gain in Workspace over no recall",
        True,
        "mean",
        unit="score points",
        digits=1,
        signed=True,
    ),
    MetricInfo(
        "dPreference",
        "gain in Preference over no recall",
        True,
        "mean",
        unit="score points",
        digits=1,
        signed=True,
    ),
    MetricInfo("RecallTokens", "recalled tokens of a task, mean", None, "mean", unit="tokens"),
    MetricInfo(
        "Similarity",
        "cosine of recalled chunks and supporting snippets, mean",
        True,
        "fraction",
        unit="tasks",
        diagnostic=True,
    ),
    MetricInfo(
        "Precision",
        "recalled chunks that support the task, mean",
        True,
        "fraction",
        unit="tasks",
        diagnostic=True,
    ),
    MetricInfo(
        "Recall",
        "supporting snippets that were recalled, mean",
        True,
        "fraction",
        unit="tasks",
        diagnostic=True,
    ),
    MetricInfo(
        "dExploration",
        "exploring tool calls of a task, more than without recall",
        False,
        "mean",
        unit="calls",
        digits=2,
        signed=True,
        diagnostic=True,
    ),
    MetricInfo(
        "dExecutionRate",
        "executing share of all tool calls, more than without recall",
        True,
        "mean",
        unit="percentage points",
        digits=1,
        signed=True,
        diagnostic=True,
    ),
    MetricInfo(
        "PSR",
        "problems without recall that recalled content would solve",
        True,
        "proportion",
        unit="problems",
        diagnostic=True,
    ),
    MetricInfo(
        "RSP",
        "problems left with recall that recalled content would have solved",
        False,
        "proportion",
        unit="problems",
        diagnostic=True,
    ),
    MetricInfo(
        "MITR",
        "tasks with a problem that misleading recall caused",
        False,
        "proportion",
        unit="tasks",
        diagnostic=True,
    ),
    *(
        MetricInfo(name, title, True, "mean", unit="of 5", digits=2, diagnostic=True)
        for name, title in zip(
            RATINGS,
            (
                "relevance of what was recalled, a judge's rating",
                "familiarity with the environment, a judge's rating",
                "robustness to misleading recall, a judge's rating",
            ),
            strict=True,
        )
    ),
)
