"""Blocks in every format: text stays text, numbers align, nothing is cut without saying so."""

from __future__ import annotations

import re
from typing import Any

import pytest
from markdown_it import MarkdownIt

from pytest_comem.report.blocks import (
    Block,
    Grid,
    Heading,
    Listing,
    Paragraph,
    Verbatim,
    amount,
    figure,
    listing,
    probability,
)
from pytest_comem.report.latex import as_latex
from pytest_comem.report.markdown import as_markdown
from pytest_comem.report.terminal_blocks import as_terminal

HOSTILE = (
    "</details><script>alert(1)</script>",
    "![x](http://127.0.0.1/a.png) [y](javascript:alert(1)) <img src=x onerror=alert(1)>",
    "| a | b |\n| - | - |\n# heading\n::error::no",
    "`code` ``more`` ``` fence",
    "@everyone #1 http://127.0.0.1 www.example.com",
    r"\input{/etc/passwd} $x^2$ 50% a_b {c} ~ & # [d] * -1 ``q'' --",
    "\x1b[31mred\x1b[0m \u202eright to left\u202c \x00 \udc80",
    "=1+1",
    " ",
    "*a* _b_ ~~c~~ \\",
)
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def blocks(text: str) -> list[Block]:
    """Return a block of each kind with *text* as ours and not ours in every place."""
    spans = (text, " ", Verbatim(text))
    return [
        Heading(spans),
        Paragraph(spans),
        Paragraph(spans, quiet=True),
        Grid(
            ("name", "n"), ((text, "1"), (Verbatim(text), "22"), ("z", "3")), strong=frozenset({2})
        ),
        Listing(spans, (spans,), more=3),
    ]


def tokens(markdown: str) -> list[Any]:
    """Return every token of a parsed markdown text, also those within others."""
    found: list[Any] = []
    for token in PARSER.parse(markdown):
        found.append(token)
        found.extend(token.children or ())
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_says_hostile_text_and_does_nothing_else(text: str) -> None:
    """A parser finds our own tags only, no link, no picture, and the table has its rows."""
    found = tokens(as_markdown(blocks(text)))
    kinds = {token.type for token in found}
    assert not kinds & {"image", "link_open", "fence", "code_block", "s_open", "em_open"}
    tags = re.findall(
        r"<[^>]*>", "".join(token.content for token in found if token.type.startswith("html"))
    )
    assert set(tags) <= {
        *("<sub>", "</sub>", "<details>", "</details>"),
        *("<summary>", "</summary>", "<code>", "</code>"),
    }
    assert sum(token.type == "tr_open" for token in found) == 4
    assert sum(token.type == "heading_open" for token in found) == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_code_holds_the_text_itself(text: str) -> None:
    """What is not ours stands in a code span, control characters escaped, nothing lost."""
    (paragraph,) = (
        t for t in PARSER.parse(as_markdown([Paragraph((Verbatim(text),))])) if t.children
    )
    (code,) = paragraph.children or []
    shown = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
    assert (code.type, code.content) == ("code_inline", shown)


@pytest.mark.parametrize("text", HOSTILE)
def test_latex_has_no_command_of_the_text(text: str) -> None:
    """Every command is ours, braces balance, and no character means something to TeX."""
    shown = as_latex(blocks(text))
    known = (
        *("paragraph", "par", "footnotesize", "texttt", "textbf", "item", "begin", "end"),
        *("toprule", "midrule", "bottomrule", "usepackage"),
        *("textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater"),
        *("textbar", "textquotedbl", "textasciigrave", "textquotesingle"),
    )
    assert set(re.findall(r"\\([A-Za-z]+)", shown)) <= set(known)
    body = shown.split("\n", 1)[1]
    plain = re.sub(r"\\[A-Za-z]+|\\[&%$#_{}]|\\\\$", "", body, flags=re.MULTILINE)
    assert not set(plain) & set("\\~^%#_")
    assert plain.count("{") == plain.count("}")
    # Within a table an ampersand parts cells: one in each row.
    assert plain.count("&") == 4


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("text", HOSTILE)
def test_a_terminal_gets_no_control_character(text: str, width: int) -> None:
    """Lines are as wide as the terminal at most, and hold printable characters only."""
    lines = as_terminal(blocks(text)[:-1], width).splitlines()
    assert max(map(len, lines)) <= width
    assert all(line.isprintable() for line in as_terminal(blocks(text), width).splitlines())


def test_ids_of_a_listing_are_whole() -> None:
    """They may be copied off a narrow terminal."""
    name = "x" * 100
    assert f"  {name}" in as_terminal([listing(("t:",), [(Verbatim(name),)])], 40).splitlines()


def test_numbers_stand_below_each_other() -> None:
    """Names are on the left, numbers on the right."""
    shown = as_terminal([Grid(("name", "n"), (("a", "1.0"), ("bc", "100.0")))], 80).splitlines()
    assert shown[2].endswith("1.0")
    assert len(shown[2]) == len(shown[3])


@pytest.mark.parametrize("draw", [as_markdown, as_latex, lambda each: as_terminal(each, 80)])
def test_a_long_listing_says_how_many_more(draw: Any) -> None:
    """A cut list is not taken for a whole one."""
    shown = draw([listing(("steps:",), [(Verbatim(f"s{number}"),) for number in range(1205)], 5)])
    assert "s4" in shown
    assert "s5" not in shown
    assert "and 1,200 more" in shown


def test_figures() -> None:
    """One decimal, signs of differences, no minus zero, a dash for nothing, small p as such."""
    assert [figure(value) for value in (12.345, -0.01, None, float("nan"), 1234.0)] == [
        *("12.3", "0.0", "-", "-", "1,234.0")
    ]
    assert [figure(value, signed=True) for value in (1.0, -1.0, 0.04, -0.04)] == [
        *("+1.0", "-1.0", "0.0", "0.0")
    ]
    assert [amount(9_999.4), amount(-123_456.0, signed=True)] == ["9,999", "-123.5k"]
    assert amount(None) == "-"
    assert [probability(p) for p in (0.0004, 0.0456, 1.0, float("nan"), None)] == [
        *("<0.001", "0.046", "1.000", "-", "-")
    ]
