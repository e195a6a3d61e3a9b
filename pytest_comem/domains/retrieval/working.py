"""The offline worker: deterministic, able, and naive about what it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.domains.choosing import chosen
from pytest_comem.domains.retrieval import contents
from pytest_comem.domains.retrieval.contents import Quotation
from pytest_comem.domains.retrieval.documents import Corpus
from pytest_comem.domains.retrieval.reading import reader
from pytest_comem.domains.retrieval.relations import PARTITIONS, RELATIONS
from pytest_comem.domains.retrieval.searching import ENGINE, ENGINE_VERSION, search_tool
from pytest_comem.domains.retrieval.spans import (
    Span,
    is_exact,
    normal_name,
    passage,
    span_problem,
)
from pytest_comem.domains.retrieval.tools import OPEN, SEARCH
from pytest_comem.executors.domain import Shown, Work
from pytest_comem.language.bm25 import tokenize
from pytest_comem.records.canonical import texts_of
from pytest_comem.workflows.artifacts import Artifact

#: Documents that a search reads.
_TOP: Final = 40
_Inputs = Sequence[Artifact]
_Actions = list[Mapping[str, Any]]


@final
class OfflineWorker:
    """Does the nodes of this domain by search, reading and bookkeeping.

    :param corpus: what its tools open.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._ways: Mapping[Any, Callable[[Shown, _Inputs, _Actions], dict[str, Any]]] = {
            "search": self._search,
            "resolve": self._resolve,
            "answer": self._answer,
            "audit": self._audit,
            "bundle": self._bundle,
            "verify": self._verify,
        }

    def work(self, shown: Shown) -> Work:
        """Return what a node makes of what the worker chooses to rest on."""
        action = shown.view.task.parameters.get("action")
        way = self._ways.get(action) if isinstance(action, str) else None
        inputs, actions = chosen(shown), list[Mapping[str, Any]]()
        content = way(shown, inputs, actions) if way else {}
        read = [shown.view.task.instruction, *(t for one in inputs for t in texts_of(one.content))]
        count = sum(len(tokenize(text)) for text in [*read, *texts_of(content)])
        return Work(
            content,
            tuple(artifact.artifact_id for artifact in inputs),
            tuple(actions),
            {"execution": count},
        )

    def _search(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> dict[str, Any]:
        asked = shown.view.task.parameters
        partition, relation, seeks = (str(asked.get(k)) for k in ("partition", "relation", "seeks"))
        named = (contents.claim(one.content) for one in inputs)
        anchor = str(asked.get("anchor") or next(named, ""))
        findings: list[Quotation] = []
        if anchor and partition in PARTITIONS and relation in RELATIONS and _may(shown, SEARCH):
            query = " ".join([anchor, *RELATIONS[relation].cues])
            read = reader(self._corpus)
            documents = search_tool(self._corpus).search(query, partition, _TOP)
            actions.append({"tool": SEARCH, "partition": partition, "query": query[:1_000]})
            for document in documents:
                found = list(read.find(document, relation, anchor, seeks))
                if found:
                    actions.append({"tool": OPEN, "doc_id": document.doc_id})
                findings += (self._quoted(one.span, one.entity) for one in found)
        return {
            "partition": partition,
            "engine": {"name": ENGINE, "version": ENGINE_VERSION},
            "corpus": self._corpus.sha256,
            "findings": [one.as_json() for one in findings[: contents.MOST]],
        }

    def _quoted(self, span: Span, entity: str = "") -> Quotation:
        return Quotation(span, passage(self._corpus, span), entity)

    def _resolve(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> dict[str, Any]:
        entity, evidence = _agreed(inputs)
        return {"entity": entity, "evidence": evidence}

    def _answer(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> dict[str, Any]:
        answer, evidence = _agreed(inputs)
        return {"answer": answer, "evidence": evidence}

    def _audit(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> dict[str, Any]:
        quoted = [one for artifact in inputs for one in contents.quotations(artifact.content)]
        checks: dict[Span, bool] = {}
        for one in quoted if _may(shown, OPEN) else ():
            actions.append({"tool": OPEN, "doc_id": one.span.doc_id[:100]})
            exact = is_exact(self._corpus, one.span, one.text)
            checks[one.span] = exact and checks.get(one.span, True)
        claims = [claim for artifact in inputs for claim in _claims(artifact)]
        return {
            "claims": list(dict.fromkeys(claims)),
            "checks": [{**span.as_json(), "exact": exact} for span, exact in checks.items()],
            "corpus": self._corpus.sha256,
            "passed": bool(checks) and all(checks.values()),
        }

    def _bundle(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> dict[str, Any]:
        quoted = [one for artifact in inputs for one in contents.quotations(artifact.content)]
        unique = {one.span: Quotation(one.span, one.text) for one in quoted}
        audits = [one for one in inputs if one.semantic_type == contents.PROVENANCE]
        audited = {span: None for one in audits for span in contents.spans(one.content)}
        entities = [contents.text(one.content, "entity") for one in inputs]
        answers = [contents.text(one.content, "answer") for one in inputs]
        return {
            "answer": next((each for each in answers if each), ""),
            "entities": [each for each in entities if each],
            "citations": [one.as_json() for one in unique.values()][: contents.MOST],
            "audited": [span.as_json() for span in audited][: contents.MOST],
        }

    def _verify(self, shown: Shown, inputs: _Inputs, actions: _Actions) -> dict[str, Any]:
        quoted = {
            one.span: one.text for each in inputs for one in contents.quotations(each.content)
        }
        named = dict.fromkeys(span for each in inputs for span in contents.spans(each.content))
        right = []
        for span in named if _may(shown, OPEN) else ():
            actions.append({"tool": OPEN, "doc_id": span.doc_id[:100]})
            if not span_problem(self._corpus, span) and (
                span not in quoted or is_exact(self._corpus, span, quoted[span])
            ):
                right.append(span)
        claims = _claims(inputs[0]) if inputs else []
        return {
            "answer": claims[-1] if claims else "",
            "verdict": "supported" if right and len(right) == len(named) else "unsupported",
            "documents": sorted({span.doc_id for span in right}),
            "exact": len(right),
        }


def _may(shown: Shown, tool: str) -> bool:
    return shown.view.capability_token.allows_tool(tool)


def _claims(artifact: Artifact) -> list[str]:
    """Return the entities that an artifact stands for, an answer last."""
    content = artifact.content
    singles = [contents.text(content, field) for field in ("entity", "answer")]
    listed = [*contents.texts(content, "claims"), *contents.texts(content, "entities")]
    return [each for each in [*listed, *singles] if each]


def _agreed(inputs: _Inputs) -> tuple[str, list[dict[str, Any]]]:
    """Return the entity that most artifacts give, the first of equals, and where they give it."""
    given: dict[str, list[Quotation]] = {}
    support: dict[str, int] = {}
    for artifact in inputs:
        here: dict[str, list[Quotation]] = {}
        for one in contents.quotations(artifact.content):
            here.setdefault(normal_name(one.entity), []).append(one)
        for name, quoted in here.items():
            given.setdefault(name, []).append(quoted[0])
            support[name] = support.get(name, 0) + 1
    if not given:
        return "", []
    best = max(given, key=lambda name: support[name])
    evidence = [Quotation(one.span, one.text).as_json() for one in given[best]]
    return given[best][0].entity, evidence
