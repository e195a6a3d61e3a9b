"""What artifacts of this domain hold, and how to read any JSON as such without trusting it.

Every content has a *summary* in words, which no evaluator reads, the *place* where the state holds
the result, and one body:

======================  ==================================================================
semantic type           body
======================  ==================================================================
tabular_artifact        table {columns, rows}
document_artifact       facts {name: cell}
code_artifact           code, a text
execution_receipt       table or facts: what the run left behind
form_receipt            facts: the row that was filed
verification_receipt    facts: what was looked at, and whether it agrees
======================  ==================================================================
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from pytest_comem.domains.tools.tables import Cell, NoTableError, Table, read_facts, read_table

TABULAR: Final = "tabular_artifact"
DOCUMENT: Final = "document_artifact"
CODE: Final = "code_artifact"
EXECUTION: Final = "execution_receipt"
FORM: Final = "form_receipt"
VERIFICATION: Final = "verification_receipt"

#: Names of the bodies that every type may have.
BODIES: Final = {
    TABULAR: ("table",),
    DOCUMENT: ("facts",),
    CODE: ("code",),
    EXECUTION: ("table", "facts"),
    FORM: ("facts",),
    VERIFICATION: ("facts",),
}
#: Characters of a code artifact, at most.
LONGEST_CODE: Final = 20_000
#: A result: a table, facts by name, or code.
Body: TypeAlias = "Table | dict[str, Cell] | str"


def body_name(body: Body) -> str:
    """Return the field of a content that holds such a body."""
    if isinstance(body, Table):
        return "table"
    return "code" if isinstance(body, str) else "facts"


def body_json(body: Body) -> Any:
    """Return a body as a content holds it."""
    return body.as_json() if isinstance(body, Table) else body


def read_body(content: Any, allowed: tuple[str, ...] = ("table", "facts", "code")) -> Body:
    """Return the one body of a content.

    :raises NoTableError: where it has none or two, or none of the form that it should have.
    """
    if not isinstance(content, dict):
        raise NoTableError("it is no JSON object")
    names = [name for name in ("table", "facts", "code") if name in content]
    if len(names) != 1 or names[0] not in allowed:
        raise NoTableError(f"it has to hold one {' or '.join(allowed)}")
    value = content[names[0]]
    if names[0] == "table":
        return read_table(value)
    if names[0] == "facts":
        return read_facts(value)
    if not isinstance(value, str) or len(value) > LONGEST_CODE:
        raise NoTableError(f"its code is no text of at most {LONGEST_CODE:,} characters")
    return value


def same_body(one: Body, other: Body) -> bool:
    """Whether two bodies say the same: rows in any order, code whatever its blanks."""
    if isinstance(one, Table) and isinstance(other, Table):
        return one.same_rows(other)
    if isinstance(one, str) and isinstance(other, str):
        return one.split() == other.split()
    return type(one) is type(other) and one == other
