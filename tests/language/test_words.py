"""Words and values of a plain text."""

from __future__ import annotations

from pytest_comem.language.words import READ, content_words, is_name, stem, values


def test_forms_of_a_word_share_a_stem() -> None:
    """Plural, past and progressive count as the same word."""
    assert stem("deleted") == stem("delete") == stem("deletes") == stem("deleting")
    assert stem("policies") == stem("policy")


def test_content_words_leave_out_stop_words() -> None:
    """Only what a text is about remains."""
    assert content_words("What is the budget of the garden?") == {stem("budget"), stem("garden")}


def test_values_are_numbers_codes_quotes_and_names() -> None:
    """Whatever a reader would copy is a value."""
    found = values('Ask Mary Stone for "blue door" or code ax-7712 at 10:30.')
    assert {"mary stone", "blue door", "ax-7712", "10:30"} <= found


def test_a_sentence_start_is_no_name() -> None:
    """A capital at the start of a sentence says nothing."""
    assert not values("Tomorrow is fine. Perhaps later.")


def test_names_have_no_digits() -> None:
    """A value with a digit is a number or a code."""
    assert is_name("mary stone")
    assert not is_name("ax-7712")


def test_only_the_beginning_of_a_huge_text_is_read() -> None:
    """A hostile text costs no more than its first part."""
    assert "needle" not in content_words("x " * READ + "needle")
