from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import odd_server
import pytest
from server_material import ended

from pytest_comem.errors import InfrastructureError
from pytest_comem.sandbox.base import Limits
from pytest_comem.sandbox.service import Launch, start
from pytest_comem.servers.base import LONGEST_ANSWER

pytest.importorskip("mcp")

from pytest_comem.servers.connection import Connection

Odd = Callable[..., Connection]


@pytest.fixture
def odd(chosen: str, tmp_path: Path) -> Iterator[Odd]:
    """Start servers that misbehave on request."""
    made: list[Connection] = []

    def begin(*arguments: str, calling: float = 30.0, ready: bool = True) -> Connection:
        shutil.copy(odd_server.__file__, tmp_path / "odd_server.py")
        argv = ["python3", "-B", "odd_server.py", *arguments]
        limits = Limits(memory_mib=512, processes=20, disk_mib=20)
        service = start(chosen, Launch(argv, tmp_path, limits, "a server"))
        made.append(Connection("odd", service, "workflow w", calling))
        if ready:
            made[-1].ready()
        return made[-1]

    yield begin
    for connection in made:
        connection.close()


def test_tools_and_answers_are_told(odd: Odd) -> None:
    """Tools come by name but for odd ones, and text comes back as it was said."""
    connection = odd()
    assert [tool.name for tool in connection.tools] == sorted(odd_server.TOOLS)
    answer = connection.call("say", {"text": "Grüße\n\x1b[31m"})
    assert (answer.text, answer.is_error) == ("Grüße\n\x1b[31m", False)


def test_a_schema_too_long_for_a_model_takes_anything(odd: Odd) -> None:
    """Others are as the server tells them."""
    assert odd().tools[0].schema == {"type": "object", "title": "x"}
    assert odd("large").tools[0].schema == {"type": "object"}


def test_a_long_answer_is_cut_off_and_says_so(odd: Odd) -> None:
    """What is kept is the beginning, and another call is answered."""
    connection = odd()
    answer = connection.call("say", {"text": "x", "times": 5_000_000})
    assert answer.text.startswith("x" * LONGEST_ANSWER + "\n[")
    assert len(answer.text) < LONGEST_ANSWER + 100
    assert connection.call("say", {}).text == "said"


@pytest.mark.parametrize("arguments", [{}, {"code": -32000}, {"code": -32001}])
def test_a_refusal_is_an_answer(odd: Odd, arguments: dict[str, int]) -> None:
    """Whatever code a server that runs refuses with, and it is asked again."""
    connection = odd()
    answer = connection.call("refuse", arguments)
    assert answer.is_error
    assert answer.text == "no \x1b[31m"
    assert connection.call("say", {}).text == "said"


@pytest.mark.parametrize("tool", ["nonsense", "complain"])
def test_noise_is_passed_over(odd: Odd, tool: str) -> None:
    """What is no message, and what goes to standard error, changes nothing."""
    connection = odd()
    assert connection.call(tool, {}).text == "said"
    connection.alive()


def test_an_answer_of_another_form_is_the_tool_s_error(odd: Odd) -> None:
    """A server that answers otherwise than it has to is still there."""
    connection = odd()
    assert connection.call("split", {}).is_error
    assert connection.call("say", {}).text == "said"


@pytest.mark.parametrize(
    ("tool", "why"),
    [("die", "exit status 9"), ("flood", "MiB to one request")],
)
def test_a_server_that_dies_is_the_infrastructure_s(odd: Odd, tool: str, why: str) -> None:
    """The error names server, workflow and cause, and stays the same afterwards."""
    connection = odd()
    for use in (lambda: connection.call(tool, {}), connection.alive):
        with pytest.raises(InfrastructureError, match=why) as caught:
            use()
        assert caught.value.type == "server"
        assert "MCP server odd of workflow w" in str(caught.value)


def test_its_last_words_are_told_and_move_no_cursor(odd: Odd) -> None:
    """Standard error goes into the message, escaped."""
    connection = odd()
    with pytest.raises(InfrastructureError, match="last words") as caught:
        connection.call("die", {})
    assert "\\x1b[31mlast words\\u202e" in str(caught.value)


@pytest.mark.parametrize("tool", ["hang", "leave"])
def test_a_server_that_does_not_answer_is_not_asked_again(odd: Odd, tool: str) -> None:
    """It is ended at its time limit, or where it says nothing any more; both are told."""
    connection = odd(calling=0.5)
    for asked in (tool, "say"):
        with pytest.raises(InfrastructureError, match=rf"'{tool}'( in 0\.5 s|: it closed)"):
            connection.call(asked, {})


def test_a_death_between_calls_is_noticed(odd: Odd) -> None:
    """Asked before what it holds is judged."""
    connection = odd()
    ended(connection._service)
    with pytest.raises(InfrastructureError, match="was killed"):
        connection.alive()


def test_a_server_that_does_not_start_says_why(odd: Odd) -> None:
    """Its status and words are in the message, escaped."""
    with pytest.raises(InfrastructureError, match="does not start: ended with exit status 1") as it:
        odd("broken")
    assert "cannot be \\x1b[31mstarted" in str(it.value)


def test_closing_does_not_wait_for_a_busy_server(odd: Odd) -> None:
    """A call that is under way on another thread ends with an error."""
    connection = odd()
    caught: list[BaseException] = []

    def ask() -> None:
        try:
            connection.call("hang", {})
        except InfrastructureError as error:
            caught.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.2)
    connection.close()
    thread.join(20)
    assert not thread.is_alive()
    assert len(caught) == 1


def test_a_mute_server_can_be_closed(odd: Odd) -> None:
    """One that has not told its tools yet as well."""
    connection = odd("mute", ready=False)
    connection.close()
    with pytest.raises(InfrastructureError):
        connection.call("say", {})
