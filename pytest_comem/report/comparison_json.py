"""A comparison as JSON, for programs; figures that are not defined are ``null``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from math import isfinite
from typing import Any

from pytest_comem.metrics.paired import Flip
from pytest_comem.metrics.suites import suite_metrics
from pytest_comem.report.comparison import GROUPINGS, Compared, Comparison, Side, grouped, kind_of
from pytest_comem.report.paper import PaperRows


def as_json(comparison: Comparison, paper: PaperRows | None = None) -> str:
    """Return the comparison as indented JSON, with a paper's rows where there are some."""
    value = {
        "runs": [str(run) for run in comparison.runs],
        "comparisons": [_row(row) for row in comparison.rows],
        "notes": list(comparison.notes),
        **({"paper": paper_as_json(paper)} if paper else {}),
    }
    return json.dumps(defined(value), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _row(row: Compared) -> dict[str, Any]:
    return {
        "suite": row.suite,
        "before": _side(row.before, row.only_before),
        "after": _side(row.after, row.only_after),
        "steps_scored_in_both": row.common,
        "episodes_scored_in_both": row.episodes,
        "clusters_scored_in_both": row.clusters,
        "cluster": suite_metrics(row.suite).cluster,
        "metrics": {
            name: {
                "title": row.metrics[name].title,
                "higher_is_better": row.metrics[name].higher_is_better,
                **{key: value for key, value in asdict(found).items() if key != "metric"},
                "verdict": row.verdict(name) or None,
            }
            for name, found in row.differences.items()
        },
        "mcnemar": asdict(row.mcnemar),
        "flips": _flips(row.flips),
        "flips_by": {
            by: {
                name: {"lost": lost, "gained": gained}
                for name, (lost, gained) in grouped(row.flips, by).items()
            }
            for by in GROUPINGS
        },
        "spent": [{**asdict(each), "change": each.change} for each in row.spent],
    }


def paper_as_json(paper: PaperRows) -> dict[str, Any]:
    """Return the papers' rows as JSON can hold them."""
    rows = [
        {**asdict(row), "values": {name: round(value, 2) for name, value in row.values.items()}}
        for row in paper.rows
    ]
    workflows = {"comembench": asdict(paper.workflows)} if paper.workflows else {}
    tasks = {"contextweave": asdict(paper.tasks)} if paper.tasks else {}
    return {"rows": rows, "notes": list(paper.notes), **workflows, **tasks}


def _side(side: Side, only: tuple[str, ...]) -> dict[str, Any]:
    return {
        "run": str(side.run),
        "system": side.system,
        "model": side.model,
        "reference": side.reference,
        "steps": side.steps,
        "unscored": dict(side.unscored),
        "scored_only_here": list(only),
    }


def _flips(flips: Iterable[Flip]) -> list[dict[str, Any]]:
    return [
        {
            "step": flip.label,
            "before": "passed" if flip.before else "failed",
            "after": "passed" if flip.after else "failed",
            "domain": flip.domain,
            "kind": kind_of(flip),
            "labels": dict(flip.labels),
        }
        for flip in flips
    ]


def defined(value: Any) -> Any:
    """Return *value* with numbers that JSON has no form for as ``None``."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {name: defined(each) for name, each in value.items()}
    return [defined(each) for each in value] if isinstance(value, list) else value
