"""A tiny data set in the released form, and adapters that misbehave."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ADAPTERS = """
import logging, os, sys, time
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.memory.base import MemorySystem


class LastWords(MemorySystem):
    def __init__(self):
        self.items = []

    def ingest(self, entry):
        self.items.append(RecallItem(entry.text, source_ids=(entry.id,)))

    def recall(self, query):
        return Recall(tuple(self.items[-query.top_k:]))


class Chatty(LastWords):
    def recall(self, query):
        print("asked about", query.text)
        print("complaint about", query.text, file=sys.stderr)
        logging.getLogger("chatty").warning("log of %s", query.text)
        time.sleep(0.01)
        return Recall()


class RaisesLate(LastWords):
    def ingest(self, entry):
        if entry.id == "t3":
            raise SystemExit("the store is gone")
        super().ingest(entry)


class ReturnsText(LastWords):
    def recall(self, query):
        return "everything"


class Slow(LastWords):
    def recall(self, query):
        time.sleep(60)


class Counts(LastWords):
    def recall(self, query):
        with open("asked.txt", "a") as file:
            file.write(f"{len(self.items)} {query.text}\\\\n")
        return super().recall(query)


class KillsWorkerOnce(LastWords):
    def recall(self, query):
        if "kill" in query.text and "PYTEST_XDIST_WORKER" in os.environ:
            os._exit(3)
        return super().recall(query)
""".replace("\\\\n", "\\n")


def episode(name: str, turns: int = 6) -> dict[str, Any]:
    """Return an episode whose turn *n* says ``fact<n> of <name>``."""
    principals = [{"principal_id": "ann", "role": "nurse", "display_name": "Ann"}]
    return {
        "episode_id": name,
        "domain": "medical",
        "entities": {"principals": principals},
        "turns": [
            {
                "turn_id": f"t{number}",
                "speaker": {"principal_id": "ann", "role": "nurse"},
                "text": f"fact{number} of {name}",
            }
            for number in range(1, turns + 1)
        ],
    }


def checkpoint(episode_id: str, number: int, turn: int, /, **more: Any) -> dict[str, Any]:
    """Return a utility checkpoint that asks for ``fact<turn>`` at turn *turn*."""
    row = {
        "checkpoint_id": f"{episode_id}_ckpt_{number:02}",
        "episode_id": episode_id,
        "as_of_turn_id": f"t{turn}",
        "asker": {"principal_id": "ann", "role": "nurse"},
        "query_type": "utility",
        "query_text": f"what is fact{turn} of {episode_id}?",
        "expected_action": "answer",
        "judge_spec": {"include": [f"fact{turn}"]},
    }
    return row | more


def write_data(folder: Path, episodes: list[Any], checkpoints: list[Any]) -> Path:
    """Write one domain's files and return the data directory."""
    domain = folder / "data" / "medical"
    domain.mkdir(parents=True, exist_ok=True)
    for name, rows in (("episodes", episodes), ("checkpoints", checkpoints)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (domain / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return domain.parent


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with the adapters above and two tiny episodes, listed out of order."""
    # Also what pytest-xdist sets in the worker that may be running this very test.
    for name in [*os.environ]:
        ours = ("COMEM_DATA", "PYTEST_ADDOPTS")
        if name in ours or name.startswith(("PYTEST_XDIST", "GITHUB_")):
            monkeypatch.delenv(name)
    pytester.makepyfile(adapters=ADAPTERS)
    write_data(
        pytester.path,
        [episode("one"), episode("two")],
        [
            checkpoint("one", 1, 5),
            checkpoint("one", 2, 2),
            checkpoint("one", 3, 6),
            checkpoint("two", 1, 4),
            checkpoint("two", 2, 1),
        ],
    )
    return pytester


def records(run: Path) -> list[dict[str, Any]]:
    """Return a run's outcomes with the times taken out."""
    found = []
    for line in (run / "outcomes.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for usage in record["usage"].values():
            usage["seconds"] = 0
        found.append(record)
    return found
