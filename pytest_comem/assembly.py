"""From the options of a run to what it is made of: door, workshop, memory systems, suites."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_comem.core.steps import Step, model_labels
from pytest_comem.errors import SettingsError
from pytest_comem.memory.registry import Catalogue, SystemUnderTest
from pytest_comem.memory.setup import Workshop
from pytest_comem.memory.wanted import Wanted
from pytest_comem.settings import Settings

if TYPE_CHECKING:
    from pytest_comem.engine.governance import GovernanceSuite, Player
    from pytest_comem.engine.suite import Suite
    from pytest_comem.llm.calls import ModelSpec
    from pytest_comem.llm.door import Door


#: Names of the benchmarks.
GATEMEM: Final = "gatemem"
COMEMBENCH: Final = "comembench"
CONTEXTWEAVE: Final = "contextweave"


def make_suites(
    settings: Settings,
    door: Door,
    systems: Sequence[str],
    *,
    asked: frozenset[str],
    run_path: Path,
) -> list[Suite]:
    """Return the benchmarks of a run, in the order in which they are played.

    :param systems: labels of the run's memory systems.
    :param asked: names of the benchmarks asked for.
    :param run_path: where the run is recorded.
    :raises ComemError: naming what is wrong with one of them.
    """
    suites: list[Suite] = []
    of_workflows = workflow_domains_of(settings.domains) if COMEMBENCH in asked else ()
    others = [name for name in settings.domains if name not in of_workflows]
    if GATEMEM in asked and (others or not settings.domains):
        suites.append(make_governance_suite(settings, door, systems, others))
    elif others and asked:
        raise SettingsError(f"--comem-domains: CoMemBench has no domain {others[0]!r}")
    if COMEMBENCH in asked and (of_workflows or not settings.domains):
        from pytest_comem.workflow_assembly import suite_of

        suites.append(suite_of(settings, door, systems, of_workflows, run_path))
    if CONTEXTWEAVE in asked and not settings.domains:
        from pytest_comem.office_assembly import office_suite_of

        suites.append(office_suite_of(settings, door, systems, run_path))
    return suites


def workflow_domains_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return those of *names* that are domains of CoMemBench."""
    if not names:
        return ()
    from pytest_comem.workflows.schema import Domain

    return tuple(name for name in names if name in list(Domain))


def make_workshop(settings: Settings, state: Path, door: Door) -> Workshop:
    """Return the workshop of one process.

    :raises SettingsError: where the embedder or the memory systems' model cannot be had.
    """
    from pytest_comem.embedders.registry import find_embedder
    from pytest_comem.endpoint.registry import find_endpoint

    embedder = find_embedder(settings.embedder, door)
    endpoint = find_endpoint(
        embedder,
        model=settings.memory_model,
        api_base=settings.memory_api_base,
        door=door,
        timeout=settings.calls.timeout,
    )
    return Workshop(
        state,
        embedder=embedder,
        endpoint=endpoint,
        seed=settings.seed,
        keep=settings.keep_state,
    )


def registered_systems(config: pytest.Config) -> dict[str, Callable[[], Any]]:
    """Return the memory systems that plugins offer, by name.

    :raises SettingsError: where a plugin returns something else.
    """
    registered: dict[str, Any] = {}
    for more in config.hook.pytest_comem_memory_systems():
        if not isinstance(more, Mapping) or not all(map(callable, more.values())):
            raise SettingsError(
                f"the hook pytest_comem_memory_systems returned {more!r}; it returns a mapping "
                "of names to classes or functions that make a memory system"
            )
        registered.update(more)
    return registered


def find_systems(
    wanted: Sequence[Wanted],
    workshop: Workshop,
    *,
    registered: Mapping[str, Callable[[], Any]],
    directory: Path,
) -> Mapping[str, SystemUnderTest]:
    """Return the memory systems of a run by label, in the order given.

    :param registered: what plugins offer, by name.
    :param directory: where class paths are looked up beside the import path.
    :raises SettingsError: naming what is wrong with one.
    """
    catalogue = Catalogue(registered, directory)
    return {one.label: catalogue.find(one, workshop) for one in wanted}


def make_governance_suite(
    settings: Settings, door: Door, systems: Sequence[str], domains: Sequence[str] = ()
) -> GovernanceSuite:
    """Return GateMem over the data, models and judge that the options name.

    :param systems: labels of the run's memory systems.
    :param domains: only these; all where none are named.
    :raises ComemError: naming what is wrong with one of them.
    """
    from pytest_comem.datasets import gatemem
    from pytest_comem.engine.governance import GovernanceSuite
    from pytest_comem.evaluators.governance import Scoring
    from pytest_comem.evaluators.judging import find_judge
    from pytest_comem.llm.specs import judging_model

    if settings.synthetic is not None:
        from pytest_comem.datasets.synthetic import generate

        data = generate(settings.synthetic, settings.seed, domains=tuple(domains))
    else:
        data = gatemem.load(settings.data, domains=domains, limit=settings.limit)
    judge = find_judge(
        judging_model(settings),
        scoring=Scoring(settings.scoring),
        door=door,
        structured=settings.calls.structured,
    )
    return GovernanceSuite(data, make_players(settings, door, systems), judge, settings, door)


def make_players(settings: Settings, door: Door, systems: Sequence[str]) -> list[Player]:
    """Return who answers: every model in every repeat."""
    from pytest_comem.agents.governance import governance_responder
    from pytest_comem.engine.governance import Player
    from pytest_comem.llm.specs import answering_model

    labels = model_labels(settings.models, systems)
    repeats = range(settings.repeats) if settings.repeats > 1 else (None,)
    return [
        Player(
            name,
            labels[name],
            repeat,
            governance_responder(
                answering_model(settings, name, repeat or 0),
                door,
                structured=settings.calls.structured,
            ),
        )
        for name in settings.models
        for repeat in repeats
    ]


def keys_of(
    steps: Mapping[str, Sequence[Step]],
    suites: Mapping[str, Suite],
    systems: Mapping[str, SystemUnderTest],
) -> dict[str, Callable[[], str]]:
    """Return what makes the key of each step's outcome, by the step's label.

    :param steps: by the parameter of their suite, as *suites* are.
    """
    return {
        step.label: partial(suites[parameter].key, step, systems[step.system])
        for parameter, found in steps.items()
        for step in found
    }


def language_models(settings: Settings) -> dict[str, ModelSpec]:
    """Return the models that a run calls by the option that names them; readers are none."""
    from pytest_comem.evaluators.judging import RULES
    from pytest_comem.llm.specs import answering_model, judging_model
    from pytest_comem.models.registry import reader_names

    found = {
        f"--comem-model {name}": answering_model(settings, name)
        for name in settings.models
        if name not in reader_names()
    }
    if settings.judge != RULES:
        found[f"--comem-judge {settings.judge}"] = judging_model(settings)
    return found


def check_models(
    settings: Settings, systems: Iterable[SystemUnderTest], *, asked: bool = True
) -> None:
    """Find what is wrong with the models before anything is played.

    Recordings are played without a key and without LiteLLM.

    :param systems: the run's memory systems.
    :param asked: whether the run has a suite whose steps models answer and judge.
    :raises SettingsError: naming the option and the way out.
    """
    if settings.calls.cassette in ("replay", "auto"):
        return
    from pytest_comem.embedders.registry import check_embedder

    check_embedder(settings.embedder)
    models = language_models(settings) if asked else {}
    for system in systems:
        remembering = system.workshop.endpoint.spec
        if system.capabilities.needs_model and remembering is not None:
            models[f"--comem-memory-model {settings.memory_model}"] = remembering
    if not models:
        return
    from pytest_comem.llm.preflight import require_reachable
    from pytest_comem.llm.providers import check_model
    from pytest_comem.models.registry import reader_names

    require_reachable(models)
    for option, model in models.items():
        try:
            check_model(model, also=reader_names())
            _check_parameters(settings, option, model)
        except SettingsError as error:
            raise SettingsError(f"{option}: {error}") from error


def _check_parameters(settings: Settings, option: str, model: ModelSpec) -> None:
    from pytest_comem.llm.providers import known_price, unsupported_parameters

    if settings.calls.max_cost is not None and not known_price(model):
        # Options are of the answering models alone.
        give = (
            "give input_cost_per_token and output_cost_per_token (--comem-model-option), or "
            if option.startswith("--comem-model ")
            else ""
        )
        raise SettingsError(
            "its price is unknown, so --comem-max-cost cannot be kept; "
            f"{give}use --comem-max-tokens"
        )
    refused = [name for name in unsupported_parameters(model) if name != "seed"]
    if "temperature" in refused and option.startswith("--comem-judge"):
        raise SettingsError(
            "a judge is asked at temperature 0, which this model does not take; name another one"
        )
    if refused:
        raise SettingsError(
            f"the model does not take {' and '.join(refused)}; leave it out "
            "(--comem-temperature default sends none)"
        )
