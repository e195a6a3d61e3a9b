"""Programs that do office tasks from a command line, for tests: small, in plain Python."""

from __future__ import annotations

from pathlib import Path
from typing import Final

#: Asks a model by chat completions what to write, and writes it to the path that the task names.
CHATTING: Final = """
import json, os, re, sys, urllib.request

task = sys.stdin.read()
asked = json.dumps(
    {"model": os.environ["OPENAI_MODEL"], "messages": [{"role": "user", "content": task}]}
).encode()
request = urllib.request.Request(
    os.environ["OPENAI_BASE_URL"] + "/chat/completions",
    asked,
    {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
)
with urllib.request.urlopen(request) as reply:
    said = json.load(reply)["choices"][0]["message"]["content"]
path = re.search(r" to (reports/[^ ]+\\.md)[.]", task)[1]
os.makedirs(os.path.dirname(path), exist_ok=True)
with open(path, "w", encoding="utf-8") as file:
    file.write(said)
print("wrote", path)
"""


def make_agent(folder: Path, code: str, name: str = "agent.py") -> Path:
    """Write a program and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(code, encoding="utf-8")
    return path
