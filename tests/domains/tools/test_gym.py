"""Tasks of a checkout of the shape of Toolathlon-GYM, written here."""

from __future__ import annotations

import gzip
import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_comem.domains.tools.gym import GymCheckout
from pytest_comem.domains.tools.gym_running import GymStand, GymWorker
from pytest_comem.errors import BenchmarkDefect, DataError, InfrastructureError
from pytest_comem.sandbox.plain import NoIsolationWarning
from pytest_comem.sandbox.registry import choose
from pytest_comem.servers.base import Unavailable
from pytest_comem.servers.cluster import lacking
from pytest_comem.servers.declared import declared
from pytest_comem.servers.installing import is_installed, program_of
from pytest_comem.servers.opening import missing

SCRIPT = """
SET client_encoding = 'UTF8';
CREATE SCHEMA shop;
CREATE TABLE shop.prices (name text PRIMARY KEY, price integer NOT NULL);
CREATE TABLE shop.sent (note text);
COPY shop.prices (name, price) FROM stdin;
apple\t3
pear\t5
\\.
ALTER TABLE shop.prices OWNER TO eigent;
"""
CONNECT = """
import argparse, json, os, sys
import psycopg2
DB = dict(host=os.environ.get("PGHOST", "localhost"), port=5432, dbname="toolathlon_gym",
          user="eigent", password="camel")
parser = argparse.ArgumentParser()
for name in ("agent_workspace", "groundtruth_workspace", "launch_time", "res_log_file"):
    parser.add_argument("--" + name)
given = parser.parse_args()
connection = psycopg2.connect(**DB)
cursor = connection.cursor()
"""
PREPROCESS = (
    CONNECT
    + """
cursor.execute("DELETE FROM shop.sent")
cursor.execute("UPDATE shop.prices SET price = price * 10")
connection.commit()
open(os.path.join(given.agent_workspace, "launched.txt"), "w").write(given.launch_time)
os.makedirs(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tmp"))
"""
)
EVALUATION = (
    CONNECT
    + """
from utils.reading import read
assert given.launch_time
found = read(os.path.join(given.agent_workspace, "total.json"))
wanted = read(os.path.join(given.groundtruth_workspace, "total.json"))
cursor.execute("SELECT sum(price) FROM shop.prices")
rows = cursor.fetchone()[0]
passed = found == wanted and found["total"] == rows
json.dump({"success": passed, "rows": rows}, open(given.res_log_file, "w"))
# Nothing that it does here is seen by anyone.
cursor.execute("DELETE FROM shop.sent")
open(os.path.join(given.agent_workspace, "judged.txt"), "w").write("x")
print("judged")
sys.exit(0 if passed else 1)
"""
)
UTILS = """
import json, os
def read(path):
    return json.load(open(path)) if os.path.isfile(path) else None
"""


def task(root: Path, name: str, *servers: str) -> Path:
    """Write a task."""
    place = root / "tasks" / "finalpool" / name
    for inner in ("docs", "preprocess", "evaluation", "initial_workspace", "groundtruth_workspace"):
        (place / inner).mkdir(parents=True)
    settings = {"needed_mcp_servers": list(servers), "needed_local_tools": ["claim_done"]}
    (place / "task_config.json").write_text(json.dumps(settings))
    (place / "docs" / "task.md").write_text("Write the total of all prices to total.json.\n")
    (place / "initial_workspace" / "notes.txt").write_text("apples and pears\n")
    (place / "groundtruth_workspace" / "total.json").write_text('{"total": 80}')
    (place / "preprocess" / "main.py").write_text(PREPROCESS)
    (place / "evaluation" / "main.py").write_text(EVALUATION)
    return place


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A miniature checkout."""
    place = tmp_path_factory.mktemp("gym")
    (place / "db").mkdir()
    with gzip.open(place / "db" / "init.sql.gz", "wt") as file:
        file.write(SCRIPT)
    (place / "utils").mkdir()
    (place / "utils" / "reading.py").write_text(UTILS)
    task(place, "sum-prices", "filesystem")
    task(place, "mail-prices", "filesystem", "emails", "terminal")
    broken = task(place, "broken-prices", "filesystem")
    (broken / "preprocess" / "main.py").write_text("raise SystemExit('no \\x1b[31mway')")
    slow = task(place, "dead-prices", "filesystem")
    (slow / "evaluation" / "main.py").write_text("import os; os.kill(os.getpid(), 11)")
    return place


@pytest.fixture(scope="module")
def worker(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GymWorker]:
    """A worker; its interpreter is one that has a client of PostgreSQL."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoIsolationWarning)
        kind = choose("auto").name
    if why := lacking(kind):
        pytest.skip("; ".join(why))
    if absent := missing(["filesystem"]):
        pytest.skip(absent["filesystem"])
    server = declared()["postgres"]
    if not is_installed(server):
        pytest.skip("comem tools install postgres: its environment has the scripts' client")
    place = tmp_path_factory.mktemp("worker") / "here"
    with GymWorker(GymCheckout(root), place, python=program_of(server)) as found:
        yield found
    assert not place.exists()


def write(stand: GymStand, total: int) -> None:
    """Do the work."""
    wrote = {"path": "total.json", "content": json.dumps({"total": total})}
    assert not stand.servers.call("filesystem", "write_file", wrote).is_error


def test_tasks_are_read(root: Path) -> None:
    """What they ask, and which servers they need."""
    checkout = GymCheckout(root)
    assert list(checkout.names()) == ["broken-prices", "dead-prices", "mail-prices", "sum-prices"]
    found = checkout.task("mail-prices")
    assert found.text.startswith("Write the total")
    assert found.needs == ("filesystem", "emails", "terminal")
    assert found.servers == ("filesystem",)


def test_a_task_that_needs_other_servers_is_left_out(root: Path) -> None:
    """And says which."""
    why = GymCheckout(root).task("mail-prices").missing()
    assert why == "no server is declared for emails, terminal"


def test_a_task_is_prepared_worked_on_and_judged_by_its_state(
    root: Path, worker: GymWorker
) -> None:
    """Files and rows are as preprocess left them; the right file passes and a wrong one fails."""
    one = GymCheckout(root).task("sum-prices")
    with worker.opened(one) as stand:
        read = stand.servers.call("filesystem", "read_text_file", {"path": "notes.txt"})
        assert read.text == "apples and pears\n"
        assert (stand.workspace / "launched.txt").read_text() == "2026-03-06 10:00:00"
        assert stand.database.query("SELECT sum(price) FROM shop.prices") == [(80,)]
        assert not stand.evaluate().passed
        write(stand, 81)
        verdict = stand.evaluate()
        assert not verdict.passed
        assert verdict.result == {"success": False, "rows": 80}
        assert "judged" in verdict.told
        write(stand, 80)
        assert stand.evaluate().passed
        # An evaluation changes nothing of what it judges.
        assert not (stand.workspace / "judged.txt").exists()
        assert not (one.directory / "tmp").exists()


def test_nothing_of_the_task_before_is_left(root: Path, worker: GymWorker) -> None:
    """Files and rows are fresh: preprocess multiplies what the script made, not what it made."""
    one = GymCheckout(root).task("sum-prices")
    for _ in range(2):
        with worker.opened(one) as stand:
            assert stand.database.query("SELECT sum(price) FROM shop.prices") == [(80,)]
            assert not (stand.workspace / "total.json").exists()
            write(stand, 80)
            workspace = stand.workspace
        assert not workspace.parent.exists()


def test_the_ground_truth_is_not_there_to_be_read(root: Path, worker: GymWorker) -> None:
    """Neither by its path on the host nor through a link."""
    if choose("auto").name != "bubblewrap":
        pytest.skip("nothing isolates here")
    truth = root / "tasks" / "finalpool" / "sum-prices" / "groundtruth_workspace" / "total.json"
    with worker.opened(GymCheckout(root).task("sum-prices")) as stand:
        (stand.workspace / "link").symlink_to(truth)
        for path in (str(truth), "link", "../tasks/finalpool/sum-prices", "/gym/db/init.sql.gz"):
            assert stand.servers.call("filesystem", "read_text_file", {"path": path}).is_error


def test_whose_fault_it_is(root: Path, worker: GymWorker) -> None:
    """A preprocess that fails is the benchmark's, a database that is gone the infrastructure's."""
    checkout = GymCheckout(root)
    with (
        pytest.raises(BenchmarkDefect, match="preprocess"),
        worker.opened(checkout.task("broken-prices")),
    ):
        pytest.fail("it was opened")
    with pytest.raises(Unavailable, match="emails"), worker.opened(checkout.task("mail-prices")):
        pytest.fail("it was opened")
    with worker.opened(checkout.task("dead-prices")) as stand:
        assert not stand.evaluate().passed
    with worker.opened(checkout.task("sum-prices")) as stand:
        stand.database.drop()
        with pytest.raises(InfrastructureError) as caught:
            stand.evaluate()
        assert caught.value.type == "database"


def test_an_interpreter_without_a_client_is_refused(
    root: Path, worker: GymWorker, tmp_path: Path
) -> None:
    """Scripts would judge less without saying so."""
    python = tmp_path / "environment" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    place = tmp_path / "here"
    with pytest.raises(Unavailable, match="psycopg2"):
        GymWorker(GymCheckout(root), place, python=python)
    assert not place.exists()


@pytest.mark.parametrize(
    "settings", ["", "[]", "{}", '{"needed_mcp_servers": "x"}', '{"needed_mcp_servers": [1]}']
)
def test_a_task_of_another_form_is_named(tmp_path: Path, settings: str) -> None:
    """The message has the file."""
    place = task(tmp_path, "one")
    (place / "task_config.json").write_text(settings)
    with pytest.raises(DataError, match=r"task_config\.json"):
        GymCheckout(tmp_path).task("one")


@pytest.mark.parametrize("name", ["../one", "absent", "", "one/docs", "."])
def test_a_task_that_is_not_there_is_refused(tmp_path: Path, name: str) -> None:
    """Whatever its name leads to."""
    task(tmp_path, "one")
    with pytest.raises(DataError):
        GymCheckout(tmp_path).task(name)


def test_another_directory_is_no_checkout(tmp_path: Path) -> None:
    """Said at once."""
    with pytest.raises(DataError, match="not a checkout"):
        GymCheckout(tmp_path)


def test_a_script_that_makes_no_table_is_the_benchmark_s(worker: GymWorker, tmp_path: Path) -> None:
    """It is said before any task is played, and nothing is left."""
    task(tmp_path / "gym", "one", "filesystem")
    (tmp_path / "gym" / "db").mkdir()
    (tmp_path / "gym" / "db" / "init.sql").write_text("SELECT absent;")
    place = tmp_path / "here"
    with pytest.raises(BenchmarkDefect, match="makes no table"):
        GymWorker(GymCheckout(tmp_path / "gym"), place, python=Path("/usr/bin/python3"))
    assert not place.exists()
