"""What the mem0 adapter does, said with mem0's public calls."""

from __future__ import annotations

from typing import Final

from pytest_comem.memory.calls import PublicCalls

CALLS: Final = PublicCalls(
    preamble="""\
import os
import tempfile

os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = tempfile.mkdtemp()

from langchain.embeddings.base import Embeddings
from mem0 import Memory

from pytest_comem.embedders.hash import HashEmbedder


class Hashed(Embeddings):
    def embed_documents(self, texts):
        return HashEmbedder().embed(texts)

    def embed_query(self, text):
        return HashEmbedder().embed([text])[0]


def config(directory):
    return {
        "embedder": {"provider": "langchain", "config": {"model": Hashed()}},
        "llm": {"provider": "vllm", "config": {"model": "none", "api_key": "none"}},
        "vector_store": {
            "provider": "qdrant",
            "config": {
                "path": f"{directory}/qdrant",
                "collection_name": "memories",
                "embedding_model_dims": 384,
            },
        },
        "history_db_path": f"{directory}/history.db",
    }


def buckets(memory):
    rows = memory.get_all(filters={"user_id": "*"}, top_k=1_000_000)["results"]
    rows.sort(key=lambda row: row["created_at"])
    return list(dict.fromkeys(row["user_id"] for row in rows))
""",
    unknown_argument='$m.search("door", filters={"user_id": "ann"}, no_such_argument=1)',
    open="""\
os.makedirs($directory, exist_ok=True)
$m = Memory.from_config(config($directory))""",
    ingest="""\
message = {"role": "user", "content": $text}
$id = $m.add([message], user_id=$principal, infer=False)["results"][0]["id"]""",
    recall="""\
ranked = [
    $m.search($query, filters={"user_id": user_id}, top_k=$k, threshold=0.0)["results"]
    for user_id in buckets($m)
]
turns = [row["memory"] for n in range($k) for rows in ranked for row in rows[n : n + 1]]
found = turns[:$k]""",
    recall_of="""\
rows = $m.search($query, filters={"user_id": $principal}, top_k=$k, threshold=0.0)["results"]
found = [row["memory"] for row in rows]""",
    entries="""\
rows = [
    row
    for user_id in buckets($m)
    for row in $m.get_all(filters={"user_id": user_id}, top_k=1_000_000)["results"]
]
found = [row["memory"] for row in rows]""",
    delete="$m.delete($id)",
    update="$m.update($id, text=$text)",
    delete_principal="$m.delete_all(user_id=$principal)",
    close="$m.vector_store.client.close()\n$m.close()",
)
