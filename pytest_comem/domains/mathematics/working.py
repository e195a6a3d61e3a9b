"""The offline worker: deterministic, able to search for proofs, and naive about what it is shown.

It takes statements and lemmas from the artifacts that it chose, word for word, and looks neither at
who made them nor whether they were verified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.domains.choosing import chosen
from pytest_comem.domains.mathematics import contents, making
from pytest_comem.domains.mathematics.checking import Checker
from pytest_comem.domains.mathematics.contents import Proof
from pytest_comem.domains.mathematics.provers.base import Report
from pytest_comem.domains.mathematics.tools import CHECK, SEARCH, found_theorems
from pytest_comem.executors.domain import Shown, Work
from pytest_comem.records.canonical import texts_of
from pytest_comem.workflows.artifacts import Artifact

#: Written where no proof was found, so that the output has a script at all.
GIVEN_UP: Final = "(* no proof was found *)"
_Inputs = Sequence[Artifact]
_Actions = list[Mapping[str, Any]]


@final
class OfflineWorker:
    """Does the nodes of this domain by search and by the prover.

    :param allowed: axioms that proofs may rest on, which it may also use.
    """

    def __init__(self, checker: Checker, allowed: frozenset[str]) -> None:
        self._checker = checker
        self._allowed = sorted(allowed)
        self._ways: Mapping[Any, Callable[[Shown, _Inputs, _Actions], dict[str, Any]]] = {
            "state": self._state,
            "prove": self._prove,
            "audit": self._audit,
            "bundle": self._bundle,
            "verify": self._verify,
        }

    def work(self, shown: Shown) -> Work:
        """Return what a node makes of what the worker chooses to rest on.

        :raises InfrastructureError: where prover or sandbox broke.
        """
        action = shown.view.task.parameters.get("action")
        way = self._ways.get(action) if isinstance(action, str) else None
        inputs, actions = chosen(shown), list[Mapping[str, Any]]()
        content = way(shown, inputs, actions) if way else {}
        read = [shown.view.task.instruction, *(t for one in inputs for t in texts_of(one.content))]
        count = sum(len(text.split()) for text in [*read, *texts_of(content)])
        return Work(
            content,
            tuple(artifact.artifact_id for artifact in inputs),
            tuple(actions),
            {"execution": count},
        )

    def _state(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> dict[str, Any]:
        words = str(shown.view.task.parameters.get("words"))
        found = found_theorems(self._checker, words) if _may(shown, SEARCH) else []
        if not found:
            return {}
        actions.append({"tool": SEARCH, "words": words[:1_000]})
        statement = self._checker.statement(found[0]) or ""
        return making.statement_record(
            self._checker.project, self._name, found[0], self._checker.module, statement
        )

    def _prove(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> dict[str, Any]:
        stated = [one.content for one in inputs if one.semantic_type == contents.STATEMENT]
        wanted = stated[0] if stated else {}
        theorem, statement = contents.text(wanted, "theorem"), contents.text(wanted, "statement")
        handed = [contents.proofs(one.content) for one in inputs]
        known = [one for one in _merged(inputs) if one.theorem != theorem]
        # The lemmas themselves come last in what was handed over for each.
        lemmas = [found[-1].theorem for found in handed if found]
        script = None
        if theorem and statement and _may(shown, CHECK):
            actions.append({"tool": CHECK, "theorem": theorem[:100], "lemmas": lemmas[:40]})
            script = self._checker.search(known, statement, [*lemmas, *self._allowed])
        own = Proof(theorem, statement, script or GIVEN_UP)
        report = self._checked([*known, own]) if script else Report(False)
        return making.proof_receipt(self._checker.project, self._name, own, known, report.axioms)

    def _audit(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> dict[str, Any]:
        axioms: dict[Proof, Sequence[str]] = {}
        accepted = bool(inputs) and _may(shown, CHECK)
        for one in inputs if _may(shown, CHECK) else ():
            found = contents.proofs(one.content)
            if not found:
                continue
            actions.append({"tool": CHECK, "theorem": found[-1].theorem[:100]})
            report = self._checked(found)
            axioms[found[-1]] = report.axioms
            accepted = accepted and report.accepted and {*report.axioms} <= {*self._allowed}
        return making.axiom_report(self._checker.project, self._name, axioms, accepted=accepted)

    def _bundle(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> dict[str, Any]:
        audits = [one for one in inputs if one.semantic_type == contents.AXIOMS]
        reports = [each for one in audits for each in contents.items(one.content, "reports")]
        audited = {contents.text(each, "theorem") for each in reports}
        return making.proof_bundle(
            self._checker.project, self._name, _merged(inputs), sorted(audited - {""})
        )

    def _verify(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> dict[str, Any]:
        proofs = _merged(inputs)
        report = Report(False)
        if proofs and _may(shown, CHECK):
            actions.append({"tool": CHECK, "theorem": proofs[-1].theorem[:100], "again": True})
            report = self._checked(proofs, again=True)
        return making.verification_receipt(
            self._checker.project,
            self._name,
            proofs,
            report.axioms,
            self._checker.prover.toolchain(),
            accepted=report.accepted and {*report.axioms} <= {*self._allowed},
        )

    @property
    def _name(self) -> str:
        return self._checker.prover.name

    def _checked(self, proofs: Sequence[Proof], *, again: bool = False) -> Report:
        """Check proofs at the statements that they say they have."""
        if not all(one.script != GIVEN_UP for one in proofs):
            return Report(False, "a proof was given up")
        return self._checker.check(proofs, again=again)


def _may(shown: Shown, tool: str) -> bool:
    return shown.view.capability_token.allows_tool(tool)


def _merged(inputs: _Inputs) -> tuple[Proof, ...]:
    """Return all proofs that were handed over, each after what it rests on."""
    return contents.unique(proof for one in inputs for proof in contents.proofs(one.content))
