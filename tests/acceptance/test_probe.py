"""Runs on memories that lose what they are told, as their users see them."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Any

import pytest
from model_server import ModelServer
from tiny_project import checkpoint, episode, records, write_data

from pytest_comem.core.notices import BROKEN, LOST

needs_xdist = pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
)
WAYS = [
    pytest.param((), id="serial"),
    pytest.param(("-n2",), marks=needs_xdist, id="two workers"),
]
FACTS = (
    "The spare key hangs behind the copper kettle.",
    "Deliveries for the greenhouse arrive on Thursday at noon.",
    "The violin lesson moved to the chapel annex.",
    "Invoice 4471 was paid in full by the harbour office.",
    "The password hint mentions a lighthouse in Brittany.",
    "Grandmother prefers the window seat on the ferry.",
)
MEMORIES = """
import pathlib, time
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.endpoint.client import ChatClient
from pytest_comem.memory.base import Capabilities, MemorySystem
from adapters import LastWords

REMOTE = Capabilities(external_service=True)


class Keeps(LastWords):
    capabilities = REMOTE


class Loses(LastWords):
    capabilities = REMOTE

    def ingest(self, entry):
        # The service fails, and nobody looks.
        if entry.id in ("t1", "t2") or "two" in entry.text:
            super().ingest(entry)


class LocalLoses(Loses):
    capabilities = Capabilities()


class Summarises(LastWords):
    capabilities = Capabilities(external_service=True, verbatim=False)

    def recall(self, query):
        nouns = " ".join(word for item in self.items for word in item.text.split() if len(word) > 6)
        return Recall((RecallItem("noted: " + nouns),))


class RaisesInProbe(Keeps):
    def recall(self, query):
        if "?" not in query.text:
            raise RuntimeError("no connection to the store")
        return super().recall(query)


class HangsInProbe(Keeps):
    def recall(self, query):
        if "?" not in query.text:
            time.sleep(60)
        return super().recall(query)


class Fragile(Loses):
    # Raises in the middle of an episode as long as there is a file.
    def recall(self, query):
        if "four" in query.text and pathlib.Path("broken").exists():
            raise RuntimeError("not now")
        return super().recall(query)


class CallsModel(LastWords):
    capabilities = Capabilities(needs_model=True)

    @classmethod
    def open(cls, setup):
        memory = cls()
        memory.model = ChatClient(
            setup.endpoint.chat_url, setup.endpoint.chat_model, setup.endpoint.api_key
        )
        return memory

    def recall(self, query):
        self.model.ask([{"role": "user", "content": query.text}])
        return Recall((self.items[0],))
"""


def question(name: str, number: int, turn: int) -> dict[str, Any]:
    """Return a checkpoint that every memory passes which has the first entry."""
    text = f"what did {('one', 'two', 'three', 'four', 'five', 'six')[turn - 1]} say?"
    return checkpoint(name, number, turn, query_text=text, judge_spec={"include": ["."]})


@pytest.fixture
def house(project: pytest.Pytester) -> pytest.Pytester:
    """A project with two episodes of six facts each, and memories that lose them."""
    episodes = [episode(name) for name in ("one", "two")]
    for each in episodes:
        for turn, fact in zip(each["turns"], FACTS, strict=True):
            turn["text"] = f"{fact} So says house {each['episode_id']}."
    rows = [question(name, n, turn) for name in ("one", "two") for n, turn in enumerate((2, 4, 6))]
    write_data(project.path, episodes, rows)
    project.makepyfile(memories=MEMORIES)
    return project


def run(house: pytest.Pytester, name: str, *more: str) -> pytest.RunResult:
    """Run the suite on one of the memories."""
    where = (
        () if any(one.startswith("--comem-resume") for one in more) else ("--comem-run-dir=run",)
    )
    return house.runpytest_subprocess(
        *("-p", "no:cacheprovider", f"--memory-system=memories:{name}", "--comem-data=data"),
        *("gatemem", *where, *more),
        timeout=60,
    )


def rows(house: pytest.Pytester, run_dir: str = "run") -> list[dict[str, Any]]:
    """Return the outcomes of a run without times."""
    return records(house.path / run_dir)


def notices(house: pytest.Pytester) -> dict[str, str]:
    """Return what was noticed, by step."""
    return {row["step"]: row["notice"] for row in rows(house) if "notice" in row}


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_drops_entries_is_noticed_and_its_verdicts_stand(
    house: pytest.Pytester, way: tuple[str, ...]
) -> None:
    """The last step of that episode says so, the scorecard and the report count it."""
    result = run(house, "Loses", "--junitxml=out.xml", *way)
    result.assert_outcomes(passed=6)
    assert [*notices(house)] == ["one_ckpt_02"]
    notice = notices(house)["one_ckpt_02"]
    assert notice.startswith(f"{LOST} 3 recent entries was recallable (t4, t5, t6)")
    command = "from pytest_comem.cli import main; main()"
    report = house.run(sys.executable, "-c", command, "report", "run")
    line = "memories:Loses: in 1 of 2 episodes nothing of the last entries was recallable"
    assert line in result.stdout.str()
    assert line in report.stdout.str()
    root = ET.parse(house.path / "out.xml").getroot()
    properties = [item.get("value") for item in root.iter("property")
                  if item.get("name") == "comem.notice"]  # fmt: skip
    assert properties == [notice]
    probes = [row["usage"].get("probe") is not None for row in rows(house)]
    assert probes == [False, False, True, False, False, True]


@needs_xdist
def test_workers_make_no_difference(house: pytest.Pytester) -> None:
    """The same outcomes, notices included, serially and on two workers."""
    run(house, "Loses")
    serial = rows(house)
    shutil.rmtree(house.path / "run")
    run(house, "Loses", "-n2")
    assert rows(house) == serial


@pytest.mark.parametrize("name", ["Keeps", "Summarises"])
def test_a_memory_that_still_has_them_is_left_in_peace(house: pytest.Pytester, name: str) -> None:
    """By its ids, or by single words of what it made of them."""
    result = run(house, name)
    assert notices(house) == {}
    assert sum("probe" in row["usage"] for row in rows(house)) == 2
    assert "recallable" not in result.stdout.str()


@pytest.mark.parametrize(
    ("name", "more", "expected"),
    [
        ("LocalLoses", (), 0),
        ("LocalLoses", ("--comem-probe=on",), 1),
        ("Loses", ("--comem-probe=off",), 0),
        ("Loses", ("--comem-probe=auto",), 1),
    ],
)
def test_services_elsewhere_are_probed_by_default(
    house: pytest.Pytester, name: str, more: tuple[str, ...], expected: int
) -> None:
    """And any memory, or none, when it is said."""
    run(house, name, *more)
    assert len(notices(house)) == expected
    assert any("probe" in row["usage"] for row in rows(house)) is (expected > 0)


def test_a_mode_that_there_is_not_is_a_usage_error(house: pytest.Pytester) -> None:
    """It names the option."""
    result = run(house, "Loses", "--comem-probe=maybe")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--comem-probe: 'maybe' is unknown*"])


@pytest.mark.parametrize("way", WAYS)
def test_an_error_in_the_probe_is_a_notice(house: pytest.Pytester, way: tuple[str, ...]) -> None:
    """Every verdict stands."""
    result = run(house, "RaisesInProbe", *way)
    result.assert_outcomes(passed=6)
    found = notices(house)
    assert [*found] == ["one_ckpt_02", "two_ckpt_02"]
    for notice in found.values():
        assert notice.startswith(f"{BROKEN}: memory system memories:RaisesInProbe raised in recall")
        assert "no connection to the store" in notice
    assert "memories:RaisesInProbe: in 2 of 2 episodes the probe" in result.stdout.str()


def test_a_hang_in_the_probe_ends_with_the_time_limit(house: pytest.Pytester) -> None:
    """As one in closing the memory: an error of the last step, and of no other."""
    result = run(house, "HangsInProbe", "--comem-step-timeout=1")
    result.assert_outcomes(passed=4, errors=2)
    types = [(row["failure"] or {}).get("type") for row in rows(house)]
    assert types == [None, None, "timeout"] * 2


def test_a_failing_step_shows_what_was_noticed(house: pytest.Pytester) -> None:
    """Below the paragraph that explains the failure."""
    data = house.path / "data" / "medical" / "checkpoints.jsonl"
    data.write_text(data.read_text().replace('["."]', '["Brittany"]'))
    result = run(house, "Loses", "-k", "one and ckpt_02")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"Noticed: {LOST} 3 recent entries*"])


@pytest.mark.parametrize("way", WAYS)
def test_a_resumed_run_has_the_notices_of_an_uninterrupted_one(
    house: pytest.Pytester, way: tuple[str, ...]
) -> None:
    """Whatever is left of it: nothing, its beginning, its ends, or everything."""
    run(house, "Loses", *way)
    whole, file = rows(house), house.path / "run" / "outcomes.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    middle_is_missing = [0, 2, 3, 5]
    others: tuple[Sequence[int], ...] = ([], [0, 1], [0, 1, 2, 3, 4], [2, 5], range(6))
    for kept in (middle_is_missing, *(() if way else others)):
        file.write_bytes(b"".join(lines[number] for number in kept))
        run(house, "Loses", "--comem-resume=run", *way)
        assert rows(house) == whole, [*kept]


def test_another_mode_makes_no_other_key(house: pytest.Pytester) -> None:
    """What was played without a probe is used again with one, and the other way round."""
    run(house, "Loses", "--comem-probe=off")
    result = run(house, "Loses", "--comem-resume=run", "--comem-probe=on")
    assert "6 of 6 steps reused" in result.stdout.str()
    assert notices(house) == {}


def test_an_error_before_the_probe_has_no_notice(house: pytest.Pytester) -> None:
    """The episode is over; when it is gone on with, it is probed."""
    (house.path / "broken").touch()
    run(house, "Fragile").assert_outcomes(passed=2, errors=4)
    assert notices(house) == {}
    (house.path / "broken").unlink()
    run(house, "Fragile", "--comem-resume=run").assert_outcomes(passed=6)
    assert [*notices(house)] == ["one_ckpt_02"]


@pytest.mark.skipif(importlib.util.find_spec("httpx") is None, reason="httpx is not installed")
def test_a_replayed_run_is_the_recorded_one_with_its_probes(house: pytest.Pytester) -> None:
    """The probe's calls and seconds are counted as its own, and replayed to the last byte."""
    with ModelServer(lambda body: "noted") as server:
        calls = ("--comem-memory-model=x", f"--comem-memory-api-base={server.url}")
        more = (*calls, "--comem-probe=on", "--comem-cassette")
        run(house, "CallsModel", *more, "record", "tapes")
        made = len(server.calls)
    assert made == 6 + 2 * 3
    recorded = house.path / "run" / "outcomes.jsonl"
    before = recorded.read_bytes()
    last = [json.loads(line)["usage"] for line in before.splitlines()][2]
    assert [*last] == ["ingest", "recall", "answer", "judge", "probe"]
    assert (last["recall"]["calls"], last["probe"]["calls"]) == (1, 3)
    assert last["probe"]["seconds"] > 0
    shutil.rmtree(house.path / "run")
    run(house, "CallsModel", *more, "replay", "tapes")
    assert recorded.read_bytes() == before
