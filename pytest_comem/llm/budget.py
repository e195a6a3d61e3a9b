"""How much a run may spend, over all its processes."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import final


@final
class Ledger:
    """What has been spent, in a file that every process of the run appends to.

    Each entry is one short line in one write, which systems keep whole.

    :param path: made when first needed; ``None`` for a run of one process.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._file: int | None = None
        self._read = 0
        self.tokens = 0
        self.cost = 0.0

    def add(self, tokens: int, cost: float) -> None:
        """Add one call."""
        with self._lock:
            if self._path is None:
                self.tokens += tokens
                self.cost += cost
            else:
                os.write(self._opened(self._path), f"{tokens} {cost!r}\n".encode("ascii"))

    def refresh(self) -> None:
        """Take in what other processes have spent."""
        with self._lock:
            if self._path is None or not self._path.exists():
                return
            with self._path.open("rb") as file:
                file.seek(self._read)
                fresh = file.read()
            whole = fresh[: fresh.rfind(b"\n") + 1]
            self._read += len(whole)
            for line in whole.decode("ascii").splitlines():
                tokens, cost = line.split()
                self.tokens += int(tokens)
                self.cost += float(cost)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _opened(self, path: Path) -> int:
        if self._file is None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return self._file


@final
class Budget:
    """The bounds of a run; reaching one ends it.

    :param max_cost: US dollars, or ``None``.
    :param max_tokens: input and output tokens, or ``None``.
    """

    def __init__(
        self,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self._max_cost = max_cost
        self._max_tokens = max_tokens
        self._ledger = ledger or Ledger()
        self._bounded = max_cost is not None or max_tokens is not None

    def spend(self, model: str, tokens: int, cost: float | None) -> str | None:
        """Count one call, and return why the run cannot go on for lack of a price, or ``None``."""
        if not self._bounded:
            return None
        self._ledger.add(tokens, cost or 0.0)
        if cost is None and self._max_cost is not None:
            return (
                f"the price of {model} is unknown, so --comem-max-cost cannot be kept; bound "
                "tokens (--comem-max-tokens), or, of a model that answers, give "
                "input_cost_per_token and output_cost_per_token (--comem-model-option)"
            )
        return None

    def reached(self) -> str | None:
        """Return which bound has been reached, or ``None``."""
        if not self._bounded:
            return None
        self._ledger.refresh()
        cost, tokens = self._ledger.cost, self._ledger.tokens
        if self._max_cost is not None and cost >= self._max_cost:
            return f"the budget is spent: ${cost:.4f} of --comem-max-cost {self._max_cost:g}"
        if self._max_tokens is not None and tokens >= self._max_tokens:
            return f"the budget is spent: {tokens:,} of --comem-max-tokens {self._max_tokens:,}"
        return None

    def close(self) -> None:
        """Close the ledger."""
        self._ledger.close()
