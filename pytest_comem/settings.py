"""Every option in one table, and the one frozen value they become.

Each option exists on the command line and as an ini key; the command line wins. This module is
imported at every pytest start, so it imports nothing heavy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, final

import pytest

from pytest_comem.suggest import did_you_mean

SCORINGS: Final = ("paper", "release-ungated", "release-gated")


@final
class Option(NamedTuple):
    """One option.

    :param flag: on the command line.
    :param metavar: what it takes.
    :param default: its value as text.
    :param help: one sentence.
    :param variable: environment variable that stands in where neither flag nor ini key is given.
    :param repeated: it may be given several times; the ini key holds one a line, and what the
        command line says comes after that.
    """

    flag: str
    metavar: str
    default: str
    help: str
    variable: str | None = None
    repeated: bool = False

    @property
    def name(self) -> str:
        """The ini key, which is also the attribute of pytest's options."""
        return self.flag.removeprefix("--").replace("-", "_")


OPTIONS: Final = (
    Option(
        "--memory-system",
        "NAMES",
        "",
        "Memory systems to evaluate, comma-separated: names, or a class path module:Class.",
    ),
    Option(
        "--comem-data",
        "DIR",
        "",
        "Directory of the full benchmark data; the embedded mini data set when not given.",
        variable="COMEM_DATA",
    ),
    Option(
        "--comem-model",
        "NAME",
        "offline",
        "Who answers: offline (extractive, minds policy and retractions) or offline-verbatim.",
    ),
    Option(
        "--memory-option",
        "SYSTEM.KEY=VALUE",
        "",
        "A setting of one memory system; may be given several times.",
        repeated=True,
    ),
    Option(
        "--comem-deviations",
        "FILES",
        "",
        "Files of contract promises that a system is known to break, besides our own.",
    ),
    Option(
        "--comem-top-k",
        "N",
        "20",
        "Items a memory system may hand over for one query; several, comma-separated, are swept.",
    ),
    Option(
        "--comem-embedder",
        "NAME",
        "hash",
        "Embedder of every memory system: hash, minilm, or a LiteLLM model as provider/model.",
    ),
    Option(
        "--comem-memory-model",
        "NAME",
        "scripted",
        "Model that memory systems call: scripted (local, deterministic), or one at the API base.",
    ),
    Option(
        "--comem-memory-api-base",
        "URL",
        "",
        "OpenAI-compatible base URL for the memory systems' model; key in OPENAI_API_KEY.",
    ),
    Option(
        "--comem-synthetic",
        "N",
        "",
        "Play N fresh synthetic GateMem episodes a domain, made from --comem-seed, not data.",
    ),
    Option(
        "--comem-scoring",
        "MODE",
        "paper",
        "How actions count in GateMem: paper, release-ungated or release-gated.",
    ),
    Option("--comem-domains", "NAMES", "", "Only these domains of a data set, comma-separated."),
    Option("--comem-limit", "N", "", "At most N episodes a domain, for smoke runs."),
    Option("--comem-concurrency", "N", "8", "Episodes played at once in one process."),
    Option(
        "--comem-run-dir",
        "DIR",
        "",
        "Where outcomes and manifest go; a new directory under .comem/runs when not given.",
    ),
    Option("--comem-seed", "N", "0", "Seed of everything random; part of every outcome's key."),
)

#: Options of which an ini file has one a line.
_LINES: Final = tuple(option.name for option in OPTIONS if option.repeated)


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """The options of a run, validated.

    :param memory_systems: labels in the order given; empty when the plugin is not in use.
    :param data: directory of the full data, or ``None`` for the embedded data.
    :param model: name of the reader or model.
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
    :param concurrency: episodes at once.
    :param run_dir: where to write, or ``None`` for a new directory.
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
    model: str = "offline"
    top_k: tuple[int, ...] = (20,)
    embedder: str = "hash"
    memory_model: str = "scripted"
    memory_api_base: str = ""
    scoring: str = "paper"
    concurrency: int = 8
    run_dir: Path | None = None
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
            metavar=option.metavar,
            default=None,
            action="append" if option.repeated else "store",
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
        model=values["comem_model"].strip(),
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
        concurrency=_integer("--comem-concurrency", values["comem_concurrency"], minimum=1),
        run_dir=_path(values["comem_run_dir"], base),
        seed=_integer("--comem-seed", values["comem_seed"], minimum=0),
    )


def given_on_command_line(config: pytest.Config, flag: str) -> bool:
    """Whether *flag* stands on the command line, as opposed to an ini file."""
    return config.getoption(flag, default=None) is not None


def _raw(config: pytest.Config, option: Option) -> str:
    given = config.getoption(option.flag)
    if option.repeated:
        return "\n".join(given or ())
    if given is None:
        given = _ini(config, option.name) or None
    if given is None and option.variable:
        given = os.environ.get(option.variable)
    return str(given) if given is not None else option.default


def _ini(config: pytest.Config, name: str) -> str:
    """Return an ini key's text; a list, as TOML has it, is taken for what is in it."""
    found: object = config.getini(name)
    if isinstance(found, list):
        return ("\n" if name in _LINES else ",").join(map(str, found))
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
        "model": settings.model,
        "memory_options": [*settings.memory_defaults, *settings.memory_options],
        "top_k": list(settings.top_k),
        "embedder": settings.embedder,
        "memory_model": settings.memory_model,
        "memory_api_base": settings.memory_api_base,
        "synthetic": settings.synthetic,
        "scoring": settings.scoring,
        "domains": list(settings.domains),
        "limit": settings.limit,
        "concurrency": settings.concurrency,
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
