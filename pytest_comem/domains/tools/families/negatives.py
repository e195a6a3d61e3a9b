"""Outputs that an evaluator has to reject, made from gold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_comem.domains.tools.contents import Body, body_json, body_name
from pytest_comem.domains.tools.families.blueprint import Step
from pytest_comem.domains.tools.families.truth import content_of
from pytest_comem.domains.tools.tables import Cell, Table
from pytest_comem.workflows.hidden import NegativeMutation


def negatives_of(step: Step, body: Body, wrong: Any, who: str) -> Iterator[NegativeMutation]:
    """Yield the mutations of a node; see :mod:`pytest_comem.domains.tools.checks` for the kinds.

    :param wrong: what the node makes in another workflow.
    """
    gold = content_of(step, body, who)
    altered = {**gold, "summary": "altered", body_name(body): body_json(_altered(body))}
    yield _mutation("wrong_artifact", wrong)
    yield _mutation("altered_value", altered)
    yield _mutation("false_report", altered)
    yield _mutation("not_done", gold)
    if step.inputs:
        less = {**gold, "summary": "partial", body_name(body): body_json(_without(body))}
        yield _mutation("missing_handoff", less)


def _mutation(kind: str, content: Any) -> NegativeMutation:
    return NegativeMutation(name=kind.replace("_", "-"), kind=kind, content=content)


def _altered(body: Body) -> Body:
    """Return a body with one other cell, a number where it has one."""
    if isinstance(body, str):
        return body.replace(">=", ">")
    if isinstance(body, dict):
        name = next((key for key, one in body.items() if isinstance(one, int)), next(iter(body)))
        return {**body, name: _other(body[name])}
    *above, last = body.rows
    at = next((place for place, one in enumerate(last) if isinstance(one, int)), len(last) - 1)
    changed = tuple(_other(one) if place == at else one for place, one in enumerate(last))
    return Table(body.columns, (*above, changed))


def _without(body: Body) -> Body:
    """Return what is made without one of the inputs: the last row or fact is not there."""
    if isinstance(body, str):
        return body.partition(" AND ")[0] + "\n"
    if isinstance(body, dict):
        return {key: body[key] for key in list(body)[:-1]}
    return Table(body.columns, body.rows[:-1])


def _other(value: Cell) -> Cell:
    return value + 1 if isinstance(value, int) else f"{value}x"
