"""A model asked for a JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from answering_transport import AnsweringTransport, completion

from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec
from pytest_comem.llm.cassette import Cassette, CassetteMode
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import Fault, ModelCallError, ProviderFault, RunStopped
from pytest_comem.llm.meter import Meter
from pytest_comem.llm.structured import (
    StructuredModel,
    Unparsable,
    UnreadableReply,
    read_object,
)

SPEC = ModelSpec("some/model", parameters={"temperature": 0.5})
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How many?"}]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}


def count_of(fields: Mapping[str, Any]) -> int:
    """Return a whole number."""
    if not isinstance(fields.get("n"), int):
        raise UnreadableReply('"n" is not a number')
    return int(fields["n"])


def ask(
    transport: AnsweringTransport,
    meter: Meter | None = None,
    structured: str = "auto",
    door: Door | None = None,
) -> int:
    """Ask for a number."""
    door = door or transport.door
    return StructuredModel(door, SPEC, structured=structured).ask(
        MESSAGES,
        meter=meter or door.meter("part"),
        schema=SCHEMA,
        schema_name="count",
        parse=lambda text: read_object(text, count_of),
    )


def mode(call: ChatCall) -> str:
    """Return how the reply to *call* is constrained."""
    wanted = call.body.get("response_format")
    return str(wanted["type"]) if wanted else "text"


def refusing(*modes: str, kind: Fault = Fault.BAD_REQUEST) -> AnsweringTransport:
    """Return a transport whose provider refuses these constraints."""

    def answer(call: ChatCall) -> str:
        if mode(call) in modes:
            raise ProviderFault(kind, f"{mode(call)} is not supported")
        return '{"n": 3}'

    return AnsweringTransport(answer)


def test_the_schema_is_asked_for() -> None:
    """The model is asked once, with its own parameters and the schema, and nothing else."""
    transport = AnsweringTransport.saying('{"n": 3}')
    assert ask(transport) == 3
    (call,) = transport.calls
    assert call.body == {
        "messages": MESSAGES,
        "temperature": 0.5,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "count", "strict": True, "schema": SCHEMA},
        },
    }


def test_every_completion_is_told_to_whoever_counts() -> None:
    """Also one that cannot be read; a refused request has none."""

    def answer(call: ChatCall) -> str:
        if mode(call) == "json_schema":
            raise ProviderFault(Fault.BAD_REQUEST, "no schemas here")
        return '{"n": 3}' if len(call.messages) > len(MESSAGES) else "three"

    transport = AnsweringTransport(answer)
    heard: list[Completion] = []
    StructuredModel(transport.door, SPEC).ask(
        MESSAGES,
        meter=Meter("part"),
        schema=SCHEMA,
        schema_name="count",
        parse=lambda text: read_object(text, count_of),
        heard=heard.append,
    )
    assert [each.text for each in heard] == ["three", '{"n": 3}']
    assert len(transport.calls) == 3


def test_a_refused_constraint_is_weakened_step_by_step() -> None:
    """From a schema to an object to plain text, and the run goes on."""
    transport = refusing("json_schema", "json_object")
    assert ask(transport) == 3
    assert [mode(call) for call in transport.calls] == ["json_schema", "json_object", "text"]
    assert [call.probing for call in transport.calls] == [True, True, False]


def test_what_a_provider_refused_is_remembered_for_the_part() -> None:
    """The next question of the same part begins where the last one ended; another part's anew."""
    transport = refusing("json_schema")
    meter = Meter("one")
    ask(transport, meter)
    ask(transport, meter)
    assert [mode(call) for call in transport.calls] == ["json_schema"] + ["json_object"] * 2
    assert meter.learned == {"some/model": "object"}
    assert meter.take_failure() is None
    ask(transport, Meter("another"))
    assert mode(transport.calls[3]) == "json_schema"


@pytest.mark.parametrize(
    ("structured", "sent"),
    [("schema", "json_schema"), ("object", "json_object"), ("text", "text")],
)
def test_an_explicit_constraint_is_not_weakened(structured: str, sent: str) -> None:
    """What the user asked for and the provider refuses ends the run."""
    transport = refusing(sent)
    meter = Meter("part")
    with pytest.raises(RunStopped, match="is not supported"):
        ask(transport, meter, structured)
    assert ([mode(call) for call in transport.calls], meter.learned) == ([sent], {})


def test_an_unknown_constraint_is_an_error() -> None:
    """It is no silent ``auto``."""
    with pytest.raises(ValueError, match="'json' is none of auto, schema, object, text"):
        ask(AnsweringTransport.saying(), structured="json")


@pytest.mark.parametrize("kind", [Fault.CONTENT_FILTER, Fault.CONTEXT_TOO_LONG])
def test_other_failures_weaken_nothing(kind: Fault) -> None:
    """Only a bad request says something about the constraint."""
    transport = refusing("json_schema", kind=kind)
    with pytest.raises(ModelCallError) as caught:
        ask(transport)
    assert (caught.value.kind, len(transport.calls)) == (kind, 1)


def test_a_request_that_is_bad_in_itself_ends_the_run() -> None:
    """Plain text is the last thing tried, and what is refused then is the caller's error."""
    transport = refusing("json_schema", "json_object", "text")
    with pytest.raises(RunStopped):
        ask(transport)
    assert len(transport.calls) == 3


def test_an_unreadable_reply_is_asked_for_again() -> None:
    """The model sees its last reply, cut, and what is wrong with it; earlier ones are left out."""
    transport = AnsweringTransport.saying("Three, I think. " * 100, '{"n": "3"}', '{"n": 3}')
    assert ask(transport) == 3
    first, second, third = ([*call.messages] for call in transport.calls)
    assert first == second[:2] == third[:2] == MESSAGES
    assert second[2] == {"role": "assistant", "content": ("Three, I think. " * 100)[:1_000]}
    assert second[3]["content"].startswith(
        "That reply cannot be read: there is no JSON object in it. "
    )
    assert third[2:] == [
        {"role": "assistant", "content": '{"n": "3"}'},
        {
            "role": "user",
            "content": 'That reply cannot be read: "n" is not a number. '
            "Reply with the one JSON object that was asked for and nothing else.",
        },
    ]


def test_a_model_that_never_gives_an_object_is_unparsable() -> None:
    """After three replies, with the last one; an empty one is not sent back as it is."""
    transport = AnsweringTransport.saying("", completion('{"n": 1', "length"), "last")
    with pytest.raises(Unparsable, match="there is no JSON object in it") as caught:
        ask(transport)
    assert caught.value.text == "last"
    _, second, third = (call.messages for call in transport.calls)
    assert (second[2]["content"], second[3]["content"][:41]) == (
        "(nothing)",
        "That reply cannot be read: it is empty. R",
    )
    assert "it was cut off because it grew too long, and there is no" in third[3]["content"]


def test_a_cut_reply_that_can_be_read_counts() -> None:
    """What came after the object is of no interest."""
    assert ask(AnsweringTransport.saying(completion('{"n": 3} and so on', "length"))) == 3


def test_the_first_object_that_fits_is_read() -> None:
    """Others are passed over; where none fits, the first one's problem is told."""
    assert read_object('{"m": 1} {"n": 2} {"n": 3}', count_of) == 2
    with pytest.raises(UnreadableReply, match='"n" is not a number'):
        read_object('{"n": null} {"x": {"n": 3}}', count_of)


def test_a_replay_learns_what_the_recording_learned(tmp_path: Path) -> None:
    """The refusals are recorded too, so the same calls are made, and none reaches a provider."""

    def play(mode: CassetteMode, transport: AnsweringTransport) -> tuple[list[int], dict[str, str]]:
        cassette = Cassette(mode, tmp_path)
        door = Door(transport=lambda _: transport, cassette=cassette)
        meter = door.meter("part")
        found = [ask(transport, meter, door=door) for _ in range(2)]
        meter.close()
        door.close()
        return found, meter.learned

    live, silent = refusing("json_schema"), AnsweringTransport.saying()
    assert play(CassetteMode.RECORD, live) == ([3, 3], {"some/model": "object"})
    assert play(CassetteMode.REPLAY, silent) == ([3, 3], {"some/model": "object"})
    assert (len(live.calls), len(silent.calls)) == (3, 0)
