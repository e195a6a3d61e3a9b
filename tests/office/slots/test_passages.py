"""How recalled passages are read."""

from __future__ import annotations

import pytest
from made_plans import read, task

from pytest_comem.office.slots.passages import in_order, without_rejected, without_replaced
from pytest_comem.streams.traces import changed, said_of


def test_a_header_gives_day_and_project() -> None:
    """Day, project and speaker are read and are no part of what is learned from."""
    (one,) = read("[2025-02-03, Harbour] assistant: wrote a.md:\n# A")
    assert (one.day, one.project, one.kept) == ("2025-02-03", "Harbour", "wrote a.md:\n# A")
    (other,) = read("Ada: [1] is a footnote")
    assert (other.day, other.project) == ("", None)


def test_a_passage_of_several_entries_is_several_parts() -> None:
    """A memory may hand over a session at once; a dated line of a document begins no entry."""
    text = (
        "[2025-02-03, Harbour] Ada: one\n[2025-02-04] noted\n"
        "[2025-02-05, North Light] assistant: two\n[2025-02-06] Ada: three"
    )
    found = [(one.index, one.day, one.project) for one in read("x", text)]
    assert found == [
        (0, "", None),
        (1, "2025-02-03", "Harbour"),
        (1, "2025-02-05", "North Light"),
        (1, "2025-02-06", None),
    ]


def test_without_a_header_the_only_project_named_counts() -> None:
    """What a memory wrote itself belongs to the project it speaks of, unless there are two."""
    found = [
        one.project
        for one in read("Harbour wants ISO dates", "Harbour and North Light", "harbours")
    ]
    assert found == ["Harbour", None, None]


@pytest.mark.parametrize(
    ("text", "applies"),
    [
        ("[2025-02-03, Harbour] Ada: hi", 2),
        ("[2025-02-03, North Light] Ada: hi", 0),
        ("[2025-02-03] Ada: hi", 1),
        ("hi", 1),
        ("[2025-02-03, North Light] Ada: in all projects, please", 2),
        ("[2025-02-03, North Light] Ada: everywhere in North Light", 0),
        ("[2025-02-03, North Light] Ada: from now on", 0),
        ("[2025-02-03] Ada: From now on.", 2),
        ("[2025-02-03] Ada: from now on in North Light", 0),
        ("from now on in North Light", 0),
        ("[2025-02-03, North Light] assistant: wrote a.md:\nSales fell everywhere", 0),
    ],
)
def test_how_far_a_passage_concerns_a_task(text: str, applies: int) -> None:
    """Its own project and what holds everywhere come before general work and other projects."""
    (one,) = read(text)
    assert one.applies(task("Harbour")) == applies


def test_passages_are_believed_in_order() -> None:
    """Project first, then the newer, of one day corrections, then the memory's order."""
    texts = [
        "no header",
        "[2025-06-01, Harbour] result: newest",
        "[2025-05-01, North Light] Ada: foreign",
        "[2025-02-01, Harbour] assistant: wrote a.md:\nold",
        "[2025-03-01, Harbour] assistant: wrote a.md:\nnew",
        '[2025-03-01, Harbour] Ada: I changed a.md: "new" is now "newer".',
        "[2025-04-01] Ada: general",
    ]
    assert [one.index for one in in_order(read(*texts), task("Harbour"))] == [5, 4, 3, 1, 6, 0, 2]


def test_what_was_replaced_is_dropped() -> None:
    """The OLD of a change, whatever it holds, is no evidence."""
    was = changed("a.md", '31/03/2025\nhe said "is"', '2025-03-31 and "b"')
    assert "31/03" not in without_replaced(was)
    assert '"2025-03-31 and "b""' in without_replaced(was)
    edited = said_of("edit", {"path": "a.md", "old": "A\nB", "new": "C"})
    assert without_replaced(edited) == 'edited a.md: replaced with "C"'
    assert (
        without_replaced('"1.5" is now "2,5", and "3" is now "4"')
        == ' is now "2,5", and  is now "4"'
    )


@pytest.mark.parametrize(
    ("text", "kept", "gone"),
    [
        ("Write 31/03/2025 instead of 2025-03-31.", "31/03/2025", "2025-03-31"),
        ("Instead of 31.03.2025 use 2025-03-31.", "2025-03-31", "31.03.2025"),
        ("do not write 1.5, but 1,5", "1,5", "1.5"),
        ("Switched from 31/03/2025 to 2025-03-31", "2025-03-31", "31/03/2025"),
        ("We used to write 1.234,5; now 1,234.5", "1,234.5", "1.234,5"),
        ("Ada no longer wants 31/03/2025, she wants 2025-03-31", "2025-03-31", "31/03/2025"),
        ("2025-03-31 rather than 31/03/2025", "2025-03-31", "31/03/2025"),
    ],
)
def test_what_is_not_wanted_is_dropped(text: str, kept: str, gone: str) -> None:
    """Of two ways the one that is turned down is no evidence."""
    left = without_rejected(text)
    assert kept in left
    assert gone not in left


def test_a_span_of_time_is_no_change() -> None:
    """From one day to another turns nothing down."""
    assert without_rejected("open from 01/02/2025 to 31/03/2025") == (
        "open from 01/02/2025 to 31/03/2025"
    )


def test_words_are_whole_words() -> None:
    """A passage holds a word or phrase whatever its case and blanks, but no part of one."""
    (one,) = read("The Churn\n report")
    assert one.holds(["churn report"])
    assert one.holds([])
    assert not one.holds(["chur", "reports"])


def test_hostile_passages_are_read_to_a_bound() -> None:
    """Megabytes of quotes and brackets come to an end."""
    for text in ('" is now "' * 100_000, "[2025-02-03, " * 100_000, 'replaced "' * 100_000):
        assert all(len(one.text) <= 50_000 for one in read(text))
