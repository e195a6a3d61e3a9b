"""Coq: ``coqc`` for both compilations, and ``coqchk`` as the last word on a whole development."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, final

from pytest_comem.domains.mathematics.coq_tactics import alternatives
from pytest_comem.domains.mathematics.projects import Project
from pytest_comem.domains.mathematics.provers.base import MAX_PROOFS, Development, Report
from pytest_comem.domains.mathematics.provers.benches import Bench, said
from pytest_comem.domains.mathematics.provers.coq_text import script_problem
from pytest_comem.errors import InfrastructureError
from pytest_comem.records.remembering import Remembered
from pytest_comem.sandbox.registry import AUTO

_HOW: Final = "install Coq 8.16 or later (Debian, Ubuntu: apt-get install coq)"
_COQC: Final = ("-q", "-noglob", "-w", "none", "-R", "lib", "Comem", "-R", "work", "Work")
_COQCHK: Final = ("-silent", "-o", "-norec", "Work.Candidate")
_PATHS: Final = ("-R", "lib", "Comem", "-R", "work", "Work")
_VERSION: Final = re.compile(r"version (\d+\.\d+(?:\.\d+)?)")
_DEFINITION: Final = re.compile(r"^Definition (\w+)", re.MULTILINE)
#: Printed by our file before what counts.
_MARK: Final = "comem-assumptions"
_FOUND: Final = re.compile(r"^comem-found (\d{1,4})$", re.MULTILINE)
_CLOSED: Final = "Closed under the global context"
_AXIOM: Final = re.compile(r"([\w'.]+)(?: :.*)?")
_CANDIDATES: Final = Remembered[bytes | str](200)
_LIBRARY: Final = Remembered[bytes](100)


@final
class Coq:
    """The prover.

    :param sandbox: name of the kind of sandbox in which it runs.
    :param program: ``coqc``, or its path; ``coqchk`` lies beside it.
    """

    name = "coq"

    def __init__(self, sandbox: str = AUTO, program: str = "coqc") -> None:
        self._asked = program
        self._bench = Bench(program, sandbox)
        self._version = ""

    def preflight(self) -> str | None:
        """Return what is missing."""
        if self._bench.program is None:
            return f"there is no command '{self._asked}'; {_HOW}"
        return self._bench.problem()

    def toolchain(self) -> str:
        """Return for example ``coq 8.16.1``."""
        if not self._version:
            with self._bench.opened({}) as workspace:
                finished = workspace.run([self._program, "--version"])
            found = _VERSION.search(finished.stdout.decode("utf-8", "replace"))
            if found is None:
                raise _broken(f"coqc does not say its version: {said(finished)}")
            self._version = f"coq {found[1]}"
        return self._version

    def script_problem(self, script: str) -> str | None:
        """Return why a text is no sequence of tactics."""
        return script_problem(script)

    def check(self, project: Project, development: Development) -> Report:
        """Compile a development, and look at what came of it by a file of ours."""
        for one in development.proofs:
            if problem := script_problem(one.script):
                return Report(False, f"the proof of {one.theorem} is none: {problem}")
            if project.statement(one.theorem, self.name) is None:
                return Report(False, f"the project registers no theorem {one.theorem}")
        if not 0 < len(development.proofs) <= MAX_PROOFS:
            return Report(False, f"a development has 1 to {MAX_PROOFS} proofs")
        names = [one.theorem for one in development.proofs]
        text = self.text_of(project, development)
        return self.check_text(project, development.module, text, names)

    def recheck(self, project: Project, development: Development) -> str | None:
        """Have ``coqchk`` go through the compiled proofs once more."""
        text = self.text_of(project, development)
        return self.recheck_text(project, development.module, text)

    def text_of(self, project: Project, development: Development) -> str:
        """Return a development as a file, with the statements that its proofs say they have."""
        parts = [f"From Comem Require Import {development.module}.\n"]
        for one in development.proofs:
            parts.append(f"Theorem {one.theorem} :\n{one.statement}.\nProof.\n{one.script}\nQed.\n")
        return "\n".join(parts)

    def check_text(self, project: Project, module: str, text: str, names: Sequence[str]) -> Report:
        """Check a candidate's whole file, whatever stands in it, for registered theorems.

        :param names: of the theorems that it has to prove.
        """
        compiled = self._candidate(project, module, text)
        if isinstance(compiled, str):
            return Report(False, compiled)
        ours = {"work/Candidate.vo": compiled, "work/Check.v": _checking(module, names).encode()}
        with self._bench.opened({**self._library(project, module), **ours}) as workspace:
            finished = workspace.run([self._program, *_COQC, "work/Check.v"])
        if finished.ended != "exit" or finished.status != 0:
            return Report(False, f"a theorem is not the registered one: {said(finished)}")
        return _read(finished.stdout.decode("utf-8", "replace"), self.toolchain())

    def recheck_text(self, project: Project, module: str, text: str) -> str | None:
        """Return what ``coqchk`` says against a candidate's compiled file, or ``None``."""
        compiled = self._candidate(project, module, text)
        if isinstance(compiled, str):
            return compiled
        files = {**self._library(project, module), "work/Candidate.vo": compiled}
        with self._bench.opened(files) as workspace:
            finished = workspace.run([self._checker, *_COQCHK, *_PATHS])
        if finished.ended != "exit" or finished.status != 0:
            return f"coqchk rejects it: {said(finished)}"
        # Which of the two streams it writes to differs between versions.
        summary = (finished.stdout + finished.stderr).decode("utf-8", "replace")
        problem = summary_problem(summary)
        return f"coqchk: {problem}" if problem else None

    def _candidate(self, project: Project, module: str, text: str) -> bytes | str:
        """Return a candidate's compiled file, or why there is none; remembered by its text."""

        def make() -> bytes | str:
            files = {"work/Candidate.v": text.encode("utf-8", "replace")}
            with self._bench.opened({**self._library(project, module), **files}) as workspace:
                finished = workspace.run([self._program, *_COQC, "work/Candidate.v"])
                compiled = workspace.made("work/Candidate.vo")
            if finished.ended != "exit" or finished.status != 0:
                return f"it does not compile: {said(finished)}"
            return compiled or "its compilation left no compiled file"

        return _CANDIDATES.get([project.commit, module, text, self.toolchain()], make)

    def search(
        self, project: Project, known: Development, statement: str, lemmas: Sequence[str]
    ) -> str | None:
        """Return the first of the general scripts that proves a statement, all tried in one run."""
        definitions = _DEFINITION.findall(project.sources[self.name].get(known.module, ""))
        scripts = alternatives(statement, lemmas, definitions)
        tries = " | ".join(
            f"assert (found : {statement}) by ({script.removesuffix('.')}); "
            f'idtac "comem-found {number}"; exact found'
            for number, script in enumerate(scripts)
        )
        text = (
            self.text_of(project, known)
            + f"\nTheorem wanted :\n{statement}.\nProof.\nfirst [ {tries} ].\nQed.\n"
        )
        files = {"work/Search.v": text.encode("utf-8", "replace")}
        with self._bench.opened({**self._library(project, known.module), **files}) as workspace:
            finished = workspace.run([self._program, *_COQC, "work/Search.v"])
        numbers = _FOUND.findall(finished.stdout.decode("utf-8", "replace"))
        if finished.status != 0 or not numbers or int(numbers[-1]) >= len(scripts):
            return None
        return scripts[int(numbers[-1])]

    @property
    def _program(self) -> str:
        return self._bench.program or self._asked

    @property
    def _checker(self) -> str:
        return str(Path(self._program).with_name("coqchk"))

    def _library(self, project: Project, module: str) -> dict[str, bytes]:
        """Return the compiled library that a module needs, with its registered statements."""
        sources = project.sources[self.name]
        if module not in sources:
            raise _broken(f"the project has no module {module[:60]}")
        compiled: dict[str, bytes] = {}
        for name in project.needs(module, self.name):
            compiled |= self._compiled(project, name, sources[name], compiled)
        stated = f"{module}Registered"
        return compiled | self._compiled(project, stated, _registered(project, module), compiled)

    def _compiled(
        self, project: Project, name: str, source: str, needed: Mapping[str, bytes]
    ) -> dict[str, bytes]:
        """Return one compiled file of the library, which no candidate has a part in."""

        def make() -> bytes:
            file = f"lib/{name}.v"
            # The other file is there for its directory.
            files = {file: source.encode(), "work/Empty.v": b"", **needed}
            with self._bench.opened(files) as workspace:
                finished = workspace.run([self._program, *_COQC, file])
                made = workspace.made(f"{file}o")
            if finished.status != 0 or made is None:
                raise _broken(f"{file} of the project does not compile: {said(finished)}")
            return made

        key = [project.commit, name, self.toolchain()]
        return {f"lib/{name}.vo": _LIBRARY.get(key, make)}


def _broken(message: str) -> InfrastructureError:
    return InfrastructureError(message, type="prover")


def _registered(project: Project, module: str) -> str:
    """Return the file that states a module's theorems, which no candidate has a part in."""
    stated = [
        f"Definition {one.name} : Prop :=\n{one.statements['coq']}.\n"
        for one in project.theorems
        if one.module == module and "coq" in one.statements
    ]
    return "\n".join([f"From Comem Require Import {module}.\n", *stated])


def _checking(module: str, names: Sequence[str]) -> str:
    """Return our second file: every theorem at its registered statement, and all their axioms."""
    parts = [f"From Comem Require {module}Registered.\nFrom Work Require Candidate.\n"]
    for number, name in enumerate(names):
        parts.append(
            f"Definition checked_{number} : {module}Registered.{name} := Candidate.{name}.\n"
        )
    # Asked once for all: what a theorem rests on is followed through the whole standard library.
    together = ", ".join(f"checked_{number}" for number in range(len(names)))
    parts.append(f"Definition checked := ({together}, tt).\n")
    parts.append(f'Goal True. idtac "{_MARK}". exact I. Qed.\nPrint Assumptions checked.\n')
    return "\n".join(parts)


def _read(output: str, toolchain: str) -> Report:
    """Read what our second file printed; anything that is no list of axioms is a reason."""
    _, mark, told = output.partition(f"{_MARK}\n")
    lines = [line for line in told.splitlines() if line.strip()]
    if not mark or not lines:
        return Report(False, "the second compilation did not say what the theorems rest on")
    if lines == [_CLOSED]:
        return Report(True, "", (), toolchain)
    if lines[0] != "Axioms:":
        return Report(False, f"it rests on more than axioms: {' '.join(lines)[:200]}")
    axioms = set()
    for line in lines[1:]:
        # What a line continues is indented.
        if not line[0].isspace():
            found = _AXIOM.fullmatch(line)
            if found is None:
                return Report(False, f"it is not safe: {line[:200]}")
            axioms.add(found[1])
    return Report(True, "", tuple(sorted(axioms)), toolchain)


def summary_problem(output: str) -> str | None:
    """Return what the summary of ``coqchk`` says against a candidate, or ``None``."""
    if "CONTEXT SUMMARY" not in output:
        return "it gave no summary"
    heading, found = "", dict[str, list[str]]()
    for line in output.partition("CONTEXT SUMMARY")[2].splitlines():
        if line.startswith("* "):
            heading, _, rest = line[2:].partition(":")
            found[heading] = [rest.strip()] if rest.strip() else []
        elif line.strip() and heading:
            found[heading].append(line.strip())
    for name, values in _by_heading(found):
        wrong = [value for value in values if value != "<none>"]
        if name == "Axioms":
            wrong = [value for value in wrong if value.startswith("Work.")]
        if wrong:
            return f"{name}: {', '.join(wrong)[:200]}"
    return None


def _by_heading(found: Mapping[str, list[str]]) -> Iterator[tuple[str, list[str]]]:
    for name, values in found.items():
        if name != "Theory":
            yield name, values
