"""Every promise catches the memory that breaks it, and only that."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

pytest.importorskip("hypothesis")

from systems import workshop
from toy_memories import BROKEN, AskingToy, RudeAboutStars, Toy

from pytest_comem.contract.check import Verdict, check
from pytest_comem.contract.promises import PROMISES
from pytest_comem.core.outcomes import SystemInfo
from pytest_comem.locations import suites_root
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.memory.setup import Workshop

#: Each toy is tried on all promises; a few examples do for those it keeps.
FEW = 5


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """One workshop for all toys, so that each text is embedded once."""
    return workshop(tmp_path_factory.mktemp("state"))


def under_test(toy: type[Toy], shared: Workshop) -> SystemUnderTest:
    """Return a toy as the system of a run."""
    name = f"toy_memories:{toy.__name__}"
    info = SystemInfo(name, toy.version, "", toy.capabilities.reference, 20)
    return SystemUnderTest(info, toy.capabilities, toy, {}, shared, name)


def verdicts(toy: type[Toy], shared: Workshop) -> dict[str, Verdict]:
    """Return a toy's verdict on every promise that applies."""
    system = under_test(toy, shared)
    found = {}
    for name, promise in PROMISES.items():
        examples = 25 if name == toy.breaks else FEW
        found[name] = check(promise, system, seed=0, examples=examples)
    return found


@pytest.mark.parametrize("toy", [Toy, AskingToy])
def test_a_correct_memory_keeps_every_promise(toy: type[Toy], shared: Workshop) -> None:
    """A memory that declares everything and does it passes everything."""
    found = verdicts(toy, shared)
    broken = {name: verdict.report for name, verdict in found.items() if verdict.counterexample}
    assert not broken
    skipped = [name for name, verdict in found.items() if verdict.not_applicable]
    assert skipped == ([] if toy is AskingToy else ["a_failing_model_loses_nothing_silently"])


@pytest.mark.parametrize("toy", BROKEN)
def test_a_broken_memory_breaks_exactly_its_promise(toy: type[Toy], shared: Workshop) -> None:
    """Each defect is told by the promise made against it, and by no other."""
    found = verdicts(toy, shared)
    assert [name for name, verdict in found.items() if verdict.counterexample] == [toy.breaks]


def test_a_break_outside_exception_repeats(shared: Workshop) -> None:
    """What a library raises may derive from BaseException; it is no less steady for that."""
    found = check(PROMISES[RudeAboutStars.breaks], under_test(RudeAboutStars, shared), seed=0)
    assert found.counterexample is not None
    assert found.counterexample.steady
    assert found.counterexample.broken.happened == "Rude: no stars here"


@pytest.mark.parametrize("toy", BROKEN)
def test_the_printed_code_fails_by_its_own_assert(
    toy: type[Toy], shared: Workshop, tmp_path: Path
) -> None:
    """What a failure prints can be run as it is, and shows the defect."""
    report = check(PROMISES[toy.breaks], under_test(toy, shared), seed=0).report
    script = tmp_path / "script.py"
    script.write_text(report[report.index("# The shortest") :], encoding="utf-8")
    result = subprocess.run(
        [sys.executable, script.name],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(inspect.getfile(Toy)).parent), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
    )
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("AssertionError"), report + result.stderr


def test_every_promise_has_a_memory_that_breaks_it() -> None:
    """No promise is empty words."""
    assert {toy.breaks for toy in BROKEN} == set(PROMISES)


def test_the_suite_has_a_test_for_every_promise() -> None:
    """A promise and its test have the same name and the same sentence."""
    path = suites_root() / "contract" / "test_memory_contract.py"
    spec = spec_from_file_location("suite_of_promises", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    tests = {
        name.removeprefix("test_"): value.__doc__
        for name, value in vars(module).items()
        if name.startswith("test_")
    }
    assert tests == {name: promise.statement for name, promise in PROMISES.items()}


def test_examples_follow_from_the_seed(shared: Workshop) -> None:
    """The same seed gives the same counter-example."""
    toy = next(toy for toy in BROKEN if toy.breaks == "no_principal_recalls_what_another_said")
    system = under_test(toy, shared)
    reports = {check(PROMISES[toy.breaks], system, seed=3).report for _ in range(2)}
    assert len(reports) == 1
