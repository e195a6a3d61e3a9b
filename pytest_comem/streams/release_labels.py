"""Relevance labels in the shape of ContextWeave's release: the hidden half of writing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_comem.streams.hidden_files import HiddenTask
from pytest_comem.streams.loading import Stream


def write_labels(stream: Stream, hidden: Mapping[str, HiddenTask]) -> dict[str, Any]:
    """Return the relevance labels of a stream's targets as JSON values, in order.

    :param hidden: by task id; targets that are not in it are left out.
    """
    sessions = {one.id: one.session.session_id for one in stream.tasks}
    subtasks = [
        {
            "subtask_id": sessions[target.id],
            "relevant_previous_subtasks": [
                {
                    "subtask_id": sessions[relevant.task_id],
                    "supporting_snippets": list(relevant.snippets),
                }
                for relevant in hidden[target.id].relevance.relevant
            ],
        }
        for target in stream.targets
        if target.id in hidden
    ]
    return {"participant": stream.id, "subtasks": subtasks}
