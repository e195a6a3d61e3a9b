"""The command that asks the resource service from inside of a sandbox.

Its first argument is the Unix socket at which the service answers, the others are the request. It
prints the answer, and ends with 1 where nothing of the kind is recorded.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Sequence

#: Characters of a request that the service looks at.
_LONGEST = 1_000


def ask(path: str, request: str) -> tuple[bool, str]:
    """Return whether something is recorded, and the answer.

    :raises OSError: where the service is not there.
    """
    with socket.socket(socket.AF_UNIX) as service:
        service.connect(path)
        service.sendall(request[:_LONGEST].encode("utf-8", "replace"))
        service.shutdown(socket.SHUT_WR)
        with service.makefile("rb") as answer:
            found = json.loads(answer.read())
    return bool(found["ok"]), str(found["text"])


def main(arguments: Sequence[str]) -> int:
    """Ask, print, and return the exit status."""
    path, *words = arguments
    if not words:
        print("ask what? 'list', or 'NAME: ATTRIBUTE'", file=sys.stderr)
        return 2
    ok, text = ask(path, " ".join(words))
    print(text)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
