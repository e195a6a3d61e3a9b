"""What a run says on GitHub Actions: the job's summary, and annotations.

Both are plain text in a file and on standard output, so they need no token and work in pull
requests from forks. Nothing a memory or a model says can become a workflow command: messages are
escaped by GitHub's rules (``actions/toolkit``, ``core/src/command.ts``), and every command is a
line of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from pytest_comem.baseline.standing import step_id
from pytest_comem.core.outcomes import Attribution
from pytest_comem.core.printable import printable
from pytest_comem.engine.runs import RecordedRun
from pytest_comem.gate.results import Result
from pytest_comem.metrics.quarantine import defects_told
from pytest_comem.report.blocks import Paragraph
from pytest_comem.report.markdown import as_markdown
from pytest_comem.report.paper import PaperRows
from pytest_comem.report.recorded_changes import held_against
from pytest_comem.report.run_blocks import gate_of, run_blocks
from pytest_comem.report.scorecard import without_step
from pytest_comem.secrets import without_secrets

#: GitHub drops a step's summary that is larger than 1 MiB; other steps of ours need room too.
SUMMARY_BYTES: Final = 1_000_000
#: GitHub shows this many annotations of a level in a step.
MOST_ANNOTATIONS: Final = 10
#: Lengths of listings that are tried until the summary is small enough.
_LENGTHS: Final = (200, 50, 10, 0)
#: Characters of a message.
_LONGEST: Final = 1000


@final
@dataclass(frozen=True, slots=True)
class Annotation:
    """A message that GitHub shows with a run.

    :param level: ``error`` or ``warning``.
    :param file: of the repository, or empty.
    """

    level: str
    title: str
    message: str
    file: str = ""

    def __str__(self) -> str:
        """Return the workflow command, one line whatever the message."""
        properties = {"file": self.file, "title": self.title}
        told = ",".join(f"{name}={_property(text)}" for name, text in properties.items() if text)
        return f"::{self.level} {told}::{_message(self.message)}"


def summary_of(
    run: RecordedRun,
    *,
    paper: PaperRows | None = None,
    limit: int = SUMMARY_BYTES,
) -> str:
    """Return a run as markdown of at most *limit* bytes, with shorter lists where it has to be."""
    text = ""
    for most in _LENGTHS:
        text = as_markdown(run_blocks(run, paper=paper, most=most))
        text = without_secrets(text)
        if len(text.encode()) <= limit:
            return text
    note = as_markdown([Paragraph(("The summary is cut: it would be too long.",))])
    room = limit - len(note.encode()) - 1
    kept = text.encode()[: max(0, room)].decode(errors="ignore")
    # Whole lines only: half a tag or half a code span would swallow what follows.
    return f"{kept[: kept.rfind(chr(10)) + 1]}\n{note}"


def write_summary(text: str, environment: Mapping[str, str]) -> str | None:
    """Append *text* to the job's summary, and return why that was not possible, or ``None``."""
    path = environment.get("GITHUB_STEP_SUMMARY", "")
    if not path:
        return "GITHUB_STEP_SUMMARY is not set, so the job's summary is not written"
    try:
        with Path(path).open("a", encoding="utf-8", errors="replace") as file:
            file.write(f"{text}\n")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return f"the job's summary {path} cannot be written: {reason}"
    return None


def annotations_of(
    run: RecordedRun, *, baseline_file: str = "", rules_file: str = ""
) -> list[Annotation]:
    """Return a run's annotations, at most :data:`MOST_ANNOTATIONS` of a kind.

    The last of a kind that has more says how many.

    :param baseline_file: the baseline within the repository, or empty.
    :param rules_file: where the gate's rules stand within the repository, or empty.
    """
    kinds = (
        list(_of_rules(run, rules_file)),
        list(_of_regressions(run, baseline_file)),
        list(_of_infrastructure(run)),
        list(_of_defects(run)),
    )
    return [each for kind in kinds for each in _at_most(kind)]


def _at_most(found: list[Annotation]) -> list[Annotation]:
    if len(found) <= MOST_ANNOTATIONS:
        return found
    kept = found[: MOST_ANNOTATIONS - 1]
    left = len(found) - len(kept)
    last = found[0]
    return [*kept, Annotation(last.level, last.title, f"and {left:,} more", last.file)]


def _of_rules(run: RecordedRun, file: str) -> Iterator[Annotation]:
    gate = gate_of(run)
    for ruling in gate.rulings if gate else ():
        if ruling.result is not Result.PASS:
            level = "error" if ruling.result is Result.FAIL else "warning"
            who = " with ".join(filter(None, (ruling.system, ruling.model)))
            message = ": ".join(filter(None, (ruling.rule, who, ruling.reason)))
            yield Annotation(level, f"gate {ruling.result}", message, file)


def _of_regressions(run: RecordedRun, file: str) -> Iterator[Annotation]:
    held = held_against(run)
    for row, found in held.rows.items() if held else ():
        failing = {
            step_id(each): each
            for each in run.rows.get(row, ())
            if each.verdict is not None and not each.passed
        }
        for step in found.regressions:
            if (outcome := failing.get(step)) is not None:
                message = f"{outcome.step.label}: {outcome.reason}"
                yield Annotation("error", "regression", message, file)
        for metric, points in found.worse.items():
            message = f"{row[1]} with {row[2]}: {metric} is worse by {points:.1f} points"
            yield Annotation("error", "regression", message, file)


def _of_infrastructure(run: RecordedRun) -> Iterator[Annotation]:
    counts: dict[str, int] = {}
    for outcome in run.outcomes:
        failure = outcome.failure
        if outcome.verdict is not None or failure is None:
            continue
        if failure.attribution is Attribution.INFRASTRUCTURE:
            reason = without_step(outcome.reason)
            counts[reason] = counts.get(reason, 0) + 1
    for reason, count in counts.items():
        steps = "step is" if count == 1 else "steps are"
        yield Annotation("error", "infrastructure", f"{count:,} {steps} unscored: {reason}")


def _of_defects(run: RecordedRun) -> Iterator[Annotation]:
    for told in defects_told(run.outcomes):
        yield Annotation("warning", "benchmark defect", told)


def _message(text: str) -> str:
    shown = printable(without_secrets(text)[:_LONGEST], keep="\n")
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
