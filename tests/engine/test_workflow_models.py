"""CoMemBench's nodes done by language models: outcomes, keys, tokens, recordings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from model_server import Fault, ModelServer
from node_model import Asked, doing
from shipped_families import FAMILIES
from systems import system_called

from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.core.steps import Step
from pytest_comem.domains.retrieval.kit import RetrievalKit
from pytest_comem.engine.output import ThreadOutput
from pytest_comem.engine.records import to_record
from pytest_comem.engine.runner import EpisodeRunner
from pytest_comem.engine.workflow_data import WorkflowData, WorkflowInstance, load_workflows
from pytest_comem.engine.workflow_players import WorkflowPlayer
from pytest_comem.engine.workflows import WorkflowRun, WorkflowSuite
from pytest_comem.errors import InfrastructureError
from pytest_comem.executors.topology import TopologyExecutor
from pytest_comem.llm.cassette import Cassette, CassetteMode
from pytest_comem.llm.door import Door
from pytest_comem.llm.retries import RetryPolicy
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.settings import CallSettings, Settings
from pytest_comem.workflow_assembly import make_workflow_players, make_workflow_suite
from pytest_comem.workflows.replay import passed, replay
from pytest_comem.workflows.schema import Domain
from pytest_comem.workflows.signing import read_signer

pytestmark = pytest.mark.skipif(find_spec("httpx") is None, reason="httpx is not installed")
DATA = load_workflows(FAMILIES / "retrieval-instrument-cradle")
LOCAL, FULL = system_called("none"), system_called("full-context")
CLEAN = "retrieval-instrument-cradle.clean"
Script = Callable[[dict[str, Any]], str]


def settings(server: str = "", *models: str, **more: Any) -> Settings:
    """Return what a run with these models is asked for."""
    calls = CallSettings(api_base=server)
    return Settings(("none",), models=models or ("openai/agent",), calls=calls, **more)


def suite(
    folder: Path, door: Door, given: Settings, data: WorkflowData = DATA, **more: Any
) -> WorkflowSuite:
    """Return the suite with the models of the settings."""
    players = make_workflow_players(given, door, ["none"])
    return make_workflow_suite(WorkflowRun(folder, **more), door, data=data, players=players)


@contextmanager
def model(
    script: Script, folder: Path, data: WorkflowData = DATA, **more: Any
) -> Iterator[tuple[WorkflowSuite, ModelServer]]:
    """Serve a scripted model, and give the suite whose nodes it does."""
    faults, cassette = more.pop("faults", None), more.pop("cassette", None)
    door = Door(retries=RetryPolicy(retries=1, base=0.001), cassette=cassette)
    with ModelServer(script, faults=faults) as server:
        yield suite(folder, door, settings(server.url), data, **more), server
        door.close()


def played(
    one: WorkflowSuite, system: SystemUnderTest, episodes: Sequence[str] = ()
) -> dict[str, list[Outcome]]:
    """Play instances one after the other, all where none are named."""
    found: dict[str, list[Outcome]] = {}
    steps = one.steps(system)
    for episode in episodes or dict.fromkeys(step.episode for step in steps):
        mine = [step for step in steps if step.episode == episode]
        found[episode] = list(one.play(mine, system))
    return found


def without_seconds(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome's record with what a clock says taken out."""
    record = to_record(outcome)
    usage = {name: {**usage, "seconds": 0} for name, usage in record["usage"].items()}
    return {**record, "usage": usage}


@pytest.mark.parametrize(("system", "handoff"), [(LOCAL, "declared"), (FULL, "memory")])
def test_a_model_completes_a_family(system: SystemUnderTest, handoff: Any, tmp_path: Path) -> None:
    """Search, reading, audit: every node is verified by the domain's evaluator, and handed on."""
    with model(doing, tmp_path, handoff=handoff) as (one, server):
        found = played(one, system, [CLEAN])[CLEAN]
    assert [outcome.reason for outcome in found if not outcome.passed] == []
    assert {outcome.model for outcome in found} == {"openai/agent"}
    measures = [outcome.verdict.measures for outcome in found if outcome.verdict]
    assert all(each["inputs_used"] for each in measures)
    assert sum(outcome.usage["answer"].calls for outcome in found) == len(server.chats)
    (trace,) = (tmp_path / "traces").iterdir()
    assert passed(replay(trace, read_signer(tmp_path / "trace.key")))
    assert '"tool":"corpus_open"' in trace.read_text("utf-8")
    assert '"model":"openai/agent"' in trace.read_text("utf-8")


def test_execution_is_counted_by_the_model(tmp_path: Path) -> None:
    """Its own tokens of all turns, and nothing by words."""
    with model(doing, tmp_path) as (one, _):
        outcomes = played(one, LOCAL, [CLEAN])[CLEAN]
    for outcome in outcomes:
        assert outcome.verdict
        assert outcome.verdict.measures["tokens_execution"] == outcome.usage["answer"].tokens > 100
        assert outcome.verdict.measures["tokens_recovery"] == 0


def patient(attempts: int) -> WorkflowData:
    """Return the control, whose nodes may be tried this often."""
    (one,) = [each for each in DATA.instances if each.episode == CLEAN]
    execution = one.family.execution.model_copy(update={"max_attempts": attempts})
    family = one.family.model_copy(update={"execution": execution})
    inner = one.instance.model_copy(update={"family": family})
    return WorkflowData((WorkflowInstance(inner, one.oracles, one.episode),))


def test_a_retry_is_recovery(tmp_path: Path) -> None:
    """What the first attempt used is execution, what later ones use is not."""
    tried: set[str] = set()

    def clumsy(body: dict[str, Any]) -> str:
        node = Asked(body).node
        if node == "maker" and node not in tried:
            tried.add(node)
            return '{"content": {"entity": "somebody", "evidence": []}, "consumed": []}'
        return doing(body)

    with model(clumsy, tmp_path, patient(2)) as (one, _):
        _, maker, *_ = played(one, LOCAL, [CLEAN])[CLEAN]
    assert (maker.step.id, maker.passed) == ("maker", True)
    assert maker.verdict
    measures = maker.verdict.measures
    assert measures["attempts"] == 2
    used = [float(measures[f"tokens_{use}"] or 0) for use in ("execution", "recovery")]
    assert min(used) > 100
    assert sum(used) == maker.usage["answer"].tokens


def test_only_a_careless_model_is_misled(tmp_path: Path) -> None:
    """The twins tell models apart that are equally able: one goes by what the inputs say."""
    failed = {}
    for careful in (True, False):
        folder = tmp_path / str(careful)
        with model(partial(doing, careful=careful), folder) as (one, _):
            everything = [each for found in played(one, FULL).values() for each in found]
        targets = [each for each in everything if each.labels["target"]]
        assert len(targets) == len(DATA.instances) - 1
        failed[careful] = [each for each in targets if not each.passed]
    assert failed[True] == []
    assert failed[False] != []


def test_unreadable_replies_fail_nodes_and_break_nothing(tmp_path: Path) -> None:
    """Method failures that say what was wrong, in complete traces."""
    with model(lambda body: "I cannot help with that.", tmp_path) as (one, _):
        found = played(one, FULL, [CLEAN])[CLEAN]
    assert not any(outcome.passed for outcome in found)
    assert all(outcome.failure is None for outcome in found)
    assert all(
        outcome.reason.startswith("Rejected: The model's reply could not be read: there is no JSON")
        for outcome in found
    )
    (trace,) = (tmp_path / "traces").iterdir()
    assert passed(replay(trace, read_signer(tmp_path / "trace.key")))


def test_a_call_that_fails_for_good_is_an_error_of_its_node(tmp_path: Path) -> None:
    """The nodes before it have their outcomes, and the trace says how it ended."""

    def faults(body: dict[str, Any], attempt: int) -> Fault | None:
        return Fault(status=500) if Asked(body).node == "cradle" else None

    seen = []
    with model(doing, tmp_path, faults=faults) as (one, _):
        steps = [step for step in one.steps(LOCAL) if step.episode == CLEAN]
        with pytest.raises(InfrastructureError, match="server_error") as caught:
            for outcome in one.play(steps, LOCAL):
                seen.append(outcome.step.id)
    assert caught.value.type == "server_error"
    assert seen == ["plate", "maker"]
    (trace,) = (tmp_path / "traces").iterdir()
    assert '"status":"infrastructure_failure"' in trace.read_text("utf-8")


@pytest.mark.parametrize("script", [doing, lambda body: "nothing"])
def test_a_recorded_run_is_replayed_without_a_call(script: Script, tmp_path: Path) -> None:
    """To the last byte of every outcome, seconds included, and of every artifact in the traces."""
    tapes = tmp_path / "tapes"
    found = []
    for mode, answer in ((CassetteMode.RECORD, script), (CassetteMode.REPLAY, lambda body: "")):
        folder = tmp_path / str(mode.value)
        with model(answer, folder, cassette=Cassette(mode, tapes)) as (one, server):
            outcomes = played(one, FULL)
            assert bool(server.calls) is (mode is CassetteMode.RECORD)
        records = [to_record(each) for mine in outcomes.values() for each in mine]
        found.append((json.dumps(records), artifacts(folder)))
    assert found[0] == found[1]


def artifacts(folder: Path) -> dict[str, list[Any]]:
    """Return every artifact of a run's traces."""
    found = {}
    for trace in sorted((folder / "traces").iterdir()):
        events = map(json.loads, trace.read_text("utf-8").splitlines())
        found[trace.name] = [
            event["payload"]["artifact"]
            for event in events
            if event["payload"]["type"] == "artifact"
        ]
    return found


def test_outcomes_are_the_same_on_any_number_of_threads(tmp_path: Path) -> None:
    """Instances share nothing but the model."""
    found = []
    for concurrency in (1, 4):
        with model(doing, tmp_path / str(concurrency)) as (one, _):
            steps = one.steps(FULL)
            runner = EpisodeRunner(
                [(step, one, FULL) for step in steps],
                concurrency=concurrency,
                ended=lambda: None,
                step_timeout=600.0,
                output=ThreadOutput(),
            )
            runner.demand(steps)
            found.append([without_seconds(runner.result(step).outcome) for step in steps])
            runner.stop()
    assert found[0] == found[1]
    assert all(record["failure"] is None for record in found[0])


def test_models_and_repeats_are_steps_of_their_own(tmp_path: Path) -> None:
    """As in GateMem: a label where there are several, a seed a repeat, readers offline."""
    given = settings("", "openai/a", "offline", "openai/b", repeats=2, seed=7)
    one = suite(tmp_path, Door(), given)
    steps = [step for step in one.steps(LOCAL) if (step.episode, step.id) == (CLEAN, "plate")]
    assert [(step.model, step.repeat) for step in steps] == [
        (label, repeat) for label in ("openai_a", "offline", "openai_b") for repeat in (0, 1)
    ]
    assert len({step.label for step in steps}) == 6
    assert len({one.key(step, LOCAL) for step in steps}) == 6
    (offline,) = one.play(steps[2:3], LOCAL)
    assert (offline.model, offline.passed) == ("offline", True)
    assert offline.usage["answer"].calls == 0
    assert offline.usage["answer"].tokens > 0


def test_a_single_model_has_no_label(tmp_path: Path) -> None:
    """A reader is the domain's own worker, whose keys know no model."""
    one = suite(tmp_path, Door(), settings("", "offline"))
    plain = WorkflowSuite(
        DATA,
        {Domain.OFFLINE_RETRIEVAL: RetrievalKit()},
        TopologyExecutor(),
        WorkflowRun(tmp_path),
        Door(),
    )
    assert one.steps(LOCAL) == plain.steps(LOCAL)
    step = one.steps(LOCAL)[0]
    assert step.model == ""
    assert one.key(step, LOCAL) == plain.key(step, LOCAL)


def test_the_key_changes_with_model_and_parameters(tmp_path: Path) -> None:
    """Another name, temperature, seed or way to ask may give other work."""

    def key(*models: str, seed: int = 0, **calls: Any) -> str:
        given = Settings(("none",), models=models, calls=CallSettings(**calls), seed=seed)
        one = suite(tmp_path, Door(), given)
        step: Step = one.steps(LOCAL)[0]
        return one.key(step, LOCAL)

    found = [
        key("offline"),
        key("openai/a"),
        key("openai/b"),
        key("openai/a", temperature=0.7),
        key("openai/a", structured="text"),
        key("openai/a", seed=1),
        key("openai/a", options=("top_p=0.5",)),
    ]
    assert len(set(found)) == len(found)
    assert key("openai/a") == found[1]


def test_the_player_of_a_step_stands_in_what_was_never_played(tmp_path: Path) -> None:
    """So that denominators know whose it is."""
    one = suite(tmp_path, Door(), settings("", "openai/a", "openai/b"))
    steps = one.steps(LOCAL)
    failure = Failure(Attribution.INFRASTRUCTURE, "timeout", "too long")
    models = {one.unscored(step, LOCAL, failure).model for step in steps}
    assert models == {"openai/a", "openai/b"}
    assert WorkflowPlayer().model == "worker"
