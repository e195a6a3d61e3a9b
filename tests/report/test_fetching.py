"""How a download shows, on a terminal and in a log."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from pytest_comem.report.fetching import fetching_display


def shown(*, terminal: bool) -> str:
    """Return what one interrupted and resumed download shows."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=80, highlight=False)
    with fetching_display(console) as listener:
        listener.started("medical/[b].jsonl", 0, None)
        listener.advanced(1000)
        listener.started("medical/[b].jsonl", 2_000_000, 5_000_000)
        listener.advanced(3_000_000)
        listener.finished("medical/x.jsonl", "fetched")
        listener.finished("medical/y.jsonl", "already here")
    return out.getvalue()


def test_a_log_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where and how far a file is, without a single control character."""
    monkeypatch.delenv("CI", raising=False)
    assert shown(terminal=False).splitlines() == [
        "medical/[b].jsonl: fetching",
        "medical/[b].jsonl: fetching (5.0 MB), going on after 2.0 MB",
        "medical/x.jsonl: fetched",
        "medical/y.jsonl: already here",
    ]
    monkeypatch.setenv("CI", "true")
    assert "\x1b" not in shown(terminal=True)


def test_a_terminal_gets_a_bar_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar moves by control characters; the finished files stay as lines."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    text = shown(terminal=True)
    assert "\x1b[" in text
    assert "medical/x.jsonl: fetched" in text
