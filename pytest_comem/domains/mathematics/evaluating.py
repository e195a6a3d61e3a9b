"""The evaluator: the prover's word on the registered statements, never the wording of a script.

What an oracle knows beside its gold content, of which only names of theorems are looked at:

``lemmas``
    Theorems whose proofs the output has to hold, because it rests on them.
``inputs``
    How many inputs the node requires; an output that rests on nothing then passes for nothing.
``lean``
    A proof script for Lean where the family can be played with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from pytest_comem.core.printable import printable
from pytest_comem.domains.mathematics import contents
from pytest_comem.domains.mathematics.checking import Checker
from pytest_comem.domains.mathematics.contents import FIELDS, Proof
from pytest_comem.domains.mathematics.making import proofs_hash
from pytest_comem.domains.mathematics.provers.base import Report
from pytest_comem.executors.domain import Judgement
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle
from pytest_comem.workflows.schema import Node

EVALUATOR: Final = "prover"
EVALUATOR_VERSION: Final = "1"


@final
@dataclass(frozen=True, slots=True)
class Case:
    """One output that is judged.

    :param gold: the oracle's content.
    :param needed: theorems whose proofs it has to hold.
    """

    checker: Checker
    allowed: frozenset[str]
    gold: Mapping[str, Any]
    needed: frozenset[str]
    content: Any
    consumed: Sequence[Artifact]

    def registered(self, theorem: str) -> str:
        """Return a theorem's registered statement, or nothing."""
        return self.checker.statement(theorem) or ""


def evaluate(
    checker: Checker,
    allowed: frozenset[str],
    node: Node,
    oracle: Oracle,
    content: Any,
    consumed: Sequence[Artifact],
) -> Judgement:
    """Judge the content of a node's artifact.

    The evidence names theorem, statement hash, project commit, toolchain and axioms.

    :param allowed: axioms that proofs may rest on.
    :raises InfrastructureError: where prover or sandbox broke.
    """
    problems = [*_form_problems(node, oracle, content), *_handoff_problems(oracle, consumed)]
    if not problems:
        named = oracle.secret.get("lemmas")
        needed = frozenset(str(each) for each in named) if isinstance(named, list) else frozenset()
        gold: Any = oracle.gold
        case = Case(checker, allowed, gold, needed, content, consumed)
        problems += _own_problems(case)
        problems += [] if problems else _PROBLEMS[node.output_type](case)
    evidence = {
        "theorem": contents.text(content, "theorem")[:100],
        "statement_sha256": contents.text(content, "statement_sha256")[:64],
        "project_commit": checker.project.commit,
        "toolchain": checker.prover.toolchain(),
        "axioms": [each[:200] for each in contents.texts(content, "axioms")],
        "problems": [printable(each)[:1_000] for each in problems[:20]],
    }
    if problems:
        first = printable(problems[0])[:1_000]
        return Judgement(False, f"{first[0].upper()}{first[1:]}.", evidence)
    return Judgement(True, "The prover accepts it at the registered statement.", evidence)


def _handoff_problems(oracle: Oracle, consumed: Sequence[Artifact]) -> Iterator[str]:
    if oracle.secret.get("inputs") and not consumed:
        yield "it rests on nothing that was handed over"
    if not all(artifact.intact for artifact in consumed):
        yield "an artifact that it rests on is not what its hash was taken of"


def _form_problems(node: Node, oracle: Oracle, content: Any) -> Iterator[str]:
    """Yield what keeps an output from being looked at."""
    fields = FIELDS.get(node.output_type)
    if fields is None:
        yield f"this domain makes no {node.output_type}"
    elif not isinstance(oracle.gold, dict) or set(oracle.gold) != fields:
        yield f"the oracle's gold has not the fields of {node.output_type}"
    elif not isinstance(content, dict):
        yield "it is no JSON object"
    elif set(content) != fields:
        yield f"it has not the fields of {node.output_type}: {', '.join(sorted(fields))}"
    elif any(isinstance(each, list) and len(each) > contents.MOST for each in content.values()):
        yield f"a list of it has more than {contents.MOST} entries"


def _own_problems(case: Case) -> Iterator[str]:
    """Yield what is wrong with the fields that say what an output is about."""
    if contents.text(case.content, "project") != case.checker.project.commit:
        yield "it is about another commit of the project"
    name = case.checker.prover.name
    if "prover" in case.content and case.content["prover"] != name:
        yield f"it was not made with {name}"
    if "theorem" in case.content:
        theorem = case.gold["theorem"]
        if contents.text(case.content, "theorem") != theorem:
            yield "it is about another theorem"
        elif case.content["statement_sha256"] != case.checker.hash_of(case.registered(theorem)):
            yield f"its statement of {theorem} is not the registered one"


def _statement(case: Case) -> Iterator[str]:
    theorem, statement = case.gold["theorem"], contents.text(case.content, "statement")
    if contents.text(case.content, "module") != case.checker.module:
        yield "it names another module"
    if not case.checker.is_registered(theorem, statement):
        yield f"its statement of {theorem} is not the registered one"


def _proof(case: Case) -> Iterator[str]:
    if contents.read_proof(case.content) is None:
        yield "it has no statement or no script"
        return
    if len(contents.items(case.content, "lemmas")) + 1 != len(contents.proofs(case.content)):
        yield "a lemma of it is no proof, or is there twice"
        return
    problems, report = _checked(case, contents.proofs(case.content))
    yield from problems
    if report is not None:
        yield from _axiom_problems(case.content, report)


def _checked(
    case: Case, proofs: Sequence[Proof], *, again: bool = False
) -> tuple[list[str], Report | None]:
    """Return what is wrong with proofs, and the prover's report where it accepts them."""
    changed = [p.theorem for p in proofs if not case.checker.is_registered(p.theorem, p.statement)]
    if changed:
        return [f"its statement of {changed[0][:60]} is not the registered one"], None
    if missing := sorted(case.needed - {one.theorem for one in proofs}):
        return [f"it lacks the proof of {missing[0]}, which it rests on"], None
    # A registered statement is compiled as it is registered, whatever blanks it was written with.
    exact = [Proof(p.theorem, case.registered(p.theorem), p.script) for p in proofs]
    report = case.checker.check(exact, again=again)
    if not report.accepted:
        return [report.reason], None
    if refused := sorted({*report.axioms} - case.allowed):
        return [f"it rests on an axiom that is not allowed: {refused[0][:100]}"], None
    return [], report


def _axiom_problems(content: Any, report: Report) -> Iterator[str]:
    """Yield where a content names other axioms than the prover found."""
    if content.get("axioms") != list(report.axioms):
        found = ", ".join(report.axioms) or "none"
        yield f"the proofs rest on other axioms than it says: {found[:300]}"


def _axioms(case: Case) -> Iterator[str]:
    if case.content["accepted"] is not True:
        yield "it does not say that every proof was accepted"
    reports = contents.items(case.content, "reports")
    named = [contents.text(each, "theorem") for each in reports]
    wanted = [contents.text(each, "theorem") for each in contents.items(case.gold, "reports")]
    if sorted(named) != sorted(wanted):
        yield "it does not report on the theorems that were handed over"
        return
    bare = Case(case.checker, case.allowed, case.gold, frozenset(), case.content, case.consumed)
    held = {found[-1].theorem: found for found in _consumed_proofs(case) if found}
    for each, name in zip(reports, named, strict=True):
        if each.get("statement_sha256") != case.checker.hash_of(case.registered(name)):
            yield f"its statement of {name} is not the registered one"
        elif name not in held:
            yield f"it rests on no proof of {name}"
        else:
            problems, report = _checked(bare, held[name])
            yield from problems
            yield from _axiom_problems(each, report) if report else ()


def _consumed_proofs(case: Case) -> Iterator[tuple[Proof, ...]]:
    yield from (contents.proofs(one.content) for one in case.consumed)


def _bundle(case: Case) -> Iterator[str]:
    proofs = contents.proofs(case.content)
    if len(contents.items(case.content, "proofs")) != len(proofs):
        yield "an entry of its proofs is no proof, or is there twice"
    elif not proofs or proofs[-1].theorem != case.gold["theorem"]:
        yield "its last proof is not that of its theorem"
    elif not set(contents.texts(case.gold, "audited")) <= {
        *contents.texts(case.content, "audited")
    }:
        yield "it leaves out a theorem whose axioms were audited"
    else:
        problems, _ = _checked(case, proofs, again=True)
        yield from problems


def _verification(case: Case) -> Iterator[str]:
    if contents.text(case.content, "verdict") != "accepted":
        yield "its verdict is wrong"
    toolchain = contents.text(case.content, "toolchain")
    if toolchain.split(" ")[0] != case.checker.prover.name:
        yield f"it was not made with {case.checker.prover.name}"
    wanted = contents.text(case.content, "proofs_sha256")
    held = [proofs for proofs in _consumed_proofs(case) if proofs_hash(proofs) == wanted]
    if not held:
        yield "it is not about the proofs that it rests on"
        return
    if contents.texts(case.content, "checked") != [one.theorem for one in held[0]]:
        yield "it does not name the theorems that were checked"
    problems, report = _checked(case, held[0], again=True)
    yield from problems
    if report is not None:
        yield from _axiom_problems(case.content, report)


_PROBLEMS: Final[Mapping[str, Callable[[Case], Iterator[str]]]] = {
    contents.STATEMENT: _statement,
    contents.PROOF: _proof,
    contents.AXIOMS: _axioms,
    contents.BUNDLE: _bundle,
    contents.VERIFICATION: _verification,
}
