"""The servers that this domain's families name, and the tools of theirs that workers use.

A capability token names a tool as ``SERVER__TOOL``, which is also how a language model is told of
it.
"""

from __future__ import annotations

from typing import Final

FILESYSTEM: Final = "filesystem"
GIT: Final = "git"
SQLITE: Final = "sqlite"
POSTGRES: Final = "postgres"
TIME: Final = "time"
EXCEL: Final = "excel"
SERVERS: Final = (FILESYSTEM, GIT, SQLITE, POSTGRES, TIME, EXCEL)

READ_FILE: Final = "filesystem__read_text_file"
WRITE_FILE: Final = "filesystem__write_file"
STAGE: Final = "git__git_add"
COMMIT: Final = "git__git_commit"
CONVERT: Final = "time__convert_time"
READ_SHEET: Final = "excel__read_range"
CLEAR_SHEET: Final = "excel__delete_sheet"
NEW_SHEET: Final = "excel__create_sheet"
WRITE_SHEET: Final = "excel__write_range"
#: Tools for queries and for changes of a database, by its server.
QUERY: Final = {SQLITE: "sqlite__read_query", POSTGRES: "postgres__query"}
CHANGE: Final = {SQLITE: "sqlite__write_query", POSTGRES: "postgres__execute"}


def split_tool(name: str) -> tuple[str, str]:
    """Return server and tool that a name in a token means; both empty where it means none."""
    server, separator, tool = name.partition("__")
    return (server, tool) if separator else ("", "")
