"""What has changed since a baseline, as lines."""

from __future__ import annotations

from pathlib import Path

from made_runs import all_but, made_run, recorded_run

from pytest_comem.baseline.changes import Changes, changes
from pytest_comem.baseline.standing import Baseline
from pytest_comem.report.baseline import as_json, change_lines, header

ROW = ("gatemem", "bm25", "offline")
STEP = ("medical", "e0", "e0_ckpt_0")


def lines(*found: Changes, whole: bool = False) -> list[str]:
    """Return the lines of what has changed."""
    return list(change_lines(found, Path("base.json"), lambda _, step: step[2], whole=whole))


def test_counts_and_names() -> None:
    """Each kind is counted, and regressions and new passes are named."""
    baseline = Baseline(recorded_run(made_run(all_but((0, 0), (0, 1)))))
    found = changes(baseline, ROW, made_run(all_but((0, 1), (5, 2))))
    assert lines(found) == [
        "against the baseline base.json:",
        "  1 regression, 1 newly passing, 1 expected failure",
        "    regression: e5_ckpt_2",
        "    newly passing: e0_ckpt_0",
    ]
    row = as_json([found], Path("base.json"))["rows"][0]
    assert (row["regressions"], row["expected_failures"]) == ([["office", "e5", "e5_ckpt_2"]], 1)


def test_long_lists_are_cut_and_counted() -> None:
    """Twenty steps of a kind are named, and how many more there are."""
    many = Changes(ROW, 30, regressions=(STEP,) * 30)
    assert len(lines(many)) == 2 + 20 + 1
    assert lines(many)[-1] == "    and 10 more of them (-v and manifest.json have all)"
    assert len(lines(many, whole=True)) == 2 + 30


def test_several_rows_are_named() -> None:
    """Where there is more than one row, each line says which."""
    other = Changes(("gatemem", "other", "offline"), 1, worse=(("U", 12.34),))
    found = lines(Changes(ROW, 1), other)
    assert found[1].startswith("  row of bm25 with offline: 0 regressions")
    assert found[-1] == "  row of other with offline: as a whole U is worse by 12.3 points"


def test_the_header_says_what_it_does_not_know() -> None:
    """A row of the run that the baseline has not is said in one line."""
    baseline = Baseline(recorded_run(made_run(), "base.json"))
    found = header(baseline, [ROW, ("gatemem", "ne\x1bw", "offline")])
    assert found[0] == "comem: baseline base.json, 160 steps of this run's rows"
    assert found[1:] == [
        "comem: the baseline has no row of ne\\x1bw with offline; its steps count by themselves"
    ]
