"""A run as CSV, a fact a line; no cell is a formula to a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_comem.metrics.contextweave import NO_RECALL
from pytest_comem.report.comparison_csv import cell

COLUMNS: Final = (
    *("suite", "system", "model", "fact", "kind", "stratum", "name"),
    *("value", "low", "high", "count", "of", "method", "reason"),
)


def as_csv(facts: Mapping[str, Any]) -> str:
    """Return what :func:`pytest_comem.report.run_facts.run_facts` says, with a line of heads."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for fact in _facts(facts):
        writer.writerow({name: cell(value) for name, value in fact.items() if name in COLUMNS})
    return out.getvalue()


def _facts(facts: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for suite in facts["suites"]:
        for row in suite["rows"]:
            head = {"suite": suite["name"], "system": row["system"], "model": row["model"]}
            yield from ({**head, **fact} for fact in _of_row(row))
        for row in suite.get("no_recall", ()):
            head = {"suite": suite["name"], "system": NO_RECALL, "model": row["model"]}
            yield from ({**head, **fact} for fact in _of_metrics(row))
    yield from _reasons("unscored", facts["unscored"])
    yield from _reasons("quarantined", facts["quarantined"])
    yield from _reasons("excluded", facts["excluded"])
    for ruling in facts["gate"]["rules"] if facts["gate"] else ():
        yield {**ruling, "fact": "gate", "name": ruling["rule"], "kind": ruling["result"]}


def _of_row(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from _of_metrics(row)
    for name, value in row.get("tokens", {}).items():
        if not isinstance(value, dict):
            yield {"fact": "tokens", "name": name, "value": value}
    for use, value in row.get("tokens", {}).get("by_purpose", {}).items():
        yield {"fact": "tokens", "kind": "purpose", "name": use, "value": value}
    for phase, usage in row["usage"].items():
        for measure, value in usage.items():
            yield {"fact": "usage", "kind": phase, "name": measure, "value": value}
    for failure in row["failures"]:
        yield {
            "fact": "failed",
            "kind": failure["class"],
            "name": failure["step"],
            "reason": failure["reason"],
        }
    yield from _reasons("broken", row.get("broken", {}))


def _of_metrics(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from _metrics("overall", "", row["metrics"])
    for domain, metrics in row.get("domains", {}).items():
        yield from _metrics("domain", domain, metrics)
    yield from _metrics("domain mean", "", row.get("domain_mean", {}))
    for kind, strata in row.get("strata", {}).items():
        # The domains are there already.
        for stratum, metrics in strata.items() if kind != "domain" else ():
            yield from _metrics(kind, stratum, metrics)


def _metrics(kind: str, stratum: str, metrics: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name, found in metrics.items():
        yield {"fact": "metric", "kind": kind, "stratum": stratum, "name": name, **found}


def _reasons(fact: str, found: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for name, reason in found.items():
        yield {"fact": fact, "name": name, "reason": reason}
