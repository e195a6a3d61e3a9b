"""The program that serves one model at 127.0.0.1 until its standard input ends.

It is a process of its own because the library writes to the process' descriptors and takes over
its interrupt and termination signals, and because a crash of it must not end a run.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any, Final, TextIO

#: Tokens of a prompt and its reply, at most; what the model was trained for.
CONTEXT: Final = 8192
#: Tokens of a reply where the request says nothing; a small model may repeat itself without end.
LONGEST: Final = 1024
#: The library spins while it waits for its threads: with more of them than idle cores, one call
#: takes several times as long.
_THREADS: Final = 1


def main() -> None:
    """Serve the model file that is the first argument; the first line says where, or what broke."""
    told = _private_output()
    try:
        server = _serve(sys.argv[1])
        address = str(server.listening_address)
    except Exception as error:
        _tell(told, {"error": f"{type(error).__name__}: {error}"})
        os._exit(1)
    # The library's own would end the server and leave the process.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    _tell(told, {"url": f"{address}/v1"})
    while os.read(0, 4096):
        pass
    os._exit(0)


def _private_output() -> TextIO:
    """Return what standard output was, and send both output streams to nowhere."""
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return told


def _tell(told: TextIO, what: dict[str, str]) -> None:
    print(json.dumps(what), file=told, flush=True)


def _serve(weights: str) -> Any:
    """Return the running server; equal requests get equal replies from it.

    One request is served at a time: several at once would be computed together, and a sum's last
    digits depend on what it is computed with. What two prompts in a row begin with is computed
    once, which makes no such difference with these weights on one thread; a test holds it to that.
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.n_ctx = CONTEXT
    params.n_predict = LONGEST
    params.n_parallel = 1
    params.cache_prompt = True
    params.cache_idle_slots = False
    params.cache_ram_mib = 0
    params.sampling.temp = 0.0
    params.sampling.seed = 0
    # Without it, this model often says one thing again and again until it is cut off.
    params.sampling.penalty_repeat = 1.1
    params.cpuparams.n_threads = _THREADS
    params.cpuparams_batch.n_threads = _THREADS
    params.n_gpu_layers = 0
    # Slower than without on a CPU that has nothing made for it.
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.fit_params = False
    params.warmup = False
    params.offline = True
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_threads_http = 4
    params.cors_origins = ""
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 0
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
