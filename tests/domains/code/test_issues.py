"""Reading issues, and the scripts that are made of their examples."""

from __future__ import annotations

import pytest
from code_play import GOLD_RANGES, ISSUE_NAMES, ISSUE_RANGES, TREE, runner

from pytest_comem.domains.code.issues import Step, is_expression, is_import, read_issue
from pytest_comem.domains.code.scripts import outcome_of, script_of


def test_an_issue_is_read() -> None:
    """Its title, the statements with what is shown, what they call, and what comes instead."""
    found = read_issue(ISSUE_RANGES)
    assert found.title == "The upper bound does not belong to its range"
    assert found.steps == (
        Step("from pocket import within"),
        Step("within(5, 1, 5)", "True"),
        Step("within(6, 1, 5)", "False"),
    )
    assert found.entry_points == ("pocket.within",)
    assert found.actual == "False"
    assert read_issue(ISSUE_NAMES).entry_points == ("pocket.initials",)


def test_statements_of_several_lines_methods_and_tracebacks() -> None:
    """Continued lines, a method by its name, and of a traceback its last line."""
    text = """Title

```python
>>> import pocket.ranges as r
>>> box = r.Box(
...     3,
... )
>>> box.add(1)
Traceback (most recent call last):
  ...
ValueError: full

>>> print("a")
a
```
"""
    found = read_issue(text)
    assert found.steps[1] == Step("box = r.Box(\n    3,\n)")
    assert found.steps[2] == Step("box.add(1)", "ValueError: full")
    assert found.entry_points == ("pocket.ranges.Box", ".add")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no examples",
        "```python\n>>> (\n```",
        "```python\n>>> " + "(" * 5_000 + "\n```",
        "```python\n>>> \0\n```",
        "```\n```\n```",
        ">>> 1\n1",
    ],
)
def test_whatever_is_no_example_is_left_out(text: str) -> None:
    """Of any text; nothing is evaluated."""
    assert read_issue(text).steps == ()


def test_an_issue_is_read_within_bounds() -> None:
    """So many statements of so many characters, whatever its length."""
    many = "T\n```python\n" + "".join(f">>> f({n})\n{n}\n" for n in range(5_000)) + "```\n"
    assert len(read_issue(many).steps) <= 40


def test_kinds_of_statements() -> None:
    """An expression, an import, and anything else."""
    assert is_expression("f(1)")
    assert not is_expression("x = 1")
    assert is_import("from a import b")
    assert not is_import("import a; a.b()")
    assert not is_expression("(")


def test_a_script_fails_before_and_passes_after() -> None:
    """By an assertion."""
    script = script_of((one.code, one.expected) for one in read_issue(ISSUE_RANGES).steps)
    assert outcome_of(runner().script(TREE, [], script)) == "fails"
    assert outcome_of(runner().script(TREE, [GOLD_RANGES], script)) == "passes"


@pytest.mark.parametrize(
    ("steps", "outcome"),
    [
        ([("print('a')\nprint('b')", "a\nb")], "passes"),
        ([("print('a')", "a")], "passes"),
        ([("None", "")], "passes"),
        ([("x = 3", ""), ("x  # three", "3")], "passes"),
        ([("for n in range(2):\n    print(n)", "0\n1")], "passes"),
        ([("int('x')", "ValueError: invalid literal for int() with base 10: 'x'")], "passes"),
        ([("int('x')", "7")], "fails"),
        ([("{}['a']", "KeyError: 'a'")], "passes"),
        ([("from pocket import missing", ""), ("1", "1")], "breaks"),
        ([("x = 1 / 0", "")], "breaks"),
        ([("1", "'; import os #")], "fails"),
        ([("1", "1\\'\"\n2")], "fails"),
    ],
)
def test_what_is_shown_is_what_a_session_shows(steps: list[tuple[str, str]], outcome: str) -> None:
    """Values, prints, exceptions; expected text is data, whatever it holds."""
    assert outcome_of(runner().script(TREE, [], script_of(steps))) == outcome


def test_an_exception_of_the_library_has_its_modules_name() -> None:
    """As the interpreter prints it."""
    steps = [
        ("import json", ""),
        (
            "json.loads('')",
            "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        ),
    ]
    assert outcome_of(runner().script(TREE, [], script_of(steps))) == "passes"
