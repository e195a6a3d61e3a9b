"""Rules held against what there is."""

from __future__ import annotations

import pytest
from made_runs import made_run

from pytest_comem.gate.checking import Known, check_rule, labels_of, steps_pinned
from pytest_comem.gate.parsing import parse_rule
from pytest_comem.gate.rules import Pin, RuleError

STEPS = [outcome.step for outcome in made_run()]
KNOWN = Known({"gatemem": ["medical", "office"]}, ["bm25"], labels_of(STEPS))
PIN = "pin gatemem/test_governance.py::test_checkpoint[bm25-medical-e0-ckpt_3]"


@pytest.mark.parametrize(
    "text",
    [
        "gatemem.MGS >= 0.3",
        "gatemem[bm25].office.A_exposed <= 30%",
        "gatemem.F <= baseline + 100%",
        "no new gatemem.forgetting_leak",
        "unscored[bm25] <= 2%",
        "regressions <= 0",
        PIN,
    ],
)
def test_what_exists_is_accepted(text: str) -> None:
    """Names of suites, domains, systems, metrics, classes and steps that there are."""
    check_rule(parse_rule(text, "here"), KNOWN, baseline=True)


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("gatmem.MGS >= 0.3", 1, "did you mean gatemem?"),
        ("gatemem.MSG >= 0.3", 9, "did you mean MGS"),
        ("gatemem.nothing_like >= 0.3", 9, "choose from A, A_exposed"),
        ("gatemem.ofice.U >= 0.3", 9, "did you mean office?"),
        ("gatemem[bm52].U >= 0.3", 9, "did you mean bm25?"),
        ("no new gatemem.acces_leak", 16, "did you mean access_leak"),
        ("no new gatemem.MGS", 16, "no class of failures"),
        ("unscored[mem0] <= 2%", 10, "no memory system of this run"),
        ("gatemem.MGS >= 30", 16, "write 30% or a fraction"),
        ("gatemem.MGS >= 130%", 16, "between 0 and 100 %"),
        ("gatemem.MGS >= baseline - 2", 27, "write 2% or a fraction"),
        (PIN.replace("ckpt_3", "ckpt_33"), 49, "did you mean bm25-medical-e0-ckpt_3"),
        (PIN.replace("bm25", "mem0"), 49, "memory systems (bm25)"),
    ],
)
def test_what_does_not_exist_is_an_error(text: str, column: int, said: str) -> None:
    """The rule, the column and the nearest names are said."""
    with pytest.raises(RuleError) as error:
        check_rule(parse_rule(text, "here"), KNOWN, baseline=True)
    assert str(error.value).startswith(f"here: column {column}: ")
    assert said in str(error.value)


@pytest.mark.parametrize(
    "text", ["gatemem.U >= baseline", "no new gatemem.access_leak", "regressions <= 0"]
)
def test_a_rule_about_the_baseline_needs_one(text: str) -> None:
    """Without a baseline such a rule is refused, and the option is named."""
    with pytest.raises(RuleError, match="--comem-baseline"):
        check_rule(parse_rule(text, "here"), KNOWN, baseline=False)


def test_a_pinned_step_stands_for_all_its_repeats() -> None:
    """An id without a repeat means every repeat; one with a repeat means that one."""
    known = Known({}, ["bm25"], labels_of(one.step for one in made_run(repeats=3)))
    rule = parse_rule(PIN, "here")
    assert isinstance(rule, Pin)
    assert len(steps_pinned(rule, known)) == 3
    rule = parse_rule(PIN.replace("e0-", "e0.r2-"), "here")
    assert isinstance(rule, Pin)
    assert len(steps_pinned(rule, known)) == 1


def test_a_step_outside_a_part_of_the_data_is_no_error() -> None:
    """Where the run has a part of the data, a pinned step may be in another."""
    part = Known({"gatemem": ["medical"]}, ["bm25"], {}, partly=True)
    check_rule(parse_rule(PIN, "here"), part, baseline=False)
