"""The isolation pairs of a family: which operator strikes which consumer, with what content.

Content that is merely altered is seldom plausible here: a script with other digits is no proof. So
most operators get a decoy: an early draft of a statement with its proof, a proof that breaks off,
or a finished result about another theorem.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_comem.domains.mathematics.contents import Proof
from pytest_comem.domains.mathematics.families.blueprint import Step
from pytest_comem.domains.mathematics.families.gold import PROVER, Writer
from pytest_comem.domains.mathematics.projects import statement_hash
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import Decoy, Operator, PollutionPlan, PollutionPlans
from pytest_comem.workflows.pollution import Surroundings
from pytest_comem.workflows.schema import Family
from pytest_comem.workflows.twins import Twins, twin

_Contents = Mapping[str, Any]
#: Added to a statement or script that was given up; comments are no part of either.
_NOTE: Final = "(* {words} *)"


def plans_of(
    family: Family,
    artifacts: Mapping[str, Artifact],
    writer: Writer,
    rival: _Contents,
    number: int,
) -> PollutionPlans:
    """Return a family's pairs, every operator that applies on one consumer.

    :param rival: contents of another family, by action.
    :param number: of the family; with it the targets move on.
    """
    decoys = tuple(_decoys(family, writer, rival, number))
    around = Surroundings(family, artifacts, decoys)
    plans = []
    for offset, operator in enumerate(Operator):
        targets = [n for n in Graph.of(family).order() if _applies(around, operator, n)]
        if targets:
            target = targets[(number * 3 + offset * 2) % len(targets)]
            plans.append(PollutionPlan(operator=operator, target=target))
    used = {edge.source for plan in plans for edge in family.inputs(plan.target)}
    struck = {plan.operator for plan in plans}
    # A sibling is none of the target's inputs.
    kept = tuple(
        one
        for one in decoys
        if one.operator in struck
        and (one.producer in used or one.operator is Operator.SIBLING_CROSSWIRE)
    )
    return PollutionPlans(family_id=family.family_id, plans=tuple(plans), decoys=kept)


def _applies(around: Surroundings, operator: Operator, target: str) -> bool:
    if not around.family.inputs(target):
        return False
    return isinstance(twin(around, operator, target), Twins)


def _decoys(family: Family, writer: Writer, rival: _Contents, number: int) -> Iterator[Decoy]:
    made = writer.contents()
    main = writer.theorem(writer.blueprint.steps[-1].theorem).words
    for step in writer.blueprint.steps:
        if step.node_id == family.terminal:
            continue
        words, gold = writer.theorem(step.theorem).words, made[step.node_id]
        other = _noted(rival[step.action], words)
        scope = family.node(step.node_id).entity_scope
        yield Decoy(
            operator=Operator.WRONG_ENTITY,
            producer=step.node_id,
            content=other,
            entity_scope=f"{scope}, for another library",
        )
        yield Decoy(
            operator=Operator.FOREIGN_COMPLETION,
            producer=step.node_id,
            content=other,
            family_id=f"math-archive-{number:02}",
        )
        if step.action in ("state", "prove"):
            yield Decoy(
                operator=Operator.SIBLING_CROSSWIRE,
                producer=step.node_id,
                content=_noted(gold, main),
            )
        yield Decoy(
            operator=Operator.UNVERIFIED_RESULT,
            producer=step.node_id,
            content=_broken_off(gold, writer, step),
        )
        yield Decoy(
            operator=Operator.STALE_VERSION,
            producer=step.node_id,
            content=_drafted(gold, writer, step),
        )


def _noted(content: Any, words: str) -> Any:
    """Return a content with the task's words as comments, as authors leave them."""
    note = _NOTE.format(words=words)
    found = copy.deepcopy(content)
    scripts = [*found.get("lemmas", ()), *found.get("proofs", ())]
    for each in [found, *scripts] if "script" in found else scripts:
        each["script"] = f"{note}\n{each['script']}"
    if "statement" in found and "script" not in found:
        found["statement"] = f"{note} {found['statement']}"
    return found


def _broken_off(gold: Any, writer: Writer, step: Step) -> Any:
    """Return a result as it stood before its node was done."""
    found = copy.deepcopy(gold)
    if found.get("script"):
        found["script"] = _cut(found["script"])
    elif found.get("proofs"):
        found["proofs"][-1]["script"] = _cut(found["proofs"][-1]["script"])
    elif "statement" in found:
        return _drafted(gold, writer, step)
    else:
        found |= {"reports": found["reports"][:-1], "accepted": False}
    return _noted(found, writer.theorem(step.theorem).words)


def _cut(script: str) -> str:
    """Return a script without its last tactic."""
    kept = script.rstrip(".").rpartition(".")[0]
    return f"{kept}." if kept else "intros."


def _drafted(gold: Any, writer: Writer, step: Step) -> Any:
    """Return an early version of a result: of a weaker statement, or without its last part."""
    one = writer.theorem(step.theorem)
    if one.draft is None or "accepted" in gold:
        return _broken_off(gold, writer, step) if "statement" not in gold else _weaker(gold)
    statement, script = one.draft
    draft = Proof(one.name, statement, script)
    found = copy.deepcopy(gold)
    if "proofs" in found:
        found["proofs"][-1] = draft.as_json()
    else:
        found |= {key: value for key, value in draft.as_json().items() if key in found}
    if "statement_sha256" in found:
        found["statement_sha256"] = statement_hash(PROVER, statement)
    return _noted(found, writer.theorem(step.theorem).words)


def _weaker(gold: Any) -> Any:
    """Return a result about a statement that says less: that it follows from itself."""
    found = copy.deepcopy(gold)
    found["statement"] = f"({gold['statement']}) -> True"
    found["statement_sha256"] = statement_hash(PROVER, found["statement"])
    if "script" in found:
        found["script"] = "intros assumed. exact I."
    return found
