"""Measure a run that waits for models: 91 episodes of 24 steps, 300 ms a call, 64 in flight.

Run by hand: ``python benchmarks/bench_models.py [--litellm]``. A server in a process of its own
answers every call after the latency; the floor is max(longest episode, calls x latency / in
flight). Prints wall seconds, their ratio to the floor, CPU seconds and peak memory of the one
pytest process, with a judge's calls and without.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EPISODES, STEPS, LATENCY, IN_FLIGHT = 91, 24, 0.3, 64
REPLY = json.dumps({"action": "answer", "answer": "fact"})
VERDICT = json.dumps(
    {"utility_satisfied": True, "leaked": None, "deleted_revealed": None, "note": "stated"}
)


async def serve() -> None:
    """Answer every request after the latency, whatever it asks; print the port first."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: (\d+)", head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                await asyncio.sleep(LATENCY)
                content = VERDICT if b"utility_satisfied" in body else REPLY
                answer = json.dumps(
                    {
                        "id": "x",
                        "object": "chat.completion",
                        "created": 0,
                        "model": "m",
                        "choices": [
                            {
                                "index": 0,
                                "message": {"role": "assistant", "content": content},
                                "finish_reason": "stop",
                            }
                        ],
                        "usage": {
                            "prompt_tokens": 500,
                            "completion_tokens": 20,
                            "total_tokens": 520,
                        },
                    }
                ).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n" % len(answer) + answer
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def serving() -> Iterator[str]:
    """Serve in a process of its own, and yield the base URL."""
    server = subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
    finally:
        server.kill()
        server.wait()


def write_data(folder: Path, count: int = EPISODES) -> Path:
    """Write *count* episodes, each of 24 turns that are asked for one after the other."""
    place = folder / "data" / "medical"
    place.mkdir(parents=True)
    speaker = {"principal_id": "ann", "role": "nurse"}
    with (
        (place / "episodes.jsonl").open("w") as episodes,
        (place / "checkpoints.jsonl").open("w") as checkpoints,
    ):
        for episode in range(count):
            name = f"ep{episode:03}"
            turns = [
                {"turn_id": f"t{n}", "speaker": speaker, "text": f"fact {n} of {name} is {n * 7}"}
                for n in range(STEPS)
            ]
            row = {
                "episode_id": name,
                "domain": "medical",
                "entities": {"principals": [{**speaker, "display_name": "Ann"}]},
                "turns": turns,
            }
            episodes.write(json.dumps(row) + "\n")
            for n in range(STEPS):
                row = {
                    "checkpoint_id": f"{name}_ckpt_{n:02}",
                    "episode_id": name,
                    "as_of_turn_id": f"t{n}",
                    "asker": speaker,
                    "query_type": "utility",
                    "query_text": f"what is fact {n} of {name}?",
                    "expected_action": "answer",
                    "judge_spec": {"include": ["fact"]},
                }
                checkpoints.write(json.dumps(row) + "\n")
    return place.parent


def measure(folder: Path, data: Path, more: list[str]) -> None:
    """Run pytest once and print its figures."""
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-r", ""),
        *("--memory-system=bm25", f"--comem-data={data}", f"--comem-concurrency={EPISODES}"),
        *(f"--comem-model-concurrency={IN_FLIGHT}", *more, "gatemem"),
    ]
    environment = {**os.environ, "OPENAI_API_KEY": "local"}
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    calls = EPISODES * STEPS * (2 if any("judge" in word for word in more) else 1)
    longest = STEPS * LATENCY * calls / (EPISODES * STEPS)
    floor = max(longest, calls * LATENCY / IN_FLIGHT)
    passed = re.findall(r"(\d+) passed", output)
    print(
        f"{calls} calls: {wall:.1f} s wall, floor {floor:.1f} s, ratio {wall / floor:.2f}; "
        f"{usage.ru_utime + usage.ru_stime:.1f} s CPU, {usage.ru_maxrss / 1024:.0f} MB; "
        f"{passed[-1] if passed else 0} of {EPISODES * STEPS} passed",
        flush=True,
    )


def main() -> None:
    if "--serve" in sys.argv:
        asyncio.run(serve())
        return
    with serving() as base, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = write_data(folder)
        # A provider of LiteLLM's own takes LiteLLM's way, the other one goes straight there.
        model = "deepseek/m" if "--litellm" in sys.argv else "openai/m"
        if model.startswith("deepseek"):
            os.environ["DEEPSEEK_API_KEY"] = "local"
        answering = [f"--comem-model={model}", f"--comem-api-base={base}"]
        judging = [f"--comem-judge={model}", f"--comem-judge-api-base={base}"]
        measure(folder, data, answering)
        measure(folder, data, [*answering, *judging])


if __name__ == "__main__":
    main()
