"""CoMemBench: workflows of several agents over one memory, one item a node.

A node passes when its native evaluator verifies what its worker made: quotations exact to the
letter, patches that resolve their issue. Every workflow is played clean, and polluted by exactly
one artifact that does not apply to the node it could reach.
"""

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.steps import Step


def test_node(node: Step, outcome: Outcome) -> None:
    """The worker was given what it needed, and nothing led it astray."""
    assert outcome.passed, outcome.reason
