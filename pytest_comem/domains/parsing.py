"""Python source parsed, from any thread.

Before Python 3.11.5 two threads that parse at once can disturb each other, and the parser raises
``SystemError: AST constructor recursion depth mismatch`` for a source that is fine. So ours take
turns, and one that another's parser disturbed (pytest's own) is parsed again.
"""

from __future__ import annotations

import ast
from threading import Lock
from typing import Any, Final

_TURN: Final = Lock()
#: How often a source is parsed before the error is believed.
_ATTEMPTS: Final = 20
_UNPARSABLE: Final = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)


def parse_python(source: str) -> ast.Module | None:
    """Return the tree of a source; ``None`` where it cannot be parsed."""
    with _TURN:
        for left in reversed(range(_ATTEMPTS)):
            try:
                return ast.parse(source)
            except _UNPARSABLE:
                return None
            except SystemError:
                if not left:
                    raise
    raise AssertionError("the last attempt returns or raises")


def literal(text: str) -> Any:
    """Return the value of a Python literal.

    :raises ValueError: where the text is none.
    """
    tree = parse_python(text.strip())
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        raise ValueError("not a Python literal")
    try:
        return ast.literal_eval(tree.body[0].value)
    except _UNPARSABLE:
        raise ValueError("not a Python literal") from None
