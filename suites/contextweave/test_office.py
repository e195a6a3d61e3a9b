"""ContextWeave: office tasks, with what a memory recalls of a participant's earlier work.

A task passes when the workspace it leaves reaches the Workspace Score of minimum completion. Each
is also done without recall, from the same workspace: the difference is what the memory is worth.
"""

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.steps import Step


def test_task(task: Step, outcome: Outcome) -> None:
    """The task is done at least to its minimum."""
    assert outcome.passed, outcome.reason
