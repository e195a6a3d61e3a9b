"""Lean 4, by its core library alone: two compilations, and ``#print axioms`` in the second."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.domains.mathematics.lean_tactics import alternatives
from pytest_comem.domains.mathematics.projects import Project
from pytest_comem.domains.mathematics.provers.base import MAX_PROOFS, Development, Report
from pytest_comem.domains.mathematics.provers.benches import Bench, Workspace, said
from pytest_comem.domains.mathematics.provers.lean_text import script_problem
from pytest_comem.errors import InfrastructureError
from pytest_comem.records.remembering import Remembered
from pytest_comem.sandbox.base import Finished
from pytest_comem.sandbox.registry import AUTO

_HOW: Final = (
    "install Lean 4 (https://lean-lang.org/install), so that 'lean' or 'lake' is in PATH, or name "
    "the program: --comem-prover lean:PROGRAM"
)
_VERSION: Final = re.compile(r"version (\d+\.\d+\.\d+)")
_DEFINITION: Final = re.compile(r"^def (\w+)", re.MULTILINE)
_NONE: Final = re.compile(r"'[^']+' does not depend on any axioms")
_SOME: Final = re.compile(r"'[^']+' depends on axioms: \[([^\]]*)\]")
#: Messages of one run that are read.
_MESSAGES: Final = 5_000
_LIBRARY: Final = Remembered[bytes](100)


@final
class Lean:
    """The prover.

    :param sandbox: name of the kind of sandbox in which it runs.
    :param program: ``lean``, or its path.
    """

    name = "lean"

    def __init__(self, sandbox: str = AUTO, program: str = "lean") -> None:
        self._sandbox = sandbox
        self._asked = program
        self._made: Bench | None = None
        self._version = ""

    def preflight(self) -> str | None:
        """Return what is missing."""
        if self._bench.program is None:
            return f"there is no command '{self._asked}'; {_HOW}"
        return self._bench.problem()

    def toolchain(self) -> str:
        """Return for example ``lean 4.35.0``."""
        if not self._version:
            with self._bench.opened({}) as workspace:
                finished = workspace.run([self._program, "--version"])
            found = _VERSION.search(finished.stdout.decode("utf-8", "replace"))
            if found is None:
                raise _broken(f"lean does not say its version: {said(finished)}")
            self._version = f"lean {found[1]}"
        return self._version

    def script_problem(self, script: str) -> str | None:
        """Return why a text is no plain proof term."""
        return script_problem(script)

    def check(self, project: Project, development: Development) -> Report:
        """Compile a development, and look at what came of it by a file of ours."""
        for one in development.proofs:
            if problem := script_problem(one.script):
                return Report(False, f"the proof of {one.theorem} is none: {problem}")
            if project.statement(one.theorem, self.name) is None:
                return Report(False, f"the project states no theorem {one.theorem} in Lean")
        if not 0 < len(development.proofs) <= MAX_PROOFS:
            return Report(False, f"a development has 1 to {MAX_PROOFS} proofs")
        text = self.text_of(project, development)
        names = [one.theorem for one in development.proofs]
        return self.check_text(project, development.module, text, names)

    def recheck(self, project: Project, development: Development) -> str | None:
        """Say nothing: Lean has no checker of its own that is there everywhere."""
        return None

    def text_of(self, project: Project, development: Development) -> str:
        """Return a development as a file, with the statements that its proofs say they have."""
        parts = [_head(project, development.module), "namespace Comem.Candidate\n"]
        for one in development.proofs:
            parts.append(f"theorem {one.theorem} :\n  {one.statement} :=\n  {one.script}\n")
        return "\n".join([*parts, "end Comem.Candidate\n"])

    def check_text(self, project: Project, module: str, text: str, names: Sequence[str]) -> Report:
        """Check a candidate's whole file for registered theorems.

        :param names: of the theorems that it has to prove.
        """
        library = self._library(project, module)
        candidate = {"work/Work/Candidate.lean": text.encode("utf-8", "replace")}
        with self._bench.opened({**library, **candidate}) as workspace:
            finished = self._run(workspace, "work/Work/Candidate", "work/Work/Candidate")
            compiled = workspace.made("work/Work/Candidate.olean")
        if finished.ended != "exit" or finished.status != 0:
            return Report(False, f"it does not compile: {_first_error(finished)}")
        if any(_is_of_sorry(one) for one in _messages(finished)):
            return Report(False, "the compiler says that a statement is not proved: sorry")
        if compiled is None:
            return Report(False, "its compilation left no compiled file")
        ours = {
            "work/Work/Candidate.olean": compiled,
            "work/Work/Check.lean": _checking(project, module, names).encode(),
        }
        with self._bench.opened({**library, **ours}) as workspace:
            finished = self._run(workspace, "work/Work/Check")
        if finished.ended != "exit" or finished.status != 0:
            return Report(False, f"a theorem is not the registered one: {_first_error(finished)}")
        told = [_text(one) for one in _messages(finished) if one.get("severity") == "information"]
        return _read(told, len(names), self.toolchain())

    def search(
        self, project: Project, known: Development, statement: str, lemmas: Sequence[str]
    ) -> str | None:
        """Return the first of the general terms that proves a statement, all tried in one run."""
        source = project.sources[self.name].get(known.module, "")
        own = {one.theorem for one in known.proofs}
        names = [name for name in lemmas if name in own]
        scripts = alternatives(statement, names, _DEFINITION.findall(source))
        before = self.text_of(project, known).removesuffix("end Comem.Candidate\n")
        starts, text = list[int](), before
        for number, script in enumerate(scripts):
            starts.append(text.count("\n") + 1)
            text += f"theorem wanted_{number} :\n  {statement} :=\n  {script}\n\n"
        files = {"work/Work/Search.lean": text.encode("utf-8", "replace")}
        with self._bench.opened({**self._library(project, known.module), **files}) as workspace:
            finished = self._run(workspace, "work/Work/Search")
        if finished.ended != "exit":
            return None
        wrong = [_line(one) for one in _messages(finished) if one.get("severity") == "error"]
        if any(line < starts[0] for line in wrong):
            return None
        for script, start, end in zip(scripts, starts, [*starts[1:], 1 << 30], strict=True):
            if not any(start <= line < end for line in wrong):
                return script
        return None

    @property
    def _bench(self) -> Bench:
        if self._made is None:
            self._made = Bench(_program(self._asked), self._sandbox)
        return self._made

    @property
    def _program(self) -> str:
        return self._bench.program or self._asked

    def _run(self, workspace: Workspace, file: str, made: str = "") -> Finished:
        output = ["-o", f"{made}.olean"] if made else []
        argv = [self._program, "--json", *output, f"{file}.lean"]
        return workspace.run(argv, {"LEAN_PATH": "lib:work"})

    def _library(self, project: Project, module: str) -> dict[str, bytes]:
        """Return the compiled library that a module needs, with its registered statements."""
        sources = project.sources[self.name]
        if module not in sources:
            raise _broken(f"the project has no module {module[:60]} in Lean")
        compiled: dict[str, bytes] = {}
        for name in project.needs(module, self.name):
            compiled |= self._compiled(project, name, sources[name], compiled)
        stated = f"{module}Registered"
        return compiled | self._compiled(project, stated, _registered(project, module), compiled)

    def _compiled(
        self, project: Project, name: str, source: str, needed: Mapping[str, bytes]
    ) -> dict[str, bytes]:
        """Return one compiled file of the library, which no candidate has a part in."""
        file = f"lib/Comem/{name}"

        def make() -> bytes:
            files = {f"{file}.lean": source.encode(), "work/Work/Empty.lean": b"", **needed}
            with self._bench.opened(files) as workspace:
                finished = self._run(workspace, file, file)
                made = workspace.made(f"{file}.olean")
            if finished.status != 0 or made is None:
                raise _broken(f"{file}.lean does not compile: {_first_error(finished)}")
            return made

        key = [project.commit, name, self.toolchain()]
        return {f"{file}.olean": _LIBRARY.get(key, make)}


def _broken(message: str) -> InfrastructureError:
    return InfrastructureError(message, type="prover")


def _program(asked: str) -> str:
    """Return the real program behind a name, which version managers put a wrapper before."""
    found = shutil.which(asked)
    if found is None and asked == "lean" and (lake := shutil.which("lake")):
        found = shutil.which(str(Path(lake).with_name("lean")))
    if found is None:
        return asked
    try:
        done = subprocess.run(
            [found, "--print-prefix"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return found
    real = Path(done.stdout.strip()) / "bin" / "lean"
    return str(real) if done.returncode == 0 and real.is_file() else found


def _head(project: Project, module: str) -> str:
    """Return how a file begins that rests on a module; one without a core library says so."""
    prelude = "prelude\n" if project.sources["lean"][module].startswith("prelude\n") else ""
    return f"{prelude}import Comem.{module}\n"


def _registered(project: Project, module: str) -> str:
    """Return the file that states a module's theorems, which no candidate has a part in."""
    stated = [
        f"def {one.name} : Prop :=\n  {one.statements['lean']}\n"
        for one in project.theorems
        if one.module == module and "lean" in one.statements
    ]
    space = ["namespace Comem.Registered\n", *stated, "end Comem.Registered\n"]
    return "\n".join([_head(project, module), *space])


def _checking(project: Project, module: str, names: Sequence[str]) -> str:
    """Return our second file: every theorem at its registered statement, and its axioms."""
    parts = [f"{_head(project, module)}import Comem.{module}Registered\nimport Work.Candidate\n"]
    for number, name in enumerate(names):
        parts.append(
            f"theorem Comem.Check.checked_{number} : Comem.Registered.{name} :=\n"
            f"  Comem.Candidate.{name}\n#print axioms Comem.Check.checked_{number}\n"
        )
    return "\n".join(parts)


def _read(texts: Sequence[str], wanted: int, toolchain: str) -> Report:
    """Read what our second file printed; anything that is no list of axioms is a reason."""
    if len(texts) != wanted:
        return Report(False, "the second compilation did not say what the theorems rest on")
    axioms: set[str] = set()
    for text in texts:
        told = " ".join(text.split())
        if _NONE.fullmatch(told):
            continue
        found = _SOME.fullmatch(told)
        if found is None:
            return Report(False, f"it rests on more than axioms: {told[:200]}")
        axioms |= {name.strip() for name in found[1].split(",")}
    if "sorryAx" in axioms:
        return Report(False, "it rests on a statement that is not proved: sorryAx")
    return Report(True, "", tuple(sorted(axioms)), toolchain)


def _messages(finished: Finished) -> Iterator[Mapping[str, Any]]:
    """Yield a run's messages, each a line of JSON."""
    for line in finished.stdout.decode("utf-8", "replace").splitlines()[:_MESSAGES]:
        try:
            read = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(read, dict):
            yield read


def _text(message: Mapping[str, Any]) -> str:
    found = message.get("data")
    return found if isinstance(found, str) else ""


def _is_of_sorry(message: Mapping[str, Any]) -> bool:
    return message.get("kind") == "hasSorry" or "declaration uses" in _text(message)


def _line(message: Mapping[str, Any]) -> int:
    place = message.get("pos")
    line = place.get("line") if isinstance(place, dict) else None
    return line if isinstance(line, int) else 0


def _first_error(finished: Finished) -> str:
    wrong = [_text(one) for one in _messages(finished) if one.get("severity") == "error"]
    return " ".join(wrong[0].split())[:600] if wrong else said(finished)
