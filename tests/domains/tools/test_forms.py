"""Files: what is written is read again, and damaged ones are refused."""

from __future__ import annotations

import pytest

from pytest_comem.domains.tools.contents import Body
from pytest_comem.domains.tools.forms import decoded, parsed, written
from pytest_comem.domains.tools.tables import NoTableError, table_of

TABLE = table_of(["item", "note"], [["bolt", 'a "quoted", text'], [12, "two\nlines"]])


@pytest.mark.parametrize(
    ("body", "suffix"),
    [
        (TABLE, ".csv"),
        ({"cost": 12, "item": "bolt"}, ".json"),
        ({"cost": 12, "item": "bolt m8"}, ".md"),
        ("SELECT 1\n", ".sql"),
    ],
)
def test_bodies_come_back(body: Body, suffix: str) -> None:
    """Tables as CSV, facts as JSON or Markdown, code as it is."""
    assert parsed(written(body, suffix, "A title"), suffix) == body


@pytest.mark.parametrize(
    ("body", "suffix"), [(TABLE, ".json"), ({"a": 1}, ".csv"), ("x", ".md"), (TABLE, "")]
)
def test_a_form_holds_its_own_kind_only(body: Body, suffix: str) -> None:
    """A table is no JSON of facts, and so on."""
    with pytest.raises(NoTableError):
        written(body, suffix)


def test_forms_of_others_are_read_too() -> None:
    """Line ends of Windows, a byte order mark, bold names, blank lines, other text around facts."""
    assert parsed(decoded(b"\xef\xbb\xbfa,b\r\n1,x\r\n\r\n"), ".csv") == table_of(
        ["a", "b"], [[1, "x"]]
    )
    text = (
        "# Title\r\n\r\nSome words: here.\r\n* **cost**: 12\r\n- `item`: *bolt*\r\n- Not a fact\n"
    )
    assert parsed(text, ".md") == {"cost": 12, "item": "bolt"}


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("", ".csv"),
        ("a,b\n1\n", ".csv"),
        ("a\n" + "1\n" * 1_001, ".csv"),
        ("a,a\n1,2\n", ".csv"),
        ("x" * 200_000, ".csv"),
        ("[1]", ".json"),
        ("{", ".json"),
        ("[" * 100_000, ".json"),
        ('{"a": {"b": 1}}', ".json"),
        ("nothing", ".md"),
        ("- a: 1\n- a: 2\n", ".md"),
        ("x" * 20_001, ".sql"),
    ],
)
def test_what_is_damaged_is_refused(text: str, suffix: str) -> None:
    """Also where it would take long or deep."""
    with pytest.raises(NoTableError):
        parsed(text, suffix)


def test_bytes_that_are_no_text_are_refused() -> None:
    """UTF-8 or nothing."""
    with pytest.raises(NoTableError):
        decoded(b"\xff\xfe")
