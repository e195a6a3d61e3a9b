"""What a run leaves on disk, also when it does not come to its end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.engine.records import OUTCOMES, read_records
from pytest_comem.engine.rundir import MANIFEST, RunDirectory, default_path, is_run, read_manifest
from pytest_comem.errors import DataError, SettingsError


def manifest(name: str = "abcd") -> dict[str, Any]:
    """Return a manifest as a run starts with."""
    return {"run": name, "settings": {"top_k": 5}, "finished": None}


def opened(path: Path, name: str = "abcd") -> RunDirectory:
    """Return a new run directory at *path*, as if the user had named it."""
    return RunDirectory.create(path, manifest(name), ours=False)


def unnamed(root: Path, name: str = "abcd") -> RunDirectory:
    """Return a new run directory where runs go that the user gave no directory."""
    return RunDirectory.create(default_path(root, name), manifest(name), ours=True)


def records(run: Path) -> list[dict[str, Any]]:
    """Return what is in a run's outcomes at this moment."""
    return [record for _, record in read_records(run)]


def test_the_manifest_is_there_before_the_first_outcome(tmp_path: Path) -> None:
    """A run that is killed at once has still said what it was."""
    run = opened(tmp_path / "run")
    assert read_manifest(run.path) == manifest()
    assert records(run.path) == []
    run.finish({})


def test_an_outcome_is_on_disk_when_it_is_appended(tmp_path: Path) -> None:
    """Others can read each outcome while the run goes on."""
    run = opened(tmp_path / "run")
    for number in range(3):
        run.append(str(number), {"n": number}, (number,))
        assert records(run.path) == [{"n": each} for each in range(number + 1)]
    run.finish({})


def test_a_killed_run_keeps_what_was_appended(tmp_path: Path) -> None:
    """A process that ends without any clean-up loses no outcome."""
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from pytest_comem.engine.rundir import RunDirectory\n"
        "run = RunDirectory.create(Path(sys.argv[1]), {'finished': None}, ours=False)\n"
        "for n in (2, 0, 1):\n"
        "    run.append(str(n), {'n': n}, (n,))\n"
        "os._exit(9)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(tmp_path / "run")], check=False)
    assert ended.returncode == 9
    assert records(tmp_path / "run") == [{"n": 2}, {"n": 0}, {"n": 1}]
    assert read_manifest(tmp_path / "run")["finished"] is None


def test_a_finished_run_is_in_the_order_of_the_suite(tmp_path: Path) -> None:
    """Whatever order episodes came in, places are compared as numbers, episode before step."""
    run = opened(tmp_path / "run")
    places = [(10, 0), (2, 1), (2, 0), (0, 11), (0, 2)]
    for place in places:
        run.append(str(place), {"place": list(place)}, place)
    run.finish({})
    assert [record["place"] for record in records(run.path)] == [
        list(place) for place in sorted(places)
    ]


def test_outcomes_of_one_place_stay_in_the_order_they_came(tmp_path: Path) -> None:
    """Outcomes of one place, which tests of a user's may make, do not change places."""
    run = opened(tmp_path / "run")
    for name, place in (("b", 1), ("a", 1), ("c", 0)):
        run.append(name, {"name": name}, (place,))
    run.finish({})
    assert [record["name"] for record in records(run.path)] == ["c", "b", "a"]


def test_sorting_keeps_lines_whole(tmp_path: Path) -> None:
    """Texts whose length in characters, bytes and escapes differ come through unharmed."""
    texts = ["é" * 50, "\ud800", "x", "😀\n\u2028", "\\\udcff" * 9, "", "漢" * 5_000]
    run = opened(tmp_path / "run")
    for number, text in enumerate(texts):
        run.append(str(number), {"text": text}, (-number,))
    run.finish({})
    assert [record["text"] for record in records(run.path)] == texts[::-1]


def test_a_run_without_outcomes_can_be_finished(tmp_path: Path) -> None:
    """Where nothing reported, there is an empty file and not none."""
    run = opened(tmp_path / "run")
    run.finish({"scored": 0})
    assert records(run.path) == []


def test_the_end_completes_the_manifest(tmp_path: Path) -> None:
    """The summary is added to what was there from the start."""
    run = opened(tmp_path / "run")
    run.finish({"scored": 3, "unscored": {"id": "broke"}})
    expected = {**manifest(), "finished": {"scored": 3, "unscored": {"id": "broke"}}}
    assert read_manifest(run.path) == expected


def test_any_text_can_stand_in_the_manifest(tmp_path: Path) -> None:
    """Reasons quote libraries: a lone surrogate in a message does not lose the summary."""
    run = opened(tmp_path / "run")
    summary = {"unscored": {"é\n": "raised \ud800 \\\udcff"}}
    run.finish(summary)
    assert read_manifest(run.path)["finished"] == summary


def test_nothing_temporary_is_left(tmp_path: Path) -> None:
    """A finished run is its manifest and its outcomes."""
    run = opened(tmp_path / "run")
    run.append("b", {}, (1,))
    run.append("a", {}, (0,))
    run.finish({})
    assert {path.name for path in run.path.iterdir()} == {MANIFEST, OUTCOMES}


def test_a_named_directory_is_made_with_its_parents(tmp_path: Path) -> None:
    """The run is written where it was asked for and nowhere else."""
    run = opened(tmp_path / "new" / "deep")
    run.finish({})
    assert run.path == tmp_path / "new" / "deep"
    assert (run.path / MANIFEST).is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_directory_with_other_files_can_be_used(tmp_path: Path) -> None:
    """What somebody put there before stays."""
    (tmp_path / "notes").write_text("mine")
    opened(tmp_path).finish({})
    assert (tmp_path / "notes").read_text() == "mine"


def test_a_used_directory_is_refused_and_left_alone(tmp_path: Path) -> None:
    """A second run never writes over the first one's outcomes or manifest."""
    first = opened(tmp_path / "run")
    first.append("n", {"n": 1}, (0,))
    first.finish({"scored": 1})
    before = {path.name: path.read_bytes() for path in first.path.iterdir()}
    with pytest.raises(SettingsError, match=r"--comem-run-dir: .* already holds a run"):
        opened(first.path, "other")
    assert {path.name: path.read_bytes() for path in first.path.iterdir()} == before


def test_a_place_that_cannot_be_written_is_a_settings_error(tmp_path: Path) -> None:
    """The message names the option and the path instead of a traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="--comem-run-dir") as caught:
        opened(tmp_path / "file" / "run")
    assert str(tmp_path / "file") in str(caught.value)


def test_without_a_name_runs_are_kept_under_the_root(tmp_path: Path) -> None:
    """Each run has a directory of its own that bears its id; version control ignores them all."""
    first = unnamed(tmp_path, "aaaa")
    second = unnamed(tmp_path, "bbbb")
    for run, name in ((first, "aaaa"), (second, "bbbb")):
        run.finish({})
        assert run.path.parent == tmp_path / ".comem" / "runs"
        assert run.path.name.endswith(f"-{name}")
        assert read_manifest(run.path)["run"] == name
    assert (tmp_path / ".comem" / ".gitignore").read_text() == "*\n"


def test_an_ignore_file_of_the_users_own_stays(tmp_path: Path) -> None:
    """Whoever wants runs under version control keeps them there."""
    (tmp_path / ".comem").mkdir()
    (tmp_path / ".comem" / ".gitignore").write_text("# keep\n")
    unnamed(tmp_path).finish({})
    assert (tmp_path / ".comem" / ".gitignore").read_text() == "# keep\n"


def test_latest_is_the_last_run_that_started(tmp_path: Path) -> None:
    """The link moves on, and a tree that is moved as a whole keeps it."""
    for name in ("aaaa", "bbbb"):
        unnamed(tmp_path / "here", name).finish({})
    (tmp_path / "here").rename(tmp_path / "there")
    assert read_manifest(tmp_path / "there" / ".comem" / "runs" / "latest")["run"] == "bbbb"


def test_a_named_directory_is_not_the_latest(tmp_path: Path) -> None:
    """A directory of the user's own is not linked to, wherever it is."""
    unnamed(tmp_path, "aaaa").finish({})
    opened(tmp_path / ".comem" / "runs" / "mine", "bbbb").finish({})
    assert read_manifest(tmp_path / ".comem" / "runs" / "latest")["run"] == "aaaa"


def test_no_link_is_no_error(tmp_path: Path) -> None:
    """Where ``latest`` cannot be a link, the run goes on without it."""
    taken = tmp_path / ".comem" / "runs" / "latest"
    taken.mkdir(parents=True)
    run = unnamed(tmp_path)
    run.append("n", {"n": 1}, (0,))
    run.finish({})
    assert records(run.path) == [{"n": 1}]
    assert not taken.is_symlink()


def test_a_run_without_a_manifest_has_an_empty_one(tmp_path: Path) -> None:
    """Outcomes that were copied alone can still be reported on."""
    assert read_manifest(tmp_path) == {}


@pytest.mark.parametrize("bad", [b"", b"{", b'{"a": "\xff"}', b"[]", b"null"])
def test_a_bad_manifest_is_named(bad: bytes, tmp_path: Path) -> None:
    """What is no JSON object is an error with its file."""
    (tmp_path / MANIFEST).write_bytes(bad)
    with pytest.raises(DataError) as caught:
        read_manifest(tmp_path)
    assert caught.value.file == str(tmp_path / MANIFEST)


def test_the_manifest_is_json_for_people(tmp_path: Path) -> None:
    """Letters stand as they are, a value a line."""
    run = opened(tmp_path / "run", "é")
    run.finish({})
    assert '"run": "é",\n' in (run.path / MANIFEST).read_text(encoding="utf-8")


def test_a_run_that_goes_on_is_not_gone_on_with(tmp_path: Path) -> None:
    """Two processes that write would mix their lines; after the end it may be resumed."""
    run = opened(tmp_path / "run")
    run.append("0", {"n": 0}, (0,))
    size = (run.path / OUTCOMES).stat().st_size
    with pytest.raises(SettingsError, match="still goes on"):
        RunDirectory.resume(run.path, manifest(), {}, size)
    assert records(run.path) == [{"n": 0}]
    run.finish({})
    RunDirectory.resume(run.path, manifest(), {"0": ((0,), b'{"n": 0}\n')}, size).finish({})


def test_what_was_written_since_it_was_read_is_not_lost(tmp_path: Path) -> None:
    """Another process may have gone on with a run and ended in the meantime."""
    run = opened(tmp_path / "run")
    run.append("0", {"n": 0}, (0,))
    run.finish({})
    with pytest.raises(SettingsError, match="another process has written"):
        RunDirectory.resume(run.path, manifest(), {}, 0)
    assert records(run.path) == [{"n": 0}]


def test_a_manifest_nested_without_end_is_no_manifest(tmp_path: Path) -> None:
    """Reading it is an error that names the file, and no crash."""
    (tmp_path / MANIFEST).write_text("[" * 200_000)
    with pytest.raises(DataError, match=MANIFEST):
        read_manifest(tmp_path)
    assert not is_run(tmp_path)
