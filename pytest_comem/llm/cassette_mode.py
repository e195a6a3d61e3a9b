"""What is done with recordings, and how often they could answer."""

from __future__ import annotations

import threading
from enum import StrEnum
from typing import final


@final
class CassetteMode(StrEnum):
    """What is done with recordings."""

    OFF = "off"
    RECORD = "record"
    REPLAY = "replay"
    AUTO = "auto"

    @property
    def reads(self) -> bool:
        """Whether what was recorded before answers calls."""
        return self in (CassetteMode.REPLAY, CassetteMode.AUTO)

    @property
    def writes(self) -> bool:
        """Whether calls are recorded."""
        return self in (CassetteMode.RECORD, CassetteMode.AUTO)


@final
class Counts:
    """Hits, misses and recorded calls of one process, exact from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0
        self.recorded = 0

    def hit(self) -> None:
        """Count one that a recording answered."""
        with self._lock:
            self.hits += 1

    def miss(self) -> None:
        """Count one that was looked for and is not recorded."""
        with self._lock:
            self.misses += 1

    def record(self, number: int = 1) -> None:
        """Count what was recorded."""
        with self._lock:
            self.recorded += number
