"""From pytest's command line, its ini file and the environment to the settings of a run.

Each option exists on the command line and as an ini key; the command line wins. This module is
imported at every pytest start, so it imports nothing heavy.
"""

from __future__ import annotations

import os
from typing import Any, Final

import pytest

from pytest_comem.option_values import OptionValues, lines
from pytest_comem.options import OPTIONS, Option
from pytest_comem.settings import (
    CASSETTES,
    HANDOFFS,
    INCONCLUSIVE_AS,
    OFFICE_TOP_K,
    PROBES,
    SANDBOXES,
    SCORINGS,
    STRUCTURED,
    WORKFLOW_TOP_K,
    CallSettings,
    Settings,
)

_BY_FLAG: Final = {option.flag: option for option in OPTIONS}
#: Seconds that one attempt of a call may be given, at most.
_DAY: Final = 86_400.0
#: Seconds that a step or an episode may be given, at most.
_MONTH: Final = 30 * _DAY
#: Seconds that anything may be given, at least.
_MILLISECOND: Final = 0.001
#: Checks that an unset variable on a command line must not switch off unseen.
_CHECKS: Final = ("--comem-baseline", "--comem-gate")
#: Options that promise something a run without a memory system does not do.
_OF_A_RUN: Final = (*_CHECKS, "--comem-html", "--comem-resume")
#: What stands between the items of an option that is a list in an ini file, where no comma does.
_SEPARATORS: Final = {
    **{option.name: "\n" for option in OPTIONS if option.repeated},
    **{option.name: " " for option in OPTIONS if option.values > 1},
}


def add_options(parser: pytest.Parser) -> None:
    """Declare every option and its ini key."""
    group = parser.getgroup("comem", "agent-memory benchmarks (pytest-comem)")
    for option in OPTIONS:
        default = f" Default: {option.default}." if option.default else ""
        text = f"{option.help}{default}".replace("%", "%%")
        group.addoption(option.flag, default=None, help=text, **_arguments(option))
        parser.addini(option.name, f"{option.help} See {option.flag}.", default=None)


def _arguments(option: Option) -> dict[str, Any]:
    if not option.values:
        return {"action": "store_const", "const": "true"}
    return {
        "metavar": option.metavar if option.values == 1 else tuple(option.metavar.split()),
        "action": "append" if option.repeated else "store",
        "nargs": None if option.values == 1 else option.values,
    }


def read_settings(config: pytest.Config) -> Settings:
    """Return the settings of this run.

    :raises pytest.UsageError: naming the option, the value and the way out.
    """
    # A project that uses none of this pays nothing for what its ini file may say.
    if not _raw(config, _BY_FLAG["--memory-system"]).strip():
        return Settings(())
    _refuse_empty_checks(config)
    texts = {option.flag: _raw(config, option) for option in OPTIONS}
    given = OptionValues(texts, config.invocation_params.dir)
    if given.text("--comem-synthetic"):
        _refuse_beside_synthetic(config)
    settings = Settings(
        memory_systems=given.names("--memory-system"),
        data=given.path("--comem-data"),
        models=given.names("--comem-model") or (_default("--comem-model"),),
        judge=given.text("--comem-judge") or _default("--comem-judge"),
        calls=_read_calls(config, given),
        repeats=given.integer("--comem-repeats", least=1),
        memory_options=given.lines("--memory-option"),
        memory_defaults=_ini_lines(config, "--memory-option"),
        deviations=given.files("--comem-deviations"),
        top_k=given.integers("--comem-top-k"),
        workflow_top_k=None if _is_given(config, "--comem-top-k") else WORKFLOW_TOP_K,
        embedder=given.text("--comem-embedder"),
        memory_model=given.text("--comem-memory-model"),
        memory_api_base=given.text("--comem-memory-api-base"),
        synthetic=given.optional_integer("--comem-synthetic"),
        scoring=given.choice("--comem-scoring", SCORINGS),
        domains=given.names("--comem-domains"),
        limit=given.optional_integer("--comem-limit"),
        handoff=given.choice("--comem-handoff", HANDOFFS, blank=_default("--comem-handoff")),
        sandbox=given.choice("--comem-sandbox", SANDBOXES, blank=_default("--comem-sandbox")),
        prover=given.text("--comem-prover") or _default("--comem-prover"),
        families=given.path("--comem-families"),
        executor=given.text("--comem-executor") or _default("--comem-executor"),
        streams=given.path("--comem-streams"),
        agent=given.text("--comem-agent") or _default("--comem-agent"),
        pass_score=given.number("--comem-pass-score", least=0, most=100),
        office_top_k=None if _is_given(config, "--comem-top-k") else OFFICE_TOP_K,
        recall_budgets=given.any_integers("--comem-recall-budget"),
        shard=given.shard("--comem-shard"),
        backend=given.scheduler("--comem-backend"),
        concurrency=given.integer("--comem-concurrency", least=1),
        step_timeout=given.number("--comem-step-timeout", least=_MILLISECOND, most=_MONTH),
        episode_timeout=given.optional_number(
            "--comem-episode-timeout", least=_MILLISECOND, most=_MONTH
        ),
        probe=given.choice("--comem-probe", PROBES, blank=_default("--comem-probe")),
        run_dir=given.path("--comem-run-dir"),
        html=given.path("--comem-html"),
        resume=given.path("--comem-resume"),
        reference=given.switch("--comem-reference"),
        baseline=given.path("--comem-baseline"),
        gate=(*_ini_lines(config, "--comem-gate"), *given.lines("--comem-gate")),
        inconclusive=given.choice("--comem-inconclusive", ("", *INCONCLUSIVE_AS)),
        keep_state=given.switch("--comem-keep-state"),
        seed=given.integer("--comem-seed", least=0),
    )
    _refuse_what_cannot_be_resumed(settings)
    _refuse_on_a_cluster(settings)
    return settings


def _read_calls(config: pytest.Config, given: OptionValues) -> CallSettings:
    mode, directory = given.mode_and_directory("--comem-cassette", CASSETTES)
    temperature = given.text("--comem-temperature")
    return CallSettings(
        api_base=given.address("--comem-api-base"),
        judge_api_base=given.address("--comem-judge-api-base"),
        temperature=None
        if temperature in ("default", "")
        else given.number("--comem-temperature", least=0),
        max_output_tokens=given.integer("--comem-max-output-tokens", least=1),
        reasoning_effort=given.text("--comem-reasoning-effort"),
        options=(
            *_ini_lines(config, "--comem-model-option"),
            *given.lines("--comem-model-option"),
        ),
        structured=given.choice("--comem-structured", STRUCTURED),
        timeout=given.number("--comem-timeout", least=_MILLISECOND, most=_DAY),
        retries=given.integer("--comem-max-retries", least=0),
        concurrency=given.integer("--comem-model-concurrency", least=1),
        max_cost=given.optional_number("--comem-max-cost", least=0),
        max_tokens=given.optional_integer("--comem-max-tokens"),
        cassette=mode,
        cassette_dir=directory,
    )


def _refuse_beside_synthetic(config: pytest.Config) -> None:
    for flag in ("--comem-data", "--comem-limit"):
        # A directory in the environment may stand there for all runs.
        if config.getoption(flag) or config.getini(_BY_FLAG[flag].name):
            raise pytest.UsageError(
                f"--comem-synthetic says how many episodes there are: leave out {flag}."
            )


def _refuse_what_cannot_be_resumed(settings: Settings) -> None:
    if settings.resume is None:
        return
    if settings.run_dir is not None:
        raise pytest.UsageError(
            "--comem-resume goes on in the directory of the run: leave out --comem-run-dir."
        )
    if not settings.resume.is_dir():
        raise pytest.UsageError(f"--comem-resume: {settings.resume} is no directory of a run.")


def _refuse_on_a_cluster(settings: Settings) -> None:
    mode = settings.calls.cassette
    if settings.backend and mode in ("record", "auto"):
        raise pytest.UsageError(
            f"--comem-backend: --comem-cassette {mode} would leave its recordings on the workers' "
            "machines; record without a cluster, or replay what every worker has"
        )
    if settings.backend and settings.keep_state:
        raise pytest.UsageError(
            "--comem-backend: --comem-keep-state would keep state on the workers' machines, where "
            "nobody looks for it; leave one of the two out"
        )


def given_on_command_line(config: pytest.Config, flag: str) -> bool:
    """Whether *flag* stands on the command line, as opposed to an ini file."""
    return config.getoption(flag, default=None) is not None


def _is_given(config: pytest.Config, flag: str) -> bool:
    """Whether an option is given on the command line or in the ini file."""
    return bool(config.getoption(flag) or _ini(config, _BY_FLAG[flag].name))


def _default(flag: str) -> str:
    return _BY_FLAG[flag].default


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


def _ini_lines(config: pytest.Config, flag: str) -> tuple[str, ...]:
    return lines(_ini(config, _BY_FLAG[flag].name))


def _refuse_empty_checks(config: pytest.Config) -> None:
    for flag in _CHECKS:
        found = config.getoption(flag)
        values = [found] if isinstance(found, str) else found or ()
        if not all(value.strip() for value in values):
            raise pytest.UsageError(
                f"{flag} is given without a value; name one, or leave the option out"
            )


def require_system(config: pytest.Config) -> None:
    """Explain a run that names no memory system and does not work without.

    :raises pytest.UsageError: where an argument is a suite's name and no path, or an option of a
        run of suites was typed.
    """
    typed = [argument.partition("=")[0] for argument in config.invocation_params.args]
    for flag in _OF_A_RUN:
        if flag in typed:
            raise pytest.UsageError(
                f"{flag} does nothing without a memory system; name one, for instance: "
                f"pytest --memory-system=bm25 {flag} ... gatemem"
            )
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
