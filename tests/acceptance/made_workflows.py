"""CoMemBench's outcomes made by hand: families of three nodes, played as a test says."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_comem.core.outcomes import Attribution, Failure, Outcome, SystemInfo, Verdict
from pytest_comem.core.steps import Step

BROKEN = Failure(Attribution.INFRASTRUCTURE, "sandbox", "gone")
DEFECT = Failure(Attribution.BENCHMARK, "workflow", "no such theorem")
#: The nodes of every family here: a root, the target of every pollution, the terminal.
NODES = ("root", "target", "end")


def node(
    family: str,
    name: str,
    verified: bool,
    success: bool | None = None,
    *,
    operator: str = "",
    system: str = "bm25",
    tokens: int = 10,
    domain: str = "offline_retrieval",
    topology: str = "chain,reuse",
    required: bool = True,
    repeat: int | None = None,
    failure: Failure | None = None,
    handoff: str = "native",
) -> Outcome:
    """Return the outcome of one node; a polluted target that fails was misled.

    :param handoff: who delivers inputs, ``declared`` or ``memory``.
    """
    instance = f"{family}.{operator or 'clean'}"
    labels = {
        "domain": domain,
        "topology": topology,
        "condition": "polluted" if operator else "clean",
        "operator": operator,
        "target": "yes" if operator and name == "target" else "",
        "terminal": "yes" if name == "end" else "",
        "required": "yes" if required else "",
        "required_nodes": "3",
        "instance": instance,
        "pair": family,
    }
    measures = {
        "verified": verified,
        "eligible": success is not None,
        "handoff_success": success,
        "inputs_used": success is True or name == "root",
        "decoy_exposed": name == "target" if operator else None,
        "decoy_consumed": name == "target" and success is False if operator else None,
        "tokens_execution": float(tokens),
        "tokens_memory": 1.0,
    }
    return Outcome(
        key="",
        step=Step("comembench", system, domain, instance, name, 0, repeat=repeat),
        data="",
        system=SystemInfo(system, "1", ""),
        model="worker",
        judge="native",
        scoring=handoff,
        labels=labels,
        query={},
        verdict=None if failure else Verdict(verified, "It is so.", measures),
        failure=failure,
    )


def play(family: str, target: bool | None, end: bool, **more: object) -> list[Outcome]:
    """Return the outcomes of an instance: its root is verified, the rest is as said.

    :param target: whether the target consumer's handoff succeeds, and its output is verified.
    """
    options: dict[str, object] = dict(more)
    return [
        node(family, "root", True, **options),  # type: ignore[arg-type]
        node(family, "target", bool(target), target, **options),  # type: ignore[arg-type]
        node(family, "end", end, end if target else None, **options),  # type: ignore[arg-type]
    ]


def pairs(count: int, kept: int, **more: object) -> list[Outcome]:
    """Return pairs whose target succeeds in the control, and in the first twins."""
    found: list[Outcome] = []
    for number in range(count):
        family = f"f{number}"
        found += play(family, True, True, **more)
        found += play(family, number < kept, True, operator="wrong_entity", **more)
    return found


def families(kept: Sequence[int], twins: int = 4) -> list[Outcome]:
    """Return families of a control and *twins* pairs each, of which so many keep their target."""
    operators = ("stale_version", "wrong_entity", "foreign_completion", "unverified_result")
    return [
        each
        for number, count in enumerate(kept)
        for place in range(-1, twins)
        for each in play(
            f"f{number}", place < count, True, operator=operators[place] if place >= 0 else ""
        )
    ]
