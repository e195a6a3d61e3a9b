"""Runs that are joined: which ones may be, what comes out, and what stands in the way."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from made_outcomes import made

from pytest_comem.core.outcomes import Outcome, Usage
from pytest_comem.engine.merging import merge_runs
from pytest_comem.engine.records import OUTCOMES, to_line, to_record
from pytest_comem.engine.rundir import MANIFEST, read_manifest
from pytest_comem.errors import DataError, SettingsError
from pytest_comem.llm.statistics import CallStatistics
from pytest_comem.report.merging import describe

#: In playing order; no order that sorting would give.
EPISODES = ("medical-e", "office-e", "education-e")
CALLS = CallStatistics().as_json()


def manifest(name: str, shard: str | None, finished: dict[str, Any] | None) -> dict[str, Any]:
    """Return a manifest of two systems and two models on three episodes."""
    return {
        "run": name,
        "started": f"2026-01-01T00:00:0{name[-1]}+00:00",
        "versions": {"pytest-comem": "1.0", "python": "3.11"},
        "settings": {
            "models": ["x/two", "x/one"],
            "judge": "rules",
            "data": "/home/ann/data",
            "memory_api_base": "http://127.0.0.1:8000/v1",
            "calls": {"temperature": 0.0, "timeout": 120.0, "api_base": "http://gpu:1/v1"},
            "repeats": 2,
            "seed": 0,
            "limit": None,
            "concurrency": 8,
            "shard": shard,
        },
        "systems": {
            system: {"version": "1", "configuration": "c", "options": {"k": 1}}
            for system in ("two", "one")
        },
        "data": {
            "gatemem": {
                "revision": "made",
                "checksums": {"a.jsonl": "00"},
                "order": [*EPISODES],
                "warnings": [],
            }
        },
        "finished": finished,
    }


def finished(**more: Any) -> dict[str, Any]:
    """Return the summary of a run that came to its end."""
    calls = {**CALLS, "calls": 2, "retries": {"timeout": 1}}
    return {"at": "2026-01-01", "unscored": {}, "ended": None, "calls": calls, **more}


def write(
    folder: Path,
    name: str,
    outcomes: Iterable[Outcome] = (),
    *,
    shard: str | None = None,
    summary: dict[str, Any] | None = None,
    change: tuple[str, Any] | None = None,
) -> Path:
    """Write a run directory and return it.

    :param summary: how it ended; in the usual way when not given.
    :param change: a place in the manifest, dots between the names, and what stands there.
    """
    run = folder / name
    run.mkdir()
    found = manifest(name, shard, finished() if summary is None else summary)
    if change is not None:
        *parents, last = change[0].split("/")
        inner = found
        for parent in parents:
            inner = inner[parent]
        inner[last] = change[1]
    (run / MANIFEST).write_text(json.dumps(found))
    (run / OUTCOMES).write_text("".join(to_line(to_record(each)) for each in outcomes))
    return run


def whole_run() -> list[Outcome]:
    """Return what one run over everything would record, in its order."""
    return [
        made(
            number,
            number == 0,
            system=system,
            model=f"x/{model}",
            label=model,
            repeat=repeat,
            domain=episode.removesuffix("-e"),
        )
        for system in ("two", "one")
        for model in ("two", "one")
        for repeat in (0, 1)
        for episode in EPISODES
        for number in (0, 1)
    ]


def one(passed: bool | None, **usage: Any) -> Outcome:
    """Return an outcome of the first step; unscored where *passed* is ``None``."""
    phases = {"answer": Usage(**usage)} if usage else {}
    return made(0, passed, system="one", model="x/one", label="one", repeat=0, usage=phases)


def lines(run: Path) -> list[str]:
    """Return the lines of a run's outcomes."""
    return (run / OUTCOMES).read_text().splitlines(keepends=True)


@pytest.mark.parametrize("order", [*permutations("abc")], ids="".join)
def test_shares_become_the_whole_in_its_order(order: tuple[str, ...], tmp_path: Path) -> None:
    """By system, model, repeat, episode and position, whichever run is named first."""
    outcomes = whole_run()
    runs = {
        name: write(
            tmp_path,
            name,
            # As they came, which is any order.
            reversed([each for each in outcomes if each.step.episode == episode]),
            shard=f"{number}/3",
        )
        for number, (name, episode) in enumerate(zip("abc", EPISODES, strict=True), start=1)
    }
    merge_runs([runs[name] for name in order], tmp_path / "all")
    assert lines(tmp_path / "all") == [to_line(to_record(each)) for each in outcomes]
    found = read_manifest(tmp_path / "all")
    assert [(run["run"], run["shard"]) for run in found["merged"]] == [
        ("a", "1/3"),
        ("b", "2/3"),
        ("c", "3/3"),
    ]
    assert found["started"] == "2026-01-01T00:00:0a+00:00"
    assert found["finished"] == {
        **finished(calls={**CALLS, "calls": 6, "retries": {"timeout": 3}}),
        **{"planned": 48, "recorded": 48, "scored": 48},
    }


def test_the_manifest_keeps_what_the_runs_share(tmp_path: Path) -> None:
    """What differs and does not matter is left out; the rest stays where it was."""
    first = write(tmp_path, "a", shard="1/2")
    second = write(tmp_path, "b", shard="2/2", change=("settings/concurrency", 64))
    merge_runs([first, second], tmp_path / "all")
    expected = manifest("a", None, None)
    for name in ("concurrency", "shard"):
        del expected["settings"][name]
    found = read_manifest(tmp_path / "all")
    for part in ("versions", "settings", "systems", "data"):
        assert found[part] == expected[part]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("versions/pytest-comem", "1.1"),
        ("systems/one/version", "2"),
        ("systems/one/configuration", "d"),
        ("systems/one/options/k", 2),
        ("data/gatemem/revision", "other"),
        ("data/gatemem/checksums/a.jsonl", "01"),
        ("data/gatemem/order", ["medical-e"]),
        ("settings/models", ["x/one", "x/two"]),
        ("settings/judge", "x/judge"),
        ("settings/seed", 1),
        ("settings/repeats", 3),
        ("settings/limit", 5),
        ("settings/memory_api_base", "http://gpu:8000/v1"),
        ("settings/calls/temperature", 1.0),
        ("settings/calls/api_base", "http://other:1/v1"),
        ("settings/of_a_later_version", True),
    ],
)
def test_runs_that_differ_in_what_decides_are_refused(
    place: str, value: Any, tmp_path: Path
) -> None:
    """The message names the place and the runs, and nothing is written."""
    runs = [write(tmp_path, "a"), write(tmp_path, "b"), write(tmp_path, "c", change=(place, value))]
    with pytest.raises(SettingsError, match="do not belong together") as caught:
        merge_runs(runs, tmp_path / "all")
    told = str(caught.value).splitlines()
    assert len(told) == 2
    assert told[1].startswith(f"  {place.replace('/', '.')}: ")
    assert f" in {runs[0]}, {runs[1]}; " in told[1]
    assert told[1].endswith(f" in {runs[2]}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("versions/python", "3.13"),
        ("versions/numpy", "9.9"),
        ("platform", "another"),
        ("git", {"commit": "abcd", "dirty": True}),
        ("settings/keep_state", True),
        ("data/gatemem/warnings", ["odd"]),
        ("settings/data", "/somewhere/else"),
        ("settings/memory_api_base", "http://127.0.0.1:8001/v1"),
        ("settings/concurrency", 1),
        ("settings/step_timeout", 5.0),
        ("settings/probe", "on"),
        ("settings/calls/timeout", 5.0),
        ("settings/calls/cassette", "record"),
        ("settings/calls/max_cost", 1.0),
        ("settings/calls/api_base", "http://gpu:2/v1"),
        ("settings/calls/max_tokens", 100),
    ],
)
def test_what_decides_nothing_may_differ(place: str, value: Any, tmp_path: Path) -> None:
    """Machines, limits and recordings are each run's own."""
    runs = [write(tmp_path, "a", [one(True)]), write(tmp_path, "b", change=(place, value))]
    assert merge_runs(runs, tmp_path / "all").finished["scored"] == 1


def test_every_difference_is_named_at_once(tmp_path: Path) -> None:
    """Long values are told apart although they begin alike."""
    long = ["e" * 100, "f"]
    first = write(tmp_path, "a", change=("data/gatemem/order", [*long, "g"]))
    second = write(tmp_path, "b", change=("data/gatemem", {"revision": "other", "order": long}))
    with pytest.raises(SettingsError) as caught:
        merge_runs([first, second], tmp_path / "all")
    told = str(caught.value)
    for name in ("revision", "order", "checksums.a.jsonl"):
        assert f"data.gatemem.{name}: " in told
    assert f'"00" in {first}; nothing in {second}' in told


def test_runs_of_different_judges_are_refused(tmp_path: Path) -> None:
    """Also where only the outcomes say so, as for another prompt of one model."""
    first = write(tmp_path, "a", [one(True)])
    second = write(tmp_path, "b", [replace(whole_run()[0], judge="rules-2")])
    with pytest.raises(SettingsError, match=r"judge: rules-1 in .*:1; rules-2 in .*:1"):
        merge_runs([first, second], tmp_path / "all")


def test_equal_outcomes_of_a_step_are_one(tmp_path: Path) -> None:
    """However long each of them took."""
    first = write(tmp_path, "a", [one(True, seconds=1.0, tokens=5)])
    second = write(tmp_path, "b", [one(True, seconds=2.0, tokens=5)])
    assert merge_runs([second, first], tmp_path / "all").finished["recorded"] == 1
    assert lines(tmp_path / "all") == lines(first)


def test_a_step_that_was_probed_in_one_run_only_is_the_same(tmp_path: Path) -> None:
    """What was noticed after a step depends on what else a run played; the first one counts."""
    seen = replace(one(True, tokens=5), notice="it was quiet")
    seen = replace(seen, usage={**seen.usage, "probe": Usage(1.0, 7)})
    first, second = write(tmp_path, "a", [seen]), write(tmp_path, "b", [one(True, tokens=5)])
    assert merge_runs([second, first], tmp_path / "all").finished["recorded"] == 1
    assert lines(tmp_path / "all") == lines(first)


@pytest.mark.parametrize("scored_first", [True, False])
def test_an_outcome_with_a_verdict_replaces_one_without(scored_first: bool, tmp_path: Path) -> None:
    """A step that broke in one run and not in the other is scored, and nothing else is said."""
    label = one(True).step.label
    node_id = f"gatemem/test_governance.py::test_checkpoint[{label}]"
    broke = finished(unscored={node_id: "the model was busy"})
    scored = write(tmp_path, "a" if scored_first else "c", [one(True)])
    unscored = write(tmp_path, "b", [one(None)], summary=broke)
    found = merge_runs([scored, unscored], tmp_path / "all").finished
    assert (found["planned"], found["scored"], found["unscored"]) == (1, 1, {})
    assert lines(tmp_path / "all") == lines(scored)


def test_steps_without_a_verdict_are_listed(tmp_path: Path) -> None:
    """Recorded or not, by node id, and by label where a killed run has noted no id."""
    where = "gatemem/test_governance.py::test_checkpoint"
    never = f"{where}[one-one-office-office_e.r1-s1]"
    recorded = f"{where}[{one(None).step.label}]"
    reasons = {never: "never ran", recorded: "the model was busy"}
    first = write(tmp_path, "a", [one(None)], summary=finished(unscored=reasons))
    other = made(0, None, system="two", model="x/one", label="one", repeat=0)
    second = write(tmp_path, "b", [other], summary={})
    found = merge_runs([first, second], tmp_path / "all").finished
    assert found["unscored"] == {**reasons, other.step.label: "the model was busy"}
    assert (found["planned"], found["recorded"], found["scored"]) == (3, 2, 0)


@pytest.mark.parametrize(
    "other", [one(False), one(True, tokens=1), replace(one(True), key="other")], ids=str
)
def test_two_results_of_a_step_are_an_error(other: Outcome, tmp_path: Path) -> None:
    """It names the step, both runs, and their lines."""
    first = write(tmp_path, "a", [one(True)])
    second = write(tmp_path, "b", [*whole_run()[:2], other])
    with pytest.raises(DataError) as caught:
        merge_runs([second, first], tmp_path / "all")
    told = str(caught.value)
    assert told.startswith(f"{second / OUTCOMES}:3: step {other.step.label} has another result")
    assert f"{first / OUTCOMES}:1" in told
    assert not (tmp_path / "all").exists()


def test_a_run_that_was_not_finished_is_merged_as_far_as_it_is(tmp_path: Path) -> None:
    """A line that was cut off is no outcome, and the merged run says that it is not whole."""
    killed = write(tmp_path, "a", whole_run()[:2], shard="1/2", summary={})
    with (killed / OUTCOMES).open("a") as file:
        file.write('{"key": "cut o')
    other = write(tmp_path, "b", [one(True)], shard="2/2", summary=finished(ended="no money"))
    merged = merge_runs([killed, other], tmp_path / "all")
    assert merged.finished["recorded"] == 3
    assert merged.finished["ended"] == (
        "run a (shard 1/2) was not finished; run b (shard 2/2): no money"
    )
    assert merged.finished["calls"]["unreported"] == 1
    assert [line for line in describe(merged) if "whole" in line] == [
        f"not the whole run: {merged.finished['ended']}"
    ]


def test_a_run_killed_before_its_first_outcome_is_an_empty_one(tmp_path: Path) -> None:
    """A manifest is all it has left."""
    killed = write(tmp_path, "a", summary={})
    (killed / OUTCOMES).unlink()
    assert merge_runs([killed], tmp_path / "all").finished["recorded"] == 0


def test_a_missing_shard_is_named_until_it_is_there(tmp_path: Path) -> None:
    """A merged run may be merged again, with what was missing."""
    runs = [write(tmp_path, name, shard=f"{number}/3") for number, name in enumerate("abc", 1)]
    some = merge_runs(runs[::2], tmp_path / "some")
    assert some.finished["ended"] == "shard 2/3 is not among the merged runs"
    merge_runs([tmp_path / "some", runs[1]], tmp_path / "all")
    found = read_manifest(tmp_path / "all")
    assert found["finished"]["ended"] is None
    assert found["finished"]["calls"]["calls"] == 6
    assert sorted(run["run"] for run in found["merged"]) == ["a", "b", "c"]
    merge_runs(runs, tmp_path / "at_once")
    assert read_manifest(tmp_path / "at_once")["run"] == found["run"]


def test_a_run_named_twice_counts_once(tmp_path: Path) -> None:
    """As where a link such as ``latest`` and the run itself match one pattern."""
    run = write(tmp_path, "a", [one(True)])
    (tmp_path / "latest").symlink_to("a", target_is_directory=True)
    merged = merge_runs([run, tmp_path / "latest"], tmp_path / "all")
    assert len(merged.shares) == 1
    assert merged.finished["calls"]["calls"] == 2


def test_results_of_the_memory_contract_stay_where_they_are_one(tmp_path: Path) -> None:
    """Each run has its own; the merged run says where they differ."""
    tally = {"one": {"kept": 25}}
    first = write(tmp_path, "a", summary=finished(contract=tally))
    second = write(tmp_path, "b", summary=finished(contract=tally))
    other = write(tmp_path, "c", summary=finished(contract={"one": {"kept": 24}}))
    assert merge_runs([first, second], tmp_path / "equal").finished["contract"] == tally
    found = merge_runs([first, other], tmp_path / "not_equal").finished
    assert "contract" not in found
    assert "the memory contract" in found["ended"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{nonsense\n", "JSONDecodeError"),
        ("[]\n", "not an outcome of this run"),
        ('{"key": "k"}\n', "KeyError"),
        (to_line(to_record(one(True)))[:-1], "the line is cut off"),
        (
            to_line(to_record(replace(one(True), model="x/three"))),
            "the manifest has no model 'x/three'",
        ),
        (to_line(to_record(made(0, True))), "the manifest has no memory system 'bm25'"),
        (
            to_line(to_record(made(0, True, system="one", model="x/one", domain="household"))),
            "the manifest has no episode 'household-e'",
        ),
    ],
)
def test_a_damaged_line_is_named(text: str, told: str, tmp_path: Path) -> None:
    """With its file and number; nothing is written."""
    run = write(tmp_path, "a", [one(True)])
    with (run / OUTCOMES).open("a") as file:
        file.write(text)
    with pytest.raises(DataError) as caught:
        merge_runs([run], tmp_path / "all")
    assert str(caught.value).startswith(f"{run / OUTCOMES}:2: ")
    assert told in str(caught.value)
    assert not (tmp_path / "all").exists()


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        ("settings", None, " field settings: "),
        ("data/gatemem", {"revision": "made"}, " field data.gatemem.order: "),
        ("settings/shard", "3", " the shard is none"),
        ("finished", [1], " field finished: "),
        ("finished/calls", {"calls": "many"}, " field finished.calls: "),
        ("merged", ["a"], " the shard is none"),
    ],
)
def test_a_damaged_manifest_is_named(place: str, value: Any, told: str, tmp_path: Path) -> None:
    """With the file and the field; nothing is written."""
    run = write(tmp_path, "a", change=(place, value))
    with pytest.raises(DataError) as caught:
        merge_runs([run], tmp_path / "all")
    assert str(caught.value).startswith(f"{run / MANIFEST}:{told}")
    assert not (tmp_path / "all").exists()


def test_a_directory_without_a_run_is_named(tmp_path: Path) -> None:
    """A typing error in a path does not pass for an empty run."""
    run = write(tmp_path, "a")
    with pytest.raises(DataError, match=r"nowhere: holds no manifest\.json"):
        merge_runs([run, tmp_path / "nowhere"], tmp_path / "all")
    (run / OUTCOMES).unlink()
    with pytest.raises(DataError, match=r"a: holds no outcomes\.jsonl"):
        merge_runs([run], tmp_path / "all")


def test_nothing_that_is_there_is_overwritten(tmp_path: Path) -> None:
    """Neither a run nor a file of the user's; an empty directory may be filled."""
    run = write(tmp_path, "a", [one(True)])
    with pytest.raises(SettingsError, match="already holds a run"):
        merge_runs([run], run)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("keep")
    with pytest.raises(SettingsError, match="already exists"):
        merge_runs([run], tmp_path / "mine")
    (tmp_path / "empty").mkdir()
    merge_runs([run], tmp_path / "empty")
    assert lines(tmp_path / "empty") == lines(run)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """The message names the directory, and nothing is left behind."""
    run = write(tmp_path, "a")
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="all cannot be written"):
        merge_runs([run], tmp_path / "file" / "all")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "file"]
