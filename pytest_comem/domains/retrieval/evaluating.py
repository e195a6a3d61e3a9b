"""The evaluator: documents by their identity, quotations by their span, answers by their entity.

It never judges the wording of free text. What an oracle knows beside its gold content:

``groups``
    A list a passage that has to be cited, each with the spans (doc_id, start, end) any one of which
    serves; what is cited beyond them is wrong. Of evidence, one a distinct entity of gold, in
    order.
``inputs``
    How many inputs the node requires; an output that rests on nothing then passes for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_comem.domains.retrieval import contents
from pytest_comem.domains.retrieval.contents import FIELDS, MOST
from pytest_comem.domains.retrieval.documents import Corpus
from pytest_comem.domains.retrieval.searching import ENGINE, ENGINE_VERSION
from pytest_comem.domains.retrieval.spans import (
    Span,
    normal_name,
    quoted_form,
    read_span,
    span_problem,
)
from pytest_comem.executors.domain import Judgement
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle
from pytest_comem.workflows.schema import Node

EVALUATOR: Final = "span-verifier"
EVALUATOR_VERSION: Final = "1"
_Groups = list[list[Span]]


def evaluate(
    corpus: Corpus, node: Node, oracle: Oracle, content: Any, consumed: Sequence[Artifact]
) -> Judgement:
    """Judge the content of a node's artifact.

    The evidence names the engine with its version, the corpus by its hash, and every span that was
    looked at with the form under which it is exact.
    """
    groups = [[span for each in group if (span := read_span(each))] for group in _groups(oracle)]
    problems = [*_form_problems(node, oracle, content), *_handoff_problems(oracle, consumed)]
    if not problems:
        problems += _PROBLEMS[node.output_type](corpus, oracle.gold, content, groups)
    looked_at = [
        {**one.span.as_json(), "form": quoted_form(corpus, one.span, one.text)}
        for one in contents.quotations(content)
    ]
    evidence = {
        "engine": {"name": ENGINE, "version": ENGINE_VERSION},
        "corpus": corpus.sha256,
        "quotations": looked_at,
        "problems": problems[:20],
    }
    if problems:
        return Judgement(False, f"{problems[0][0].upper()}{problems[0][1:]}.", evidence)
    return Judgement(True, "Every passage is where it is said to be.", evidence)


def _groups(oracle: Oracle) -> list[list[Any]]:
    found = oracle.secret.get("groups")
    return [each for each in found if isinstance(each, list)] if isinstance(found, list) else []


def _handoff_problems(oracle: Oracle, consumed: Sequence[Artifact]) -> Iterator[str]:
    if oracle.secret.get("inputs") and not consumed:
        yield "it rests on nothing that was handed over"
    if not all(artifact.intact for artifact in consumed):
        yield "an artifact that it rests on is not what its hash was taken of"


def _form_problems(node: Node, oracle: Oracle, content: Any) -> Iterator[str]:
    """Yield what keeps an output from being looked at."""
    fields = FIELDS.get(node.output_type)
    if fields is None:
        yield f"this domain makes no {node.output_type}"
    elif not isinstance(oracle.gold, dict) or set(oracle.gold) != fields:
        yield f"the oracle's gold has not the fields of {node.output_type}"
    elif not isinstance(content, dict):
        yield "it is no JSON object"
    elif any(isinstance(each, list) and len(each) > MOST for each in content.values()):
        yield f"a list of it has more than {MOST} entries"


def _evidence(corpus: Corpus, gold: Any, content: Any, groups: _Groups) -> Iterator[str]:
    for field in ("partition", "engine", "corpus"):
        if content.get(field) != gold[field]:
            yield f"its {field} is not the one that had to be used"
    wanted = [normal_name(name) for name in dict.fromkeys(_entities(gold))]
    found = {normal_name(name) for name in _entities(content)}
    if found != set(wanted):
        yield f"it gives {len(found)} entities, and {len(found & set(wanted))} are right"
    yield from _quotation_problems(corpus, content, "findings")
    for one in contents.quotations(content):
        name = normal_name(one.entity)
        places = dict(zip(wanted, groups, strict=False)).get(name, [])
        if not any(one.span.covers(place) for place in places):
            yield f"{one.span.doc_id} says nothing of the kind where it is quoted"


def _entities(content: Any) -> list[str]:
    return [contents.text(each, "entity") for each in contents.items(content, "findings")]


def _claim(corpus: Corpus, gold: Any, content: Any, groups: _Groups) -> Iterator[str]:
    yield from _name_problems(gold, content, "answer" if "answer" in gold else "entity")
    yield from _quotation_problems(corpus, content, "evidence")
    yield from _group_problems([one.span for one in contents.quotations(content)], groups)


def _provenance(corpus: Corpus, gold: Any, content: Any, groups: _Groups) -> Iterator[str]:
    yield from _set_problems(gold, content, "claims")
    checks = contents.items(content, "checks")
    if contents.text(content, "corpus") != corpus.sha256:
        yield "it was not made over this corpus"
    if content.get("passed") is not True:
        yield "it does not say that everything was exact"
    read = [read_span(each) for each in checks]
    if None in read or any(each.get("exact") is not True for each in checks):
        yield "a check is not one of an exact span"
        return
    spans = [span for span in read if span is not None]
    yield from (problem for span in spans if (problem := span_problem(corpus, span)))
    yield from _group_problems(spans, groups)


def _bundle(corpus: Corpus, gold: Any, content: Any, groups: _Groups) -> Iterator[str]:
    yield from _name_problems(gold, content, "answer")
    yield from _set_problems(gold, content, "entities")
    yield from _quotation_problems(corpus, content, "citations")
    quoted = [one.span for one in contents.quotations(content)]
    if not quoted:
        yield "it cites nothing"
    audited = [read_span(each) for each in contents.items(content, "audited")]
    if None in audited:
        yield "an audited passage is no span"
        return
    if gold["audited"] and not audited:
        yield "nothing of it was audited"
    everything = [*quoted, *(span for span in audited if span is not None)]
    yield from (problem for span in everything if (problem := span_problem(corpus, span)))
    yield from _group_problems(everything, groups)


def _verification(corpus: Corpus, gold: Any, content: Any, groups: _Groups) -> Iterator[str]:
    yield from _name_problems(gold, content, "answer")
    if contents.text(content, "verdict") != gold["verdict"]:
        yield "its verdict is wrong"
    documents = set(contents.texts(content, "documents"))
    right = {span.doc_id for group in groups for span in group}
    if not documents <= right:
        yield "it names a document that has nothing to do with the answer"
    if any(documents.isdisjoint(span.doc_id for span in group) for group in groups):
        yield "it leaves a needed document out"
    count = content.get("exact")
    if type(count) is not int or count < len(documents):
        yield "it has not found every document exact"


def _name_problems(gold: Any, content: Any, field: str) -> Iterator[str]:
    found = contents.text(content, field)
    if normal_name(found) != normal_name(gold[field]):
        yield f"its {field} is wrong" if found else f"it has no {field}"


def _set_problems(gold: Any, content: Any, field: str) -> Iterator[str]:
    found = {normal_name(name) for name in contents.texts(content, field)}
    if found != {normal_name(name) for name in gold[field]}:
        yield f"its {field} are not the right ones"


def _quotation_problems(corpus: Corpus, content: Any, field: str) -> Iterator[str]:
    """Yield what is wrong with quotations; each entry of *field* has to be one."""
    quoted = list(contents.quotations(content))
    if len(quoted) != len(contents.items(content, field)):
        yield f"an entry of its {field} is no quotation"
    for one in quoted:
        form = quoted_form(corpus, one.span, one.text)
        if form not in ("exact", "NFC", "NFKC"):
            yield f"a quotation from {one.span.doc_id[:40]} is not exact: {form[:100]}"


def _group_problems(spans: Sequence[Span], groups: _Groups) -> Iterator[str]:
    for span in spans:
        if not any(span.covers(place) for group in groups for place in group):
            yield f"{span.doc_id[:40]} supports nothing where it is cited"
    for group in groups:
        if not any(span.covers(place) for span in spans for place in group):
            yield "a needed passage is not cited"


_PROBLEMS: Final = {
    contents.EVIDENCE: _evidence,
    contents.RESOLVED: _claim,
    contents.ANSWER: _claim,
    contents.PROVENANCE: _provenance,
    contents.BUNDLE: _bundle,
    contents.VERIFICATION: _verification,
}
