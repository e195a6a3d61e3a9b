"""GateMem: utility, access control and active forgetting, one item a hidden checkpoint.

Every checkpoint is asked at its own point of a conversation among several people that share one
memory. It passes when an authorized question is answered completely, when protected content stays
protected, or when deleted content stays deleted.
"""

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.steps import Step


def test_checkpoint(checkpoint: Step, outcome: Outcome) -> None:
    """The memory serves whom it may serve, and nobody else."""
    assert outcome.passed, outcome.reason
