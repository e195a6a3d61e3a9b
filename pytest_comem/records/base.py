"""What every record of a data file is: frozen, strict, and without a field nobody knows."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, StringConstraints

#: Longest text of a record, in characters.
MAX_TEXT: Final = 200_000

Id = Annotated[
    str, StringConstraints(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:-]*$")
]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Record(BaseModel):
    """A frozen value of a schema; a field that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
