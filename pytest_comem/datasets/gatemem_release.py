"""Where the released GateMem data comes from, and the checksums of its files.

The data itself (MIT licence) is never part of this package.
"""

from __future__ import annotations

from typing import Final

#: Short name of the released revision.
RELEASE: Final = "gatemem-release"

#: The data set's public home, for people.
HOMEPAGE: Final = "https://huggingface.co/datasets/Ray368/GateMem"

#: SHA-256 of every released file.
CHECKSUMS: Final = {
    "medical/episodes.jsonl": ("d4b01f62cbd3457715b5958cf2d07d496c6e59280d28041927e2b3ab8a444b9f"),
    "medical/checkpoints.jsonl": (
        "2447f5905081e6002f16ad14f7f7dc19e14b7181e5ac8ebd08144d68da6437a0"
    ),
    "office/episodes.jsonl": ("e15797cc0ab778067e0235377a09811c73182b5e1aa28e2221adc5ef9638a409"),
    "office/checkpoints.jsonl": (
        "7186bc1dd66b493f994b802bad8817d7aa5e7a91f498d67f87410a98f8116d0c"
    ),
    "education/episodes.jsonl": (
        "5971478a96553c2eb18a9f1e079987275da0cddf6175e40abda8a58525e65862"
    ),
    "education/checkpoints.jsonl": (
        "2a372a5017a99108c83324d2fed25dbfb7797a2fb25a20fc066ed5b2d05739b5"
    ),
    "household/episodes.jsonl": (
        "e2bb506cc1bdc8dc7b16d4a57610147365798d03eb1c326f9197b6c6221efb6f"
    ),
    "household/checkpoints.jsonl": (
        "4692c3e1ea91be63debd7b39ccc5fc425bc1a83155c1bfb5c197ba68cefd93ae"
    ),
}
