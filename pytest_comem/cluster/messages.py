"""What travels between a run and the workers of a cluster: lines of JSON, nothing that is run.

A message is one line of ASCII. ``kind`` says what it is:

``begun``   a worker has taken an episode up and asks which of its steps are to be played
``played``  steps with their outcomes
``end``     the worker is through with the episode
``alive``   addresses of the cluster's workers, from the run itself
``settled`` what became of a task, from the run itself
``halt``    nothing more is to be read
"""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from pytest_comem.engine.episode import Played
from pytest_comem.engine.output import StepOutput
from pytest_comem.engine.records import from_record, to_line, to_record

Message: TypeAlias = dict[str, Any]


def written(message: Message) -> str:
    """Return *message* as a line of ASCII; half characters stand in it as escapes."""
    return json.dumps(message, separators=(",", ":"))


def read(line: object) -> Message:
    """Return the message that *line* is.

    :raises ValueError: where it is none.
    """
    found = json.loads(line) if isinstance(line, str) else None
    if not isinstance(found, dict) or not isinstance(found.get("kind"), str):
        raise ValueError("no message of pytest-comem")
    return found


def played_to_plain(played: Played) -> Message:
    """Return a played step as plain values: its outcome as the line it will be."""
    output = played.output
    return {
        "outcome": to_line(to_record(played.outcome)),
        "output": [output.stdout, output.stderr, output.log],
        "stopped": played.stopped,
    }


def played_from_plain(value: Message) -> Played:
    """Return what :func:`played_to_plain` was given.

    :raises KeyError, TypeError, ValueError: where it is none.
    """
    stdout, stderr, log = map(str, value["output"])
    outcome = from_record(json.loads(value["outcome"]))
    return Played(outcome, StepOutput(stdout, stderr, log), stopped=bool(value["stopped"]))
