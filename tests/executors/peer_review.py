"""A tiny organisation: has the worker do each node, and once more with a note of a reviewer."""

from __future__ import annotations

import json
import sys
from typing import Any


def answer(request: dict[str, Any], rounds: list[int]) -> Any:
    """Return the reply to one request.

    :param rounds: how often the worker was asked at each node so far.
    """
    if request["op"] == "begin":
        return len(request["family"]["nodes"])
    if request["op"] == "node":
        rounds.append(1)
        return {"ask": {}}
    if rounds[-1] < 2:
        rounds[-1] += 1
        return {"ask": {"notes": ["a reviewer asks for another look"]}}
    work = request["work"]
    work["tokens"] = {"execution": 2 * work["tokens"]["execution"], "coordination": 3}
    work["actions"].append({"action": "review", "rounds": rounds[-1]})
    return {"work": work}


def main() -> None:
    """Serve until there is nothing more to read."""
    rounds: list[int] = []
    for line in sys.stdin:
        print(json.dumps({"ok": answer(json.loads(line), rounds)}), flush=True)


if __name__ == "__main__":
    main()
