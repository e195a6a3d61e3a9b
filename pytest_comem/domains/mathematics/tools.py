"""The tools of the domain, as capability tokens name them, and what a language model gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.domains.mathematics import contents
from pytest_comem.domains.mathematics.checking import MAX_STATEMENT, Checker
from pytest_comem.domains.mathematics.contents import Proof
from pytest_comem.domains.mathematics.projects import BASE
from pytest_comem.executors.domain import ToolRefusal, ToolSpec
from pytest_comem.language.words import content_words
from pytest_comem.workflows.views import CapabilityToken

READ: Final = "read_library"
SEARCH: Final = "search_theorems"
CHECK: Final = "check_proof"

#: Longest answer of a tool, in characters.
_LONGEST: Final = 12_000
_TEXT: Final = {"type": "string"}
_PROOF: Final = {
    "type": "object",
    "properties": {"theorem": _TEXT, "script": _TEXT},
    "required": ["theorem", "script"],
}
_SPECS: Final = {
    READ: ToolSpec(
        READ,
        "Read a module's definitions, and those that it rests on.",
        {"type": "object", "properties": {"module": _TEXT}, "required": ["module"]},
    ),
    SEARCH: ToolSpec(
        SEARCH,
        "Search the registered theorems by what they say; gives names, statements and hashes.",
        {"type": "object", "properties": {"words": _TEXT}, "required": ["words"]},
    ),
    CHECK: ToolSpec(
        CHECK,
        "Compile proofs of registered theorems, the last one resting on those before it. A script "
        "is the sequence of tactics of one proof.",
        {
            "type": "object",
            "properties": {
                "theorem": _TEXT,
                "script": _TEXT,
                "lemmas": {"type": "array", "items": _PROOF},
            },
            "required": ["theorem", "script"],
        },
    ),
}


@final
class ProverTools:
    """The tools of one node; proofs are checked as the evaluator checks them."""

    def __init__(self, checker: Checker, token: CapabilityToken) -> None:
        self._checker = checker
        self._token = token

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tools that the node's token names."""
        return [spec for name, spec in _SPECS.items() if self._token.allows_tool(name)]

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Use a tool.

        :raises ToolRefusal: where there is no such tool, or it does not take the arguments.
        :raises InfrastructureError: where prover or sandbox broke.
        """
        if name not in _SPECS or not self._token.allows_tool(name):
            raise ToolRefusal(f"there is no tool {name[:60]!r} here")
        if name == READ:
            return self._read(_text(arguments, "module"))[:_LONGEST]
        if name == SEARCH:
            return self._search(_text(arguments, "words"))[:_LONGEST]
        return self._check(arguments)[:_LONGEST]

    def complete(self, content: Any) -> Any:
        """Return the content as it is: nothing of it is in a state here."""
        return content

    def _read(self, module: str) -> str:
        project, prover = self._checker.project, self._checker.prover.name
        sources = project.sources[prover]
        if module not in sources:
            known = ", ".join(sorted(sources))
            raise ToolRefusal(f"there is no module {module[:60]!r}; there are {known}")
        needed = [name for name in project.needs(module, prover) if name != BASE]
        return "\n".join(sources[name] for name in needed) or sources[module]

    def _search(self, words: str) -> str:
        found = found_theorems(self._checker, words)[:8]
        lines = []
        for name in found:
            statement = self._checker.statement(name) or ""
            lines.append(f"{name} (statement_sha256 {self._checker.hash_of(statement)})")
            lines.append(f"  {self._checker.project.by_name[name].words}\n  {statement}")
        return "\n".join(lines) or "nothing was found"

    def _check(self, arguments: Mapping[str, Any]) -> str:
        lemmas = contents.items(dict(arguments), "lemmas")
        proofs = [self._proof(each) for each in [*lemmas, arguments]]
        report = self._checker.check(proofs)
        if not report.accepted:
            return f"rejected: {report.reason}"
        return f"accepted by {report.toolchain}; axioms: {', '.join(report.axioms) or 'none'}"

    def _proof(self, value: Any) -> Proof:
        if not isinstance(value, Mapping):
            raise ToolRefusal("a lemma is an object with theorem and script")
        theorem, script = _text(value, "theorem"), _text(value, "script")
        statement = self._checker.statement(theorem)
        if statement is None:
            raise ToolRefusal(f"{self._checker.module} has no registered theorem {theorem[:60]!r}")
        return Proof(theorem, statement, script)


def found_theorems(checker: Checker, words: str) -> list[str]:
    """Return the module's theorems that share words with a query, the likest first."""
    asked = content_words(words[:MAX_STATEMENT])
    ranked = []
    for one in checker.project.theorems:
        told = content_words(one.words)
        if checker.statement(one.name) is not None and (common := asked & told):
            ranked.append((-len(common) / (len(asked | told)), one.name))
    return [name for _, name in sorted(ranked)]


def _text(arguments: Mapping[str, Any], name: str) -> str:
    found = arguments.get(name)
    if not isinstance(found, str) or not found.strip():
        raise ToolRefusal(f"{name} has to be a text that is not empty")
    return found
