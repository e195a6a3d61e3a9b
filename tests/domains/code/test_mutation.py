"""The operators of the repair tool: each undoes a kind of fault, wherever it stands."""

from __future__ import annotations

import ast

import pytest
from code_play import RANGES, TREE, runner

from pytest_comem.domains.code.inside.mutation import mutants
from pytest_comem.domains.code.regions import functions

FAULTS = {
    "comparison": ("return a < b", "return a <= b"),
    "chained comparison": ("return 0 <= a < b", "return 0 <= a <= b"),
    "identity": ("return a is b", "return a == b"),
    "membership": ("return a not in b", "return a in b"),
    "connective": ("return a and b", "return a or b"),
    "negated operand": ("return a and b", "return a and not (b)"),
    "operand too many": ("return a and b", "return (a)"),
    "negation": ("return not a", "return (a)"),
    "condition": ("if a:\n        return b", "if not (a):\n        return b"),
    "one less": ("return a[:b]", "return a[:(b - 1)]"),
    "one more": ("return 7 * b", "return 7 * (b + 1)"),
    "constant": ("return a[1]", "return a[2]"),
    "truth": ("return f(a, True)", "return f(a, False)"),
    "arithmetic": ("return a - b", "return a + b"),
    "floor division": ("return a / b", "return a // b"),
    "other name": ("return f(a, a)", "return f(a, b)"),
    "swapped arguments": ("return f(a, b)", "return f(b, a)"),
    "other call": ("return a.lstrip()", "return a.strip()"),
    "other function": ("return max(a, b)", "return min(a, b)"),
    "call too many": ("return a.strip()", "return a"),
    "missing strip": ("return f(a)", "return f(a.strip())"),
    "missing casefold": ("return a == b", "return a.casefold() == b"),
    "missing strip of a formatted text": ('return f"{a} {b}"', 'return f"{a} {b}".rstrip()'),
    "missing abs": ("return a", "return abs(a)"),
    "missing default": ("return a.get(b)", "return a.get(b, 0)"),
    "split once": ("return a.split(b)", "return a.split(b, 1)"),
    "slice bound": ("return a[1:]", "return a[:]"),
    "exchanged bounds": ("return a[:b]", "return a[b:]"),
    "guard": ("return a[0]", "if not a:\n        return None\n    return a[0]"),
    "guard of None": ("return f(a)", "if a is None:\n        return b\n    return f(a)"),
    "raised type": ("raise KeyError(a)", "raise ValueError(a)"),
    "caught type": (
        "try:\n        f()\n    except KeyError:\n        pass",
        "try:\n        f()\n    except (KeyError, IndexError):\n        pass",
    ),
    "assignment": ("a += b\n    return a", "a -= b\n    return a"),
    "loop": (
        "for x in a:\n        if x:\n            break",
        "for x in a:\n        if x:\n            continue",
    ),
    "statement too many": ("a = f(a)\n    return a", "pass\n    return a"),
    "branches": ("return a if b else 0", "return 0 if b else a"),
}


def sources(body: str) -> set[str]:
    """Return the bodies of all mutants of a function."""
    source = f"def g(a, b):\n    {body}\n"
    found = mutants(source.encode(), 1, source.count("\n"), [])
    made = {one.applied(source.encode()).decode() for one in found}
    assert source not in made
    return {each.removeprefix("def g(a, b):\n    ").rstrip("\n") for each in made}


@pytest.mark.parametrize("name", FAULTS)
def test_every_kind_of_fault_is_undone(name: str) -> None:
    """By the one change, in the source's own form."""
    faulty, right = FAULTS[name]
    assert right in sources(faulty)


def test_a_shared_default_is_made_anew() -> None:
    """In each call, before the first statement after the documentation."""
    source = 'def g(a=[]):\n    """Do."""\n    a.append(1)\n'
    right = 'def g(a=None):\n    """Do."""\n    if a is None:\n        a = []\n    a.append(1)\n'
    made = [one.applied(source.encode()).decode() for one in mutants(source.encode(), 1, 3, [])]
    assert right in made


def test_only_the_region_is_changed() -> None:
    """And everything else keeps its bytes, in whatever language comments are."""
    source = RANGES.replace('"""Ranges of numbers."""', "# Größen, 数\n")
    raw = source.encode()
    one = next(each for each in functions(source) if each.name == "clipped")
    found = mutants(raw, one.start, one.end, [])
    assert len(found) > 20
    head = "\n".join(source.split("\n")[: one.start - 1]).encode()
    assert all(each.applied(raw).startswith(head) for each in found)
    compiled = sum(_is_python(each.applied(raw)) for each in found)
    assert compiled > 0.9 * len(found)


def _is_python(raw: bytes) -> bool:
    try:
        ast.parse(raw)
    except SyntaxError:
        return False
    return True


def test_likely_faults_and_suspicious_lines_come_first() -> None:
    """A comparison before a guard, and of equals the line that is named first."""
    source = b"def g(a, b):\n    x = a < b\n    y = a < b\n    return x, y\n"
    found = mutants(source, 1, 4, [3, 2])
    assert next(one.line for one in found if one.operator == "comparison") == 3
    ranks = [one.rank for one in found]
    assert ranks == sorted(ranks)
    assert found == mutants(source, 1, 4, [3, 2])


def test_a_spectrum_names_the_function_at_fault() -> None:
    """Lines that the failing assertion executes and few passing tests do."""
    script = "from pocket import clipped, within\nassert within(1, 1, 2)\nassert within(3, 1, 3)\n"
    found = runner().driver(TREE, "spectrum", {"script": script, "tests": [], "most": 5})
    first = found["candidates"][0]
    assert (first["file"], first["function"]) == ("pocket/ranges.py", "within")
    assert first["lines"][0] in (6, 8)
    # Executed by both assertions and the tests test_inside, test_clipped: 1 / sqrt(1 * (1 + 3));
    # the test of the wrong bounds executes the first line alone.
    assert first["score"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    "script", ["", "assert True", "(", "import os\nos._exit", "raise SystemExit(0)"]
)
def test_a_script_that_does_not_fail_names_nothing(script: str) -> None:
    """Neither one that is no Python."""
    found = runner().driver(TREE, "spectrum", {"script": script, "tests": [], "most": 5})
    assert found == {"candidates": []}
