"""A call that is not recorded: the message says where it was made and what is different."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cassette_calls import NAME, chat, keep, lines, missed, record, replayed
from hypothesis import given
from hypothesis import strategies as st

from pytest_comem.llm.calls import ChatCall, ModelSpec
from pytest_comem.llm.cassette import Cassette, CassetteMode
from pytest_comem.llm.cassette_miss import EXCERPT, _both, _shared_start


def test_step_phase_file_and_way_out_are_named(tmp_path: Path) -> None:
    """Whoever reads the message knows where to look and what to do."""
    path = record(tmp_path, chat("a"))
    message = missed(replayed(tmp_path), chat("b"), step="cp-3", phase="judge")
    assert message.startswith(f"step cp-3, phase judge: not in the cassette {path}: ")
    assert "--comem-cassette record" in message
    assert "--comem-cassette auto" in message


@pytest.mark.parametrize(
    ("call", "difference"),
    [
        (chat("system", "ask", model="m2"), 'the model: recorded "openai/gpt", asked for "m2"'),
        (chat("system", "ask", seed=2), 'parameter seed: recorded "nothing", asked for "2"'),
        (chat("system"), "the number of messages: recorded 2, asked for 1"),
        (
            chat("system", "asking"),
            'message 2 (user) from character 4: recorded "ask", asked for "asking"',
        ),
        (
            chat("system", "ask", a=1, b=2, c=3, d=4, e=5),
            'parameter c: recorded "nothing", asked for "3"; 2 more parameters',
        ),
        (
            ChatCall(
                ModelSpec("openai/gpt", parameters={"temperature": 0}),
                [{"role": "user", "content": "system"}, {"role": "system", "content": "ask"}],
            ),
            'message 2 (system), role, from character 1: recorded "user", asked for "system"',
        ),
    ],
)
def test_what_differs_is_named(tmp_path: Path, call: ChatCall, difference: str) -> None:
    """Model, parameter, number of messages, or the first message and character."""
    record(tmp_path, chat("system", "ask"))
    message = missed(replayed(tmp_path), call)
    assert f"the nearest recorded call of this step, phase answer, differs in {difference}" in (
        message.replace('parameter a: recorded "nothing", asked for "1"; ', "").replace(
            'parameter b: recorded "nothing", asked for "2"; ', ""
        )
    )


def test_the_nearest_call_is_of_the_step_and_phase_and_shares_most(tmp_path: Path) -> None:
    """Another step's twin says less than the step's own call that shares most of its text."""
    part = Cassette(CassetteMode.RECORD, tmp_path).part(NAME)
    keep(part, chat("Who is Ann today?"), step="s2", occurrence=5)
    keep(part, chat("Where was Bob?"), step="s1")
    keep(part, chat("Who is Anna today?"), step="s1")
    keep(part, chat("Who is Ann, judge?"), step="s1", phase="judge")
    part.close()
    part = replayed(tmp_path)
    asked = chat("Who is Anne today?")
    assert 'recorded "Who is Anna today?"' in missed(part, asked, step="s1")
    assert 'recorded "Who is Ann, judge?"' in missed(part, asked, step="s1", phase="judge")
    assert "nearest recorded call of this part (step s2), phase answer" in missed(
        part, chat("Who is Ann todax?"), step="s3"
    )


def test_calls_asked_too_often_or_in_another_repeat_are_told_apart(tmp_path: Path) -> None:
    """The same call is recorded, only not so often, not for that repeat or not that time."""
    part = Cassette(CassetteMode.RECORD, tmp_path).part(NAME)
    keep(part, chat("a"), occurrence=0)
    keep(part, chat("a"), occurrence=2)
    keep(part, chat("b"))
    part.close()
    part = replayed(tmp_path)
    assert "recorded 2 times and asked for once more" in missed(part, chat("a"), occurrence=3)
    assert "not for time 2, which failed" in missed(part, chat("a"), occurrence=1)
    assert "recorded once and asked for once more" in missed(part, chat("b"), occurrence=1)
    assert "recorded for repeat 0, and asked for in 4" in missed(part, chat("b"), repeat=4)


def test_nothing_recorded_is_said(tmp_path: Path) -> None:
    """A part without a file is another matter than a call that differs."""
    assert "nothing is recorded for this part" in missed(replayed(tmp_path), chat("a"))


def test_a_difference_that_is_not_written_is_not_looked_for_in_vain(tmp_path: Path) -> None:
    """Options that carry keys are not in the file, and the message says so."""
    record(tmp_path, chat("a", extra_headers={"x": "1"}))
    message = missed(replayed(tmp_path), chat("a", extra_headers={"x": "2"}))
    assert "nothing that is written to the file (keys and headers are not)" in message


def test_keys_and_control_characters_do_not_reach_the_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both sides come from texts that anybody may have written."""
    path = record(tmp_path, chat("\x1b[2J\u202e old sk-marked-key"))
    assert "sk-marked-key" in path.read_text("utf-8")
    monkeypatch.setenv("MARKED_API_KEY", "sk-marked-key")
    message = missed(
        replayed(tmp_path), chat("\x1b[2J\u202e new sk-marked-key"), step="s\x1b", phase="x"
    )
    assert "sk-marked" not in message
    assert message.isprintable()
    assert message.count("<MARKED_API_KEY>") == 2


def test_a_body_of_another_form_is_no_crash(tmp_path: Path) -> None:
    """A file edited by hand is still compared, as far as it goes."""
    path = record(tmp_path, chat("a"))
    for messages in ('"text"', "[1, null]", "{}"):
        changed = re.sub(r'"messages": \[.*?\]', f'"messages": {messages}', path.read_text("utf-8"))
        path.write_text(changed, encoding="utf-8")
        assert lines(path)
        assert "differs in" in missed(replayed(tmp_path), chat("b"))
        path = record(tmp_path, chat("a"))


@given(st.text(), st.text(), st.text(st.characters(exclude_categories=()), max_size=80))
def test_excerpts_are_short_and_printable(one: str, other: str, start: str) -> None:
    """An excerpt has at most 60 characters, whatever it is cut from, and hides nothing."""
    shared = _shared_start(start + one, start + other)
    assert (start + one)[:shared] == (start + other)[:shared]
    assert (start + one)[shared : shared + 1] != (start + other)[shared : shared + 1] or (
        one == other
    )
    shown = _both(start + one, start + other)
    assert shown.isprintable()
    assert len(shown) <= 2 * EXCERPT + len('recorded "", asked for ""')
