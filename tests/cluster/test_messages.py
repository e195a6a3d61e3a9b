"""What travels between a run and its workers."""

from __future__ import annotations

import made_outcomes
import pytest

from pytest_comem.cluster.messages import played_from_plain, played_to_plain, read, written
from pytest_comem.core.replies import Reply
from pytest_comem.engine.episode import Played
from pytest_comem.engine.output import StepOutput


def test_a_played_step_arrives_as_it_was() -> None:
    """Outcome and output come back equal, half characters and line breaks included."""
    outcome = made_outcomes.made(1, True)
    object.__setattr__(outcome, "reply", Reply("answer", 'half \udc80 of "it"\n\u2028'))
    played = Played(outcome, StepOutput("out \udc80\n", "", "log"))
    line = written({"kind": "played", "played": [played_to_plain(played)]})
    assert line.isascii()
    assert played_from_plain(read(line)["played"][0]) == played


@pytest.mark.parametrize("line", ["", "1", "[]", "{}", '{"kind": 1}', b"{}", None])
def test_what_is_no_message_is_refused(line: object) -> None:
    """Anything but a line that says its kind is an error."""
    with pytest.raises(ValueError):
        read(line)
