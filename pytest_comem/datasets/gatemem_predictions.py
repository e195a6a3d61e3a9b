"""Predictions in the formats of GateMem's release, for scoring what others have run.

The release accepts two layouts: ``action``, ``answer`` and ``answer_structured`` at the top level
of a row, or under ``output``. Where a row has both, ``output`` wins for every key that it has.
The exposed context is read from ``output`` only, as the release does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from pydantic import BaseModel, ConfigDict, model_validator

from pytest_comem.core.replies import Reply
from pytest_comem.datasets.gatemem_rows import Id
from pytest_comem.datasets.jsonl import read_rows
from pytest_comem.errors import DataError

_REPLY_KEYS: Final = ("action", "answer", "answer_structured")


@final
@dataclass(frozen=True, slots=True)
class Prediction:
    """One row of a predictions file.

    :param checkpoint_id: which checkpoint it answers.
    :param reply: action and answer as given; a missing or null one is empty.
    :param context: the exposed context, or ``None`` where the row does not say.
    :param line: 1-based line of the file.
    """

    checkpoint_id: str
    reply: Reply
    context: str | None
    line: int


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class _ReplyRow(_Row):
    action: str | None = None
    answer: str | None = None
    answer_structured: Any = None


class _PassageRow(_Row):
    """One item of ``retrieved_memory``: an object with ``text``, or the text itself."""

    text: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _accept_text(cls, value: Any) -> Any:
        return {"text": value} if value is None or isinstance(value, str) else value


class _PromptContextRow(_Row):
    text: str | None = None


class _AuditRow(_Row):
    prompt_context: _PromptContextRow | None = None


class _OutputRow(_ReplyRow):
    memory_audit: _AuditRow | None = None
    prompt_memory_block: str | None = None
    retrieved_memory: list[_PassageRow] | None = None


class _PredictionRow(_ReplyRow):
    checkpoint_id: Id
    output: _OutputRow | None = None


def read_predictions(path: Path) -> Iterator[Prediction]:
    """Yield the predictions of a file, in order.

    :raises DataError: at the first malformed row, with file, line and field; where there is none.
    """
    line = 0
    for line, row in read_rows(path, _PredictionRow, str(path)):
        if row.output is None and row.model_fields_set.isdisjoint(_REPLY_KEYS):
            raise DataError(
                f"the row has neither 'output' nor any of {', '.join(_REPLY_KEYS)}",
                file=str(path),
                line=line,
                field="output",
            )
        yield Prediction(row.checkpoint_id, _reply(row), _context(row.output), line)
    if not line:
        raise DataError("holds no predictions", file=str(path))


def _reply(row: _PredictionRow) -> Reply:
    def value(key: str) -> Any:
        if row.output is not None and key in row.output.model_fields_set:
            return getattr(row.output, key)
        return getattr(row, key)

    return Reply(value("action") or "", value("answer") or "", value("answer_structured"))


def _context(output: _OutputRow | None) -> str | None:
    """Return everything the row says was exposed, each passage once, or ``None``.

    The release scans all three places together, so the context is their union. A passage that
    already stands in it as whole lines is not added again: it could only meet a neighbour that it
    never had in the prompt.
    """
    if output is None:
        return None
    audit = output.memory_audit.prompt_context if output.memory_audit else None
    stated = (audit.text if audit else None, output.prompt_memory_block)
    if output.retrieved_memory is None and stated == (None, None):
        return None
    passages = (passage.text for passage in output.retrieved_memory or ())
    context = ""
    for piece in (*stated, *passages):
        if piece and f"\n{piece}\n" not in f"\n{context}\n":
            context = f"{context}\n{piece}" if context else piece
    return context
