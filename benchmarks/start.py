"""What a project pays for having the plugin installed and not using it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Row, Wanted, figures_of, ratio, run_pytest, take_turns

#: Starts are short: so many rounds for each that is asked for.
_ROUNDS = 7
_NOTHING_COLLECTED = 5


def section(wanted: Wanted) -> Iterator[Row]:
    """Collect an empty file without the plugin and with it."""
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    yield from _compared(wanted, "all plugins installed here", ["-p", "no:comem"], [], {})
    yield from _compared(wanted, "no other plugin", [], ["-p", "pytest_comem.plugin"], alone)


def _compared(
    wanted: Wanted, name: str, without: list[str], with_it: list[str], environment: dict[str, str]
) -> Iterator[Row]:
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "test_empty.py").touch()
        play = partial(
            run_pytest, folder=folder, environment=environment, statuses=[_NOTHING_COLLECTED]
        )
        runs = take_turns(
            {
                "bare": lambda: play(["--collect-only", "test_empty.py", *without]),
                "with": lambda: play(["--collect-only", "test_empty.py", *with_it]),
            },
            wanted.repeats * _ROUNDS,
        )
    bare, ours = runs["bare"], runs["with"]
    yield Row(f"{name}: without ours", figures_of(bare))
    yield Row(f"{name}: ours unused", {**figures_of(ours), "ratio": ratio(ours, bare)}, "CPU")
