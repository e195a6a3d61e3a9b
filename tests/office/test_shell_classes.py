"""What shell commands are for, by a table."""

from __future__ import annotations

import pytest

from pytest_comem.office.operations import CallClass
from pytest_comem.office.shell_classes import class_of

EXPLORATION = (
    *("ls", "ls -la reports", "/bin/cat a.md", "head -n 5 a.csv | cut -d, -f1", "wc -l *.csv"),
    *("find . -name '*.md'", "find . -type f -exec head -1 {} \\;", "grep -rn 'a > b' .", "stat a"),
    *("git log --oneline", "git -C sub show HEAD", "git diff | cat", "git status", "git branch"),
    *("git --no-pager log", "git stash list", "sed -n 1,5p a.md", "cat a.md 2>/dev/null"),
    *("ls 2>&1", "cd reports && ls", "LC_ALL=C ls", "timeout 5 cat a", "env A=1 cat a", "file a"),
    *("sqlite3 a.db 'SELECT * FROM t'", "sqlite3 -header a.db .tables", "sqlite3 a.db '.schema t'"),
    *("sqlite3 a.db 'with x as (select 1) select * from x'", "bash -c 'ls -l'", "cat a\\\n b"),
    *(
        "echo start; cat a.md",
        "ls\ncat a.md",
        "find . -name x | xargs grep y",
        "awk '{print $1}' a",
    ),
)
EXECUTION = (
    *("mv a b", "cp a b", "rm -rf out", "mkdir -p out", "touch a", "echo x > a.md", "ls >> list"),
    *("cat a >b", "ls && rm a", "sed -i s/a/b/ a.md", "sed -i.bak s/a/b/ a.md", "sed -ni p a"),
    *("sed --in-place s/a/b/ a.md", "git commit -m 'x'", "git add .", "git -c a=b commit"),
    *(
        "git checkout -- a.md",
        "git stash",
        "git branch new",
        "python3 make.py",
        "python a.py | cat",
    ),
    *("python3 -m pytest -q", "pytest", "./build.sh", "sh build.sh", "bash -c 'rm a'", "tee a"),
    *("find . -name '*.tmp' -delete", "find . -exec rm {} +", "ls | tee list.txt", "make all"),
    *("sqlite3 a.db 'UPDATE t SET v = 1'", "sqlite3 a.db 'SELECT 1; DELETE FROM t'"),
    *("sqlite3 a.db '.import a.csv t'", "sqlite3 a.db 'with x as (select 1) delete from t'"),
    *(
        "cat <<E >a.md",
        "A=1 mv a b",
        "timeout 5 rm a",
        "ls &>out",
        "xargs rm <list",
        "nohup mv a b",
    ),
)
OTHER = (
    *("", "   ", "echo hello", "cd reports", "true", "python3 -c 'print(1)'", "python3", "git"),
    *("python3 --version", "which python3", "sleep 1", "sqlite3 a.db", "export A=1", "unknown x"),
    *("echo 'not closed", "A=1", ";;", "| |", "date"),
)


@pytest.mark.parametrize("command", EXPLORATION)
def test_commands_that_only_look_explore(command: str) -> None:
    """Nothing that they run changes a file."""
    assert class_of(command) is CallClass.EXPLORATION


@pytest.mark.parametrize("command", EXECUTION)
def test_commands_that_change_files_or_run_work_execute(command: str) -> None:
    """One part that does is enough."""
    assert class_of(command) is CallClass.EXECUTION


@pytest.mark.parametrize("command", OTHER)
def test_the_rest_is_other(command: str) -> None:
    """Also what cannot be taken apart."""
    assert class_of(command) is CallClass.OTHER


@pytest.mark.parametrize("text", ["(" * 50_000, "a|" * 50_000, "bash -c " * 5_000, "\0", "\ud800"])
def test_hostile_commands_are_classed_too(text: str) -> None:
    """In bounded time, whatever they hold."""
    assert class_of(text) in CallClass
