"""Outcomes without what was said: all that metrics, gates and baselines need."""

from __future__ import annotations

from dataclasses import replace

from pytest_comem.core.outcomes import Outcome, Verdict


def bare(outcome: Outcome) -> Outcome:
    """Return *outcome* without question, reply, context, evidence and cost.

    Those are most of an outcome's size, and a run may have tens of thousands.
    """
    verdict = outcome.verdict
    return replace(
        outcome,
        query={},
        reply=None,
        recall=None,
        verdict=verdict and Verdict(verdict.passed, "", verdict.measures),
        usage={},
        notice=None,
    )
