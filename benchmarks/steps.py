"""What a step costs beyond plain parametrized pytest: steps that do nothing, on no memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.measure import Row, Run, Wanted, a_step, figures_of, ratio, run_pytest, take_turns

#: Checkpoints of an episode.
_EPISODE: Final = 20
#: A file of plain pytest whose node ids are as long as a suite's.
_PLAIN: Final = """\
import pytest

LABEL = "none-medical-ep{{:05}}-ckpt_{{:02}}"
IDS = [LABEL.format(*divmod(step, {episode})) for step in range({steps})]


@pytest.fixture
def outcome(checkpoint):
    return checkpoint


@pytest.mark.parametrize("checkpoint", range({steps}), ids=IDS)
def test_checkpoint(checkpoint, outcome):
    assert outcome >= 0
"""
_NO_PLUGIN: Final = ("-p", "no:comem", "plain00/test_governance.py")
_NUMBERS: Final = count()


def section(wanted: Wanted) -> Iterator[Row]:
    """Collect and run the same number of items in plain pytest and as steps."""
    for steps in wanted.sizes:
        with TemporaryDirectory() as place:
            folder = Path(place)
            write_steps(folder, steps)
            warm = steps == min(wanted.sizes)
            runs = take_turns(
                {
                    "plain collect": partial(_plain, folder, "--collect-only", "-q"),
                    "ours collect": partial(ours, folder, "--collect-only", "-q"),
                    "plain run": partial(_plain, folder),
                    "ours run": partial(ours, folder),
                },
                wanted.repeats,
                warm=warm,
            )
        for what in ("collect", "run"):
            plain, steps_of = runs[f"plain {what}"], runs[f"ours {what}"]
            yield Row(f"{what} {steps} plain", figures_of(plain))
            yield _beyond(f"{what} {steps} steps", steps_of, plain, steps)


def section_parallel(wanted: Wanted) -> Iterator[Row]:
    """Run them on two workers; memory is the controller's."""
    for steps in wanted.sizes[:2]:
        with TemporaryDirectory() as place:
            folder = Path(place)
            write_steps(folder, steps)
            runs = take_turns(
                {
                    "plain": partial(_plain, folder, "-n", "2"),
                    "ours": partial(ours, folder, "-n", "2"),
                },
                wanted.repeats,
                warm=False,
            )
        yield Row(f"-n 2 {steps} plain", figures_of(runs["plain"]))
        yield _beyond(f"-n 2 {steps} steps", runs["ours"], runs["plain"], steps)


def ours(folder: Path, *arguments: str) -> Run:
    """Run the steps of *folder*, recorded in a fresh run directory."""
    run = f"--comem-run-dir={folder / f'run{next(_NUMBERS)}'}"
    return run_pytest(
        ["--memory-system=none", "--comem-data=data", run, "gatemem", *arguments],
        folder,
        statuses=[0],
    )


def write_steps(folder: Path, steps: int) -> None:
    """Write a plain test file and data whose every checkpoint passes with no memory at all."""
    plain = folder / "plain00"
    plain.mkdir()
    text = _PLAIN.format(episode=_EPISODE, steps=steps)
    (plain / "test_governance.py").write_text(text, encoding="utf-8")
    domain = folder / "data" / "medical"
    domain.mkdir(parents=True)
    numbers = range(steps // _EPISODE)
    _write(domain / "episodes.jsonl", [_episode(f"ep{number:05}") for number in numbers])
    _write(
        domain / "checkpoints.jsonl",
        [_checkpoint(f"ep{number:05}", n) for number in numbers for n in range(_EPISODE)],
    )


def _plain(folder: Path, *arguments: str) -> Run:
    return run_pytest([*_NO_PLUGIN, *arguments], folder, statuses=[0])


def _beyond(name: str, runs: Sequence[Run], plain: Sequence[Run], steps: int) -> Row:
    figures = {**figures_of(runs), "ratio": ratio(runs, plain), **a_step(runs, plain, steps)}
    return Row(name, figures, "CPU; a step beyond plain")


_SPEAKER: Final = {"principal_id": "ann", "role": "nurse"}


def _episode(name: str) -> dict[str, object]:
    return {
        "episode_id": name,
        "domain": "medical",
        "entities": {"principals": [_SPEAKER]},
        "turns": [{"turn_id": "t0", "speaker": _SPEAKER, "text": "a fact"}],
    }


def _checkpoint(episode: str, number: int) -> dict[str, object]:
    return {
        "checkpoint_id": f"{episode}_ckpt_{number:02}",
        "episode_id": episode,
        "as_of_turn_id": "t0",
        "asker": _SPEAKER,
        "query_type": "safety",
        "query_text": "what?",
        "expected_action": "no_memory",
        "judge_spec": {},
    }


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
