"""What providers say of a refusal, and what is made of it."""

from __future__ import annotations

import json

import pytest

from pytest_comem.llm.classify import LONGEST_WAIT, SHOWN, read_refusal, refused, shortened, wait_of
from pytest_comem.llm.faults import Fault

TOO_LONG = [
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
    "The decoder prompt (length 9) is longer than the maximum model length of 8.",
    "the request exceeds the available context size. try increasing the context size",
    "prompt is too long: 208310 tokens > 200000 maximum",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Please reduce the length of the messages or completion.",
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4095 `inputs` tokens",
    "Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 20000.",
]


@pytest.mark.parametrize("said", TOO_LONG, ids=range(len(TOO_LONG)))
@pytest.mark.parametrize("status", [400, 413, 429, 500])
def test_what_is_too_long_in_the_words_of_many(said: str, status: int) -> None:
    """Whatever the status, the same call will not succeed later."""
    body = json.dumps({"error": {"message": said, "code": "invalid_request_error"}})
    assert refused(status, {}, body).kind is Fault.CONTEXT_TOO_LONG


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, {"message": "x", "code": "context_length_exceeded"}, Fault.CONTEXT_TOO_LONG),
        (400, {"message": "x", "type": "exceed_context_size_error"}, Fault.CONTEXT_TOO_LONG),
        (400, {"message": "x", "code": "content_filter"}, Fault.CONTENT_FILTER),
        (
            400,
            {"message": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}},
            Fault.CONTENT_FILTER,
        ),
        (429, {"message": "x", "code": "insufficient_quota"}, Fault.AUTHENTICATION),
        (402, {"message": "Insufficient Balance"}, Fault.AUTHENTICATION),
        (400, {"message": "Your credit balance is too low"}, Fault.AUTHENTICATION),
        (401, {"message": "the context window of your mind"}, Fault.AUTHENTICATION),
        (403, {"message": "x"}, Fault.AUTHENTICATION),
        (429, {"message": "x"}, Fault.RATE_LIMIT),
        (408, {"message": "x"}, Fault.TIMEOUT),
        (409, {"message": "x"}, Fault.TIMEOUT),
        (503, {"message": "Loading model"}, Fault.SERVER_ERROR),
        (529, {"message": "Overloaded"}, Fault.SERVER_ERROR),
        (400, {"message": "max_tokens is too large: 99999"}, Fault.BAD_REQUEST),
        (404, {"message": "no such model"}, Fault.BAD_REQUEST),
        (422, {"message": "x"}, Fault.BAD_REQUEST),
        (302, {"message": "x"}, Fault.BAD_REQUEST),
    ],
)
def test_types_of_refusals(status: int, error: dict[str, object], kind: Fault) -> None:
    """Code, status and words decide, in this order."""
    assert refused(status, {}, json.dumps({"error": error})).kind is kind


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"error": {"message": "here"}}', "here"),
        (b'{"error": "here"}', "here"),
        (b'{"object": "error", "message": "here", "code": 400}', "here"),
        (b'{"detail": "here"}', "here"),
        (b'[{"error": {"message": "here", "status": "INVALID_ARGUMENT"}}]', "here"),
        (b"here", "here"),
        (b'{"error": {"message": 7}}', '{"error": {"message": 7}}'),
        (b"[]", "[]"),
        (b"\xff", "�"),
        (b"[" * 100_000, "[" * 100_000),
    ],
)
def test_forms_of_refusals(body: bytes, message: str) -> None:
    """Every server has its own form; what has none is shown as it is."""
    assert read_refusal(body).message == message


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "7", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 60.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
        ({"retry-after": "9e9"}, LONGEST_WAIT),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, milliseconds or a date; nothing that would never end."""
    assert wait_of(headers, now=40.0) == seconds


def test_no_key_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one of the environment, also where it is cut, nor what looks like part of one."""
    monkeypatch.setenv("SOME_API_KEY", "marked-key-of-this-test")
    said = "Incorrect API key provided: sk-proj-abcd****wxyz, marked-key-of-this-test"
    fault = refused(401, {}, json.dumps({"error": {"message": said}}))
    assert str(fault) == "status 401: Incorrect API key provided: <key>, <SOME_API_KEY>"
    for before in range(SHOWN - 30, SHOWN + 5):
        assert "marked" not in shortened("x" * before + " marked-key-of-this-test")


def test_parts_of_googles_keys_are_not_shown() -> None:
    """They begin without a dash."""
    assert shortened("for url x?key=AIzaSyA1b2C3d4E5") == "for url x?key=<key>"


def test_a_message_cannot_steer_a_terminal() -> None:
    """What it holds of escapes, turned text and halves of characters is shown as an escape."""
    shown = shortened("\x1b[2J\x07 \u202e\x00 [red]\ud800 f\u00fcr")
    assert shown == r"\x1b[2J\x07 \u202e\x00 [red]\ud800 f" + "\u00fcr"
    assert len(shortened("\x00" * 1000)) == SHOWN


def test_long_messages_are_cut() -> None:
    """They end up in outcomes, reports and on screens; as one paragraph."""
    assert shortened("a\n\n b\t" * 1000) == ("a b " * 1000)[:SHOWN]
