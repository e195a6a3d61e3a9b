"""What a shell command is for: exploring, changing, or neither (paper, "Continuity").

A command line is taken apart at ``;``, ``&&``, ``||``, ``|`` and line ends, quotes minded, and each
part is classed by its program:

exploration
    programs that show files, such as ``ls``, ``cat``, ``grep``; ``git log``, ``show``, ``diff``,
    ``status`` and their like; ``sed`` without ``-i``, ``find`` without ``-delete`` and ``-exec``;
    ``sqlite3`` with a ``SELECT`` or a dot command that shows.
execution
    programs that change files or run work, such as ``mv``, ``mkdir``, ``git commit``, ``pytest``, a
    Python script; anything whose output goes to a file.
other
    the rest, among it ``echo``, ``cd`` and ``python -c``.

The whole is execution where a part is, else exploration where a part is, else other. Nothing is
run, and what is inside of ``$(...)`` is not looked at.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_comem.office.operations import CallClass

#: Characters of a command that are looked at.
_LONGEST: Final = 10_000
_SHOWING: Final = frozenset(
    (
        *("ls", "cat", "head", "tail", "find", "grep", "egrep", "fgrep", "rg", "wc", "file"),
        *("stat", "tree", "less", "more", "du", "nl", "od", "xxd", "hexdump", "strings", "diff"),
        *("cmp", "sha256sum", "md5sum", "sort", "uniq", "cut", "awk", "jq", "column", "sed"),
        *("zipinfo", "pwd", "readlink", "realpath", "basename", "dirname", "comm", "paste"),
    )
)
_CHANGING: Final = frozenset(
    (
        *("mv", "cp", "rm", "mkdir", "rmdir", "touch", "ln", "tee", "chmod", "chown", "truncate"),
        *("install", "dd", "patch", "unzip", "zip", "gzip", "gunzip", "make", "pytest", "split"),
        *("pip", "pip3", "soffice", "libreoffice", "pandoc", "iconv", "csvsql", "rsync"),
        *("ruff", "mypy", "black", "tox"),
    )
)
_GIT_SHOWING: Final = frozenset(
    (
        *("log", "show", "diff", "status", "blame", "ls-files", "ls-tree", "grep", "shortlog"),
        *("rev-parse", "rev-list", "describe", "cat-file", "reflog", "show-ref", "name-rev"),
    )
)
#: Programs that run another one, whose name comes after their own options and settings.
_BEFORE: Final = frozenset(("env", "time", "nice", "nohup", "timeout", "xargs", "command", "exec"))
_SQL_SHOWING: Final = ("select", "with", "explain", "pragma table_info", "values", ".")
_SQL_CHANGING: Final = (
    *("insert", "update", "delete", "create", "drop", "alter", "replace into"),
    *(".import", ".read", ".restore", ".output", ".once", ".save", ".backup"),
)
_ENDS: Final = frozenset((";", "&&", "||", "|", "&", "|&", ";;"))
_REDIRECTIONS: Final = frozenset((">", ">>", ">|", "&>", "&>>", "<>"))
_NOWHERE: Final = frozenset(("/dev/null", "/dev/stderr", "/dev/stdout"))


def class_of(command: str) -> CallClass:
    """Return what a command is for; one that cannot be taken apart is other."""
    try:
        found = {_part(part) for part in _parts(command[:_LONGEST])}
    except ValueError:
        return CallClass.OTHER
    for each in (CallClass.EXECUTION, CallClass.EXPLORATION):
        if each in found:
            return each
    return CallClass.OTHER


def _parts(command: str) -> Iterator[list[str]]:
    """Yield the words of each simple command.

    :raises ValueError: where a quote is not closed.
    """
    text = command.replace("\\\n", " ")
    words: list[str] = []
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|<>\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    for word in lexer:
        if word in _ENDS or not word.strip("\n;&|"):
            yield words
            words = []
        else:
            words.append(word)
    yield words


def _part(words: Sequence[str]) -> CallClass:
    if _writes(words):
        return CallClass.EXECUTION
    rest = list(words)
    while rest and (_is_setting(rest[0]) or rest[0] in ("(", "{", "!", "then", "do", "if")):
        rest.pop(0)
    while rest and _name(rest[0]) in _BEFORE:
        first = _name(rest.pop(0))
        while rest and (rest[0].startswith("-") or _is_setting(rest[0])):
            rest.pop(0)
        if first == "timeout" and rest:
            rest.pop(0)
    return _program(_name(rest[0]), rest[1:]) if rest else CallClass.OTHER


def _name(word: str) -> str:
    return word.rpartition("/")[2]


def _is_setting(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _writes(words: Sequence[str]) -> bool:
    """Return whether output goes to a file."""
    for at, word in enumerate(words):
        target = words[at + 1] if at + 1 < len(words) else ""
        if word in _REDIRECTIONS and target not in _NOWHERE:
            return True
        if word in (">&", "<&") and not (target.isdigit() or target == "-"):
            return True
    return False


def _program(name: str, arguments: Sequence[str]) -> CallClass:
    if name == "git":
        return _git(arguments)
    if name == "sqlite3":
        return _sqlite(arguments)
    if name.startswith("python"):
        return _python(arguments)
    if name in ("sh", "bash") and arguments[:1] == ["-c"] and len(arguments) > 1:
        return class_of(arguments[1])
    if name in ("sh", "bash") or name.endswith((".sh", ".py")):
        return CallClass.EXECUTION
    if name == "sed" and any(_is_in_place(word) for word in arguments):
        return CallClass.EXECUTION
    if name == "find" and {"-delete", "-exec", "-execdir", "-ok"} & set(arguments):
        return _found(arguments)
    if name in _CHANGING:
        return CallClass.EXECUTION
    return CallClass.EXPLORATION if name in _SHOWING else CallClass.OTHER


def _is_in_place(word: str) -> bool:
    if word.startswith("--"):
        return word.startswith("--in-place")
    flags = word[1:] if word.startswith("-") else ""
    return flags.startswith("i") or flags[:2] in ("ni", "Ei", "ri", "si")


def _found(arguments: Sequence[str]) -> CallClass:
    """Return what ``find`` does with what it finds."""
    if "-delete" in arguments:
        return CallClass.EXECUTION
    at = next(at for at, word in enumerate(arguments) if word in ("-exec", "-execdir", "-ok"))
    inner = _part(arguments[at + 1 :])
    return CallClass.EXECUTION if inner is CallClass.EXECUTION else CallClass.EXPLORATION


def _git(arguments: Sequence[str]) -> CallClass:
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        # These two take a value.
        del rest[: 2 if rest[0] in ("-C", "-c") else 1]
    if not rest:
        return CallClass.OTHER
    if rest[0] in ("branch", "tag", "remote", "stash") and rest[1:2] in ([], ["list"], ["-v"]):
        changes = rest == ["stash"]
        return CallClass.EXECUTION if changes else CallClass.EXPLORATION
    return CallClass.EXPLORATION if rest[0] in _GIT_SHOWING else CallClass.EXECUTION


def _sqlite(arguments: Sequence[str]) -> CallClass:
    texts = [word for word in arguments if not word.startswith("-")][1:]
    statements = [
        " ".join(part.casefold().split()) for text in texts for part in text.split(";") if part
    ]
    statements = [each for each in statements if each]
    if not statements:
        # What it is given comes from elsewhere.
        return CallClass.OTHER
    for each in statements:
        if each.startswith(_SQL_CHANGING) or not each.startswith(_SQL_SHOWING):
            return CallClass.EXECUTION
        if each.startswith("with") and any(f" {word} " in each for word in _SQL_CHANGING[:3]):
            return CallClass.EXECUTION
    return CallClass.EXPLORATION


def _python(arguments: Sequence[str]) -> CallClass:
    for word in arguments:
        if word == "-c":
            return CallClass.OTHER
        if word in ("-V", "--version", "-h", "--help"):
            return CallClass.OTHER
        if word == "-m" or not word.startswith("-"):
            return CallClass.EXECUTION
    return CallClass.OTHER
