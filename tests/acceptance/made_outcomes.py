"""Outcomes of runs that never were, for tests of what is done with outcomes."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_comem.core.outcomes import (
    Attribution,
    Failure,
    Outcome,
    SystemInfo,
    Usage,
    Verdict,
)
from pytest_comem.core.replies import Reply
from pytest_comem.core.steps import Step

BROKEN = Failure(Attribution.INFRASTRUCTURE, "rate_limit", "the model was busy")
UNREADABLE = Failure(Attribution.METHOD, "unparsable", "no action in it")


def made(
    number: int,
    passed: bool | None,
    *,
    category: str = "utility",
    system: str = "bm25",
    model: str = "offline",
    label: str = "",
    repeat: int | None = None,
    domain: str = "medical",
    attack: str = "",
    failure: Failure | None = None,
    usage: Mapping[str, Usage] | None = None,
) -> Outcome:
    """Return the outcome of step *number*; unscored where *passed* is ``None``."""
    measures = {
        "over_refusal": False,
        "utility_exposed": passed,
        "access_context_leak": not passed,
        "forgetting_context_leak": not passed,
    }
    return Outcome(
        key=f"key-{number}",
        step=Step("gatemem", system, domain, f"{domain}-e", f"s{number}", number, label, repeat),
        data="made",
        system=SystemInfo(system, "1", "c"),
        model=model,
        judge="rules-1",
        scoring="paper",
        labels={"category": category, "attack_type": attack},
        query={"text": "Where?"},
        reply=None if passed is None else Reply("answer", f"{number} in {repeat}"),
        verdict=None if passed is None else Verdict(passed, "", measures),
        failure=failure or (BROKEN if passed is None else None),
        usage=usage or {},
    )
