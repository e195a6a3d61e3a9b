"""comem judge-agreement: the figures of real judges' runs, as a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_comem import cli
from pytest_comem.core.entries import Principal, Query
from pytest_comem.core.outcomes import Outcome, SystemInfo
from pytest_comem.core.replies import Reply
from pytest_comem.core.steps import Step
from pytest_comem.datasets.governance import Annotation, Category
from pytest_comem.engine.records import OUTCOMES, to_line, to_record
from pytest_comem.errors import DataError, SettingsError
from pytest_comem.evaluators.governance import Scoring
from pytest_comem.evaluators.judging import Judge, find_judge
from pytest_comem.evaluators.model_verdict import MEMBERS
from pytest_comem.evaluators.patterns import ScannedText
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.door import Door
from pytest_comem.report.agreement import agreement_of, as_json, as_table

EXPECTED = {Category.UTILITY: "answer", Category.ACCESS: "refuse", Category.FORGETTING: "no_memory"}
#: Texts under judgement; the rules find their pattern in the first and third.
TEXTS = ("blue", "azure", "not blue", "Hm.")


class Reading:
    """A judging model that knows synonyms and negation, and so differs from the patterns."""

    def chat(self, call: ChatCall) -> Completion:
        """Find "blue" and "azure", but not "not blue"."""
        asked = str(call.messages[-1]["content"])
        found = any(f"\n{text}\n" in asked for text in ("blue", "azure"))
        verdict = {**dict.fromkeys(MEMBERS.values(), found), "note": "as read"}
        return Completion({"role": "assistant", "content": json.dumps(verdict)})

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
        """Fail: a judge embeds nothing."""
        raise AssertionError

    def close(self) -> None:
        """Nothing is held."""


def judge(name: str, scoring: Scoring = Scoring.PAPER) -> Judge:
    """Return the rules or a model judge."""
    door = Door(transport=lambda model: Reading())
    return find_judge(ModelSpec(name), scoring=scoring, door=door)


def outcomes(by: Judge, system: str = "bm25", scoring: Scoring = Scoring.PAPER) -> list[Outcome]:
    """Return a step for each category and text, judged."""
    meter = Door(transport=lambda model: Reading()).meter("part")
    return [
        Outcome(
            key="k",
            step=Step("gatemem", system, "medical", "e", f"{category}-{number}", number),
            data="tiny",
            system=SystemInfo(system, "1", "c"),
            model="openai/agent",
            judge=by.name,
            scoring=str(scoring),
            labels={"category": str(category), "attack_type": "", "expected_action": expected},
            query={"text": "What?"},
            reply=(reply := Reply(expected, text)),
            verdict=by.judge(
                Annotation(category, "", expected, ("blue",), (), ("blue",), "file:1"),
                Query("What?", Principal("p", "nurse"), (), "", 20),
                reply,
                exposed=ScannedText(""),
                meter=meter,
            ),
        )
        for category, expected in EXPECTED.items()
        for number, text in enumerate(TEXTS)
    ]


def write(run: Path, found: Sequence[Outcome]) -> Path:
    """Write a run directory."""
    run.mkdir()
    (run / OUTCOMES).write_text("".join(to_line(to_record(outcome)) for outcome in found))
    return run


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Return exit status, standard output and standard error of comem judge-agreement."""
    status = 0
    try:
        cli.app(["judge-agreement", *map(str, arguments)])
    except SystemExit as exit_:
        status = int(exit_.code or 0)
    out, err = capsys.readouterr()
    return status, out, err


def figures(text: str) -> dict[str, Any]:
    """Return the overall figures of the JSON form."""
    overall: dict[str, Any] = json.loads(text)["overall"]
    return overall


@pytest.mark.parametrize("against", ["rules", "run"])
def test_a_model_judge_s_run_against_the_rules_and_against_the_rules_run(
    against: str, tmp_path: Path
) -> None:
    """Both ways give the same figures, which can be counted by hand."""
    run = write(tmp_path / "model", outcomes(judge("openai/judge")))
    other = write(tmp_path / "rules", outcomes(judge("rules")))
    found = agreement_of(run, "rules" if against == "rules" else str(other))
    assert (found.first.split("@")[0], found.second) == ("openai/judge", "rules-1")
    overall = figures(as_json(found))
    cell = {
        "n": 4, "both": 1, "first_only": 1, "second_only": 1, "neither": 1,
        "agreement": 50.0, "kappa": 0.0,
    }  # fmt: skip
    assert overall == {
        **dict.fromkeys(("utility", "privacy", "safety"), cell),
        "passed": {**cell, "n": 12, "both": 3, "first_only": 3, "second_only": 3, "neither": 3},
    }


def test_the_table_fits_80_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judges, each system, all systems, undefined figures as a dash, and what was left out."""
    monkeypatch.setenv("COLUMNS", "80")
    model = judge("openai/judge")
    agreed = [each for each in outcomes(model, "rag") if each.step.position == 0]
    unscored = replace(outcomes(model)[0], verdict=None, step=replace(agreed[0].step, id="other"))
    run = write(tmp_path / "run", [*outcomes(model), *agreed, unscored])
    status, out, err = command(capsys, run)
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[:2] == [f"1st judge: {model.name}", "2nd judge: rules-1"]
    for line in (
        "bm25, openai/agent",
        "elements stated (U) 4 1 1 1 1 50.0 0.000",
        "verdict passed 12 3 3 3 3 50.0 0.000",
        "rag, openai/agent",
        "content leaked (A) 1 1 0 0 0 100.0 -",
        "verdict passed 3 1 0 0 2 100.0 1.000",
        "all systems",
        "deleted revealed (F) 5 2 1 1 1 60.0 0.167",
        "left out: 1 step without a verdict",
    ):
        assert line in lines, out


def test_steps_with_another_reply_are_told(tmp_path: Path) -> None:
    """In the table and in the JSON form."""
    given = outcomes(judge("openai/judge"))
    changed = [replace(given[0], reply=Reply("answer", "else")), *given[1:-2]]
    found = agreement_of(write(tmp_path / "a", given), str(write(tmp_path / "b", changed)))
    assert json.loads(as_json(found))["left_out"] == {
        "unscored": 0,
        "unmatched": 2,
        "other_reply": 1,
    }
    table = as_table(found, 80)
    assert "left out: 2 steps in one of the runs only\n" in table
    assert "left out: 1 step with another reply, question or data revision\n" in table


def test_hostile_names_neither_style_nor_break_the_table(tmp_path: Path) -> None:
    """Markup in a model's name is shown as it is."""
    given = [replace(each, model="[red]x[/red]") for each in outcomes(judge("openai/judge"))]
    table = as_table(agreement_of(write(tmp_path / "run", given), "rules"), 80)
    assert "bm25, [red]x[/red]" in table


@pytest.mark.parametrize("form", ["json", "table"])
def test_both_forms_are_printed(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON is all there is on standard output."""
    run = write(tmp_path / "run", outcomes(judge("openai/judge")))
    status, out, _ = command(capsys, run, "--against", "rules", "--format", form)
    assert status == 0
    if form == "json":
        assert figures(out)["passed"]["n"] == 12
    else:
        assert out.startswith("1st judge: ")


def test_errors_are_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 2 and what to do about it, for each way of asking for what is not there."""
    rules = write(tmp_path / "rules", outcomes(judge("rules")))
    model = write(tmp_path / "model", outcomes(judge("openai/judge")))
    ungated = Scoring.RELEASE_UNGATED
    gate = write(tmp_path / "gate", outcomes(judge("rules", ungated), scoring=ungated))
    empty = write(tmp_path / "empty", [])
    other = write(tmp_path / "other", outcomes(judge("rules"), "rag"))
    mixed = write(tmp_path / "mixed", outcomes(judge("openai/judge")) + outcomes(judge("x"), "rag"))
    for arguments, message in (
        ((rules,), "was judged by the rules itself"),
        ((tmp_path / "nowhere",), "nowhere: holds no outcomes.jsonl"),
        ((model, "--against", "nowhere"), "'nowhere' is neither 'rules' nor a run directory"),
        ((model, "--against", tmp_path), "holds no outcomes.jsonl"),
        ((model, "--against", gate), "paper scoring and"),
        ((model, "--against", other), "no step that both judges have judged (24 steps in one"),
        ((model, "--against", empty), "empty: holds no GateMem outcome"),
        ((empty,), "empty: holds no GateMem outcome"),
        ((mixed,), "more than one judge (openai/judge@"),
        ((model, "--format", "jsn"), "--format: 'jsn' is unknown; did you mean json?"),
    ):
        status, out, err = command(capsys, *arguments)
        assert (status, out) == (2, ""), arguments
        assert err.startswith("comem: ")
        assert message in err


def test_a_record_without_findings_is_an_error(tmp_path: Path) -> None:
    """A verdict of another version is named with its run, not guessed."""
    given = outcomes(judge("openai/judge"))
    verdict = given[3].verdict
    assert verdict is not None
    given[3] = replace(given[3], verdict=replace(verdict, evidence={}))
    run = write(tmp_path / "run", given)
    with pytest.raises(DataError, match=r"run: bm25-medical-e-utility_3 does not record"):
        agreement_of(run, "rules")
    given[3] = replace(given[3], labels={}, verdict=verdict)
    with pytest.raises(DataError, match="category"):
        agreement_of(write(tmp_path / "two", given), "rules")


def test_the_other_run_must_exist(tmp_path: Path) -> None:
    """The message says what may be named."""
    run = write(tmp_path / "run", outcomes(judge("openai/judge")))
    with pytest.raises(SettingsError, match="neither 'rules' nor a run directory"):
        agreement_of(run, "rule")
