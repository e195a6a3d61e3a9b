"""The papers' rows beside a run's: which ones, and what keeps them from being comparable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.datasets.reference import Reference, load_reference
from pytest_comem.metrics.contextweave_counts import OFFICE
from pytest_comem.metrics.sample import StepKey, step_key
from pytest_comem.metrics.workflow_plays import WORKFLOWS
from pytest_comem.report.office_paper import OfficePaper, office_paper
from pytest_comem.report.workflow_paper import WorkflowPaper, workflow_paper

_SUITE: Final = "gatemem"
_NOT_LETTERS: Final = re.compile(r"[^a-z0-9]+")


@final
@dataclass(frozen=True, slots=True)
class PaperRow:
    """A method of a paper: the mean over the domains that the run played.

    :param method: as the paper calls it.
    :param system: the memory system here that does the same.
    :param backbone: the model that answered.
    :param values: percent by metric.
    """

    method: str
    system: str
    backbone: str
    values: Mapping[str, float]


@final
@dataclass(frozen=True, slots=True)
class PaperRows:
    """The rows of papers to be shown, and what has to be said beside them.

    :param rows: in the paper's order.
    :param notes: how the paper's protocol differs from the run's, a sentence each.
    :param workflows: what CoMemBench's paper says, where the run has workflows; the others are of
        GateMem's.
    :param tasks: what ContextWeave's paper says, where the run has scored office tasks.
    """

    rows: tuple[PaperRow, ...]
    notes: tuple[str, ...]
    workflows: WorkflowPaper | None = None
    tasks: OfficePaper | None = None


@final
@dataclass(frozen=True, slots=True)
class Conditions:
    """What a run's figures were made under.

    :param data: revisions of the data.
    :param steps: number of scored steps of a row, at most.
    :param workflow_domains: of CoMemBench.
    :param tasks: number of ContextWeave's tasks that a row has scored, at most; everything else is
        GateMem's.
    """

    domains: tuple[str, ...]
    models: tuple[str, ...]
    judges: tuple[str, ...]
    scorings: tuple[str, ...]
    data: tuple[str, ...]
    steps: int
    workflow_domains: tuple[str, ...] = ()
    tasks: int = 0

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Conditions:
        """Return the conditions of the benchmarks' *outcomes*."""
        workflows: dict[str, None] = {}
        found: list[dict[str, None]] = [{} for _ in range(5)]
        scored: dict[tuple[str, str], set[StepKey]] = {}
        tasks: dict[tuple[str, str], set[StepKey]] = {}
        for each in outcomes:
            row = (each.system.name, each.model)
            if each.step.suite == WORKFLOWS:
                workflows.setdefault(each.step.domain)
            if each.step.suite == OFFICE and each.verdict is not None:
                tasks.setdefault(row, set()).add((*step_key(each)[:4], 0))
            if each.step.suite != _SUITE:
                continue
            values = (each.step.domain, each.model, each.judge, each.scoring, each.data)
            for known, value in zip(found, values, strict=True):
                known.setdefault(value)
            if each.verdict is not None:
                scored.setdefault(row, set()).add((*step_key(each)[:4], 0))
        domains, models, judges, scorings, data = (tuple(known) for known in found)
        steps, office = (max(map(len, each.values()), default=0) for each in (scored, tasks))
        return cls(domains, models, judges, scorings, data, steps, tuple(workflows), office)


def paper_rows(conditions: Conditions, reference: Reference | None = None) -> PaperRows:
    """Return the papers' rows for a run under *conditions*; none of a suite it has no steps of.

    Of the paper's models it is those that the run has too, else the paper's first.

    :param reference: the paper; the one that is shipped when not given.
    """
    workflows, tasks = workflow_paper(conditions.workflow_domains), office_paper(conditions.tasks)
    if not conditions.domains:
        return PaperRows((), (), workflows, tasks)
    paper = reference or load_reference(_SUITE)
    same = [name for name in paper.backbones if _is_used(name, conditions.models)]
    backbones = same or list(paper.backbones[:1])
    rows = tuple(
        PaperRow(method, paper.systems[method], backbone, values)
        for backbone in backbones
        for method, values in paper.domain_means(backbone, conditions.domains).items()
    )
    return PaperRows(rows, tuple(_notes(paper, conditions, backbones)), workflows, tasks)


def _notes(paper: Reference, run: Conditions, backbones: Sequence[str]) -> Iterator[str]:
    """Yield the source, then every difference of protocol."""
    yield (
        f"paper: arXiv {paper.arxiv}, mean over the run's domains, answered by "
        f"{', '.join(backbones)} and judged by {paper.judge}; this run: answered by "
        f"{', '.join(run.models)} and judged by {', '.join(run.judges)}"
    )
    why: list[str] = []
    if run.data != (paper.data,):
        why.append(f"its data are {', '.join(run.data)} instead of the released ones")
    elif run.steps < paper.checkpoints:
        why.append(f"it scored {run.steps:,} of {paper.checkpoints:,} checkpoints")
    if run.scorings != (paper.scoring,):
        why.append(f"its scoring is {', '.join(run.scorings)}")
    if why:
        yield f"This run is not comparable with the paper: {'; '.join(why)}."


def _is_used(backbone: str, models: Iterable[str]) -> bool:
    return any(_letters(model.rpartition("/")[2]) == _letters(backbone) for model in models)


def _letters(name: str) -> str:
    return _NOT_LETTERS.sub("", name.lower())
