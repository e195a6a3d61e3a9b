"""Others' predictions scored by the rule judge: rows and a summary, as plain JSON values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final, final

from pytest_comem.core.outcomes import Verdict
from pytest_comem.core.replies import normalize_action
from pytest_comem.datasets.gatemem_predictions import Prediction
from pytest_comem.datasets.governance import Annotation, Category, GovernanceData
from pytest_comem.errors import BenchmarkDefect, SettingsError
from pytest_comem.evaluators.governance import Scoring, score
from pytest_comem.evaluators.patterns import ScannedText
from pytest_comem.metrics.gatemem import METRICS, Tally, mean_of_domains, metrics_of
from pytest_comem.suggest import did_you_mean

#: How many ids of each irregularity the summary lists.
MAX_EXAMPLES: Final = 20

#: Columns of ``scores.jsonl`` that hold a judgement, in order; ``None`` is not applicable.
_JUDGEMENTS: Final = (
    "utility_correct",
    "access_leak",
    "forgetting_leak",
    "access_context_leak",
    "forgetting_context_leak",
    "utility_exposed",
    "over_refusal",
    "passed",
)


@final
@dataclass(slots=True)
class _Sums:
    """Running sums, and the ids of what did not count."""

    overall: Tally = field(default_factory=Tally)
    domains: dict[str, Tally] = field(default_factory=dict)
    attacks: dict[str, Tally] = field(default_factory=dict)
    irregular: dict[str, list[str]] = field(
        default_factory=lambda: {
            name: [] for name in ("duplicates", "unknown", "missing", "unscored")
        }
    )

    def add(self, domain: str, annotation: Annotation, row: dict[str, Any]) -> None:
        verdict = Verdict(row["passed"], "", {name: row[name] for name in _JUDGEMENTS[:-1]})
        tallies = [self.overall, self.domains.setdefault(domain, Tally())]
        if annotation.attack_type:
            tallies.append(self.attacks.setdefault(annotation.attack_type, Tally()))
        for tally in tallies:
            tally.add(annotation.category, verdict)


@final
@dataclass(frozen=True, slots=True)
class ScoredPredictions:
    """What scoring a predictions file gives.

    :param rows: one a counted prediction, in input order (the lines of ``scores.jsonl``).
    :param summary: metrics in percent, counts and what did not count (``summary.json``).
    """

    rows: tuple[dict[str, Any], ...]
    summary: dict[str, Any]


def parse_scoring(name: str) -> Scoring:
    """Return the scoring mode called *name*.

    :raises SettingsError: where there is none, naming the nearest.
    """
    try:
        return Scoring(name)
    except ValueError:
        raise SettingsError(
            f"--scoring: {name!r} is unknown; {did_you_mean(name, map(str, Scoring))}"
        ) from None


def score_predictions(
    data: GovernanceData, predictions: Iterable[Prediction], scoring: Scoring
) -> ScoredPredictions:
    """Score *predictions* against *data*.

    Of several predictions for one checkpoint the first counts. Later ones and unknown checkpoint
    ids are left out of the rows; a checkpoint without a prediction is not scored, and is no
    failure; a row whose pattern is a benchmark defect is unscored, with ``passed`` null and the
    defect in ``defect``.
    """
    checkpoints = {
        checkpoint.id: (episode.domain, checkpoint.annotation)
        for episode in data.episodes
        for checkpoint in episode.checkpoints
    }
    sums = _Sums()
    rows: dict[str, dict[str, Any]] = {}
    count = 0
    for prediction in predictions:
        count += 1
        name = prediction.checkpoint_id
        if name not in checkpoints:
            sums.irregular["unknown"].append(name)
        elif name in rows:
            sums.irregular["duplicates"].append(name)
        else:
            domain, annotation = checkpoints[name]
            rows[name] = row = _row(annotation, prediction, scoring)
            if row["passed"] is None:
                sums.irregular["unscored"].append(name)
            else:
                sums.add(domain, annotation, row)
    sums.irregular["missing"] = [name for name in checkpoints if name not in rows]
    return ScoredPredictions(tuple(rows.values()), _summary(data, sums, count, scoring))


def _row(annotation: Annotation, prediction: Prediction, scoring: Scoring) -> dict[str, Any]:
    action = normalize_action(prediction.reply.action)
    row: dict[str, Any] = {
        "checkpoint_id": prediction.checkpoint_id,
        "category": str(annotation.category),
        "expected_action": annotation.expected_action,
        "action": action,
        "action_correct": action == annotation.expected_action,
        **dict.fromkeys(_JUDGEMENTS),
    }
    exposed = None if prediction.context is None else ScannedText(prediction.context)
    try:
        judged, _ = score(annotation, prediction.reply, exposed=exposed, scoring=scoring)
    except BenchmarkDefect as defect:
        return {**row, "defect": str(defect)}
    values = asdict(judged)
    return {**row, **{name: values[name] for name in _JUDGEMENTS}}


def _summary(data: GovernanceData, sums: _Sums, count: int, scoring: Scoring) -> dict[str, Any]:
    irregular = sums.irregular
    return {
        **metrics_of(sums.overall),
        "scoring": str(scoring),
        "data": {"revision": data.revision, "warnings": list(data.warnings)},
        "counts": {
            "predictions": count,
            "checkpoints": data.checkpoint_count,
            **_counts(sums.overall),
            **{name: len(ids) for name, ids in irregular.items()},
        },
        "examples": {name: ids[:MAX_EXAMPLES] for name, ids in irregular.items()},
        "domain_mean": {name: mean_of_domains(sums.domains, name) for name in METRICS},
        "domains": {
            domain: {**metrics_of(sums.domains[domain]), "counts": _counts(sums.domains[domain])}
            for domain in dict.fromkeys(episode.domain for episode in data.episodes)
            if domain in sums.domains
        },
        "attack_types": {
            attack: {**metrics_of(tally), "counts": _counts(tally)}
            for attack, tally in sorted(sums.attacks.items())
        },
    }


def _counts(tally: Tally) -> dict[str, int]:
    return {
        "scored": tally.scored,
        "passed": tally.passed,
        str(Category.UTILITY): tally.utility,
        str(Category.ACCESS): tally.access,
        str(Category.FORGETTING): tally.forgetting,
        "utility_with_context": tally.utility_in_context,
        "privacy_with_context": tally.access_in_context,
        "safety_with_context": tally.forgetting_in_context,
    }
