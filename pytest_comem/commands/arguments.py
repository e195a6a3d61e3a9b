"""Arguments that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

#: A recorded run.
Run: TypeAlias = Annotated[
    Path, typer.Argument(metavar="RUN", help="A run directory, such as .comem/runs/latest.")
]
#: One recorded run or more.
Runs: TypeAlias = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Run directories of pytest-comem.")
]
