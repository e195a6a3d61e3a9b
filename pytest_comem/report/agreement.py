"""How two judges agree on a run, as a table or as JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.records import read_outcomes
from pytest_comem.errors import DataError, SettingsError
from pytest_comem.evaluators.judging import RULES, RULES_NAME
from pytest_comem.metrics.agreement import (
    LEFT_OUT,
    OTHER_REPLY,
    UNMATCHED,
    UNSCORED,
    Agreement,
    Comparison,
    compare_runs,
    compare_with_rules,
)
from pytest_comem.report.tables import console_on
from pytest_comem.suggest import did_you_mean

#: Forms of the report.
FORMATS: Final = ("table", "json")

_TITLES: Final = {
    "utility": "elements stated (U)",
    "privacy": "content leaked (A)",
    "safety": "deleted revealed (F)",
    "passed": "verdict passed",
}
_NOTES: Final = {
    UNSCORED: "without a verdict",
    UNMATCHED: "in one of the runs only",
    OTHER_REPLY: "with another reply, question or data revision",
}


@final
@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Two judges compared.

    :param first: name of the judge of the run.
    :param second: name of the other.
    :param scoring: how actions counted in both.
    """

    first: str
    second: str
    scoring: str
    comparison: Comparison


@final
class _Reader:
    """Reads a run's outcomes, and keeps who judged them how."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._judges: dict[str, None] = {}
        self._scorings: dict[str, None] = {}

    def __iter__(self) -> Iterator[Outcome]:
        for outcome in read_outcomes(self._run):
            if outcome.step.suite == "gatemem":
                self._judges[outcome.judge] = None
                self._scorings[outcome.scoring] = None
                yield outcome

    @property
    def judge(self) -> str:
        """The one judge of the run.

        :raises DataError: where there is none, or there are several.
        """
        return self._one(self._judges, "judge")

    @property
    def scoring(self) -> str:
        """The one scoring mode of the run.

        :raises DataError: where there is none, or there are several.
        """
        return self._one(self._scorings, "scoring mode")

    def _one(self, found: Mapping[str, None], what: str) -> str:
        if not found:
            raise DataError("holds no GateMem outcome", file=str(self._run))
        if len(found) > 1:
            raise DataError(
                f"holds outcomes of more than one {what} ({', '.join(found)})", file=str(self._run)
            )
        return next(iter(found))


def agreement_of(run: Path, against: str) -> JudgeAgreement:
    """Compare the judge of *run* with the rules or with the judge of another run.

    :param against: ``rules``, or another run over the same replies.
    :raises DataError: where a run cannot be read, or records nothing to compare.
    :raises SettingsError: where the two cannot be compared.
    """
    if against == RULES:
        return _against_rules(run)
    other = Path(against)
    if not other.exists():
        raise SettingsError(
            f"--against: {against!r} is neither {RULES!r} nor a run directory that exists"
        )
    first, second = _Reader(run), _Reader(other)
    try:
        comparison = compare_runs(first, second)
    except (KeyError, ValueError) as error:
        raise DataError(_told(error), file=f"{run} or {other}") from None
    if first.scoring != second.scoring:
        raise SettingsError(
            f"--against: {run} has {first.scoring} scoring and {other} {second.scoring}; verdicts "
            "can only be compared under the same scoring"
        )
    found = JudgeAgreement(first.judge, second.judge, first.scoring, comparison)
    return _not_empty(found, run)


def _against_rules(run: Path) -> JudgeAgreement:
    reader = _Reader(run)
    try:
        comparison = compare_with_rules(_judged_by_a_model(reader, run))
    except (KeyError, ValueError) as error:
        raise DataError(_told(error), file=str(run)) from None
    return _not_empty(JudgeAgreement(reader.judge, RULES_NAME, reader.scoring, comparison), run)


def _judged_by_a_model(outcomes: Iterable[Outcome], run: Path) -> Iterator[Outcome]:
    for outcome in outcomes:
        if outcome.judge == RULES_NAME:
            raise SettingsError(
                f"--against: {run} was judged by the rules itself; name a run over the same "
                "replies that another judge has judged"
            )
        yield outcome


def _not_empty(found: JudgeAgreement, run: Path) -> JudgeAgreement:
    if not found.comparison.compared:
        why = "; ".join(_left_out(found.comparison))
        raise DataError(f"has no step that both judges have judged ({why})", file=str(run))
    return found


def _told(error: KeyError | ValueError) -> str:
    if isinstance(error, KeyError):
        return f"an outcome has no label {error}"
    return str(error)


def parse_format(name: str) -> str:
    """Return *name*, where it is one of :data:`FORMATS`.

    :raises SettingsError: where it is not, naming the nearest.
    """
    if name not in FORMATS:
        raise SettingsError(f"--format: {name!r} is unknown; {did_you_mean(name, FORMATS)}")
    return name


def as_json(found: JudgeAgreement) -> str:
    """Return the comparison as indented JSON; undefined figures are ``null``."""
    comparison = found.comparison
    value = {
        "judges": [found.first, found.second],
        "scoring": found.scoring,
        "overall": {name: _figures(row) for name, row in comparison.overall.items()},
        "systems": [
            {
                "system": system,
                "model": model,
                **{name: _figures(row) for name, row in rows.items()},
            }
            for (system, model), rows in comparison.systems.items()
        ],
        "left_out": {reason: comparison.left_out[reason] for reason in LEFT_OUT},
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _figures(row: Agreement) -> dict[str, Any]:
    return {
        "n": row.n,
        "both": row.both,
        "first_only": row.first,
        "second_only": row.second,
        "neither": row.neither,
        "agreement": row.agreement,
        "kappa": row.kappa,
    }


def as_table(found: JudgeAgreement, width: int) -> str:
    """Return the comparison as text.

    :param width: columns to fill at most.
    """
    out = io.StringIO()
    console = console_on(out, width)
    console.print(Text(f"1st judge: {found.first}"))
    console.print(Text(f"2nd judge: {found.second}"))
    console.print()
    console.print(_table(found.comparison))
    console.print(
        Text(
            "both, 1st, 2nd, none: of how many steps both, one or none of the judges say it. "
            "agree: percent of n on which they say the same. kappa: agreement beyond chance "
            "(Cohen), at best 1; - where both say the same throughout. Findings are on the text "
            f"alone; verdicts also count the action ({found.scoring} scoring)."
        )
    )
    for line in _left_out(found.comparison):
        console.print(Text(f"left out: {line}"))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _table(comparison: Comparison) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("system / what", overflow="fold", min_width=12)
    for head in ("n", "both", "1st", "2nd", "none", "agree", "kappa"):
        table.add_column(head, justify="right", no_wrap=True)
    for (system, model), rows in comparison.systems.items():
        table.add_row(Text(f"{system}, {model}"))
        _add_rows(table, rows)
    if len(comparison.systems) > 1:
        table.add_row(Text("all systems"))
        _add_rows(table, comparison.overall)
    return table


def _add_rows(table: Table, rows: Mapping[str, Agreement]) -> None:
    for name, row in rows.items():
        counts = (row.n, row.both, row.first, row.second, row.neither)
        agreement = "-" if row.agreement is None else f"{row.agreement:.1f}"
        kappa = "-" if row.kappa is None else f"{row.kappa:.3f}"
        table.add_row(f"  {_TITLES[name]}", *map(str, counts), agreement, kappa)
    table.add_section()


def _left_out(comparison: Comparison) -> list[str]:
    """Return how many steps are not compared, a clause a reason."""
    return [
        f"{count} step{'' if count == 1 else 's'} {_NOTES[reason]}"
        for reason in LEFT_OUT
        if (count := comparison.left_out[reason])
    ]
