"""Hidden texts that stand in what an agent is shown of a task."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_comem.office.checks.base import shown
from pytest_comem.records.canonical import texts_of
from pytest_comem.streams.hidden_files import HiddenTask
from pytest_comem.streams.loading import StreamTask
from pytest_comem.streams.plans import SlotKind

#: Shorter hidden texts may stand in a task by chance.
SHORTEST_HIDDEN: Final = 12


def leaks(task: StreamTask, known: HiddenTask) -> Iterator[str]:
    """Yield hidden texts that stand in ``task.json`` or ``plan.json``."""
    open_files = {"task.json": task.task, "plan.json": task.plan}
    secrets = {
        **{f"the text of check {one.check_id}": one.text for one in known.rubric.checks},
        **{f"the text of item {one.item_id}": one.text for one in known.rubric.preferences},
        **{
            f"root preference {one.preference_id}": one.text
            for one in known.preferences.preferences
        },
        **dict(_choices(task, known)),
    }
    for file, record in open_files.items():
        if record is None:
            continue
        texts = list(texts_of(record.model_dump(mode="json")))
        for name, secret in secrets.items():
            if len(secret) >= SHORTEST_HIDDEN and any(secret in text for text in texts):
                yield f"{file}: shows {name}, {shown(secret)!r}"


def _choices(task: StreamTask, known: HiddenTask) -> Iterator[tuple[str, str]]:
    """Yield the right values that a plan has no reason to hold: those that are no option of it."""
    for slot in task.plan.slots if task.plan else ():
        value = known.rubric.choices.get(slot.name, "")
        if slot.kind is not SlotKind.CHOICE and value != slot.default:
            yield f"the right value of slot {slot.name}", value
