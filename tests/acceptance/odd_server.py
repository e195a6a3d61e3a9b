"""An MCP server of a few lines that misbehaves on request: ``python3 odd_server.py``."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

TOOLS = ("say", "die", "hang", "flood", "complain", "leave", "nonsense", "split", "refuse")


def send(message: Any) -> None:
    """Write a message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Do what a tool is named for."""
    if name == "die":
        print("\x1b[31mlast words\u202e", file=sys.stderr, flush=True)
        os._exit(9)
    if name == "hang":
        time.sleep(600)
    if name == "flood":
        while True:
            sys.stdout.write("x" * 1_000_000)
    if name == "complain":
        sys.stderr.write("y" * 5_000_000)
        sys.stderr.flush()
    if name == "leave":
        os.close(1)
        time.sleep(600)
    if name == "nonsense":
        sys.stdout.write("not JSON\n{}\n[1, 2]\n" + "[" * 100_000 + "\n")
        sys.stdout.flush()
    if name == "refuse":
        return {"error": {"code": arguments.get("code", -32602), "message": "no \x1b[31m"}}
    if name == "split":
        return {"result": {"content": "not a list"}}
    text = str(arguments.get("text", "said")) * int(arguments.get("times", 1))
    return {"result": {"content": [{"type": "text", "text": text}], "isError": False}}


def main() -> None:
    """Serve until the input ends."""
    if sys.argv[1:] == ["mute"]:
        time.sleep(600)
    if sys.argv[1:] == ["broken"]:
        sys.exit("it cannot be \x1b[31mstarted")
    for line in sys.stdin:
        asked = json.loads(line)
        method = asked.get("method")
        if "id" not in asked:
            continue
        if method == "initialize":
            found: dict[str, Any] = {
                "result": {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "odd", "version": "1"},
                }
            }
        elif method == "tools/list":
            schema = {"type": "object", "title": "x" * (1_000_000 if "large" in sys.argv else 1)}
            names = (*TOOLS, "\x1b[31mred", "", "x" * 1_000)
            found = {"result": {"tools": [{"name": n, "inputSchema": schema} for n in names]}}
        elif method == "tools/call":
            found = answer(asked["params"]["name"], asked["params"].get("arguments") or {})
        else:
            found = {"error": {"code": -32601, "message": "unknown"}}
        send({"id": asked["id"], **found})


if __name__ == "__main__":
    main()
