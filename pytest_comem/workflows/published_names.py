"""Names that the released files may plausibly give to what our schema knows; the first found wins.

They are guesses from the paper's vocabulary, not knowledge of the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

#: Our name, and theirs in the order in which they are tried.
Names: TypeAlias = Mapping[str, tuple[str, ...]]

_FAMILY_ID: Final = ("family_id", "workflow_family_id", "workflow_family", "workflow_id", "family")
_NODE_ID: Final = ("node_id", "task_id", "unit_id", "node")

FAMILY: Final[Names] = {
    "family_id": (*_FAMILY_ID, "id"),
    "domain": ("domain", "domain_name"),
    "split": ("split", "partition", "subset"),
    "title": ("title", "name", "description", "summary"),
    "sources": ("source_references", "source_refs", "sources", "references", "source"),
    "nodes": ("nodes", "tasks", "task_nodes", "task_units", "units"),
    "edges": ("edges", "dependency_edges", "dependencies", "handoffs", "required_handoffs"),
    "topology": ("topology_witnesses", "witnesses", "topology", "topology_labels", "topologies"),
    "execution": ("execution_contract", "execution"),
    "terminal": ("terminal", "terminal_node", "terminal_node_id", "sink"),
}
NODE: Final[Names] = {
    "node_id": (*_NODE_ID, "id", "name"),
    "task": ("task", "instruction", "prompt", "objective", "goal", "description", "title"),
    "output_type": (
        *("output_type", "output_artifact_type", "artifact_type", "semantic_type", "produces"),
        *("output_semantic_type", "output"),
    ),
    "entity_scope": ("entity_scope", "entity", "scope"),
    "version": ("version", "artifact_version"),
    "evaluator": ("evaluator", "verifier", "native_evaluator"),
    "tools": ("tools", "allowed_tools", "capabilities", "capability"),
    "servers": ("servers", "mcp_servers", "allowed_servers"),
    "context": ("authorized_context", "context", "contexts"),
    "inputs": ("inputs", "required_inputs", "consumes", "depends_on", "predecessors"),
    "role": ("role", "kind", "type"),
}
EDGE: Final[Names] = {
    "source": (
        *("source", "source_node", "source_node_id", "source_id", "producer", "producer_node_id"),
        *("from_node", "from", "src", "upstream"),
    ),
    "target": (
        *("target", "target_node", "target_node_id", "target_id", "consumer", "consumer_node_id"),
        *("to_node", "to", "dst", "downstream"),
    ),
    "kind": ("kind", "edge_type", "type"),
    "contract": ("handoff_contract", "contract", "handoff"),
    "semantic_type": ("semantic_type", "artifact_type", "artifact_semantic_type"),
    "entity_scope": ("entity_scope", "entity", "scope"),
    "version": ("version", "artifact_version"),
    "verification": ("verification", "verification_requirement", "requires_receipt"),
    "required": ("required", "mandatory"),
    "max_revisions": ("max_revisions", "max_iterations", "bound"),
}
CONTEXT: Final[Names] = {
    "family_id": _FAMILY_ID,
    "node_id": (*_NODE_ID, "id"),
    "context": ("authorized_context", "context", "node_context", "contexts", "content", "text"),
}
DOCUMENT: Final[Names] = {
    "corpus_id": ("corpus_id", "corpus", "collection"),
    "family_id": _FAMILY_ID,
    "document_id": ("document_id", "doc_id", "docid", "passage_id", "id"),
    "title": ("title", "name"),
    "text": ("text", "content", "body", "contents", "passage"),
    "documents": ("documents", "docs", "passages"),
    "url": ("url", "uri", "source", "locator"),
    "sha256": ("sha256", "content_hash", "hash"),
}
MATH: Final[Names] = {
    "case_id": ("case_id", "theorem_id", "problem_id", "id", "name"),
    "family_id": _FAMILY_ID,
    "statement": ("statement", "formal_statement", "theorem", "theorem_statement", "problem"),
    "informal": ("informal_statement", "informal", "natural_language"),
    "project": ("project", "repository", "repo", "library"),
    "commit": ("project_commit", "commit", "revision"),
    "toolchain": ("toolchain", "lean_toolchain", "lean_version", "prover"),
    "imports": ("imports", "header", "preamble"),
}
