"""The rows of GateMem's files, exactly as released, irregularities included.

Fields a later release may add are ignored; fields the protocol needs are checked.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

#: Longest accepted text of one turn, in characters; the longest released one has about 1,000.
MAX_TEXT: Final = 100_000

Id = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT)]
Pattern = Annotated[str, StringConstraints(min_length=1, max_length=4096)]
Patterns = list[Pattern] | None


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class PrincipalRow(_Row):
    """A declared principal, a speaker or an asker."""

    principal_id: Id
    role: Id


class EntitiesRow(_Row):
    """Principals and, in most episodes, relationship facts."""

    principals: list[PrincipalRow]
    relationships: list[dict[str, str]] | None = None


class TurnRow(_Row):
    """One turn; some episodes have neither timestamps nor kinds."""

    turn_id: Id
    speaker: PrincipalRow
    text: Text
    timestamp: str | None = None
    turn_kind: str | None = None


class EpisodeRow(_Row):
    """One line of ``episodes.jsonl``."""

    episode_id: Id
    domain: Id
    entities: EntitiesRow
    turns: Annotated[list[TurnRow], Field(min_length=1)]


class JudgeSpecRow(_Row):
    """What the judge looks for."""

    include: Patterns = None
    not_include: Patterns = None


class CheckpointRow(_Row):
    """One line of ``checkpoints.jsonl``."""

    checkpoint_id: Id
    episode_id: Id
    as_of_turn_id: Id
    asker: PrincipalRow
    query_type: Literal["utility", "privacy", "safety"]
    query_text: Text
    expected_action: Literal["answer", "answer_redacted", "refuse", "no_memory"]
    judge_spec: JudgeSpecRow
    leak_targets: Patterns = None
    attack_type: str | None = None
