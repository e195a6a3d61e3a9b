"""From what pytest was given to the settings of a run."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_comem.reading import read_settings
from pytest_comem.settings import SANDBOXES, Settings


@pytest.fixture(autouse=True)
def no_data_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing but the tests say where data is."""
    monkeypatch.delenv("COMEM_DATA", raising=False)


def read(pytester: pytest.Pytester, *arguments: str) -> Settings:
    """Return the settings of pytest with *arguments*."""
    return read_settings(pytester.parseconfig(*arguments))


def test_the_table_and_the_value_have_the_same_defaults(pytester: pytest.Pytester) -> None:
    """What the help and the README call the default is what code gets that makes settings."""
    assert read(pytester, "--memory-system=bm25") == Settings(("bm25",))


def test_nothing_is_read_where_no_memory_system_is_named(pytester: pytest.Pytester) -> None:
    """A project that merely has the plugin is not told of a wrong key."""
    pytester.makeini("[pytest]\ncomem_top_k = many\n")
    assert not read(pytester).active


def test_what_may_be_repeated_comes_from_both_places(pytester: pytest.Pytester) -> None:
    """The command line's comes last, so that it wins."""
    pytester.makeini("[pytest]\ncomem_gate = on\ncomem_model_option =\n  a=1\n  b=2\n")
    found = read(
        pytester, "--memory-system=bm25", "--comem-gate=unscored <= 1%", "--comem-model-option=a=3"
    )
    assert found.gate == ("on", "unscored <= 1%")
    assert found.calls.options == ("a=1", "b=2", "a=3")


def test_the_environment_stands_behind_the_ini_file(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory of data may be set once for all projects."""
    monkeypatch.setenv("COMEM_DATA", "/everywhere")
    assert str(read(pytester, "--memory-system=bm25").data) == "/everywhere"
    pytester.makeini("[pytest]\ncomem_data = /here\n")
    assert str(read(pytester, "--memory-system=bm25").data) == "/here"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--comem-synthetic=1", "--comem-limit=1"], "leave out --comem-limit"),
        (["--comem-resume=.", "--comem-run-dir=x"], "leave out --comem-run-dir"),
        (["--comem-resume=nowhere"], "nowhere is no directory of a run"),
        (["--comem-backend=tcp://h:1", "--comem-cassette", "record", "d"], "--comem-cassette rec"),
        (["--comem-backend=tcp://h:1", "--comem-keep-state"], "--comem-keep-state would keep"),
    ],
)
def test_what_does_not_go_together_is_refused(
    pytester: pytest.Pytester, arguments: Sequence[str], message: str
) -> None:
    """Two options that contradict each other are one message that names the way out."""
    with pytest.raises(pytest.UsageError, match=message):
        read(pytester, "--memory-system=bm25", *arguments)


@pytest.mark.parametrize(
    "arguments", [["--comem-baseline="], ["--comem-gate", "on", "--comem-gate", " "]]
)
def test_a_check_without_a_value_is_refused(
    pytester: pytest.Pytester, arguments: Sequence[str]
) -> None:
    """A variable that is not set must not switch a check off unseen."""
    with pytest.raises(pytest.UsageError, match="is given without a value"):
        read(pytester, "--memory-system=bm25", *arguments)


@pytest.mark.parametrize("argument", ["--comem-gate=on", "--comem-html=page.html"])
def test_a_promise_needs_a_memory_system(pytester: pytest.Pytester, argument: str) -> None:
    """A run that would check or write nothing says so instead of passing."""
    pytester.makepyfile("def test_own(): pass")
    result = pytester.runpytest_inprocess(argument)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*does nothing without a memory system*"])


def test_options_of_the_ini_file_need_none(pytester: pytest.Pytester) -> None:
    """The project's own tests run as ever where its ini file says how suites are to be run."""
    pytester.makeini("[pytest]\ncomem_gate = on\naddopts = --comem-baseline=x.json\n")
    pytester.makepyfile("def test_own(): pass")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_every_kind_of_sandbox_can_be_asked_for() -> None:
    """The words of the option are the names that there are."""
    from pytest_comem.sandbox.registry import AUTO, KINDS

    assert set(SANDBOXES) == {AUTO, *KINDS}
