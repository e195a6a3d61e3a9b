"""Runs whose exit status a gate decides, as a maintainer's pipeline sees them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from gated_project import fact, make_project, run_comem, run_pytest, step
from test_runs import needs_xdist

WORKERS = pytest.mark.parametrize("workers", [(), pytest.param(("-n", "2"), marks=needs_xdist)])
LOST: Final = f"{fact('one', 1)},{fact('two', 2)}"
HALF: Final = ",".join(fact(name, number) for name in ("one", "two", "three")
                       for number in range(1, 6))  # fmt: skip
AGAINST: Final = "--comem-baseline=base.json"


@dataclass(frozen=True)
class Case:
    """Rules, what the memory does, and the exit status."""

    rules: tuple[str, ...]
    status: int
    loses: str = ""
    breaks: str = ""
    more: tuple[str, ...] = ()


CASES: Final = {
    "passes although steps fail": Case(("gatemem.U >= 50%", "unscored <= 2%"), 0, LOST),
    "fails below its bound": Case(("gatemem.U >= 99.9%",), 1, HALF),
    "fails on a regression": Case(("regressions <= 0",), 1, f"{LOST},{fact('three', 3)}"),
    "passes where nothing changed": Case(
        ("gatemem.U >= baseline", "gatemem.OR <= baseline", "regressions <= 0",
         "no new gatemem.incomplete_answer"), 0, LOST,
    ),
    "fails on one failure for another": Case(
        ("no new gatemem.incomplete_answer",), 1, f"{fact('one', 1)},{fact('three', 3)}"
    ),
    "fails on a pinned step": Case((f"pin {step('three', 3)}",), 1, fact("three", 3)),
    "is inconclusive around its bound": Case(("gatemem.U >= 95%",), 9, LOST),
    "is inconclusive where too much broke": Case(("gatemem.U >= 50%",), 9, "", fact("one", 1)),
    "stops early and is inconclusive": Case(
        ("gatemem.U >= 10%",), 9, fact("one", 1), "", ("-x", "-k", "one or two")
    ),
    "stops early and fails surely": Case(
        ("regressions <= 0",), 1, f"{LOST},{fact('three', 3)}", "", ("-x",)
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the baseline of a memory that loses two facts."""
    project = make_project(tmp_path_factory.mktemp("gated"))
    assert run_pytest(project, "--comem-run-dir=base", loses=LOST).returncode == 1
    assert run_comem(project, "baseline", "base", "-o", "base.json").returncode == 0
    return project


def gated(
    project: Path, *arguments: str, rules: tuple[str, ...] = (), loses: str = "", breaks: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run with a gate of *rules*."""
    given = [f"--comem-gate={rule}" for rule in rules]
    return run_pytest(project, *given, *arguments, loses=loses, breaks=breaks)


@WORKERS
@pytest.mark.parametrize("name", CASES)
def test_the_gate_decides_the_exit_status(home: Path, name: str, workers: tuple[str, ...]) -> None:
    """The status is the gate's in one process and in two, and again from the recorded run."""
    case = CASES[name]
    # Without a rule about it a baseline would make failures expected, and -x pass them over.
    before = (AGAINST,) if any("baseline" in r or r[:2] in ("no", "re") for r in case.rules) else ()
    directory = f"{name.replace(' ', '-')}{len(workers)}"
    found = gated(
        home, *before, *case.more, *workers, f"--comem-run-dir={directory}",
        rules=case.rules, loses=case.loses, breaks=case.breaks,
    )  # fmt: skip
    assert found.returncode == case.status, found.stdout + found.stderr
    word = {0: "PASS", 1: "FAIL", 9: "INCONCLUSIVE"}[case.status]
    last = found.stdout.rstrip().splitlines()[-1]
    assert last.startswith(f"gate: {word} (")
    assert f"exit status {case.status}" in last
    kept = json.loads((home / directory / "manifest.json").read_text())["finished"]["gate"]
    assert (kept["result"], kept["exit_status"]) == (word, case.status)
    assert [each["rule"] for each in kept["rules"]] == list(case.rules)
    if not workers:
        rules = [part for rule in case.rules for part in ("--rule", rule)]
        again = run_comem(home, "gate", directory, "--baseline", "base.json", *rules)
        assert again.returncode == case.status, again.stdout + again.stderr
        assert again.stdout.rstrip().splitlines()[-1] == last


def test_the_lines_fit_80_columns_and_need_no_colour(home: Path) -> None:
    """Every line of a gate fits, and begins with the result in words."""
    rules = ("gatemem.U >= 50%", f"pin {step('three', 3)}", "gatemem.U >= 95%")
    text = gated(home, rules=rules, loses=LOST).stdout
    gate = text[text.index("= gate: ") :].splitlines()[1:]
    assert [line for line in gate if len(line) > 80 and "::" not in line] == []
    firsts = [line.split()[0] for line in gate if not line.startswith(" ")]
    assert firsts[:3] == ["PASS", "PASS", "INCONCLUSIVE"]
    assert "\x1b" not in text


@pytest.mark.parametrize(("word", "status"), [("pass", 0), ("fail", 1), ("warn", 9)])
def test_what_inconclusive_counts_as(home: Path, word: str, status: int) -> None:
    """The option decides the status of an inconclusive gate, after the fact as well."""
    again = run_comem(home, "gate", "base", "--rule", "gatemem.U >= 95%", "--inconclusive", word)
    assert again.returncode == status
    assert "INCONCLUSIVE" in again.stdout


def test_the_option_says_it_to_pytest_too(home: Path) -> None:
    """--comem-inconclusive pass makes a status 0 of an inconclusive gate."""
    found = gated(home, "--comem-inconclusive=pass", rules=("gatemem.U >= 95%",), loses=LOST)
    assert found.returncode == 0
    assert "gate: INCONCLUSIVE" in found.stdout


def test_the_table_of_pyproject(home: Path, tmp_path: Path) -> None:
    """The word on takes rules, baseline and word of pyproject.toml; so does comem gate."""
    project = make_project(tmp_path)
    (project / "base.json").write_bytes((home / "base.json").read_bytes())
    (project / "pyproject.toml").write_text(
        '[tool.comem.gate]\nrules = ["gatemem.U >= baseline", "regressions <= 0"]\n'
        'baseline = "base.json"\n'
    )
    found = gated(project, "--comem-run-dir=run", rules=("on",), loses=f"{LOST},{fact('six', 1)}")
    assert found.returncode == 1
    assert "regression: " in found.stdout
    again = run_comem(project, "gate", "run")
    assert again.returncode == 1
    assert again.stdout.splitlines()[-1] == found.stdout.rstrip().splitlines()[-1]


def test_a_run_that_is_gone_on_with_is_judged_as_a_whole(home: Path) -> None:
    """What was played before counts: the gate is that of a run in one go."""
    rules = ("gatemem.U >= 50%", "regressions <= 0", "unscored <= 2%")
    run_pytest(home, "--comem-run-dir=halves", "-k", "one or two", loses=LOST)
    found = gated(home, AGAINST, "--comem-resume=halves", rules=rules, loses=LOST)
    whole = gated(home, AGAINST, rules=rules, loses=LOST)
    assert found.returncode == whole.returncode == 0
    tables = [text[text.index("= gate: ") :] for text in (found.stdout, whole.stdout)]
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("gatemem.MGS > 0.3", "column 13: '>' is not used; write >="),
        ("gatemem.MSG >= 0.3", "column 9: 'MSG' is no metric of gatemem; did you mean MGS"),
        ("gatemem.U >= baseline", "column 14: there is no baseline"),
        (f"pin {step('three', 33)}", "no step of the suite is called so; did you mean"),
        ("on", "there are none"),
    ],
)
def test_a_rule_that_is_none_stops_before_anything_is_played(
    home: Path, rule: str, said: str
) -> None:
    """An error of use: exit status 4, the rule and the column, and no run."""
    found = gated(home, "--comem-run-dir=never", rules=(rule,))
    assert found.returncode == 4
    assert said in found.stderr
    assert not (home / "never").exists()


def test_a_command_with_a_wrong_rule_or_run_is_an_error(home: Path) -> None:
    """comem gate and comem baseline say what is wrong, with exit status 2."""
    for arguments, said in (
        (("gate", "base", "--rule", "gatemem.MGS >= 30"), "write 30% or a fraction"),
        (("gate", "base"), "there are none"),
        (("gate", "base", "--rule", "unscored <= 2%", "--inconclusive", "wran"), "warn"),
        (("gate", "nothing", "--rule", "unscored <= 2%"), "outcomes.jsonl"),
        (("baseline", "nothing", "-o", "x.json"), "outcomes.jsonl"),
    ):
        found = run_comem(home, *arguments)
        assert found.returncode == 2
        assert said in found.stderr


def test_failures_that_are_no_steps_still_fail(home: Path) -> None:
    """A gate answers for steps; a failing test of the project's own keeps exit status 1."""
    (home / "test_own.py").write_text("def test_own():\n    assert False\n")
    found = gated(home, "test_own.py", rules=("gatemem.U >= 50%",))
    assert found.returncode == 1
    assert "gate: PASS" in found.stdout
    assert found.stdout.rstrip().endswith("the exit status is 1.")


def test_a_run_without_tests_keeps_its_status(home: Path) -> None:
    """Nothing collected is pytest's exit status 5, whatever the gate would say."""
    assert gated(home, "-k", "nothing_like_it", rules=("gatemem.U >= 50%",)).returncode == 5


def test_a_run_that_was_interrupted_keeps_its_status(home: Path) -> None:
    """A run that a cost limit or a user ends is exit status 2, and the gate is shown."""
    (home / "test_stop.py").write_text(
        "import pytest\n\ndef test_stop():\n    pytest.exit('enough')\n"
    )
    found = gated(home, "test_stop.py", rules=("gatemem.U >= 50%",))
    assert found.returncode == 2
