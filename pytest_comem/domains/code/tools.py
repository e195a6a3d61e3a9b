"""The tools of the domain, as capability tokens name them."""

from __future__ import annotations

from typing import Final

ISSUE: Final = "issue"
READ: Final = "read_file"
SEARCH: Final = "search"
WRITE: Final = "write_file"
TESTS: Final = "run_tests"
PYTHON: Final = "run_python"
