"""What a page says about its runs: when, which versions, which data, which settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_comem.engine.runs import RecordedRun
from pytest_comem.report.html.sources import Source

#: Settings that change results, with what to call them.
_SETTINGS: Final = {
    "models": "answering models",
    "judge": "judge",
    "scoring": "scoring",
    "top_k": "top-k",
    "embedder": "embedder",
    "memory_model": "model of memory systems",
    "memory_options": "settings of memory systems",
    "repeats": "repeats",
    "seed": "seed",
    "domains": "only domains",
    "limit": "episodes a domain, at most",
    "synthetic": "synthetic episodes a domain",
    "shard": "shard",
    "probe": "probe",
}
_CALLS: Final = {
    "temperature": "temperature",
    "max_output_tokens": "tokens of a reply, at most",
    "reasoning_effort": "reasoning effort",
    "structured": "form of replies",
    "cassette": "cassette",
}


def about(run: RecordedRun, source: Source) -> dict[str, Any]:
    """Return what is said of *run*."""
    manifest = run.manifest
    ended = run.finished.get("ended")
    return {
        "name": run.path.name or str(run.path),
        "id": str(manifest.get("run", "")),
        "started": str(manifest.get("started", "")),
        "finished": bool(run.finished),
        "ended": str(ended) if ended else "",
        "steps": len(run.outcomes),
        "planned": run.finished.get("planned"),
        "facts": [
            [name, _shown(value)] for name, value in _facts(run) if value not in ("", None, [])
        ],
        "missing": source.missing,
    }


def _facts(run: RecordedRun) -> Iterator[tuple[str, Any]]:
    """Yield what a reader should know, nothing that is as always and says nothing."""
    manifest = run.manifest
    for suite, data in _mapping(manifest.get("data")).items():
        about_data = _mapping(data)
        size = ", ".join(
            f"{about_data[name]} {name}"
            for name in ("episodes", "checkpoints", "families", "instances", "nodes")
            if name in about_data
        )
        yield f"{suite} data", ", ".join(filter(None, (str(about_data.get("revision", "")), size)))
        yield f"{suite} data: warnings", about_data.get("warnings")
        for name in ("handoff", "sandbox", "executor"):
            yield f"{suite} {name}", about_data.get(name)
    settings = _mapping(manifest.get("settings"))
    yield from ((title, settings.get(name)) for name, title in _SETTINGS.items())
    calls = _mapping(settings.get("calls"))
    yield from ((title, calls.get(name)) for name, title in _CALLS.items())
    yield from _mapping(manifest.get("versions")).items()
    yield "platform", manifest.get("platform")
    git = _mapping(manifest.get("git"))
    if git.get("commit"):
        yield "commit", f"{git['commit']}{' with changes' if git.get('dirty') else ''}"


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
