"""pytest run on a tiny project, as its users run it."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tiny_project import checkpoint, episode, records, write_data

needs_xdist = pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
)
DATA = "--comem-data=data"


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in a process of its own."""
    return project.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_a_project_that_does_not_use_the_plugin_is_untouched(project: pytest.Pytester) -> None:
    """Plain pytest runs the project's own tests and prints and writes nothing of ours."""
    project.makepyfile(test_own="def test_own(): assert True")
    result = run(project)
    result.assert_outcomes(passed=1)
    assert "comem:" not in result.stdout.str()
    assert not (project.path / ".comem").exists()


def test_the_plugin_imports_nothing_heavy(project: pytest.Pytester) -> None:
    """Importing the plugin leaves the heavy libraries unloaded."""
    code = (
        "import sys, pytest_comem.plugin; heavy = {'litellm','docker','pydantic','hypothesis',"
        "'numpy','httpx','rich','regex','typer'} & set(sys.modules); sys.exit(str(heavy or 0))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stderr.strip() == "0"


def test_all_shipped_suites_run_when_only_a_system_is_named(project: pytest.Pytester) -> None:
    """The system alone selects every shipped suite, not the project's tests."""
    project.makepyfile(test_own="def test_own(): assert False")
    few = ("--comem-domains=medical,offline_retrieval", "--comem-limit=1")
    result = run(project, "--memory-system=adapters:LastWords", DATA, *few, "-v")
    output = result.stdout.str()
    assert "test_own" not in output
    # Without Hypothesis the contract is skipped, and says so.
    promised = bool(re.search("^contract/.* PASSED", output, re.MULTILINE))
    assert promised == (importlib.util.find_spec("hypothesis") is not None)
    result.stdout.fnmatch_lines(
        ["*memory contract*", "adapters:LastWords*", "*GateMem*scorecard*", "*ICS*"]
    )


def test_steps_are_sorted_and_only_wanted_ones_are_asked(project: pytest.Pytester) -> None:
    """Checkpoints are asked by position, and an episode is ingested no further than needed."""
    result = run(
        project, "--memory-system=adapters:Counts", DATA, "gatemem", "-k", "one and not ckpt_03"
    )
    result.assert_outcomes(passed=2)
    asked = (project.path / "asked.txt").read_text().splitlines()
    assert asked == ["2 what is fact2 of one?", "5 what is fact5 of one?"]


def test_a_pasted_id_is_exactly_that_step(project: pytest.Pytester) -> None:
    """An id from the output names the same step in any directory."""
    node = "gatemem/test_governance.py::test_checkpoint[bm25-medical-two-ckpt_01]"
    result = run(project, "--memory-system=bm25", DATA, "-v", node)
    result.assert_outcomes(passed=1)
    assert any(line.startswith(f"{node} PASSED") for line in result.outlines)


def test_a_failing_step_is_one_paragraph(project: pytest.Pytester) -> None:
    """A failure says what was asked, what came back and what was missing; no traceback."""
    result = run(project, "--memory-system=none", DATA, "gatemem", "-k", "two and ckpt_02")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert "asked 'what is fact1 of two?'" in text
    assert "got no_memory" in text
    assert "missing 'fact1'" in text
    assert "Traceback" not in text
    assert "def test_checkpoint" not in text


def test_threads_output_stays_with_its_own_step(project: pytest.Pytester) -> None:
    """What a memory prints and logs for one step is in that step's report and in no other."""
    result = run(project, "--memory-system=adapters:Chatty", DATA, "gatemem", "--junitxml=out.xml",
                 "-o", "junit_logging=all")  # fmt: skip
    result.assert_outcomes(failed=5)
    root = ET.parse(project.path / "out.xml").getroot()
    questions = {}
    for case in root.iter("testcase"):
        text = "".join(part.text or "" for part in case if part.tag.startswith("system-"))
        questions[case.get("name")] = set(re.findall(r"fact\d of \w+", text))
        for word in ("asked about", "complaint about", "log of"):
            assert text.count(word) >= 1, (case.get("name"), word)
    assert questions["test_checkpoint[adapters_Chatty-medical-one-ckpt_01]"] == {"fact5 of one"}
    assert all(len(found) == 1 for found in questions.values())
    assert len(set(map(frozenset, questions.values()))) == 5


def test_junit_properties_say_what_was_measured(project: pytest.Pytester) -> None:
    """JUnit XML carries system, category and measures of every step."""
    run(project, "--memory-system=bm25", DATA, "gatemem", "--junitxml=out.xml", "-k", "two")
    case = next(ET.parse(project.path / "out.xml").getroot().iter("testcase"))
    found = {item.get("name"): item.get("value") for item in case.iter("property")}
    assert found["comem.system"] == "bm25"
    assert found["comem.category"] == "utility"
    assert found["comem.utility_correct"] == "True"


@pytest.mark.parametrize("adapter", ["RaisesLate", "ReturnsText"])
def test_a_broken_adapter_is_an_error_and_never_a_failure(
    project: pytest.Pytester, adapter: str
) -> None:
    """What a library raises is an error on its step; the episode's later steps name the cause."""
    result = run(
        project, f"--memory-system=adapters:{adapter}", DATA, "gatemem", "--comem-run-dir=run"
    )
    outcomes = result.parseoutcomes()
    assert "failed" not in outcomes
    assert outcomes["errors"] == (3 if adapter == "RaisesLate" else 5)
    assert outcomes.get("passed", 0) == 5 - outcomes["errors"]
    text = result.stdout.str()
    assert "an earlier call of this episode failed" in text
    assert "raised in ingest() at entry t3: SystemExit" in text or adapter == "ReturnsText"
    assert "Traceback" not in text
    unscored = json.loads((project.path / "run/manifest.json").read_text())["finished"]["unscored"]
    assert len(unscored) == outcomes["errors"]


def test_x_stops_without_asking_on(project: pytest.Pytester) -> None:
    """With -x nothing beyond the first failing step is asked."""
    extra = checkpoint("one", 4, 2, judge_spec={"include": ["never said"]})
    rows = [checkpoint("one", 1, 1), extra, checkpoint("one", 5, 6), checkpoint("two", 1, 1)]
    write_data(project.path, [episode("one"), episode("two")], rows)
    result = run(project, "--memory-system=adapters:Counts", DATA, "gatemem", "-x")
    result.assert_outcomes(passed=1, failed=1)
    assert len((project.path / "asked.txt").read_text().splitlines()) == 2


def test_collect_only_plays_nothing(project: pytest.Pytester) -> None:
    """--collect-only lists the steps, asks none and writes no run."""
    result = run(
        project, "--memory-system=adapters:Counts", DATA, "gatemem", "--collect-only", "-q"
    )
    assert sum("::test_checkpoint[" in line for line in result.outlines) == 5
    assert not (project.path / "asked.txt").exists()
    assert not (project.path / ".comem").exists()


def test_a_broken_test_file_beside_the_suite_need_not_stop_it(project: pytest.Pytester) -> None:
    """With --continue-on-collection-errors the suite is played all the same."""
    project.makepyfile(test_broken="import nothing_of_this_name")
    arguments = ("--memory-system=bm25", DATA, "gatemem", "test_broken.py")
    run(project, *arguments).assert_outcomes(errors=1)
    result = run(project, "--continue-on-collection-errors", *arguments)
    result.assert_outcomes(passed=5, errors=1)


def test_last_failed_selects_the_same_steps(project: pytest.Pytester) -> None:
    """--lf runs exactly the steps that failed before."""
    arguments = ("--memory-system=rag-policy,none", DATA, "gatemem")
    first = project.runpytest_subprocess(*arguments).parseoutcomes()
    again = project.runpytest_subprocess("--lf", *arguments).parseoutcomes()
    assert again["failed"] == first["failed"] >= 5
    assert "passed" not in again


def test_ctrl_c_ends_within_two_seconds(project: pytest.Pytester) -> None:
    """An interrupt does not wait for a library that hangs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "--memory-system=adapters:Slow", DATA, "gatemem"],
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 30
    while not list(project.path.glob(".comem/runs/*/outcomes.jsonl")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    interrupted = time.monotonic()
    output, _ = process.communicate(timeout=30)
    assert time.monotonic() - interrupted < 10
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert "5 steps are unscored" in output


def test_two_runs_write_the_same_outcomes(project: pytest.Pytester) -> None:
    """Equal runs give equal outcomes apart from times, whatever the hash seed."""
    runs = []
    for seed in ("1", "2"):
        os.environ["PYTHONHASHSEED"] = seed
        try:
            run(
                project,
                "--memory-system=bm25,rag-governed",
                "gatemem",
                f"--comem-run-dir=run{seed}",
            )
        finally:
            del os.environ["PYTHONHASHSEED"]
        runs.append(records(project.path / f"run{seed}"))
    assert len(runs[0]) == 2 * 81
    assert runs[0] == runs[1]


@needs_xdist
def test_the_scorecard_does_not_depend_on_who_reports_first(project: pytest.Pytester) -> None:
    """Systems and domains stand in the same order whatever worker is ahead."""
    tables = []
    for extra in ((), ("-n", "2")):
        lines = run(project, "--memory-system=none,bm25", "gatemem", "-q", *extra).outlines
        start = next(place for place, line in enumerate(lines) if "GateMem scorecard" in line)
        end = next(place for place, line in enumerate(lines) if line.startswith("paper scoring"))
        tables.append(lines[start + 1 : end])
    assert len(tables[0]) > 12
    assert tables[0] == tables[1]


@needs_xdist
def test_parallel_and_serial_runs_write_the_same_outcomes(project: pytest.Pytester) -> None:
    """Two workers give the outcomes and node ids of a serial run, in the same order."""
    serial = run(
        project, "--memory-system=bm25,none", "gatemem", "--comem-run-dir=serial"
    ).parseoutcomes()
    parallel = run(
        project, "--memory-system=bm25,none", "gatemem", "--comem-run-dir=two", "-n", "2"
    )
    assert {**parallel.parseoutcomes()} == {**serial}
    assert records(project.path / "serial") == records(project.path / "two")


@needs_xdist
@pytest.mark.parametrize("mode", ["worksteal", "loadfile", "loadscope", "loadgroup", "each"])
def test_other_distributions_are_refused(project: pytest.Pytester, mode: str) -> None:
    """A distribution that would tear episodes apart is a usage error that names the way out."""
    result = run(project, "--memory-system=bm25", "-n", "2", "--dist", mode)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--dist {mode}*--dist load*"])


@needs_xdist
def test_a_killed_worker_leaves_an_error_and_a_complete_scorecard(
    project: pytest.Pytester,
) -> None:
    """Steps lost with a worker are unscored and named; every other step is scored.

    Episodes run ahead of their reports, so the step before may be lost with the one that kills.
    """
    killing = checkpoint("one", 2, 3, query_text="kill the worker at fact3")
    write_data(project.path, [episode("one"), episode("two")],
               [checkpoint("one", 1, 1), killing, checkpoint("one", 3, 6),
                checkpoint("two", 1, 2), checkpoint("two", 2, 4)])  # fmt: skip
    result = run(project, "--memory-system=adapters:KillsWorkerOnce", DATA, "gatemem", "-n", "2",
                 "--comem-run-dir=run")  # fmt: skip
    outcomes = result.parseoutcomes()
    assert "failed" not in outcomes
    result.stdout.fnmatch_lines(["* steps are unscored*", "*its worker died*", "*one-ckpt_02*"])
    steps = [record["step"] for record in records(project.path / "run")]
    assert [step for step in steps if step != "one_ckpt_01"] == [
        "one_ckpt_03",
        "two_ckpt_01",
        "two_ckpt_02",
    ]
    assert len(steps) == outcomes["passed"]
    # Pytest may count one step twice: a worker that dies right after its report is an error too.
    manifest = json.loads((project.path / "run/manifest.json").read_text(encoding="utf-8"))
    assert len(steps) + len(manifest["finished"]["unscored"]) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--memory-system=bm52"], "*'bm52' is unknown; did you mean bm25*"),
        (["--memory-system=adapters:Missing"], "*adapters has no 'Missing'*"),
        (["--memory-system=nowhere:X"], "*cannot be imported*nowhere*"),
        (["--memory-system=bm25,bm25"], "*--memory-system*more than once*"),
        (["--memory-system=bm25", "--comem-scoring=papr"], "*did you mean paper*"),
        (["--memory-system=bm25", "--comem-model=offlin"], "*did you mean offline*"),
        (["--memory-system=bm25", "--comem-top-k=0"], "*--comem-top-k: '0'*1 or more*"),
        (["--memory-system=bm25", "--comem-domains=x"], "*no domain 'x'*medical*"),
        (["--memory-system=bm25", "--comem-data=nowhere"], "*nowhere: does not exist*"),
        (["--memory-system=bm25", "--comem-api-base=http://h:99999"], "*h:99999' is no address*"),
        (["--memory-system=bm25", "--comem-api-base=http://[::1/v1"], "*v1' is no address*"),
        (["--memory-system=bm25", "--comem-timeout=1e300"], "*'1e300' is more than 86400*"),
        (["gatemem"], "*gatemem is a suite*--memory-system=bm25 gatemem*"),
    ],
)
def test_wrong_options_are_usage_errors_with_a_way_out(
    project: pytest.Pytester, arguments: list[str], message: str
) -> None:
    """A wrong value stops the run with one line that names it and what is right."""
    result = run(project, *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
    assert not (project.path / ".comem").exists()


def test_ini_keys_stand_for_options(project: pytest.Pytester) -> None:
    """An option in the ini file is in force; the command line wins over it."""
    project.makeini(f"[pytest]\ncomem_data = {project.path / 'data'}\ncomem_top_k = 7\n")
    result = run(project, "--memory-system=bm25", "--comem-top-k=9", "gatemem")
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["*top-k 9*"])


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pytest.ini", "[pytest]\ncomem_judge =\ncomem_cassette =\n  record\n  my tapes\n"),
        ("pytest.ini", "[pytest]\ncomem_cassette = record \t my tapes\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\ncomem_cassette = ['record', 'my tapes']\n"),
    ],
)
def test_a_cassette_in_an_ini_file_is_a_mode_and_a_directory(
    project: pytest.Pytester, file: str, text: str
) -> None:
    """Whatever stands between the two, and an empty judge is the usual one."""
    (project.path / file).write_text(text, encoding="utf-8")
    result = run(project, "--memory-system=bm25", DATA, "gatemem", "--comem-judge=")
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["*judge rules*"])
    assert (project.path / "my tapes").is_dir()


def test_an_expected_failure_of_a_step_is_shown_as_one(project: pytest.Pytester) -> None:
    """A user's xfail mark on a test of outcomes holds, also where all reasons are listed."""
    project.makepyfile(
        test_own="""
        import pytest

        @pytest.mark.xfail(reason="it forgets")
        def test_own(checkpoint, outcome):
            assert outcome.passed
        """
    )
    systems = "--memory-system=bm25,none"
    result = run(project, systems, DATA, "test_own.py", "-rA", "-k", "two")
    result.assert_outcomes(xfailed=2, xpassed=2)
    result.stdout.fnmatch_lines(["XFAIL*none-medical-two-ckpt_01*it forgets"])


def test_a_used_run_directory_is_refused(project: pytest.Pytester) -> None:
    """A second run never overwrites the first one's outcomes."""
    run(project, "--memory-system=bm25", DATA, "gatemem", "--comem-run-dir=run")
    before = (project.path / "run/outcomes.jsonl").read_bytes()
    result = run(project, "--memory-system=bm25", DATA, "gatemem", "--comem-run-dir=run")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "already holds a run" in result.stderr.str() + result.stdout.str()
    assert (project.path / "run/outcomes.jsonl").read_bytes() == before


def test_the_readme_adapter_works_as_printed(project: pytest.Pytester) -> None:
    """The adapter shown in the README runs, named by a hook in conftest.py."""
    readme = Path(__file__).resolve().parents[2] / "README.md"
    code = re.findall(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)[0]
    project.makeconftest(
        code + "\n\ndef pytest_comem_memory_systems():\n    return {'last-words': LastWords}\n"
    )
    result = run(project, "--memory-system=last-words", DATA, "gatemem")
    result.assert_outcomes(passed=5)


def test_memory_system_fixture_is_fresh_for_every_test(project: pytest.Pytester) -> None:
    """A user's own test gets an empty instance of each system named."""
    project.makepyfile(
        test_own="""
        def test_own(memory_system):
            assert memory_system.items == []
            memory_system.items.append(1)

        def test_other(memory_system):
            assert memory_system.items == []
        """
    )
    result = run(project, "--memory-system=adapters:LastWords", "test_own.py")
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize("columns", [80, 200])
def test_the_scorecard_fits_its_terminal(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    """No line of the scorecard is wider than the terminal, and none is cut with an ellipsis."""
    monkeypatch.setenv("COLUMNS", str(columns))
    result = run(project, "--memory-system=bm25,oracle", "gatemem", "--tb=no", "-q")
    lines = result.outlines
    card = lines[next(i for i, line in enumerate(lines) if "GateMem scorecard" in line) :]
    assert max(len(line) for line in card) <= columns
    assert not any("…" in line for line in card)
    place = next(i for i, line in enumerate(card) if line.startswith("oracle"))
    assert card[place + 2].strip() == "(reference)"


KEPT = """
import gc, json, pathlib

def pytest_runtest_setup(item):
    assert gc.isenabled()

def pytest_terminal_summary(terminalreporter):
    kept = [one for one in terminalreporter.stats.get("", []) if "gatemem/" in one.nodeid]
    told = [one.when for one in kept]
    ours = [one.when for found in terminalreporter.stats.values() for one in found
            if any(name.startswith("comem.") for name, _ in getattr(one, "user_properties", ()))]
    pathlib.Path("kept.json").write_text(json.dumps([told, sorted(set(ours))]))
"""


@pytest.mark.parametrize("mode", [[], ["-n", "2"]], ids=["serial", "xdist"])
@pytest.mark.parametrize(
    ("system", "phases"), [("LastWords", []), ("Chatty", ["setup"] * 5)], ids=["silent", "chatty"]
)
def test_reports_of_set_up_and_tear_down_are_kept_where_they_say_something(
    project: pytest.Pytester, mode: list[str], system: str, phases: list[str]
) -> None:
    """The others would be most of the memory of a long run; properties are on later ones."""
    if mode and importlib.util.find_spec("xdist") is None:
        pytest.skip("pytest-xdist is not installed")
    project.makeconftest(KEPT)
    run(project, f"--memory-system=adapters:{system}", DATA, "gatemem", *mode)
    told, ours = json.loads((project.path / "kept.json").read_text())
    assert [phase for phase in told if phase == "setup"] == phases
    assert "call" in ours
    assert "setup" not in ours


@pytest.mark.parametrize("more", [[], ["--collect-only"]], ids=["run", "collect"])
def test_the_garbage_collector_is_left_as_it_was(project: pytest.Pytester, more: list[str]) -> None:
    """Where pytest is called by a program that goes on, that one collects its garbage again."""
    arguments = ["-p", "no:cacheprovider", "--memory-system=bm25", DATA, "gatemem", *more]
    code = (
        f"import gc, pytest; pytest.main({arguments}); "
        "print('left:', gc.isenabled(), gc.get_freeze_count())"
    )
    frozen = "import gc; print('left:', gc.isenabled(), gc.get_freeze_count())"
    before, after = (
        subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
        for text in (frozen, code)
    )
    assert after.stdout.splitlines()[-1] == before.stdout.splitlines()[-1]
