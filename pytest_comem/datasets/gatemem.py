"""GateMem's files, released or embedded, read into episodes.

Layout: ``<directory>/<domain>/{episodes,checkpoints}.jsonl``. The protocol's irregularities are
accepted; anything else is a :class:`~pytest_comem.errors.DataError` that names file and line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pytest_comem.core.entries import Entry, Principal, Relationship
from pytest_comem.core.hashing import stable_hash
from pytest_comem.datasets.gatemem_release import CHECKSUMS, RELEASE
from pytest_comem.datasets.gatemem_rows import CheckpointRow, EpisodeRow, PrincipalRow
from pytest_comem.datasets.governance import (
    Annotation,
    Category,
    Checkpoint,
    GovernanceData,
    GovernanceEpisode,
)
from pytest_comem.datasets.jsonl import read_rows
from pytest_comem.errors import DataError
from pytest_comem.locations import fixture_path

#: The paper's order of domains; others follow by name.
DOMAINS: Final = ("medical", "office", "education", "household")
FILES: Final = ("episodes.jsonl", "checkpoints.jsonl")


def load(
    directory: Path | None = None,
    *,
    domains: Sequence[str] = (),
    limit: int | None = None,
) -> GovernanceData:
    """Return the data set in *directory*, or the embedded one.

    :param domains: only these; all when empty.
    :param limit: at most so many episodes a domain, the first ones in file order.
    :raises DataError: where a file is missing or not of the benchmark's form, or a domain unknown.
    """
    root = find_root(directory)
    found = available_domains(root)
    for domain in domains:
        if domain not in found:
            raise DataError(f"has no domain {domain!r}; it has {', '.join(found)}", file=str(root))
    wanted = [domain for domain in found if not domains or domain in domains]
    if not wanted:
        raise DataError("holds no GateMem data", file=str(root))
    episodes: list[GovernanceEpisode] = []
    seen: dict[str, str] = {}
    for domain in wanted:
        episodes.extend(_read_domain(root, domain, seen)[:limit])
    checksums = checksums_of(root, wanted)
    embedded = root == embedded_root()
    return GovernanceData(
        revision="embedded-" + stable_hash(checksums)[:8] if embedded else _revision(checksums),
        episodes=tuple(episodes),
        policies={domain: policy_of(domain) for domain in wanted},
        checksums=checksums,
        warnings=() if embedded else _checksum_warnings(root, checksums),
    )


def embedded_root() -> Path:
    """Return the directory of the embedded data set."""
    return fixture_path("gatemem")


def find_root(directory: Path | None) -> Path:
    """Return the directory that holds the domains: *directory* or its ``gatemem`` folder.

    :raises DataError: where neither holds any, naming what was looked for.
    """
    if directory is None:
        return embedded_root()
    for candidate in (directory, directory / "gatemem"):
        if available_domains(candidate):
            return candidate
    missing = "does not exist" if not directory.is_dir() else "holds no GateMem data"
    raise DataError(
        f"{missing}; expected <domain>/episodes.jsonl and <domain>/checkpoints.jsonl in it "
        "(`comem data fetch gatemem` downloads the release)",
        file=str(directory),
    )


def available_domains(root: Path) -> list[str]:
    """Return the names of the folders of *root* that hold at least one of the two files."""
    if not root.is_dir():
        return []
    names = {
        child.name
        for child in root.iterdir()
        if child.is_dir() and any((child / name).is_file() for name in FILES)
    }
    rank = {domain: place for place, domain in enumerate(DOMAINS)}
    return sorted(names, key=lambda name: (rank.get(name, len(DOMAINS)), name))


def checksums_of(root: Path, domains: Sequence[str]) -> dict[str, str]:
    """Return the SHA-256 of every file of *domains* that exists."""
    sums: dict[str, str] = {}
    for domain in domains:
        for name in FILES:
            path = root / domain / name
            if path.is_file():
                with path.open("rb") as file:
                    sums[f"{domain}/{name}"] = hashlib.file_digest(file, "sha256").hexdigest()
    return sums


def policy_of(domain: str) -> str:
    """Return the policy text of *domain*, or the general one where it has none of its own."""
    own = fixture_path("gatemem", "policies", f"{domain}.md")
    path = own if own.is_file() else fixture_path("gatemem", "policies", "general.md")
    return path.read_text(encoding="utf-8").strip()


def _revision(checksums: Mapping[str, str]) -> str:
    if all(CHECKSUMS.get(name) == digest for name, digest in checksums.items()):
        return RELEASE
    return "unreleased-" + stable_hash(dict(checksums))[:8]


def _checksum_warnings(root: Path, checksums: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        f"{root.name}/{name}: SHA-256 is {digest[:12]}..., the release has "
        f"{CHECKSUMS[name][:12]}...; figures are not comparable with the paper's"
        if name in CHECKSUMS
        else f"{root.name}/{name}: not a file of the release; its checksum is unknown"
        for name, digest in checksums.items()
        if CHECKSUMS.get(name) != digest
    )


def _read_domain(root: Path, domain: str, seen: dict[str, str]) -> list[GovernanceEpisode]:
    """Read one domain; *seen* holds the place of every episode and checkpoint id so far."""
    for name in FILES:
        if not (root / domain / name).is_file():
            raise DataError(
                "is missing; both files of a domain are needed", file=f"{domain}/{name}"
            )
    shown = f"{domain}/{FILES[0]}"
    episodes: dict[str, EpisodeRow] = {}
    positions: dict[str, dict[str, int]] = {}
    for line, row in read_rows(root / domain / FILES[0], EpisodeRow, shown):
        _note_id(seen, "episode", row.episode_id, shown, line, "episode_id")
        episodes[row.episode_id] = row
        positions[row.episode_id] = _turn_positions(row, shown, line)
    checkpoints = _read_checkpoints(root, domain, positions, seen)
    return [
        _episode(row, sorted(checkpoints[episode_id], key=lambda checkpoint: checkpoint.as_of))
        for episode_id, row in episodes.items()
    ]


def _read_checkpoints(
    root: Path, domain: str, positions: Mapping[str, Mapping[str, int]], seen: dict[str, str]
) -> dict[str, list[Checkpoint]]:
    shown = f"{domain}/{FILES[1]}"
    found: dict[str, list[Checkpoint]] = {episode_id: [] for episode_id in positions}
    for line, row in read_rows(root / domain / FILES[1], CheckpointRow, shown):
        _note_id(seen, "checkpoint", row.checkpoint_id, shown, line, "checkpoint_id")
        turns = positions.get(row.episode_id)
        if turns is None:
            raise DataError(
                f"no episode {row.episode_id!r} in {domain}/{FILES[0]}",
                file=shown,
                line=line,
                field="episode_id",
            )
        if row.as_of_turn_id not in turns:
            raise DataError(
                f"episode {row.episode_id!r} has no turn {row.as_of_turn_id!r}",
                file=shown,
                line=line,
                field="as_of_turn_id",
            )
        found[row.episode_id].append(_checkpoint(row, turns[row.as_of_turn_id], f"{shown}:{line}"))
    return found


def _note_id(seen: dict[str, str], kind: str, value: str, file: str, line: int, field: str) -> None:
    key = f"{kind} {value}"
    if key in seen:
        raise DataError(
            f"{kind} id {value!r} is already used at {seen[key]}", file=file, line=line, field=field
        )
    seen[key] = f"{file}:{line}"


def _turn_positions(row: EpisodeRow, file: str, line: int) -> dict[str, int]:
    positions: dict[str, int] = {}
    for position, turn in enumerate(row.turns):
        if turn.turn_id in positions:
            raise DataError(
                f"turn id {turn.turn_id!r} is used twice in episode {row.episode_id!r}",
                file=file,
                line=line,
                field=f"turns.{position}.turn_id",
            )
        positions[turn.turn_id] = position
    return positions


def _principal(row: PrincipalRow) -> Principal:
    return Principal(row.principal_id, row.role)


def _episode(row: EpisodeRow, checkpoints: Sequence[Checkpoint]) -> GovernanceEpisode:
    return GovernanceEpisode(
        id=row.episode_id,
        domain=row.domain,
        entries=tuple(
            Entry(turn.turn_id, turn.text, _principal(turn.speaker), turn.timestamp, turn.turn_kind)
            for turn in row.turns
        ),
        relationships=tuple(
            Relationship(
                fact.get("type", ""),
                tuple((name, value) for name, value in fact.items() if name != "type"),
            )
            for fact in row.entities.relationships or ()
        ),
        checkpoints=tuple(checkpoints),
    )


def _checkpoint(row: CheckpointRow, as_of: int, origin: str) -> Checkpoint:
    return Checkpoint(
        id=row.checkpoint_id,
        requester=_principal(row.asker),
        question=row.query_text,
        as_of=as_of,
        annotation=Annotation(
            category=Category(row.query_type),
            attack_type=(row.attack_type or "").strip(),
            expected_action=row.expected_action,
            include=tuple(row.judge_spec.include or ()),
            not_include=tuple(row.judge_spec.not_include or ()),
            leak_targets=tuple(row.leak_targets or ()),
            origin=origin,
        ),
    )
