"""The options of a run as one frozen value.

Each option exists on the command line and as an ini key; the command line wins. This module is
imported at every pytest start, so it imports nothing heavy.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, final
from urllib.parse import urlsplit

import pytest

from pytest_comem.options import OPTIONS, Option
from pytest_comem.suggest import did_you_mean

if TYPE_CHECKING:
    from pytest_comem.core.sharding import Shard

SCORINGS: Final = ("paper", "release-ungated", "release-gated")
CASSETTES: Final = ("off", "record", "replay", "auto")
STRUCTURED: Final = ("auto", "schema", "object", "text")

#: Seconds that one attempt of a call may be given, at most.
_DAY: Final = 86_400.0
#: Seconds that a step or an episode may be given, at most.
_MONTH: Final = 30 * _DAY
#: What stands between the items of an option that is a list in an ini file, where no comma does.
_SEPARATORS: Final = {
    **{option.name: "\n" for option in OPTIONS if option.repeated},
    **{option.name: " " for option in OPTIONS if option.values > 1},
}


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
    :param embedder: name of the memory systems' embedder.
    :param memory_model: model that memory systems call.
    :param memory_api_base: where that model is, or empty for our own server.
    :param synthetic: synthetic episodes a domain, or ``None`` for data.
    :param scoring: one of :data:`SCORINGS`.
    :param domains: only these, or all when empty.
    :param limit: episodes a domain, or ``None``.
    :param shard: the part of the episodes that is played, or ``None`` for all.
    :param concurrency: episodes at once.
    :param step_timeout: seconds a step may take.
    :param episode_timeout: seconds an episode may take, or ``None``.
    :param run_dir: where to write, or ``None`` for a new directory.
    :param resume: run to go on with, or ``None`` for a new one.
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
    shard: Shard | None = None
    models: tuple[str, ...] = ("offline",)
    judge: str = "rules"
    calls: CallSettings = CallSettings()
    repeats: int = 1
    top_k: tuple[int, ...] = (20,)
    embedder: str = "hash"
    memory_model: str = "scripted"
    memory_api_base: str = ""
    scoring: str = "paper"
    concurrency: int = 8
    step_timeout: float = 3600.0
    episode_timeout: float | None = None
    run_dir: Path | None = None
    resume: Path | None = None
    seed: int = 0

    @property
    def active(self) -> bool:
        """Whether this run evaluates anything."""
        return bool(self.memory_systems)


def add_options(parser: pytest.Parser) -> None:
    """Declare every option and its ini key."""
    group = parser.getgroup("comem", "agent-memory benchmarks (pytest-comem)")
    for option in OPTIONS:
        default = f" Default: {option.default}." if option.default else ""
        group.addoption(
            option.flag,
            metavar=option.metavar if option.values == 1 else tuple(option.metavar.split()),
            default=None,
            action="append" if option.repeated else "store",
            nargs=None if option.values == 1 else option.values,
            help=f"{option.help}{default}".replace("%", "%%"),
        )
        parser.addini(option.name, f"{option.help} See {option.flag}.", default=None)


def read_settings(config: pytest.Config) -> Settings:
    """Return the settings of this run.

    :raises pytest.UsageError: naming the option, the value and the way out.
    """
    # A project that uses none of this pays nothing for what its ini file may say.
    systems = _raw(config, OPTIONS[0])
    if not systems.strip():
        return Settings(())
    values = {option.name: _raw(config, option) for option in OPTIONS}
    base = config.invocation_params.dir
    if values["comem_synthetic"]:
        for flag in ("--comem-data", "--comem-limit"):
            # A directory in the environment may stand there for all runs.
            if config.getoption(flag) or config.getini(flag[2:].replace("-", "_")):
                raise pytest.UsageError(
                    f"--comem-synthetic says how many episodes there are: leave out {flag}."
                )
    return Settings(
        memory_systems=_distinct("--memory-system", values["memory_system"]),
        data=_path(values["comem_data"], base),
        models=_distinct("--comem-model", values["comem_model"]) or ("offline",),
        judge=values["comem_judge"].strip() or "rules",
        calls=_read_calls(config, values, base),
        repeats=_integer("--comem-repeats", values["comem_repeats"], minimum=1),
        memory_options=_lines(values["memory_option"]),
        memory_defaults=_lines(_ini(config, "memory_option")),
        deviations=tuple(base / name for name in _names(values["comem_deviations"])),
        top_k=_integers("--comem-top-k", values["comem_top_k"]),
        embedder=values["comem_embedder"].strip(),
        memory_model=values["comem_memory_model"].strip(),
        memory_api_base=values["comem_memory_api_base"].strip(),
        synthetic=_optional_integer("--comem-synthetic", values["comem_synthetic"]),
        scoring=_choice("--comem-scoring", values["comem_scoring"], SCORINGS),
        domains=_distinct("--comem-domains", values["comem_domains"]),
        limit=_optional_integer("--comem-limit", values["comem_limit"]),
        shard=_shard("--comem-shard", values["comem_shard"]),
        concurrency=_integer("--comem-concurrency", values["comem_concurrency"], minimum=1),
        step_timeout=_number(
            "--comem-step-timeout", values["comem_step_timeout"], least=0.001, most=_MONTH
        ),
        episode_timeout=_number(
            "--comem-episode-timeout", values["comem_episode_timeout"], least=0.001, most=_MONTH
        )
        if values["comem_episode_timeout"].strip()
        else None,
        run_dir=_path(values["comem_run_dir"], base),
        resume=_run_to_resume(values["comem_resume"], values["comem_run_dir"], base),
        seed=_integer("--comem-seed", values["comem_seed"], minimum=0),
    )


def _read_calls(config: pytest.Config, values: Mapping[str, str], base: Path) -> CallSettings:
    mode, directory = [*values["comem_cassette"].split(maxsplit=1), "", ""][:2]
    mode = _choice("--comem-cassette", mode, CASSETTES)
    if mode != "off" and not directory:
        raise pytest.UsageError(
            f"--comem-cassette: {mode} needs a directory behind it, such as "
            f"--comem-cassette {mode} cassettes"
        )
    temperature = values["comem_temperature"].strip()
    return CallSettings(
        api_base=_address("--comem-api-base", values["comem_api_base"]),
        judge_api_base=_address("--comem-judge-api-base", values["comem_judge_api_base"]),
        temperature=None
        if temperature in ("default", "")
        else _number("--comem-temperature", temperature, least=0),
        max_output_tokens=_integer(
            "--comem-max-output-tokens", values["comem_max_output_tokens"], minimum=1
        ),
        reasoning_effort=values["comem_reasoning_effort"].strip(),
        options=(
            *_lines(_ini(config, "comem_model_option")),
            *_lines(values["comem_model_option"]),
        ),
        structured=_choice("--comem-structured", values["comem_structured"], STRUCTURED),
        timeout=_number("--comem-timeout", values["comem_timeout"], least=0.001, most=_DAY),
        retries=_integer("--comem-max-retries", values["comem_max_retries"], minimum=0),
        concurrency=_integer(
            "--comem-model-concurrency", values["comem_model_concurrency"], minimum=1
        ),
        max_cost=_number("--comem-max-cost", values["comem_max_cost"], least=0)
        if values["comem_max_cost"].strip()
        else None,
        max_tokens=_optional_integer("--comem-max-tokens", values["comem_max_tokens"]),
        cassette=mode,
        cassette_dir=_path(directory, base) if mode != "off" else None,
    )


def given_on_command_line(config: pytest.Config, flag: str) -> bool:
    """Whether *flag* stands on the command line, as opposed to an ini file."""
    return config.getoption(flag, default=None) is not None


def _raw(config: pytest.Config, option: Option) -> str:
    given = config.getoption(option.flag)
    if option.repeated:
        return "\n".join(given or ())
    if option.values > 1 and given is not None:
        return " ".join(given)
    if given is None:
        given = _ini(config, option.name) or None
    if given is None and option.variable:
        given = os.environ.get(option.variable)
    return str(given) if given is not None else option.default


def _ini(config: pytest.Config, name: str) -> str:
    """Return an ini key's text; a list, as TOML has it, is taken for what is in it."""
    found: object = config.getini(name)
    if isinstance(found, list):
        return _SEPARATORS.get(name, ",").join(map(str, found))
    return str(found or "")


def _names(value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


def _lines(value: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, value.splitlines())))


def _distinct(flag: str, value: str) -> tuple[str, ...]:
    names = _names(value)
    for name in names:
        if names.count(name) > 1:
            raise pytest.UsageError(f"{flag}: {name!r} is given more than once.")
    return names


def _path(value: str, base: Path) -> Path | None:
    return (base / Path(value).expanduser()).resolve() if value.strip() else None


def _run_to_resume(value: str, run_dir: str, base: Path) -> Path | None:
    path = _path(value, base)
    if path is None:
        return None
    if run_dir.strip():
        raise pytest.UsageError(
            "--comem-resume goes on in the directory of the run: leave out --comem-run-dir."
        )
    if not path.is_dir():
        raise pytest.UsageError(f"--comem-resume: {path} is no directory of a run.")
    return path


def _integer(flag: str, value: str, *, minimum: int) -> int:
    try:
        number = int(value)
    except ValueError:
        number = minimum - 1
    if number < minimum:
        raise pytest.UsageError(f"{flag}: {value!r} is not a whole number of {minimum} or more.")
    return number


def _integers(flag: str, value: str) -> tuple[int, ...]:
    return tuple(_integer(flag, name, minimum=1) for name in _distinct(flag, value)) or (
        _integer(flag, value, minimum=1),
    )


def _optional_integer(flag: str, value: str) -> int | None:
    return _integer(flag, value, minimum=1) if value.strip() else None


def _shard(flag: str, value: str) -> Shard | None:
    if not value.strip():
        return None
    from pytest_comem.core.sharding import Shard

    try:
        return Shard.parse(value.strip())
    except ValueError as error:
        raise pytest.UsageError(f"{flag}: {error}.") from error


def _number(flag: str, value: str, *, least: float, most: float = math.inf) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= least):
        raise pytest.UsageError(f"{flag}: {value!r} is not a number of {least:g} or more.")
    if number > most:
        raise pytest.UsageError(f"{flag}: {value!r} is more than {most:g}.")
    return number


def _address(flag: str, value: str) -> str:
    """Return a base URL; it goes into the manifest and into messages, so it holds no secret."""
    address = value.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        # Both raise ValueError: a port that is none, a name that no server can have.
        usable = parts.port != 0 and bool((parts.hostname or "").encode("idna"))
    except ValueError:
        usable = False
    if address and not (usable and parts.scheme in ("http", "https")):
        raise pytest.UsageError(
            f"{flag}: {value!r} is no address; it looks like http://127.0.0.1:8000/v1"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise pytest.UsageError(
            f"{flag}: an address with a user, a password or a query is refused; a key belongs into "
            "the environment, such as the variable OPENAI_API_KEY"
        )
    return address


def _choice(flag: str, value: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise pytest.UsageError(f"{flag}: {value!r} is unknown; {did_you_mean(value, choices)}")
    return value


def as_json(settings: Settings) -> Mapping[str, object]:
    """Return the settings for the manifest, paths as text."""
    show: Callable[[Path | None], str | None] = lambda path: str(path) if path else None  # noqa: E731
    return {
        "memory_systems": list(settings.memory_systems),
        "data": show(settings.data),
        "models": list(settings.models),
        "judge": settings.judge,
        "calls": {**asdict(settings.calls), "cassette_dir": show(settings.calls.cassette_dir)},
        "repeats": settings.repeats,
        "memory_options": [*settings.memory_defaults, *settings.memory_options],
        "top_k": list(settings.top_k),
        "embedder": settings.embedder,
        "memory_model": settings.memory_model,
        "memory_api_base": settings.memory_api_base,
        "synthetic": settings.synthetic,
        "scoring": settings.scoring,
        "domains": list(settings.domains),
        "limit": settings.limit,
        "shard": str(settings.shard) if settings.shard else None,
        "concurrency": settings.concurrency,
        "step_timeout": settings.step_timeout,
        "episode_timeout": settings.episode_timeout,
        "seed": settings.seed,
    }


def require_system_for_suites(config: pytest.Config) -> None:
    """Explain a run of a shipped suite that names no memory system.

    :raises pytest.UsageError: where an argument is a suite's name and no path.
    """
    heads = [argument.split("::")[0].split("/")[0] for argument in config.args]
    missing = [
        head for head in heads if head and not (config.invocation_params.dir / head).exists()
    ]
    if missing:
        from pytest_comem.locations import suite_names

        for head in missing:
            if head in suite_names():
                raise pytest.UsageError(
                    f"{head} is a suite of pytest-comem; name what it shall evaluate, "
                    f"for instance: pytest --memory-system=bm25 {head}"
                )
