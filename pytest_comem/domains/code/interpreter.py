"""Which Python runs a repository's code in a sandbox: the running one, with pytest alone."""

from __future__ import annotations

from pytest_comem.sandbox.interpreter import PYTEST, Interpreter
from pytest_comem.sandbox.interpreter import interpreter_for as _interpreter_for


def interpreter_for(kind: str) -> Interpreter:
    """Return how a kind of sandbox runs Python with pytest.

    :param kind: name of the kind.
    :raises SettingsError: where pytest is not there, or the interpreter cannot be shown.
    """
    return _interpreter_for(kind, PYTEST)
