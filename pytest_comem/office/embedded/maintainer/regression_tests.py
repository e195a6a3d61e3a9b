"""Regression tests as the maintainer wants them: where they lie, and what they say."""

from __future__ import annotations

from typing import Final

from pytest_comem.office.embedded.maintainer.common import plain
from pytest_comem.office.embedded.specs import broken, decided, item, slot, step
from pytest_comem.streams.hidden import PreferenceItem
from pytest_comem.streams.plans import PlanStep, Slot

#: Where a test lies, and whether its docstring names the issue.
SLOTS: Final[tuple[Slot, ...]] = (
    slot(
        "place",
        "choice",
        "module",
        options={"module": ["beside the module"], "regressions": ["tests/regressions/"]},
    ),
    slot(
        "docstring",
        "choice",
        "none",
        options={"none": [], "issue": ["docstring of a regression test"]},
    ),
)


def test_steps(
    package: str, module: str, number: int, imports: str, test: tuple[str, str, str]
) -> list[PlanStep]:
    """Return the steps that write a regression test.

    :param module: the test file that it goes to where it has none of its own.
    :param imports: of a file of its own; *module* has them.
    :param test: its first line, what the issue says, and its body.
    """
    head, told, body = test
    steps = []
    for docstring, line in (("none", ""), ("issue", f'    """Issue #{number}: {told}."""\n')):
        text = plain(f"{head}\n{line}{body}")
        steps.append(
            step(
                "append",
                path=f"{package}/tests/{module}",
                text=f"\n\n{text}",
                when={"place": ["module"], "docstring": [docstring]},
            )
        )
        steps.append(
            step(
                "write",
                path=f"{package}/tests/regressions/test_issue_{number}.py",
                text=f"{imports}\n\n\n{text}",
                when={"place": ["regressions"], "docstring": [docstring]},
            )
        )
    return steps


def test_items(package: str, root: str, path: str, number: int, told: str) -> list[PreferenceItem]:
    """Return the items on a regression test; *path* is where the reference has it."""
    return [
        item(
            "test-place",
            root,
            f"The regression test lies in {path}.",
            decided(
                "name",
                broken("move", path=path, to=f"{package}/tests/test_moved.py"),
                ["place"],
                file=f"{package}/tests/*.py",
                equal=path,
            ),
            weight=2,
        ),
        item(
            "test-docstring",
            "issue-in-docstring",
            "The docstring of a regression test begins with the issue.",
            decided(
                "contains",
                broken("edit", path=path, old=f'"""Issue #{number}: {told}."""', new='"""New."""'),
                ["docstring"],
                file=f"{package}/tests/*.py",
                all=[f'"""Issue #{number}:'],
            ),
        ),
    ]
