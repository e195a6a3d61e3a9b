"""Negative mutations: outputs that look like a node's and that its evaluator has to reject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_comem.domains.code import contents
from pytest_comem.domains.code.families.blueprint import Step
from pytest_comem.domains.code.families.gold import Bench, edited, unapplicable
from pytest_comem.workflows.hidden import NegativeMutation

Content = Mapping[str, Any]


def negatives_of(
    step: Step, gold: Content, like: Content, bench: Bench
) -> Iterator[NegativeMutation]:
    """Yield the mutations that apply to a node.

    :param like: what only looks right in its place.
    """
    made = {
        "wrong_artifact": like,
        "missing_handoff": _without_a_handoff(step, gold),
        "failing_patch": _with_patch(step, gold, bench.failing_patches[1], bench),
        "unapplicable_patch": _unapplicable(gold),
        "edited_receipt": _edited(gold),
        "wrong_version": _wrong_version(gold),
        "wrong_commit": {**gold, "base_commit": "0" * 40},
    }
    for kind, content in made.items():
        if content is not None and dict(content) != dict(gold):
            yield NegativeMutation(name=kind.replace("_", "-"), kind=kind, content=dict(content))


def _without_a_handoff(step: Step, gold: Content) -> Content | None:
    """Return what a node makes that never got one of its inputs."""
    empty: dict[str, Content] = {
        "reproduce": {"script": "", "outcome": "breaks"},
        "localize": {"candidates": []},
        "plan": {"file": "", "function": "", "start": 0, "end": 0},
        "implement": {"patch": "", "patch_sha256": contents.patch_hash("")},
        "test": {"patch_sha256": contents.patch_hash("")},
        "release": {"patch": "", "tested_sha256": []},
        "verify": {"tested_sha256": [], "version": ""},
    }
    return {**gold, **empty[step.action]} if step.inputs else None


def _with_patch(step: Step, gold: Content, patch: str, bench: Bench) -> Content | None:
    if step.action == "implement":
        return {**gold, **bench.implemented(patch)}
    if step.action == "release":
        return {**gold, **bench.released(patch)}
    return None


def _unapplicable(gold: Content) -> Content | None:
    if "patch" not in gold:
        return None
    patch = unapplicable(gold["patch"])
    known = {"patch_sha256": contents.patch_hash(patch)} if "patch_sha256" in gold else {}
    return {**gold, "patch": patch, **known}


def _edited(gold: Content) -> Content | None:
    if "tests" in gold:
        return {**gold, "tests": next(edited(gold["tests"]))}
    if "outcome" in gold:
        return {**gold, "outcome": "passes"}
    return None


def _wrong_version(gold: Content) -> Content | None:
    return {**gold, "version": "0.0.1"} if "version" in gold else None
