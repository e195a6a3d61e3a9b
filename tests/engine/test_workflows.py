"""CoMemBench's engine: steps, outcomes and keys of workflows on real memory systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import toy_workflows as toy
from systems import system_called
from workflow_play import DATA

from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.core.steps import Step
from pytest_comem.engine.output import ThreadOutput
from pytest_comem.engine.records import from_record, to_record
from pytest_comem.engine.runner import EpisodeRunner
from pytest_comem.engine.workflow_data import load_workflows
from pytest_comem.engine.workflows import WorkflowRun, WorkflowSuite
from pytest_comem.errors import BenchmarkDefect, DataError, InfrastructureError, SettingsError
from pytest_comem.executors.domain import DomainKit
from pytest_comem.executors.topology import TopologyExecutor
from pytest_comem.llm.door import Door
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.workflows.hidden import Operator
from pytest_comem.workflows.replay import passed, replay
from pytest_comem.workflows.schema import Domain
from pytest_comem.workflows.signing import read_signer

LOCAL, FULL = system_called("none"), system_called("full-context")


def suite(
    folder: Path, kits: Mapping[Domain, DomainKit] | None = None, **settings: Any
) -> WorkflowSuite:
    """Return the suite over the tests' families."""
    run = WorkflowRun(folder, **settings)
    return WorkflowSuite(toy.data(), kits or toy.toy_kits(), TopologyExecutor(), run, Door())


def steps_of(one: WorkflowSuite, episode: str, system: Any = LOCAL) -> list[Step]:
    """Return the steps of the first instance whose name begins so."""
    steps = one.steps(system)
    first = next(step.episode for step in steps if step.episode.startswith(episode))
    return [step for step in steps if step.episode == first]


def first_twin(one: WorkflowSuite, family: str) -> str:
    """Return the name of a family's first polluted instance."""
    names = (step.episode for step in one.steps(LOCAL))
    return next(name for name in names if name.startswith(family) and name.endswith("polluted"))


class Newer:
    """An executor that would play as ours does, and says that it is another."""

    name = "topology"
    version = "next"
    run = TopologyExecutor().run


def played(one: WorkflowSuite, steps: Sequence[Step], system: Any = LOCAL) -> list[Outcome]:
    """Play steps of one instance."""
    return list(one.play(steps, system))


def test_steps_are_nodes_in_playing_order_and_name_no_operator(tmp_path: Path) -> None:
    """An episode is a clean control or a twin with an opaque name; a step is a node."""
    steps = suite(tmp_path).steps(LOCAL)
    episodes = list(dict.fromkeys(step.episode for step in steps))
    assert len(episodes) == 3 + 9
    assert episodes[0] == "bridge-search.clean"
    assert all(name.endswith((".clean", ".polluted")) for name in episodes)
    labels = "\n".join(step.label for step in steps)
    assert not [operator for operator in Operator if operator.value in labels]
    first = [step.id for step in steps if step.episode == episodes[0]]
    assert first == ["question", "search_north", "search_south", "resolve", "answer", "audit"]
    assert [step.position for step in steps[:6]] == list(range(6))
    assert len({step.label for step in steps}) == len(steps)


def test_a_clean_instance_without_a_memory_passes(tmp_path: Path) -> None:
    """Every node has a verdict, its measures and its labels; records lose nothing."""
    one = suite(tmp_path)
    outcomes = played(one, steps_of(one, "dates-fix.clean"))
    assert all(outcome.passed for outcome in outcomes)
    release = outcomes[-1]
    assert release.verdict
    assert release.verdict.measures == {
        "verified": True,
        "eligible": True,
        "handoff_success": True,
        "inputs_used": True,
        "decoy_exposed": None,
        "decoy_consumed": None,
        "attempts": 1.0,
        "tokens_execution": 10.0,
        "tokens_coordination": 0.0,
        "tokens_retrieval_context": 0.0,
        "tokens_recovery": 0.0,
        "tokens_memory": 0.0,
    }
    assert outcomes[0].verdict
    assert outcomes[0].verdict.measures["handoff_success"] is None
    assert release.labels == {
        "domain": "repository_code",
        "topology": "chain,split_join,reuse,overlap,bounded_revision_loop",
        "condition": "clean",
        "operator": "",
        "target": "",
        "terminal": "yes",
        "required": "yes",
        "required_nodes": "9",
        "instance": release.labels["instance"],
        "pair": "dates-fix",
    }
    assert set(release.usage) == {"ingest", "recall", "answer", "judge"}
    assert release.usage["answer"].tokens == 10
    assert to_record(from_record(to_record(release))) == to_record(release)


def test_the_target_of_a_twin_is_misled_by_a_memory(tmp_path: Path) -> None:
    """The verdict says what happened; the operator stands in the labels alone."""
    one = suite(tmp_path)
    twin = first_twin(one, "bridge-search")
    outcomes = played(one, steps_of(one, twin, FULL), FULL)
    (target,) = [outcome for outcome in outcomes if outcome.labels["target"]]
    assert target.labels["operator"] == "wrong_entity"
    assert target.step.id == "resolve"
    assert target.verdict
    assert target.verdict.measures["handoff_success"] is False
    assert target.reason.startswith("Rejected: not what was asked for. Handoff: the ")
    assert target.recall
    assert len(target.recall.items) == 4


@pytest.mark.parametrize("handoff", ["declared", "memory"])
def test_traces_lie_in_the_run_and_replay(handoff: Any, tmp_path: Path) -> None:
    """A trace an instance, checked with the run's key; playing again replaces it."""
    one = suite(tmp_path, handoff=handoff)
    steps = steps_of(one, "bridge-search.clean", FULL)
    for _ in range(2):
        played(one, steps, FULL)
    (trace,) = (tmp_path / "traces").iterdir()
    assert trace.name == f"{steps[0].run_label}.jsonl"
    assert passed(replay(trace, read_signer(tmp_path / "trace.key")))


def test_only_wanted_nodes_have_outcomes_and_they_are_the_same(tmp_path: Path) -> None:
    """What they depend on is played, and nothing after them."""
    one = suite(tmp_path)
    steps = steps_of(one, "dates-fix.clean", FULL)
    every = {outcome.step: outcome for outcome in played(one, steps, FULL)}
    (plan,) = played(one, [step for step in steps if step.id == "plan"], FULL)
    assert without_seconds(plan) == without_seconds(every[plan.step])
    known = frozenset(steps[:4])
    rest = list(one.play(steps, FULL, known))
    assert [outcome.step for outcome in rest] == steps[4:]
    assert [without_seconds(each) for each in rest] == [
        without_seconds(every[step]) for step in steps[4:]
    ]


def without_seconds(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome's record with what a clock says taken out."""
    record = to_record(outcome)
    return {
        **record,
        "usage": {name: {**usage, "seconds": 0} for name, usage in record["usage"].items()},
    }


def test_steps_out_of_order_are_an_error(tmp_path: Path) -> None:
    """A memory cannot forget what came later."""
    one = suite(tmp_path)
    steps = steps_of(one, "sum-proof.clean")
    with pytest.raises(InfrastructureError, match="do not reorder"):
        played(one, [steps[2], steps[1]])


def test_what_breaks_is_let_through_after_the_nodes_before_it(tmp_path: Path) -> None:
    """The engine makes an error of this node and the later ones."""
    broken = toy.toy_kits(raises={"lemma_base": InfrastructureError("gone", type="sandbox")})
    one = suite(tmp_path, broken)
    seen = []
    with pytest.raises(InfrastructureError, match="gone"):
        for outcome in one.play(steps_of(one, "sum-proof.clean"), LOCAL):
            seen.append(outcome.step.id)
    assert seen == ["statement", "lemma_step"]


def test_a_defect_of_the_benchmark_is_nobodys_failure(tmp_path: Path) -> None:
    """The node and what comes after it are unscored, for that reason."""
    defective = toy.toy_kits(raises={"lemma_base": BenchmarkDefect("no such theorem")})
    one = suite(tmp_path, defective)
    outcomes = played(one, steps_of(one, "sum-proof.clean"))
    assert [outcome.passed for outcome in outcomes] == [True, True, *[False] * 4]
    assert all(outcome.verdict is None for outcome in outcomes[2:])
    failures = [outcome.failure for outcome in outcomes[2:]]
    assert {(each.attribution, each.message) for each in failures if each} == {
        (Attribution.BENCHMARK, "no such theorem")
    }


def test_a_stand_that_cannot_be_set_up_is_a_defect_of_all_its_nodes(tmp_path: Path) -> None:
    """As where a family names a corpus that is not there."""

    class Kit:
        domain, version = Domain.FORMAL_MATHEMATICS, "toy"

        def missing(self, family: Any) -> None:
            """Lack nothing."""

        def close(self) -> None:
            """Share nothing."""

        @contextmanager
        def open(self, family: Any, instance: str) -> Iterator[toy.ToyStand]:
            raise BenchmarkDefect("no such corpus")
            yield

    kits: dict[Domain, DomainKit] = {**toy.toy_kits(), Domain.FORMAL_MATHEMATICS: Kit()}
    one = suite(tmp_path, kits)
    steps = steps_of(one, "sum-proof.clean")
    outcomes = list(one.play(steps, LOCAL, {steps[0]}))
    assert [outcome.step for outcome in outcomes] == steps[1:]
    assert {outcome.reason for outcome in outcomes} == {"no such corpus"}


def test_a_node_that_was_never_played_has_labels_and_key(tmp_path: Path) -> None:
    """Denominators can be told from it."""
    one = suite(tmp_path)
    step = steps_of(one, "sum-proof.clean")[0]
    failure = Failure(Attribution.INFRASTRUCTURE, "timeout", "too long")
    outcome = one.unscored(step, LOCAL, failure)
    assert (outcome.labels["pair"], outcome.failure) == ("sum-proof", failure)
    assert outcome.key == one.key(step, LOCAL)


def test_the_key_changes_with_everything_that_may_change_the_result(tmp_path: Path) -> None:
    """No two of these may be taken for the same outcome."""

    one = suite(tmp_path)
    step = steps_of(one, "sum-proof.clean")[0]
    (twin, *_) = steps_of(one, first_twin(one, "sum-proof"))
    newer = WorkflowSuite(toy.data(), toy.toy_kits(), Newer(), WorkflowRun(tmp_path), Door())
    keys = [
        one.key(step, LOCAL),
        one.key(replace(step, id="compile"), LOCAL),
        suite(tmp_path, repeats=2).key(replace(step, repeat=1), LOCAL),
        one.key(twin, LOCAL),
        one.key(step, FULL),
        one.key(step, system_called("none", top_k=5)),
        suite(tmp_path, handoff="memory").key(step, LOCAL),
        suite(tmp_path, seed=1).key(step, LOCAL),
        suite(tmp_path, toy.toy_kits(version="toy 2")).key(step, LOCAL),
        newer.key(step, LOCAL),
    ]
    assert len(set(keys)) == len(keys)
    assert suite(tmp_path / "elsewhere").key(step, LOCAL) == keys[0]


def test_repeats_are_played_apart(tmp_path: Path) -> None:
    """Each has its own steps and its own trace."""
    one = suite(tmp_path, repeats=2)
    steps = [step for step in one.steps(LOCAL) if step.episode == "sum-proof.clean"]
    for repeat in range(2):
        mine = [step for step in steps if step.repeat == repeat]
        assert len(played(one, mine)) == 6
    assert len(list((tmp_path / "traces").iterdir())) == 2


def test_a_domain_that_nothing_plays_is_said_at_once(tmp_path: Path) -> None:
    """Before anything is played."""
    kits = toy.toy_kits()
    del kits[Domain.FORMAL_MATHEMATICS]
    with pytest.raises(SettingsError, match="formal_mathematics"):
        suite(tmp_path, kits)


def test_domains_can_be_chosen() -> None:
    """The others' families are left out, and lend their artifacts all the same."""
    chosen = load_workflows(DATA, [Domain.REPOSITORY_CODE])
    assert chosen.families == ("dates-fix",)
    every = {one.episode: one.digest for one in toy.data().instances}
    assert {one.episode: one.digest for one in chosen.instances}.items() <= every.items()


def test_the_memory_is_told_no_condition(tmp_path: Path) -> None:
    """Neither instance nor stand is named after what is hidden."""
    names: list[str] = []

    class Kit:
        domain, version = Domain.FORMAL_MATHEMATICS, "toy"

        def missing(self, family: Any) -> None:
            """Lack nothing."""

        def close(self) -> None:
            """Share nothing."""

        @contextmanager
        def open(self, family: Any, instance: str) -> Iterator[toy.ToyStand]:
            names.append(instance)
            yield toy.ToyStand(toy.gold_of(family))

    kits: dict[Domain, DomainKit] = {**toy.toy_kits(), Domain.FORMAL_MATHEMATICS: Kit()}
    one = suite(tmp_path, kits)
    for episode in dict.fromkeys(
        step.episode for step in one.steps(LOCAL) if step.episode.startswith("sum-proof")
    ):
        played(one, steps_of(one, episode))
    assert len(set(names)) == 3
    assert not [name for name in names if "clean" in name or "polluted" in name]


def on_threads(
    one: WorkflowSuite, system: SystemUnderTest, *, concurrency: int, one_by_one: bool
) -> list[dict[str, Any]]:
    """Return every outcome of a system as threads play it, without seconds."""
    steps = one.steps(system)
    runner = EpisodeRunner(
        [(step, one, system) for step in steps],
        concurrency=concurrency,
        ended=lambda: None,
        step_timeout=600.0,
        output=ThreadOutput(),
    )
    if not one_by_one:
        runner.demand(steps)
    found = []
    for step in steps:
        runner.demand([step])
        found.append(without_seconds(runner.result(step).outcome))
    runner.stop()
    return found


@pytest.mark.parametrize("handoff", ["declared", "memory"])
def test_outcomes_are_the_same_however_they_are_played(handoff: Any, tmp_path: Path) -> None:
    """On one thread or four, all at once or one by one, as another process would ask."""
    system = system_called("bm25", top_k=3)
    first, *others = (
        on_threads(
            suite(tmp_path / str(number), handoff=handoff),
            system,
            concurrency=concurrency,
            one_by_one=one_by_one,
        )
        for number, (concurrency, one_by_one) in enumerate([(1, False), (4, False), (1, True)])
    )
    assert all(other == first for other in others)
    # Six instances of nine nodes, and six of six.
    assert len(first) == 6 * 9 + 6 * 6


def test_a_planned_pair_that_cannot_be_is_an_error_of_the_data(tmp_path: Path) -> None:
    """It names family, node and operator, and what to do."""
    copytree(DATA / "bridge-search", tmp_path / "bridge-search")
    plans = tmp_path / "bridge-search" / "hidden" / "pollution.json"
    text = plans.read_text("utf-8").replace('"resolve"', '"question"')
    plans.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="bridge-search, node question: wrong_entity does not app"):
        load_workflows(tmp_path)
