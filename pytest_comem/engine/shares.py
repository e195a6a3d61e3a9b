"""A run as a share of a larger one, and what has to be equal in all shares of one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, final
from urllib.parse import urlsplit

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.sharding import Shard
from pytest_comem.engine.rundir import MANIFEST, read_manifest
from pytest_comem.errors import DataError

#: Settings that no outcome depends on. What decides of the data and of the systems' options stands
#: in other parts of the manifest.
_INDIFFERENT: Final = frozenset(
    {
        *("backend", "concurrency", "data", "keep_state", "memory_options", "resume", "run_dir"),
        *("episode_timeout", "probe", "shard", "step_timeout"),
    }
)
#: The same of how models are called.
_INDIFFERENT_CALLS: Final = frozenset(
    {
        *("cassette", "cassette_dir", "concurrency", "max_cost", "max_tokens"),
        *("retries", "timeout"),
    }
)
_ADDRESSES: Final = frozenset({"api_base", "judge_api_base", "memory_api_base"})
_SHOWN: Final = 60
_NOTHING: Final = "nothing"
_MISSING_SHOWN: Final = 5


@final
@dataclass(frozen=True, slots=True)
class Share:
    """One of the runs that are joined.

    :param path: its directory.
    :param manifest: its manifest, with the parts that every manifest has.
    """

    path: Path
    manifest: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> Share:
        """Return the run in directory *path*.

        :raises DataError: where it is none, or its manifest is not one of this version.
        """
        file = path / MANIFEST
        manifest = read_manifest(path)
        if not manifest:
            raise DataError(
                f"holds no {MANIFEST}; name a run directory of pytest-comem", file=str(path)
            )
        for name in ("versions", "settings", "systems", "data"):
            if not isinstance(manifest.get(name), dict):
                raise DataError("missing, or not an object", file=str(file), field=name)
        for suite, about in manifest["data"].items():
            if not isinstance(about, dict) or not _is_texts(about.get("order")):
                raise DataError(
                    "does not say the order of the episodes, as runs of this version do",
                    file=str(file),
                    field=f"data.{suite}.order",
                )
        if not isinstance(manifest.get("finished"), dict | None):
            raise DataError("not an object", file=str(file), field="finished")
        share = cls(path, manifest)
        try:
            _ = share.place
        except (AttributeError, TypeError, ValueError) as error:
            raise DataError(f"the shard is none: {error}", file=str(file)) from None
        return share

    @property
    def id(self) -> str:
        """The run's id."""
        return str(self.manifest.get("run") or self.path)

    @property
    def started(self) -> str:
        """When the run was started, as ISO text that sorts by time."""
        return str(self.manifest.get("started") or "")

    @property
    def finished(self) -> Mapping[str, Any] | None:
        """How the run ended; ``None`` where it was not finished."""
        return self.manifest.get("finished") or None

    @property
    def shards(self) -> list[str | None]:
        """The parts of the episodes that were played; ``None`` stands for all of them."""
        return [each["shard"] for each in self.runs]

    @property
    def runs(self) -> list[dict[str, Any]]:
        """What a merged manifest says about the runs in here: one, or those it was merged from."""
        merged = self.manifest.get("merged")
        if isinstance(merged, list):
            return [{"run": "", "shard": None, "finished": None, **each} for each in merged]
        finished = self.finished or {}
        return [
            {
                "run": self.id,
                "shard": self.manifest["settings"].get("shard"),
                "started": self.started,
                "finished": str(finished.get("at") or "") if finished else None,
                "ended": finished.get("ended"),
                **({"contract": finished["contract"]} if "contract" in finished else {}),
            }
        ]

    @property
    def place(self) -> tuple[Any, ...]:
        """Its place among the shares of a run, in whatever order they are named."""
        first = min((_numbers(shard) for shard in self.shards), default=(0, 0))
        return (*first, self.started, self.id, str(self.path))

    def __str__(self) -> str:
        shards = ", ".join(filter(None, self.shards))
        return f"{self.path} (shard {shards})" if shards else str(self.path)


def differences(shares: Sequence[Share]) -> list[str]:
    """Return what differs in the manifests and may change outcomes, a line each."""
    leaves = [dict(_leaves("", _decisive(share.manifest))) for share in shares]
    found: list[str] = []
    for name in dict.fromkeys(name for each in leaves for name in each):
        where: dict[str, list[str]] = {}
        for share, each in zip(shares, leaves, strict=True):
            shown = _shown(each[name]) if name in each else _NOTHING
            where.setdefault(shown, []).append(str(share.path))
        if len(where) > 1:
            values = "; ".join(f"{shown} in {', '.join(paths)}" for shown, paths in where.items())
            found.append(f"{name}: {values}")
    return found


def changed_names(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the names of what may change outcomes and differs in two manifests of one run.

    Nothing is said where the earlier one has not the parts of a manifest.
    """
    try:
        # As it will be read back: lists for tuples.
        read = json.loads(json.dumps(now))
        old, new = (dict(_leaves("", _decisive(manifest))) for manifest in (before, read))
    except (AttributeError, KeyError, TypeError):
        return []
    return sorted(name for name in {*old, *new} if old.get(name) != new.get(name))


def missing_shards(shares: Sequence[Share]) -> str:
    """Return which parts of the episodes nobody has played; empty where none is missing.

    Nothing is said where shares of different divisions meet.
    """
    parts = [shard for share in shares for shard in share.shards]
    known = [Shard.parse(part) for part in parts if part is not None]
    if len(known) < len(parts) or len({shard.of for shard in known}) != 1:
        return ""
    of = known[0].of
    present = {shard.number for shard in known}
    absent = (f"{number}/{of}" for number in range(1, of + 1) if number not in present)
    shown = list(islice(absent, _MISSING_SHOWN))
    more = of - len(present) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _decisive(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a manifest what decides results."""
    settings = {
        name: _without_port(value) if name in _ADDRESSES else value
        for name, value in manifest["settings"].items()
        if name not in _INDIFFERENT
    }
    if isinstance(calls := settings.get("calls"), dict):
        settings["calls"] = {
            name: _without_port(value) if name in _ADDRESSES else value
            for name, value in calls.items()
            if name not in _INDIFFERENT_CALLS
        }
    data = {
        suite: {name: value for name, value in about.items() if name != "warnings"}
        for suite, about in manifest["data"].items()
    }
    version = manifest["versions"].get("pytest-comem")
    return {
        "versions": {"pytest-comem": version},
        "settings": settings,
        "systems": manifest["systems"],
        "data": data,
    }


def _leaves(prefix: str, value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, inner in value.items():
        place = f"{prefix}.{name}" if prefix else name
        if isinstance(inner, Mapping):
            yield from _leaves(place, inner)
        else:
            yield place, inner


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # Long values may differ far behind what is shown.
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({stable_hash(value)})"


def _without_port(address: Any) -> Any:
    """Return an address without its port: a server of one's own has another one everywhere."""
    try:
        parts = urlsplit(address)
        return parts._replace(netloc=parts.hostname or "").geturl()
    except (AttributeError, TypeError, ValueError):
        return address


def _numbers(shard: str | None) -> tuple[int, int]:
    parsed = Shard.parse(shard) if shard else Shard(0, 0)
    return (parsed.number, parsed.of)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
