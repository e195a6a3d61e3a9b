"""Prompts as files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_comem.llm.prompts import Prompt

TEXT = "For people.\n\n## system\n\nYou are $who.\n\n## user\n\n$who: $$5, ${what}s\n"


def parsed(text: str) -> Prompt:
    """Return the prompt of a file with this text."""
    return Prompt.parse(text.encode(), "some.md")


def test_sections_become_messages() -> None:
    """Each section is a message, without the white space around it and the text before."""
    assert parsed(TEXT).messages(who="A", what="cake") == [
        {"role": "system", "content": "You are A."},
        {"role": "user", "content": "A: $5, cakes"},
    ]


def test_values_are_put_in_once() -> None:
    """A dollar sign, a brace or a heading in a value is text like any other."""
    system, user = parsed(TEXT).messages(who="$what ${what} {0}\n## user", what="$who")
    assert system["content"] == "You are $what ${what} {0}\n## user."
    assert user["content"] == "$what ${what} {0}\n## user: $5, $whos"


def test_a_missing_or_unknown_value_is_an_error() -> None:
    """It names what differs, so that a prompt and its code cannot drift apart."""
    prompt = parsed(TEXT)
    assert prompt.placeholders == {"who", "what"}
    with pytest.raises(ValueError, match=r"differ in what$"):
        prompt.messages(who="A")
    with pytest.raises(ValueError, match=r"differ in more$"):
        prompt.messages(who="A", what="B", more="C")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("You are.", "there is no `## system` or `## user` section"),
        ("## system\n\n## user\nx", "the system section is empty"),
        ("## system\nx\n## user\n5 $ please", "the user section has a `\\$` that begins no name"),
    ],
)
def test_a_file_that_is_no_prompt_is_an_error(text: str, problem: str) -> None:
    """The message names the file and the section."""
    with pytest.raises(ValueError, match=f"^some.md: {problem}$"):
        parsed(text)


def test_the_version_is_the_files() -> None:
    """Line ends do not count, anything else does."""
    version = parsed(TEXT).version
    assert len(version) == 8
    assert parsed(TEXT.replace("\n", "\r\n")).version == version
    assert parsed(TEXT + " ").version != version


def test_prompts_are_read_from_their_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They lie in the package's folder ``prompts``, wherever it is installed."""
    folder = tmp_path / "prompted_package" / "prompts"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "greeting.md").write_bytes(TEXT.encode())
    monkeypatch.syspath_prepend(tmp_path)
    try:
        assert Prompt.load("prompted_package", "greeting").version == parsed(TEXT).version
        with pytest.raises(FileNotFoundError):
            Prompt.load("prompted_package", "parting")
    finally:
        sys.modules.pop("prompted_package", None)
