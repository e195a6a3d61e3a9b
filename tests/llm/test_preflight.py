"""What is found out about base URLs before anything is played."""

from __future__ import annotations

import socket

import pytest

from pytest_comem.errors import SettingsError
from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.preflight import require_reachable

OPTION = "--comem-model openai/m"


@pytest.fixture
def port() -> int:
    """A port at which nothing listens."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        found: int = closed.getsockname()[1]
        return found


def at(api_base: str) -> dict[str, ModelSpec]:
    """Return a model at *api_base* by its option."""
    return {OPTION: ModelSpec("openai/m", api_base)}


def test_a_server_that_listens_is_reachable() -> None:
    """One connection is enough; nothing is sent."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        require_reachable(at(f"http://127.0.0.1:{server.getsockname()[1]}/v1"))
        server.settimeout(10)
        connection, _ = server.accept()
        with connection:
            assert connection.recv(1) == b""


def test_a_dead_address_is_named_with_its_option(port: int) -> None:
    """The message says what cannot be reached, for which option, and that nothing was played."""
    url = f"http://127.0.0.1:{port}/v1"
    with pytest.raises(SettingsError, match=f"^{OPTION}: {url} cannot be reached .*Nothing was"):
        require_reachable(at(url))


def test_a_provider_of_its_own_address_is_not_tried() -> None:
    """Without a base URL there is nothing to connect to."""
    require_reachable(at(""))


def test_a_proxy_hides_what_is_behind_it_except_this_machine(
    monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    """Through a proxy nothing is tried; loopback never goes through one."""
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
    require_reachable(at(f"http://model.invalid:{port}/v1"))
    with pytest.raises(SettingsError):
        require_reachable(at(f"http://127.0.0.1:{port}/v1"))


@pytest.mark.parametrize("wrong", ["99999", "http"])
def test_a_port_that_is_none_is_an_error_of_the_settings(wrong: str) -> None:
    """It is no crash."""
    with pytest.raises(SettingsError, match=f"^{OPTION}: .*:{wrong}/v1 is no address"):
        require_reachable(at(f"http://127.0.0.1:{wrong}/v1"))
