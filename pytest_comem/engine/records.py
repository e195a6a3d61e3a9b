"""Outcomes as JSON: one line a step, written and read back without loss."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Final

from pytest_comem.core.outcomes import (
    Attribution,
    Failure,
    Outcome,
    SystemInfo,
    Usage,
    Verdict,
)
from pytest_comem.core.recall import Recall, RecallItem, Withheld, WithheldReason
from pytest_comem.core.replies import Reply
from pytest_comem.core.steps import Step
from pytest_comem.errors import DataError

#: Name of the outcomes' file in a run directory.
OUTCOMES: Final = "outcomes.jsonl"

#: Made once: ``json.dumps`` makes one for every call that is not in its default form.
_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_TEXTS: Final = ("key", "suite", "data", "domain", "episode", "step", "model", "judge", "scoring")
_FORM: Final[Mapping[str, type]] = {
    **dict.fromkeys(_TEXTS, str),
    "position": int,
    **dict.fromkeys(("system", "labels", "query", "usage"), dict),
}
_LATER: Final[Mapping[str, type | UnionType]] = {
    "model_label": str,
    "repeat": int | None,
    "notice": str,
}
_USAGE: Final[Mapping[str, type | UnionType]] = {
    "seconds": int | float,
    "tokens": int,
    "cost": int | float | None,
    "calls": int,
    "retries": int,
}


def to_record(outcome: Outcome) -> dict[str, Any]:
    """Return *outcome* as plain JSON values.

    Between equal runs only ``usage.*.seconds`` varies, and with live calls what they cost.
    """
    step = outcome.step
    return {
        "key": outcome.key,
        "suite": step.suite,
        "data": outcome.data,
        "domain": step.domain,
        "episode": step.episode,
        "step": step.id,
        "position": step.position,
        "repeat": step.repeat,
        "system": {
            "name": outcome.system.name,
            "version": outcome.system.version,
            "configuration": outcome.system.configuration,
            "reference": outcome.system.reference,
            "top_k": outcome.system.top_k,
            **({} if outcome.system.budget is None else {"budget": outcome.system.budget}),
        },
        "model": outcome.model,
        "model_label": step.model,
        "judge": outcome.judge,
        "scoring": outcome.scoring,
        "labels": dict(outcome.labels),
        "query": dict(outcome.query),
        "reply": _reply_record(outcome.reply),
        "recall": _recall_record(outcome.recall),
        "verdict": _verdict_record(outcome.verdict),
        "failure": _failure_record(outcome.failure),
        "usage": {phase: _usage_record(usage) for phase, usage in outcome.usage.items()},
        **({} if outcome.notice is None else {"notice": outcome.notice}),
        "attempt": 1,
    }


def _usage_record(usage: Usage) -> dict[str, Any]:
    return {
        "seconds": round(usage.seconds, 6),
        "tokens": usage.tokens,
        # Ten digits hold the price of one token, and hide how a sum was rounded.
        "cost": None if usage.cost is None else round(usage.cost, 10),
        "calls": usage.calls,
        "retries": usage.retries,
    }


def _reply_record(reply: Reply | None) -> dict[str, Any] | None:
    if reply is None:
        return None
    return {"action": str(reply.action), "text": reply.text, "structured": reply.structured}


def _recall_record(recall: Recall | None) -> dict[str, Any] | None:
    if recall is None:
        return None
    return {
        "items": [
            {
                "text": item.text,
                "score": None if item.score is None else round(float(item.score), 6),
                "source_ids": item.source_ids,
            }
            for item in recall.items
        ],
        "withheld": [
            {
                "reason": str(kept.reason),
                "score": None if kept.score is None else round(float(kept.score), 6),
                "source_ids": kept.source_ids,
            }
            for kept in recall.withheld
        ],
        "enforced_access": recall.enforced_access,
        "enforced_deletion": recall.enforced_deletion,
    }


def _verdict_record(verdict: Verdict | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    return {
        "passed": verdict.passed,
        "reason": verdict.reason,
        "measures": dict(verdict.measures),
        "evidence": dict(verdict.evidence),
    }


def _failure_record(failure: Failure | None) -> dict[str, str] | None:
    if failure is None:
        return None
    return {
        "attribution": str(failure.attribution),
        "type": failure.type,
        "message": failure.message,
    }


def to_line(record: dict[str, Any]) -> str:
    """Return one line of JSON with its newline; a lone surrogate stands in it as an escape."""
    line = _COMPACT.encode(record) + "\n"
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return line.encode("utf-8", "backslashreplace").decode("utf-8")
    return line


def size_of(file: Path) -> int:
    """Return the bytes of a file of outcomes, none where it is not there."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def read_records(run: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield ``(line, record)`` of a run directory's outcomes.

    :raises DataError: where there are none or a line is not an outcome.
    """
    path = run / OUTCOMES if run.is_dir() else run
    if not path.is_file():
        raise DataError(f"holds no {OUTCOMES}; name a run directory of pytest-comem", file=str(run))
    with path.open("rb") as file:
        for line, raw in enumerate(file, start=1):
            try:
                record = json.loads(raw)
            except ValueError as error:
                instead = "" if line > 1 else f"; name a run directory or its {OUTCOMES}"
                raise DataError(f"not JSON: {error}{instead}", file=str(path), line=line) from None
            if not isinstance(record, dict):
                raise DataError("not a JSON object", file=str(path), line=line)
            yield line, record


def read_outcomes(run: Path) -> Iterator[Outcome]:
    """Yield the outcomes of a run directory, in file order.

    :raises DataError: as :func:`read_records`, and where a field is missing or of another type.
    """
    for line, record in read_records(run):
        try:
            yield from_record(record)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"not an outcome of this version ({type(error).__name__}: {error})",
                file=str(run / OUTCOMES if run.is_dir() else run),
                line=line,
            ) from None


def from_record(record: dict[str, Any]) -> Outcome:
    """Return the outcome that :func:`to_record` wrote.

    Lines of older versions are read as well, which know nothing of repeats, models beside each
    other, calls and prices.

    :raises KeyError, TypeError, ValueError: where it is none.
    """
    _check(record, _FORM)
    _check_later(record, _LATER)
    reply, recall, verdict, failure = (
        record[name] for name in ("reply", "recall", "verdict", "failure")
    )
    return Outcome(
        key=record["key"],
        step=Step(
            suite=record["suite"],
            system=record["system"]["name"],
            domain=record["domain"],
            episode=record["episode"],
            id=record["step"],
            position=record["position"],
            model=record.get("model_label", ""),
            repeat=record.get("repeat"),
        ),
        data=record["data"],
        system=SystemInfo(**record["system"]),
        model=record["model"],
        judge=record["judge"],
        scoring=record["scoring"],
        labels=record["labels"],
        query=record["query"],
        reply=None if reply is None else Reply(**reply),
        recall=None if recall is None else _recall(recall),
        verdict=None if verdict is None else _verdict(verdict),
        failure=None
        if failure is None
        else Failure(Attribution(failure["attribution"]), failure["type"], failure["message"]),
        usage={phase: _usage(usage) for phase, usage in record["usage"].items()},
        notice=record.get("notice"),
    )


def _check(record: dict[str, Any], form: Mapping[str, type | UnionType]) -> None:
    for name, kind in form.items():
        if not isinstance(record[name], kind):
            raise TypeError(f"{name} is no {getattr(kind, '__name__', kind)}")


def _check_later(record: dict[str, Any], form: Mapping[str, type | UnionType]) -> None:
    """Check the fields that lines of older versions do not have."""
    _check(record, {name: kind for name, kind in form.items() if name in record})


def _usage(record: dict[str, Any]) -> Usage:
    _check_later(record, _USAGE)
    return Usage(**record)


def _verdict(record: dict[str, Any]) -> Verdict:
    _check(record, {"passed": bool, "reason": str, "measures": dict, "evidence": dict})
    return Verdict(**record)


def _recall(record: dict[str, Any]) -> Recall:
    return Recall(
        items=tuple(
            RecallItem(item["text"], item["score"], tuple(item["source_ids"]))
            for item in record["items"]
        ),
        withheld=tuple(
            Withheld(WithheldReason(kept["reason"]), kept["score"], tuple(kept["source_ids"]))
            for kept in record["withheld"]
        ),
        enforced_access=record["enforced_access"],
        enforced_deletion=record["enforced_deletion"],
    )
