"""What is noticed of a memory at the end of an episode, beside any verdict."""

from __future__ import annotations

from typing import Final

#: How notices begin, by which reports tell them apart.
LOST: Final = "after the last entry nothing of"
BROKEN: Final = "the probe after the last entry failed"
#: Phase of the calls by which it is noticed.
PROBE: Final = "probe"
