"""What the text of an option may say, by the kind of value that it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_comem.option_values import OptionValues

FLAG = "--flag"


def given(text: str, base: Path = Path("/base")) -> OptionValues:
    """Return an option that was given *text*."""
    return OptionValues({FLAG: text}, base)


@pytest.mark.parametrize("text", ["", " ", "0", "-1", "1.5", "one", "nan"])
def test_no_whole_number(text: str) -> None:
    """What is no whole number, or too small, is refused with the flag and what was written."""
    with pytest.raises(pytest.UsageError, match=f"^{FLAG}: '{text}' is not a whole number of 1"):
        given(text).integer(FLAG, least=1)


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "-0.1"])
def test_no_number(text: str) -> None:
    """Neither text nor an infinite or undefined number is a number."""
    with pytest.raises(pytest.UsageError, match=f"^{FLAG}: '{text}' is not a number of 0 or more"):
        given(text).number(FLAG, least=0)


def test_bounds_are_values() -> None:
    """The least and the most that may be given may be given."""
    assert given("3").integer(FLAG, least=3) == 3
    assert given("2").number(FLAG, least=2, most=2) == 2
    with pytest.raises(pytest.UsageError, match=r"'2\.1' is more than 2"):
        given("2.1").number(FLAG, least=2, most=2)


def test_nothing_given_is_none_where_that_is_allowed() -> None:
    """An empty text is no value, and no zero."""
    blank = given(" ")
    assert blank.optional_integer(FLAG) is None
    assert blank.optional_number(FLAG, least=0) is None
    assert blank.path(FLAG) is None
    assert blank.shard(FLAG) is None
    assert blank.names(FLAG) == blank.lines(FLAG) == ()
    assert blank.files(FLAG) == ()
    assert (blank.address(FLAG), blank.scheduler(FLAG)) == ("", "")
    assert blank.choice(FLAG, ("auto", "on"), blank="auto") == "auto"


def test_a_list_keeps_its_order_and_has_nothing_twice() -> None:
    """Names are taken as they stand, without space and empty places."""
    assert given(" b, a ,,").names(FLAG) == ("b", "a")
    assert given("20,5").integers(FLAG) == (20, 5)
    with pytest.raises(pytest.UsageError, match="'a' is given more than once"):
        given("a,b,a").names(FLAG)


@pytest.mark.parametrize(("text", "on"), [("TRUE", True), ("1", True), ("No", False), ("", False)])
def test_a_switch(text: str, on: bool) -> None:
    """An ini file may say it in any usual word and letter case."""
    assert given(text).switch(FLAG) is on


def test_paths_start_where_pytest_was_started(tmp_path: Path) -> None:
    """A relative path is one below the base, an absolute one stays."""
    assert given("a/../b", tmp_path).path(FLAG) == (tmp_path / "b").resolve()
    assert given("/c", tmp_path).path(FLAG) == Path("/c").resolve()
    assert given("x.toml,y.toml", tmp_path).files(FLAG) == (
        tmp_path / "x.toml",
        tmp_path / "y.toml",
    )


def test_a_mode_needs_its_directory_except_off(tmp_path: Path) -> None:
    """What is off wants no directory and takes none."""
    modes = ("off", "record")
    assert given("record my tapes", tmp_path).mode_and_directory(FLAG, modes) == (
        "record",
        (tmp_path / "my tapes").resolve(),
    )
    assert given("off x").mode_and_directory(FLAG, modes) == ("off", None)
    with pytest.raises(pytest.UsageError, match="record needs a directory behind it"):
        given("record").mode_and_directory(FLAG, modes)


@pytest.mark.parametrize(
    "text", ["localhost:8000", "ftp://h/", "http://", "http://h:0", "http://h:99999", "http://[::1"]
)
def test_no_address(text: str) -> None:
    """A base URL has a scheme, a host and a port that can be."""
    with pytest.raises(pytest.UsageError, match="is no address; it looks like http://127"):
        given(text).address(FLAG)


@pytest.mark.parametrize(
    "text", ["http://u:secret@h/v1", "http://h/v1?key=secret", "http://h/#secret"]
)
def test_an_address_with_a_secret_is_refused_without_showing_it(text: str) -> None:
    """It would get into manifests and messages."""
    with pytest.raises(pytest.UsageError, match="is refused") as raised:
        given(text).address(FLAG)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "text", ["tcp://h", "h:8786", "http://h:8786", "tcp://u@h:1", "tls://h:1/x"]
)
def test_no_scheduler(text: str) -> None:
    """A scheduler's address is a scheme of Dask's, a host and a port, and nothing more."""
    with pytest.raises(pytest.UsageError, match="is no scheduler's address"):
        given(text).scheduler(FLAG)


@pytest.mark.parametrize(
    ("read", "wrong"),
    [
        (lambda values: values.choice(FLAG, ("paper", "gated")), "papr"),
        (lambda values: values.shard(FLAG), "4/3"),
        (lambda values: values.switch(FLAG), "perhaps"),
    ],
)
def test_every_refusal_begins_with_the_flag(
    read: Callable[[OptionValues], object], wrong: str
) -> None:
    """So that among many options it is clear which is wrong."""
    with pytest.raises(pytest.UsageError, match=f"^{FLAG}: ") as raised:
        read(given(wrong))
    assert wrong in str(raised.value)
