"""The offline agent at work in a directory."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_plans import ADA, DirectoryBench, plan, slot, step, task

from pytest_comem.errors import BenchmarkDefect
from pytest_comem.llm.meter import Meter
from pytest_comem.office.base import Followed, Shown, Trajectory
from pytest_comem.office.offline_agent import OfflineAgent
from pytest_comem.streams.plans import Condition, Plan, SlotKind

PLAN = plan(
    [
        slot(SlotKind.FILE_NAME, "report.md", period="2025-03", words=("churn", "report")),
        slot(SlotKind.DATE_STYLE, "iso"),
        slot(SlotKind.NUMBER_STYLE, "1234.5"),
        slot(SlotKind.LINE, "us", lead="By:"),
        slot(
            SlotKind.CHOICE,
            "none",
            options={"none": (), "internal": ("test accounts", "plan <> 'internal'")},
        ),
    ],
    step("list", path=".", unless_known="choice"),
    step(
        "query",
        tables=[{"name": "a", "path": "accounts.csv"}],
        statement="SELECT sum(fee) FROM a WHERE plan <> '{slot:choice}'",
        save="fees",
    ),
    step(
        "write",
        path="{slot:file_name}",
        text="# Churn\nAs of {date:2025-03-31}\nFees: {number:fees}\nBy: {slot:line}\n",
    ),
    step(
        "append",
        path="{slot:file_name}",
        text="Counts without test accounts.\n",
        when=(Condition(slot="choice", any_of=("internal",)),),
    ),
)
TRACE = (
    "[2025-02-03, Harbour] assistant: wrote reports/2025-01-churn.md:\n"
    "# Churn\nAs of 31 January 2025\nFees: 2,954.1\nBy: Ada, Retention",
    "[2025-02-03, Harbour] Ada: Leave the test accounts out.",
)


def meter() -> Meter:
    """Return a meter for a run without a model."""
    return Meter("offline")


def worked(workspace: Path, *passages: str, made: Plan = PLAN) -> tuple[Trajectory, DirectoryBench]:
    """Do a task and return what was done."""
    (workspace / "accounts.csv").write_text("plan,fee\nsolo,1000.25\ninternal,500\nduo,1000\n")
    bench = DirectoryBench(workspace)
    shown = Shown(ADA, task(), passages, made)
    agent = OfflineAgent()
    assert agent.missing(shown) is None
    return agent.work(shown, bench, meter()), bench


def test_without_recall_the_plain_plan_is_done(tmp_path: Path) -> None:
    """Defaults are taken and nothing is followed."""
    done, _ = worked(tmp_path)
    assert (tmp_path / "report.md").read_text() == (
        "# Churn\nAs of 2025-03-31\nFees: 2500.25\nBy: us\n"
    )
    assert done.followed == ()
    assert done.known == {}
    assert [call.operation for call in done.calls] == ["list", "query", "write"]
    assert done.stopped == "finished"


def test_an_actionable_trace_is_followed(tmp_path: Path) -> None:
    """Names, styles, lines and rules of the past are adapted to this task."""
    done, _ = worked(tmp_path, *TRACE)
    assert (tmp_path / "reports/2025-03-churn.md").read_text() == (
        "# Churn\nAs of 31 March 2025\nFees: 2,000.3\nBy: Ada, Retention\n"
        "Counts without test accounts.\n"
    )
    assert done.followed == (
        Followed("file_name", "reports/2025-03-churn.md", 0),
        Followed("date_style", "long", 0),
        Followed("number_style", "1,234.5", 0),
        Followed("line", "Ada, Retention", 0),
        Followed("choice", "internal", 1),
    )
    assert "list" not in [call.operation for call in done.calls]
    assert done.reply.startswith("wrote reports/2025-03-churn.md")


def test_a_vague_summary_helps_with_nothing(tmp_path: Path) -> None:
    """What says only that something was done fills no slot."""
    done, _ = worked(tmp_path, "Prepared the churn report for January and sent it to Retention.")
    assert done.followed == ()
    assert (tmp_path / "report.md").exists()


def test_foreign_recall_misleads(tmp_path: Path) -> None:
    """With another project's ways alone recalled, these are followed."""
    done, _ = worked(tmp_path, "[2025-02-03, North Light] Ada: dates as 31.01.2025, please")
    assert done.followed == (Followed("date_style", "dotted", 0),)
    assert "31.03.2025" in (tmp_path / "report.md").read_text()


def test_all_that_could_be_taken_is_known(tmp_path: Path) -> None:
    """Values that were not taken are told as well, each once, the one taken first."""
    done, _ = worked(
        tmp_path,
        "[2025-01-03, Harbour] Ada: dates as 31.01.2025",
        "[2025-02-03, Harbour] Ada: dates as 31/01/2025",
        "[2025-01-04, Harbour] Ada: dates as 31/12/2024",
    )
    assert done.known == {"date_style": ("slash", "dotted")}
    assert done.followed == (Followed("date_style", "slash", 1),)


def test_steps_go_together_unless_one_needs_anothers_value(tmp_path: Path) -> None:
    """Operations are handed over in as few batches as values allow."""
    _, bench = worked(tmp_path, *TRACE)
    assert bench.batches == [["query"], ["write", "append"]]


def test_a_step_that_fails_is_recorded_and_the_plan_goes_on(tmp_path: Path) -> None:
    """What needs the value of a failed step is left out, everything else is done."""
    made = plan(
        [],
        step("read", path="missing.md", save="text"),
        step("write", path="a.md", text="{value:text}"),
        step("write", path="b.md", text="B"),
    )
    done, _ = worked(tmp_path, made=made)
    assert [(call.operation, call.ok) for call in done.calls] == [("read", False), ("write", True)]
    assert (tmp_path / "b.md").read_text() == "B"
    assert not (tmp_path / "a.md").exists()
    assert "1 of 2 steps failed" in done.reply


def test_what_no_step_asks_about_cannot_be_followed(tmp_path: Path) -> None:
    """A slot that only picks steps takes the values that steps ask about, whatever their case."""
    columns = slot(SlotKind.COLUMNS, "a|b|c")
    made = plan(
        [columns],
        step("read", path="accounts.csv", when=(Condition(slot="columns", any_of=("c|b|a",)),)),
        step("list", path=".", when=(Condition(slot="columns", any_of=("a|b|c",)),)),
    )
    done, _ = worked(tmp_path, "wrote x.csv:\nB,A,C", made=made)
    assert [call.operation for call in done.calls] == ["list"]
    assert done.followed == ()
    done, _ = worked(tmp_path, "wrote x.csv:\nB,A,C", "wrote y.csv:\nC,B,A", made=made)
    assert [call.operation for call in done.calls] == ["read"]
    assert done.followed == (Followed("columns", "c|b|a", 1),)


def test_a_style_that_steps_ask_about_and_write_with_is_free(tmp_path: Path) -> None:
    """A slot that is written with takes any value, even where steps ask about some."""
    made = plan(
        [slot(SlotKind.DATE_STYLE, "iso")],
        step("write", path="a.md", text="{date:2025-03-31}"),
        step("list", path=".", when=(Condition(slot="date_style", any_of=("long",)),)),
    )
    worked(tmp_path, "Dates as 31.01.2025", made=made)
    assert (tmp_path / "a.md").read_text() == "31.03.2025"


def test_words_shown_and_done_are_counted(tmp_path: Path) -> None:
    """Every word recalled costs one token more."""
    few, _ = worked(tmp_path)
    more, _ = worked(tmp_path, "five words that teach nothing")
    assert more.tokens == few.tokens + 5


def test_without_a_plan_the_agent_says_what_to_do(tmp_path: Path) -> None:
    """The task is named, and the way out."""
    shown = Shown(ADA, task())
    assert "t01 of ada has no plan.json" in str(OfflineAgent().missing(shown))
    with pytest.raises(BenchmarkDefect, match="has no plan"):
        OfflineAgent().work(shown, DirectoryBench(tmp_path), meter())


def test_a_broken_plan_is_a_defect_before_anything_is_done(tmp_path: Path) -> None:
    """No step is done of a plan with a placeholder that stands for nothing."""
    made = plan([], step("write", path="a.md", text="A"), step("read", path="{slot:none}"))
    with pytest.raises(BenchmarkDefect, match=r"t01 of ada .* step 2 \(read\)"):
        worked(tmp_path, made=made)
    assert not (tmp_path / "a.md").exists()


def test_hostile_passages_are_only_data(tmp_path: Path) -> None:
    """Braces, escapes and commands in what is recalled end up as text, or nowhere."""
    done, _ = worked(
        tmp_path,
        "[2025-02-03, Harbour] Ada: By: {slot:line} {value:fees} $(rm -rf /) \x1b[31m",
        "wrote ../../report.md:\nA",
        "{" * 1000,
    )
    text = (tmp_path / "report.md").read_text()
    assert "By: {slot:line} {value:fees} $(rm -rf /)" in text
    assert "\x1b" not in done.reply
