"""The options of a run as one frozen value.

:mod:`pytest_comem.reading` makes it of what was given. This module is imported at every pytest
start, so it imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from pytest_comem.core.sharding import Shard

SCORINGS: Final = ("paper", "release-ungated", "release-gated")
CASSETTES: Final = ("off", "record", "replay", "auto")
INCONCLUSIVE_AS: Final = ("warn", "pass", "fail")
PROBES: Final = ("auto", "on", "off")
SANDBOXES: Final = ("auto", "bubblewrap", "docker", "none")
HANDOFFS: Final = ("declared", "memory")
#: Items for one query of a workflow's node where nobody says otherwise: a workflow has some twenty
#: artifacts, so what is right for long conversations would show all of them to every node.
WORKFLOW_TOP_K: Final = 3
#: Items for one query of an office task where nobody says otherwise: a stream is some hundred
#: messages, one or two of which show the habit that matters.
OFFICE_TOP_K: Final = 5
STRUCTURED: Final = ("auto", "schema", "object", "text")


@final
@dataclass(frozen=True, slots=True)
class CallSettings:
    """How models are called.

    :param api_base: base URL of the answering models, or empty for their providers' own.
    :param judge_api_base: the same of the judge.
    :param temperature: of the answering models, or ``None`` to send none.
    :param max_output_tokens: tokens of one reply.
    :param reasoning_effort: such as ``low``, or empty to send none.
    :param options: further parameters, ``KEY=VALUE``.
    :param structured: one of :data:`STRUCTURED`.
    :param timeout: seconds of one attempt.
    :param retries: attempts after the first.
    :param concurrency: calls in flight to one provider, at most.
    :param max_cost: US dollars a run may cost, or ``None``.
    :param max_tokens: tokens a run may take, or ``None``.
    :param cassette: one of :data:`CASSETTES`.
    :param cassette_dir: where recordings are, or ``None`` when off.
    """

    api_base: str = ""
    judge_api_base: str = ""
    temperature: float | None = 0.0
    max_output_tokens: int = 1024
    reasoning_effort: str = ""
    options: tuple[str, ...] = ()
    structured: str = "auto"
    timeout: float = 120.0
    retries: int = 6
    concurrency: int = 64
    max_cost: float | None = None
    max_tokens: int | None = None
    cassette: str = "off"
    cassette_dir: Path | None = None


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """The options of a run, validated.

    :param memory_systems: labels in the order given; empty when the plugin is not in use.
    :param data: directory of the full data, or ``None`` for the embedded data.
    :param models: names of the readers or models that answer.
    :param judge: ``rules`` or the name of a model.
    :param calls: how models are called.
    :param repeats: times each step is played.
    :param memory_options: settings of memory systems, ``SYSTEM.KEY=VALUE``.
    :param memory_defaults: the same from the ini file, where systems may be named that a run has
        not.
    :param deviations: files of promises that a system is known to break.
    :param top_k: items for one query; several are swept.
    :param workflow_top_k: items for one query of a workflow's node; ``None`` for *top_k*.
    :param embedder: name of the memory systems' embedder.
    :param memory_model: model that memory systems call.
    :param memory_api_base: where that model is, or empty for our own server.
    :param synthetic: synthetic episodes a domain, or ``None`` for data.
    :param scoring: one of :data:`SCORINGS`.
    :param domains: only these, or all when empty.
    :param limit: episodes or workflow families a domain, tasks a stream, or ``None``.
    :param handoff: one of :data:`HANDOFFS`.
    :param sandbox: kind of sandbox, or ``auto``.
    :param prover: name of what checks proofs, with ``:PROGRAM`` where it is not in ``PATH``.
    :param families: directory of workflow families, or ``None`` for the shipped ones.
    :param executor: name of who organises the work on a workflow.
    :param streams: directory of streams of office tasks, or ``None`` for the shipped ones.
    :param agent: who does office tasks: ``auto`` or ``cmd:COMMAND``.
    :param pass_score: Workspace Score at which an office task passes.
    :param office_top_k: items for one query of an office task; ``None`` for *top_k*.
    :param recall_budgets: tokens that a recall is cut to; several are swept, none where empty.
    :param shard: the part of the episodes that is played, or ``None`` for all.
    :param backend: address of the scheduler of a cluster that plays the episodes, or empty for
        this machine.
    :param concurrency: episodes at once.
    :param step_timeout: seconds a step may take.
    :param episode_timeout: seconds an episode may take, or ``None``.
    :param probe: one of :data:`PROBES`.
    :param run_dir: where to write, or ``None`` for a new directory.
    :param html: where the run's HTML page goes, or ``None`` for none.
    :param resume: run to go on with, or ``None`` for a new one.
    :param reference: the papers' rows are shown beside the run's.
    :param baseline: what the run is held against, or ``None``.
    :param gate: rules that decide the exit status; ``on`` stands for those of pyproject.toml.
    :param inconclusive: one of :data:`INCONCLUSIVE_AS`, or empty where nothing was said.
    :param keep_state: what memory systems stored stays in the run's directory.
    :param seed: of everything random.
    """

    memory_systems: tuple[str, ...]
    memory_options: tuple[str, ...] = ()
    memory_defaults: tuple[str, ...] = ()
    deviations: tuple[Path, ...] = ()
    data: Path | None = None
    synthetic: int | None = None
    domains: tuple[str, ...] = ()
    limit: int | None = None
    handoff: str = "declared"
    sandbox: str = "auto"
    prover: str = "coq"
    families: Path | None = None
    executor: str = "topology"
    streams: Path | None = None
    agent: str = "auto"
    pass_score: float = 60.0
    office_top_k: int | None = OFFICE_TOP_K
    recall_budgets: tuple[int, ...] = ()
    shard: Shard | None = None
    models: tuple[str, ...] = ("offline",)
    judge: str = "rules"
    calls: CallSettings = CallSettings()
    repeats: int = 1
    top_k: tuple[int, ...] = (20,)
    workflow_top_k: int | None = WORKFLOW_TOP_K
    embedder: str = "hash"
    memory_model: str = "scripted"
    memory_api_base: str = ""
    scoring: str = "paper"
    backend: str = ""
    concurrency: int = 8
    step_timeout: float = 3600.0
    episode_timeout: float | None = None
    probe: str = "auto"
    run_dir: Path | None = None
    html: Path | None = None
    resume: Path | None = None
    reference: bool = False
    baseline: Path | None = None
    gate: tuple[str, ...] = ()
    inconclusive: str = ""
    keep_state: bool = False
    seed: int = 0

    @property
    def active(self) -> bool:
        """Whether this run evaluates anything."""
        return bool(self.memory_systems)


def as_json(settings: Settings) -> Mapping[str, object]:
    """Return the settings for the manifest, paths as text.

    Where the run is written and what it is held against are left out: they change no outcome.
    """
    return {
        "memory_systems": list(settings.memory_systems),
        "data": _shown(settings.data),
        "models": list(settings.models),
        "judge": settings.judge,
        "calls": {**asdict(settings.calls), "cassette_dir": _shown(settings.calls.cassette_dir)},
        "repeats": settings.repeats,
        "memory_options": [*settings.memory_defaults, *settings.memory_options],
        "top_k": list(settings.top_k),
        "workflow_top_k": settings.workflow_top_k,
        "embedder": settings.embedder,
        "memory_model": settings.memory_model,
        "memory_api_base": settings.memory_api_base,
        "synthetic": settings.synthetic,
        "scoring": settings.scoring,
        "domains": list(settings.domains),
        "limit": settings.limit,
        "handoff": settings.handoff,
        "sandbox": settings.sandbox,
        "prover": settings.prover,
        "families": _shown(settings.families),
        "executor": settings.executor,
        "streams": _shown(settings.streams),
        "agent": settings.agent,
        "pass_score": settings.pass_score,
        "office_top_k": settings.office_top_k,
        "recall_budgets": list(settings.recall_budgets),
        "shard": str(settings.shard) if settings.shard else None,
        "backend": settings.backend or None,
        "concurrency": settings.concurrency,
        "step_timeout": settings.step_timeout,
        "episode_timeout": settings.episode_timeout,
        "probe": settings.probe,
        "keep_state": settings.keep_state,
        "seed": settings.seed,
    }


def _shown(path: Path | None) -> str | None:
    return None if path is None else str(path)
