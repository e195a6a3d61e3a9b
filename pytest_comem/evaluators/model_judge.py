"""The model judge of GateMem (protocol, "LLM judge"): a model reads the reply's text, once.

Only the finding on the text is the model's. Actions, exposure and what follows for the checkpoint
are decided by the same rules as for the rule judge, whose finding is recorded beside.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, final

from pytest_comem.core.entries import Query
from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.outcomes import Verdict
from pytest_comem.core.replies import Reply
from pytest_comem.datasets.governance import Annotation, Category
from pytest_comem.errors import InfrastructureError
from pytest_comem.evaluators.governance import (
    EXPOSED,
    GovernanceScore,
    Scoring,
    assess,
    explain,
    find_by_rules,
    measures_of,
    scanned_text,
    targets,
)
from pytest_comem.evaluators.model_verdict import (
    MEMBERS,
    SCHEMA,
    ModelVerdict,
    read_verdict,
    safe_note,
)
from pytest_comem.evaluators.patterns import ScannedText, is_regular_expression
from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.meter import Meter
from pytest_comem.llm.prompts import Prompt
from pytest_comem.llm.structured import StructuredModel, Unparsable

if TYPE_CHECKING:
    from pytest_comem.llm.door import Door

#: To be raised when this module words something differently: the prompt's version is its file's.
WORDING: Final = 1
#: How often the model is asked for a verdict that can be read.
ATTEMPTS: Final = 3

_KINDS: Final[Mapping[Category, tuple[str, str]]] = {
    Category.UTILITY: ("utility", "Required elements"),
    Category.ACCESS: ("access control", "Protected values"),
    Category.FORGETTING: ("active forgetting", "Deleted values"),
}
_FINDINGS: Final[Mapping[tuple[Category, bool], str]] = {
    (Category.UTILITY, True): "every required element stated",
    (Category.UTILITY, False): "a required element not stated",
    (Category.ACCESS, True): "protected content revealed",
    (Category.ACCESS, False): "no protected content revealed",
    (Category.FORGETTING, True): "deleted content revealed",
    (Category.FORGETTING, False): "no deleted content revealed",
}


@final
class ModelJudge:
    """Judges by asking a model, at temperature 0.

    :param door: makes the calls.
    :param spec: the model; its temperature is replaced.
    :param scoring: how actions count.
    :param structured: how the verdict's form is asked for, as :class:`StructuredModel` has it.
    """

    def __init__(
        self, door: Door, spec: ModelSpec, *, scoring: Scoring, structured: str = "auto"
    ) -> None:
        calm = replace(spec, parameters={**spec.parameters, "temperature": 0.0})
        self._model = StructuredModel(door, calm, structured=structured)
        self._prompt = Prompt.load("pytest_comem.evaluators", "governance_judge")
        self._scoring = scoring
        asked = [self._prompt.version, WORDING, SCHEMA, ATTEMPTS]
        version = stable_hash([asked, structured, calm.parameters, calm.server])[:8]
        #: The model, and the version of what it is asked and how.
        self.name: Final = f"{spec.name}@{version}"

    def judge(
        self,
        annotation: Annotation,
        query: Query,
        reply: Reply,
        *,
        exposed: ScannedText,
        meter: Meter,
    ) -> Verdict:
        """Return the verdict on one reply.

        :raises BenchmarkDefect: where one of the row's patterns cannot be matched in bounded time.
        :raises InfrastructureError: of type ``judge`` where the model gives no readable verdict.
        :raises ModelCallError: where the call failed for good.
        """
        by_rules, _ = find_by_rules(annotation, reply)
        said = self._ask(annotation, query, reply, meter)
        row = assess(annotation, reply, said.finding, exposed=exposed, scoring=self._scoring)
        note = safe_note(annotation, said.note)
        why = self._why(row, said.finding, note)
        return Verdict(
            passed=row.passed,
            reason="" if row.passed else explain(annotation, query.text, reply, row, why),
            measures=measures_of(row),
            evidence={
                "judge": {"finding": said.finding, "note": note},
                "rules": {"finding": by_rules},
            },
        )

    def _ask(
        self, annotation: Annotation, query: Query, reply: Reply, meter: Meter
    ) -> ModelVerdict:
        kind, heading = _KINDS[annotation.category]
        messages = self._prompt.messages(
            kind=kind,
            heading=heading,
            listed=_listed(targets(annotation)),
            question=fenced("QUESTION", query.text),
            text=fenced("REPLY", scanned_text(reply).raw),
            member=MEMBERS[annotation.category],
        )
        try:
            return self._model.ask(
                messages,
                meter=meter,
                schema=SCHEMA,
                schema_name="verdict",
                parse=partial(read_verdict, annotation.category),
                attempts=ATTEMPTS,
            )
        except Unparsable as error:
            raise InfrastructureError(
                f"the judge {self.name} gave no readable verdict: {error.problem}", type="judge"
            ) from None

    def _why(self, row: GovernanceScore, finding: bool, note: str) -> str:
        exposed = EXPOSED if row.utility_exposed and not finding else ""
        noted = f", noting {note!r}" if note else ""
        return (
            f"the model judge {self.name} decided: {_FINDINGS[row.category, finding]}"
            f"{exposed}{noted}"
        )


def fenced(name: str, text: str) -> str:
    """Return *text* between two lines that it cannot contain, always the same for the same text."""
    digits = _digits(text)
    attempt = 0
    while digits in text:
        attempt += 1
        digits = _digits(f"{attempt}:{text}")
    return f"BEGIN {name} {digits}\n{text}\nEND {name} {digits}"


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _listed(patterns: tuple[str, ...]) -> str:
    """Return the row's patterns a line each, numbered; a JSON string cannot end its line."""
    if not patterns:
        return "(none is listed)"
    return "\n".join(
        f"{number}. {'regular expression' if is_regular_expression(pattern) else 'words'}: "
        f"{json.dumps(pattern, ensure_ascii=False)}"
        for number, pattern in enumerate(patterns, start=1)
    )
