"""What worker processes make of a run, and how two of them are told apart."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from tiny_project import checkpoint, episode, write_data

from pytest_comem.cluster import fingerprint
from pytest_comem.cluster.holding import Holdings
from pytest_comem.cluster.parcel import Parcel
from pytest_comem.errors import DataError, SettingsError
from pytest_comem.materials import Materials, Surroundings
from pytest_comem.memory.wanted import wanted_systems
from pytest_comem.settings import CallSettings, Settings

pytest.importorskip("distributed")


def data(folder: Path, turns: Sequence[int] = (2, 5)) -> Path:
    """Write a data set of one episode that is asked at some turns."""
    rows = [checkpoint("one", number, turn) for number, turn in enumerate(turns, start=1)]
    return write_data(folder, [episode("one")], rows)


def materials(folder: Path, **more: object) -> Materials:
    """Return a run's materials on the data in *folder*."""
    settings = Settings(("bm25",), data=folder, **more)  # type: ignore[arg-type]
    wanted = wanted_systems(settings, Path("no-such-pyproject.toml"))
    return Materials(settings, Surroundings(folder / "run", folder, wanted, {}))


def test_a_run_is_made_once_and_forgotten(tmp_path: Path) -> None:
    """Episodes of a run share what it is made of; when it is over, nothing of it is left."""
    parcel = Parcel.of(materials(data(tmp_path)), "a")
    place = tmp_path / "worker"
    place.mkdir()
    holdings = Holdings()
    with holdings.using(parcel, place) as first, holdings.using(parcel, place) as second:
        assert first is second
        assert [*first.steps] == ["bm25-medical-one-ckpt_01", "bm25-medical-one-ckpt_02"]
        assert [*place.iterdir()]
        holdings.forget("a")
        # Somebody still plays.
        assert [*place.iterdir()]
    assert not [*place.iterdir()]
    holdings.forget("never heard of")


def test_old_runs_are_let_go(tmp_path: Path) -> None:
    """Runs that never said that they are over do not pile up."""
    made = materials(data(tmp_path))
    place = tmp_path / "worker"
    place.mkdir()
    holdings = Holdings()
    for token in "abcde":
        with holdings.using(Parcel.of(made, token), place):
            pass
    assert len([*place.iterdir()]) == 2


def test_other_data_is_told_by_file(tmp_path: Path) -> None:
    """Where a worker has other data, the differences name the file; equal data has none."""
    ours = fingerprint.of_materials(materials(data(tmp_path / "here")))
    same = fingerprint.of_materials(materials(data(tmp_path / "there")))
    other = fingerprint.of_materials(materials(data(tmp_path / "other", (2, 4))))
    assert fingerprint.differences(ours, same) == []
    told = fingerprint.differences(ours, other)
    assert [line.partition(":")[0] for line in told] == [
        "the data of gatemem",
        "gatemem's medical/checkpoints.jsonl",
    ]


def test_missing_data_says_how_to_get_it(tmp_path: Path) -> None:
    """A worker without the data directory names it and the command that fetches it."""
    parcel = Parcel.of(materials(tmp_path / "nowhere"), "a")
    with pytest.raises(DataError) as caught, Holdings().using(parcel, tmp_path):
        pass
    assert str(tmp_path / "nowhere") in str(caught.value)
    assert "comem data fetch gatemem" in str(caught.value)
    assert not [*tmp_path.iterdir()]


def test_a_key_that_is_missing_is_told_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether there is a key for base URLs is compared, and its value goes nowhere."""
    calls = CallSettings(api_base="http://127.0.0.1:9/v1")
    made = materials(data(tmp_path), models=("openai/m",), calls=calls)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
    ours = fingerprint.of_materials(made)
    monkeypatch.delenv("OPENAI_API_KEY")
    assert fingerprint.differences(ours, fingerprint.of_materials(made)) == [
        "the key in OPENAI_API_KEY: not set there, set here"
    ]
    assert "secret" not in str(ours)


def test_what_a_plugin_offers_goes_by_its_name(tmp_path: Path) -> None:
    """Only memory systems that are asked for are sent; one without a name is refused."""
    made = materials(data(tmp_path))
    offered = {"mine": os.getcwd, "unasked": lambda: None}
    wanted = wanted_systems(Settings(("mine",)), Path("no-such-pyproject.toml"))
    place = Surroundings(tmp_path, tmp_path, wanted, offered)
    assert [*Parcel.of(Materials(made.settings, place), "a").factories] == ["mine"]
    wanted = wanted_systems(Settings(("unasked",)), Path("no-such-pyproject.toml"))
    place = Surroundings(tmp_path, tmp_path, wanted, offered)
    with pytest.raises(SettingsError, match="unasked cannot be sent"):
        Parcel.of(Materials(made.settings, place), "a")
