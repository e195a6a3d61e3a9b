"""The scripted model's answers to Graphiti's prompts; the library itself is tested elsewhere."""

from __future__ import annotations

import json
from typing import Any

from pytest_comem.endpoint.chat import ChatRequest, Message
from pytest_comem.endpoint.scripts.graphiti import answer


def ask(shape: str, prompt: str) -> dict[str, Any]:
    """Return what the script answers where *shape* is wanted, read as JSON."""
    form = {"type": "json_schema", "json_schema": {"name": shape, "schema": {}}}
    messages = (Message("system", "You extract."), Message("user", prompt))
    reply = answer(ChatRequest("scripted", messages, response_format=form))
    assert reply is not None
    read: dict[str, Any] = json.loads(reply.text)
    return read


def entities(message: str) -> list[str]:
    """Return the names found in a message."""
    earlier = "<PREVIOUS MESSAGES>\n[]\n</PREVIOUS MESSAGES>\n"
    prompt = f"{earlier}<CURRENT MESSAGE>\n{message}\n</CURRENT MESSAGE>"
    return [one["name"] for one in ask("ExtractedEntities", prompt)["extracted_entities"]]


def facts(message: str, *names: str) -> list[tuple[str, str, str]]:
    """Return source, target and text of the facts found in a message."""
    listed = json.dumps([{"name": name, "entity_types": ["Entity"]} for name in names])
    prompt = f"<CURRENT_MESSAGE>\n{message}\n</CURRENT_MESSAGE>\n<ENTITIES>\n{listed}\n</ENTITIES>"
    return [
        (one["source_entity_name"], one["target_entity_name"], one["fact"])
        for one in ask("ExtractedEdges", prompt)["edges"]
    ]


def test_entities_are_the_speaker_and_words_of_substance() -> None:
    """The speaker comes first, then at most four words in the order said, each once."""
    assert entities("ann: The garden visit is on Friday, the garden gate opens at noon.") == [
        "ann",
        "garden",
        "visit",
        "friday",
        "gate",
    ]
    assert entities("ann: It is so.") == ["ann", "it", "is", "so"]
    assert entities("ann: 🙂") == ["ann", "🙂"]
    assert entities("A note of no one.") == ["note"]


def test_facts_are_the_sentences_word_for_word() -> None:
    """Each sentence links its speaker to the first entity it names, and stands as it was said."""
    said = "ann: The garden visit is on Friday. Bring 4,300 dollars!"
    assert facts(said, "ann", "visit", "dollars") == [
        ("ann", "visit", "The garden visit is on Friday."),
        ("ann", "dollars", "Bring 4,300 dollars!"),
    ]


def test_a_fact_needs_two_entities() -> None:
    """Where only one is known, nothing is said, as the library would reject it."""
    assert facts("ann: The garden.", "ann") == []
    assert facts("ann: The garden.") == []


def test_a_message_may_come_as_a_json_text() -> None:
    """Quotes around the message and escapes in it are read, not kept."""
    quoted = json.dumps('ann: She said "yes".\nTwice.')
    assert [fact for _, _, fact in facts(quoted, "ann", "yes")] == ['She said "yes".', "Twice."]


def test_every_entity_is_new() -> None:
    """Entities are never called duplicates; each one asked about is answered."""
    listed = json.dumps([{"id": 0, "name": "ann"}, {"id": 1, "name": "garden"}])
    said = ask("NodeResolutions", f"<ENTITIES>\n{listed}\n</ENTITIES>")
    assert said["entity_resolutions"] == [
        {"id": 0, "name": "ann", "duplicate_candidate_id": -1},
        {"id": 1, "name": "garden", "duplicate_candidate_id": -1},
    ]


def test_nothing_contradicts_and_nothing_is_summarized() -> None:
    """Facts stay, without dates of their own, and entities without summaries."""
    assert ask("EdgeDuplicate", "") == {"duplicate_facts": [], "contradicted_facts": []}
    assert ask("EdgeTimestamps", "") == {"valid_at": None, "invalid_at": None}
    assert ask("SummarizedEntities", "") == {"summaries": []}


def test_other_prompts_are_left_to_others() -> None:
    """Only requests that name one of the library's shapes are answered."""
    assert answer(ChatRequest("scripted", (Message("user", "<ENTITIES>[]</ENTITIES>"),))) is None
    form = {"type": "json_object"}
    messages = (Message("user", "Hello."),)
    assert answer(ChatRequest("scripted", messages, response_format=form)) is None
