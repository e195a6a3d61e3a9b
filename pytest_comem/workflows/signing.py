"""The key of a run, and what it signs.

The key lies in the run directory as ``trace.key``, readable by its owner alone; it is never part of
a trace. Whoever has both can forge; whoever has only the trace cannot.
"""

from __future__ import annotations

import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal, final

from pytest_comem.errors import DataError, InfrastructureError
from pytest_comem.records.canonical import canonical

KEY_FILE: Final = "trace.key"
#: Length of a key in bytes; the file holds it as hexadecimal digits.
KEY_BYTES: Final = 32
Purpose = Literal["receipt", "seal"]


@final
class Signer:
    """Signs JSON values by HMAC-SHA256, and checks such signatures.

    :param key: as it is in the run's key file.
    """

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"a key has {KEY_BYTES} bytes")
        self._key = key

    def __repr__(self) -> str:
        return "Signer(...)"

    def __reduce__(self) -> str:
        raise TypeError("a key stays in its process; give its file instead")

    def sign(self, purpose: Purpose, value: Any) -> str:
        """Return the signature of a value, 64 hexadecimal digits.

        :param purpose: what the signature is for, so that none can stand for another kind.
        """
        message = purpose.encode("ascii") + b"\0" + canonical(value)
        return hmac.digest(self._key, message, "sha256").hex()

    def confirms(self, purpose: Purpose, value: Any, signature: str) -> bool:
        """Whether this key made a signature."""
        return hmac.compare_digest(self.sign(purpose, value), signature)


def run_signer(directory: Path) -> Signer:
    """Return the signer of a run, with the key its directory has or a new one.

    Several processes may ask at once; all get the same key.

    :raises InfrastructureError: where the key cannot be written.
    """
    path = directory / KEY_FILE
    if not path.exists():
        try:
            _place(path, secrets.token_bytes(KEY_BYTES).hex())
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InfrastructureError(
                f"{path} cannot be written: {reason}", type="harness"
            ) from None
    return read_signer(path)


def read_signer(path: Path) -> Signer:
    """Return the signer of a key file.

    :raises DataError: where there is none, or it holds no key.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(2 * KEY_BYTES + 2)
        return Signer(bytes.fromhex(raw.decode("ascii").strip()))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"cannot be read: {reason}", file=str(path)) from None
    except ValueError:
        problem = f"not a key: {2 * KEY_BYTES} hexadecimal digits; is this the run's {KEY_FILE}?"
        raise DataError(problem, file=str(path)) from None


def key_beside(trace: Path) -> Path | None:
    """Return the key file of the run that a trace lies in: in its directory or the one above."""
    folder = trace.absolute().parent
    places = (folder / KEY_FILE, folder.parent / KEY_FILE)
    return next((place for place in places if place.is_file()), None)


def _place(path: Path, key: str) -> None:
    """Make the key's file whole and at once, unless another process was first."""
    own = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(key + "\n")
        with suppress(FileExistsError):
            path.hardlink_to(own)
    finally:
        own.unlink(missing_ok=True)
