"""The evaluator: files and rows as they are, against the ground truth; never what was replied.

A node's ground truth is its oracle's gold: the place, and what has to lie there. A passing output
says the same as the state does, and has left alone what the workflow started with. The wording of
summaries is not looked at.

What an oracle knows beside its gold content:

``inputs``
    How many inputs the node requires; an output that rests on nothing then passes for nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_comem.domains.tools.contents import (
    BODIES,
    Body,
    body_json,
    body_name,
    read_body,
    same_body,
)
from pytest_comem.domains.tools.places import Place, read_place
from pytest_comem.domains.tools.state import State
from pytest_comem.domains.tools.tables import NoTableError, Table
from pytest_comem.errors import BenchmarkDefect
from pytest_comem.executors.domain import Judgement
from pytest_comem.records.canonical import canonical, digest
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle
from pytest_comem.workflows.schema import Node

EVALUATOR: Final = "state-verifier"
EVALUATOR_VERSION: Final = "1"
#: Fields of every content, beside its body.
FIELDS: Final = ("summary", "place")


def evaluate(
    state: State, node: Node, oracle: Oracle, content: Any, consumed: Sequence[Artifact]
) -> Judgement:
    """Judge what a node left behind.

    :raises BenchmarkDefect: where the oracle is of no use.
    :raises InfrastructureError: where the database is gone.
    """
    try:
        place, truth = _place(oracle.gold), read_body(oracle.gold, BODIES[node.output_type])
    except (NoTableError, KeyError) as error:
        text = f"node {node.node_id}: its gold content cannot be used: {error}"
        raise BenchmarkDefect(text) from None
    found, problems = None, list(_handoff_problems(oracle, consumed))
    try:
        found = state.body(place, body_name(truth))
    except NoTableError as error:
        problems.append(f"there is no result at {place}: {error}")
    if found is not None and not same_body(found, truth):
        problems.append(f"the result at {place} has {_difference(found, truth)}")
    problems += _reported(node, place, content, found)
    problems += _touched(state)
    evidence = {
        "place": place.as_json(),
        "state": _fingerprint(found) if found is not None else None,
        "problems": [problem[:300] for problem in problems[:20]],
    }
    if problems:
        said = problems[0]
        return Judgement(False, f"{said[0].upper()}{said[1:500]}.", evidence)
    return Judgement(True, f"The state is as it has to be: {place}.", evidence)


def _place(content: Any) -> Place:
    return read_place(content.get("place") if isinstance(content, dict) else None)


def _handoff_problems(oracle: Oracle, consumed: Sequence[Artifact]) -> Iterator[str]:
    if oracle.secret.get("inputs") and not consumed:
        yield "it rests on nothing that was handed over"
    if not all(artifact.intact for artifact in consumed):
        yield "an artifact that it rests on is not what its hash was taken of"


def _difference(found: Body, truth: Body) -> str:
    """Return how a state differs from the ground truth, without telling the truth."""
    if isinstance(found, Table) and isinstance(truth, Table):
        if sorted(found.columns) != sorted(truth.columns):
            return "other columns than it has to"
        have, want = _counted(found), _counted(truth)
        wrong, lacking = (have - want).total(), (want - have).total()
        return f"{wrong} wrong rows, and lacks {lacking}"
    if isinstance(found, dict) and isinstance(truth, dict):
        names = [name for name in truth if found.get(name) != truth[name]]
        more = len(set(found) - set(truth))
        return f"{len(names)} wrong facts ({', '.join(names)[:100]}), and {more} that do not belong"
    return "something else"


def _fingerprint(body: Body) -> str:
    """Return a hash that hangs on no order of rows or fields."""
    if isinstance(body, Table):
        return digest(sorted(canonical(record).decode() for record in body.records()))
    return digest(body_json(body))


def _counted(table: Table) -> Counter[tuple[tuple[str, str], ...]]:
    return Counter(
        tuple(sorted((key, repr(value)) for key, value in record.items()))
        for record in table.records()
    )


def _reported(node: Node, place: Place, content: Any, found: Body | None) -> Iterator[str]:
    """Yield where an artifact is not a true record of the state that it hands on."""
    try:
        body = read_body(content, BODIES[node.output_type])
        if set(content) - {body_name(body), *FIELDS} or not isinstance(content["summary"], str):
            raise NoTableError("it has other fields than summary, place and its result")
        named = _place(content)
    except KeyError:
        yield "the artifact has no summary"
        return
    except NoTableError as error:
        yield f"the artifact is not of its type: {error}"
        return
    if named != place:
        yield "the artifact names another place than the task"
    if found is not None and not same_body(body, found):
        yield f"the artifact says something else than {place} holds"


def _touched(state: State) -> Iterator[str]:
    """Yield which sources are not what the workflow started with."""
    for location, table in state.material.sources.items():
        where = f"{location.path} {location.sheet}".strip()
        try:
            if not state.source(location).same_rows(table):
                yield f"the source {where} was changed"
        except NoTableError as error:
            yield f"the source {where} was damaged: {error}"
