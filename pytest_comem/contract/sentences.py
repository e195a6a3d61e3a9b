"""Texts to write: each has a value word of its own, so that it can be told apart in any answer."""

from __future__ import annotations

from typing import Final

_CONSONANTS: Final = "bdfgklmnprtvz"
_VOWELS: Final = "aou"

#: What sentences are about; one may come up several times, with another value each time.
SUBJECTS: Final = (
    "The door code",
    "My cat's name",
    "Our meeting room",
    "The printer password",
    "Her favourite tea",
    "The new project",
    "His home town",
    "The blue folder's label",
)

#: Sentences without a word in common with any of :func:`sentence`.
UNRELATED: Final = (
    "Yesterday heavy rain fell over Lisbon.",
    "Trains to Geneva leave every hour.",
    "Seven sailors sold old silver spoons.",
)

#: Texts that libraries are known to change: read as numbers, parsed, trimmed, cut or filled in.
ODD: Final = (
    "007",
    "1e5",
    "3.10",
    "true",
    "null",
    "None",
    "NaN",
    "2024-05-01",
    "[1, 2]",
    '{"name": "bakudo", "memory": []}',
    '"quoted bakudo"',
    "it's \\n not \\t a bakudo\\",
    "{bakudo} {{bakudo}} {0} {}",
    "$bakudo ${bakudo} %s %(bakudo)d",
    "<b>bakudo</b> &amp; <think>bakudo</think>",
    "```json\nbakudo\n```",
    "first bakudo\nsecond line\r\nthird line\n",
    "  bakudo\t ",
    "bakudo \U0001f642 \U0001f469\u200d\U0001f4bb",
    "bakudo \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u202eabc",
    "bakudo cafe\u0301 caf\u00e9 \ufb01ne \u2460",
    "bakudo \u8bb0\u5fc6\u6d4b\u8bd5",
    "bakudo\x00behind a null",
    "bakudo \x07\x1b[31m bell",
    "bakudo; DROP TABLE memories; --",
    "bakudo " + "word " * 4_000 + "end",
    " \n\t ",
)

#: Pairs of principals' names that wildcards, paths, patterns and case folding are known to mix up.
ALIKE: Final = (
    ("a", "b"),
    ("a", "ab"),
    ("a", "A"),
    ("a", "a/b"),
    ("a", "a.b"),
    ("a", "a:b"),
    ("a", "a-b"),
    ("*", "a"),
    ("a*", "ab"),
    ("%", "a"),
    ("_", "a"),
    ("?", "a"),
    (" ", "a"),
    ("a", "\u0430"),  # Cyrillic, looks like a Latin a
    ("\u00e4", "a\u0308"),  # one letter, in one character and in two
    ("null", "None"),
)

#: Every name among them.
NAMES: Final = tuple(dict.fromkeys(name for pair in ALIKE for name in pair))


def value_word(number: int) -> str:
    """Return the *number*-th value word: six letters, none part of another."""
    syllables = [consonant + vowel for vowel in _VOWELS for consonant in _CONSONANTS]
    size = len(syllables)
    # Neighbouring numbers differ in more than one syllable: no two words look alike.
    return (
        syllables[number * 7 % size]
        + syllables[(number // size + number * 11 + 3) % size]
        + syllables[(number * 5 + 8) % size]
    )


def sentence(subject: int, value: str) -> str:
    """Return a sentence that says *value* of a subject."""
    return f"{SUBJECTS[subject]} is {value}."


def value_of(text: str) -> str:
    """Return the value word of a :func:`sentence`."""
    return text.rpartition(" ")[2].rstrip(".")
