"""The domain's part of a certificate: gold passes every node, every negative is rejected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.domains.retrieval.documents import Corpus
from pytest_comem.domains.retrieval.evaluating import evaluate
from pytest_comem.domains.retrieval.shipped import corpora_root, corpus_of
from pytest_comem.errors import DataError
from pytest_comem.executors.domain import Judgement
from pytest_comem.workflows.artifacts import Artifact, make_artifact
from pytest_comem.workflows.checks import Check, Finding, check
from pytest_comem.workflows.hidden import Oracles
from pytest_comem.workflows.hidden_files import gold_artifacts
from pytest_comem.workflows.schema import Family

#: Kinds of mutation of which every family has at least one.
KINDS: Final = (
    "wrong_artifact",
    "missing_handoff",
    "edited_quotation",
    "wrong_document",
    "wrong_offsets",
)


@final
class RetrievalChecks:
    """Certifies families of offline retrieval.

    :param root: directory of the corpora that families name; the shipped one where none is given.
    """

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or corpora_root()

    def checks(self, directory: Path, family: Family, oracles: Oracles) -> Iterable[Check]:
        """Yield the checks of corpus, gold run and negative mutations."""
        try:
            corpus = corpus_of(family, self._root)
        except DataError as error:
            yield check("corpus", "pinned by its hash", [Finding(error.file, error.problem)])
            return
        yield check("corpus", f"SHA-256 {corpus.sha256}", ())
        gold = gold_artifacts(family, oracles)
        nodes = f"{len(family.nodes)} nodes"
        yield check("gold run", nodes, _gold_findings(corpus, family, oracles, gold))
        negatives = [one for oracle in oracles.oracles for one in oracle.negatives]
        detail = f"{len(negatives)} outputs that have to be rejected"
        yield check("negative mutations", detail, _negative_findings(corpus, family, oracles, gold))


_Gold = Mapping[str, Artifact]


def _judged(
    corpus: Corpus, family: Family, oracles: Oracles, gold: _Gold, node_id: str, content: Any
) -> Judgement:
    """Judge a content as if it rested on the gold inputs of its node."""
    consumed = [gold[edge.source] for edge in family.inputs(node_id)]
    return evaluate(corpus, family.node(node_id), oracles.of(node_id), content, consumed)


def _gold_findings(
    corpus: Corpus, family: Family, oracles: Oracles, gold: _Gold
) -> Iterator[Finding]:
    for node in family.nodes:
        content = gold[node.node_id].content
        found = _judged(corpus, family, oracles, gold, node.node_id, content)
        if not found.passed:
            yield Finding(f"node {node.node_id}", f"gold is rejected: {found.reason}")


def _negative_findings(
    corpus: Corpus, family: Family, oracles: Oracles, gold: _Gold
) -> Iterator[Finding]:
    kinds = {one.kind for oracle in oracles.oracles for one in oracle.negatives}
    for kind in KINDS:
        if kind not in kinds:
            yield Finding("hidden/oracles.json", f"no negative mutation is a {kind}")
    for oracle in oracles.oracles:
        where, node = f"node {oracle.node_id}", family.node(oracle.node_id)
        if not oracle.negatives:
            yield Finding(where, "no negative mutation")
        for one in oracle.negatives:
            made = make_artifact(
                one.content,
                semantic_type=node.output_type,
                entity_scope=node.entity_scope,
                version=node.version,
                producer=gold[oracle.node_id].producer,
            )
            if _judged(corpus, family, oracles, gold, oracle.node_id, made.content).passed:
                yield Finding(where, f"the mutation {one.name} ({one.kind}) passes")
        content = gold[oracle.node_id].content
        alone = evaluate(corpus, node, oracle, content, ())
        if any(edge.required for edge in family.inputs(oracle.node_id)) and alone.passed:
            yield Finding(where, "gold passes although it rests on no input")
