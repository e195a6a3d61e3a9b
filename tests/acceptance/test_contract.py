"""The memory contract as its users run it."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

pytest.importorskip("hypothesis")

SUITE = "contract/test_memory_contract.py"
BROKEN = f"{SUITE}::test_no_principal_recalls_what_another_said"
QUICK = "empty or unknown or named_their or no_principal"


@pytest.fixture
def toys(project: pytest.Pytester) -> pytest.Pytester:
    """A project with the toy memories in a module of its own."""
    source = Path(__file__).with_name("toy_memories.py").read_text(encoding="utf-8")
    project.makepyfile(toy_memories=source)
    return project


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in a process of its own."""
    return project.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_each_promise_is_an_item_of_its_own(toys: pytest.Pytester) -> None:
    """Ids name the promise and the system, and one can be run alone."""
    listed = run(toys, "--memory-system=bm25,none", "contract", "--collect-only", "-q")
    assert f"{SUITE}::test_what_was_written_is_recallable[bm25]" in listed.outlines
    one = run(toys, "--memory-system=bm25", f"{SUITE}::test_an_empty_memory_recalls_nothing[bm25]")
    one.assert_outcomes(passed=1)


def test_what_is_not_declared_is_skipped_with_the_reason(toys: pytest.Pytester) -> None:
    """A promise about a capability says nothing about a system without it."""
    result = run(toys, "--memory-system=bm25", "contract", "-rs", "-k", "updating")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*SKIPPED*bm25 does not declare updates*"])


def test_a_broken_promise_prints_code_that_runs(toys: pytest.Pytester, tmp_path: Path) -> None:
    """A failure is a paragraph and a script, without a traceback; the script shows the defect."""
    result = run(
        toys, "--memory-system=toy_memories:StarReadsAll", "contract", "-k", QUICK,
        "--junitxml=out.xml",
    )  # fmt: skip
    assert result.parseoutcomes()["failed"] == 1
    text = result.stdout.str()
    assert "breaks a promise: A recall in one principal's part has nothing" in text
    assert "Traceback" not in text
    assert "def holds" not in text
    failure = next(ET.parse(toys.path / "out.xml").getroot().iter("failure"))
    report = failure.text or ""
    script = toys.path / "script.py"
    script.write_text(report[report.index("# The shortest") :], encoding="utf-8")
    played = subprocess.run(
        [sys.executable, str(script)],
        cwd=toys.path,
        env={"PYTHONPATH": str(toys.path)},
        capture_output=True,
        text=True,
    )
    assert "AssertionError: (" in played.stderr


@pytest.mark.parametrize("workers", [0, 2])
def test_the_summary_says_which_promises_are_broken(toys: pytest.Pytester, workers: int) -> None:
    """The table stands at the end, also of a parallel run."""
    if workers:
        pytest.importorskip("xdist")
    systems = "--memory-system=toy_memories:StarReadsAll,none"
    more = ("-n", str(workers)) if workers else ()
    result = run(toys, systems, "contract", "-k", QUICK, *more)
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(
        [
            "*= memory contract =*",
            "system * kept *broken *known *n/a *errors",
            "none *1 * 0 * 0 *",
            "toy_memories:StarReadsAll * 4 * 1 * 0 * 0 * 0",
            "broken:",
            "  toy_memories:StarReadsAll: test_no_principal_recalls_what_another_said",
        ]
    )
    lines = result.outlines
    card = lines[next(i for i, line in enumerate(lines) if "memory contract" in line) :]
    assert max(map(len, card)) <= 80


def test_promises_are_no_steps_of_a_benchmark(toys: pytest.Pytester) -> None:
    """A parallel run of the contract alone has no scorecard, however systems are called."""
    pytest.importorskip("xdist")
    systems = "--memory-system=bm25,bm25-policy"
    toys.makeconftest(
        "from toy_memories import Toy\n"
        "def pytest_comem_memory_systems():\n"
        "    return {'bm25-policy': Toy}\n"
    )
    result = run(toys, systems, "contract", "-n", "2", "-k", "empty or no_more")
    result.assert_outcomes(passed=4)
    assert "scorecard" not in result.stdout.str()


def test_a_known_deviation_is_an_expected_failure(toys: pytest.Pytester) -> None:
    """What is on record is expected, with its reason."""
    result = run(toys, "--memory-system=none", "contract", "-rx", "-k", "order_and")
    result.assert_outcomes(xfailed=1)
    result.stdout.fnmatch_lines(["*it remembers nothing, by design*"])


def test_a_system_that_cannot_be_tried_is_an_error(toys: pytest.Pytester) -> None:
    """A memory that cannot keep one sentence breaks no promise: the run is broken."""
    toys.makepyfile(
        adapters="from toy_memories import Toy\n"
        "class Down(Toy):\n"
        "    def ingest(self, entry):\n"
        "        raise ConnectionRefusedError('nobody listens')\n"
    )
    result = run(toys, "--memory-system=adapters:Down", "contract", "-k", QUICK)
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"errors", "deselected"}
    result.stdout.fnmatch_lines(["*raised in ingest(): ConnectionRefusedError: nobody listens*"])


def test_trouble_around_the_library_is_an_error_too(toys: pytest.Pytester) -> None:
    """An infrastructure error in the middle is no verdict on the memory."""
    toys.makepyfile(
        adapters="from toy_memories import Toy\n"
        "from pytest_comem.errors import InfrastructureError\n"
        "class Trouble(Toy):\n"
        "    def ingest(self, entry):\n"
        "        if 'door' in entry.text:\n"
        "            raise InfrastructureError('no answer', type='provider')\n"
        "        super().ingest(entry)\n"
    )
    result = run(toys, "--memory-system=adapters:Trouble", "contract", "-k", "is_recallable")
    outcomes = result.parseoutcomes()
    assert outcomes["errors"] == 2
    assert "failed" not in outcomes
    result.stdout.fnmatch_lines(["*adapters:Trouble*: no answer*"])


def test_without_hypothesis_items_are_skipped(toys: pytest.Pytester) -> None:
    """The dependency is optional; what is missing is said with the command that installs it."""
    toys.makeconftest("import sys\nsys.modules['hypothesis'] = None\n")
    result = run(toys, "--memory-system=none", "-p", "no:hypothesispytest", "-rs")
    outcomes = result.parseoutcomes()
    assert "errors" not in outcomes
    assert outcomes["skipped"] >= 25
    result.stdout.fnmatch_lines(["*pip install 'pytest-comem?contract?'*"])


def test_a_project_may_have_a_fixture_of_that_name(toys: pytest.Pytester) -> None:
    """A user's own ``contract`` fixture is left alone."""
    toys.makepyfile(
        test_own="import pytest\n"
        "@pytest.fixture\n"
        "def contract():\n"
        "    return 7\n"
        "def test_own(contract):\n"
        "    assert contract == 7\n"
    )
    run(toys, "--memory-system=bm25", "test_own.py").assert_outcomes(passed=1)
    run(toys, "test_own.py").assert_outcomes(passed=1)


def test_verdicts_are_kept_in_the_run(toys: pytest.Pytester) -> None:
    """``comem report`` prints the contract's table again, as the run did."""
    ran = run(
        toys, "--memory-system=toy_memories:StarReadsAll,bm25", "contract", "-k", QUICK,
        "--comem-run-dir=run",
    )  # fmt: skip
    again = subprocess.run(
        [sys.executable, "-c", "from pytest_comem.cli import main; main()", "report", "run"],
        cwd=toys.path,
        capture_output=True,
        text=True,
        check=True,
    )
    head = next(place for place, line in enumerate(ran.outlines) if "memory contract" in line)
    table = again.stdout.splitlines()
    assert ran.outlines[head + 1 : head + 1 + len(table)] == table
    assert "test_no_principal_recalls_what_another_said" in again.stdout


def test_deviations_of_ones_own(toys: pytest.Pytester) -> None:
    """A file of the user's turns a known break into an expected failure."""
    toys.makefile(
        ".toml",
        mine='[[deviation]]\nsystem = "toy_memories:StarReadsAll"\n'
        'promise = "test_no_principal_recalls_what_another_said"\nreason = "known here"\n',
    )
    result = run(
        toys, "--memory-system=toy_memories:StarReadsAll", "contract", "-k", QUICK,
        "--comem-deviations=mine.toml",
    )  # fmt: skip
    assert result.ret == 0
    assert result.parseoutcomes()["xfailed"] == 1


def test_the_contract_alone_needs_no_data(toys: pytest.Pytester) -> None:
    """Benchmark data is not read where no benchmark runs."""
    result = run(toys, "--memory-system=bm25", "contract", "-k", "empty", "--comem-data=missing")
    result.assert_outcomes(passed=1)


def test_the_contract_alone_asks_no_model(toys: pytest.Pytester) -> None:
    """A model that is not there stops a run of a suite, but not one of promises."""
    asks = ("--memory-system=bm25", "--comem-model=openai/m", "--comem-api-base=http://127.0.0.1:9")
    run(toys, *asks, "contract", "-k", "an_empty_memory").assert_outcomes(passed=1)
    with_suite = run(toys, *asks, "contract", "gatemem", "-k", "an_empty_memory")
    assert with_suite.ret == pytest.ExitCode.USAGE_ERROR


def test_an_adapter_that_breaks_is_an_error_with_its_place(toys: pytest.Pytester) -> None:
    """Whoever writes an adapter is told what it raised and where; no promise is called broken."""
    toys.makepyfile(
        early="from toy_memories import Toy\n\n\nclass Early(Toy):\n"
        "    def ingest(self, entry):\n        raise ValueError('not yet')\n"
    )
    result = run(toys, "--memory-system=early:Early", "contract", "-k", "empty")
    assert result.parseoutcomes()["errors"] == 1
    result.stdout.fnmatch_lines(["*raised in ingest(): ValueError: not yet (early.py:6)*"])
