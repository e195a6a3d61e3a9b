"""Data that breaks its format, or means harm: one message, and nothing written."""

from __future__ import annotations

from typing import Any

import pytest
from tiny_project import checkpoint, episode, write_data

DATA = "--comem-data=data"


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in a process of its own."""
    return project.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def _row(number: int, /, **more: Any) -> dict[str, Any]:
    return checkpoint("one", number, 2, **more)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([_row(1), _row(2, episode_id="zzz")], "*checkpoints.jsonl:2: field episode_id:*'zzz'*"),
        ([_row(1, as_of_turn_id="t99")], "*checkpoints.jsonl:1: field as_of_turn_id:*'t99'*"),
        ([_row(1), _row(1)], "*checkpoints.jsonl:2: field checkpoint_id:*already used*:1*"),
        ([_row(1, query_type="other")], "*checkpoints.jsonl:1: field query_type:*"),
        ([_row(1, query_text="x" * 10_000_000)], "*checkpoints.jsonl:1:*longer than*"),
        ([_row(1, judge_spec={"include": [""]})], "*:1: field judge_spec.include.0:*"),
    ],
)
def test_bad_rows_name_file_line_and_field(
    project: pytest.Pytester, rows: list[Any], message: str
) -> None:
    """A row that breaks the format stops the run before anything is written."""
    write_data(project.path, [episode("one")], rows)
    result = run(project, "--memory-system=bm25", DATA, "gatemem")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
    assert not (project.path / ".comem").exists()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("episodes", b'{"episode_id": "one", "dom', "*episodes.jsonl:1:*cut off*"),
        ("episodes", b'{"episode_id": "on\n', "*episodes.jsonl:1:*cut off*"),
        ("episodes", b'\n{"episode_id": "\xff"}\n', "*episodes.jsonl:2: not UTF-8: byte 0xff*"),
        ("checkpoints", b"[]\n", "*checkpoints.jsonl:1:*"),
    ],
)
def test_bad_bytes_name_file_and_line(
    project: pytest.Pytester, name: str, content: bytes, message: str
) -> None:
    """A truncated line or a wrong encoding stops the run with file and line."""
    (project.path / "data/medical" / f"{name}.jsonl").write_bytes(content)
    result = run(project, "--memory-system=bm25", DATA, "gatemem")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_a_ten_megabyte_turn_is_refused(project: pytest.Pytester) -> None:
    """A turn of 10 MB names its file and line."""
    huge = episode("one")
    huge["turns"][0]["text"] = "x" * 10_000_000
    write_data(project.path, [episode("two"), huge], [checkpoint("one", 1, 1)])
    result = run(project, "--memory-system=bm25", DATA, "gatemem")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*episodes.jsonl:2:*longer than*"])


def test_an_empty_directory_is_refused(project: pytest.Pytester) -> None:
    """A directory without data names itself and the layout that is expected."""
    (project.path / "empty").mkdir()
    result = run(project, "--memory-system=bm25", "--comem-data=empty")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*empty: holds no GateMem data*checkpoints.jsonl*"])


def test_a_catastrophic_pattern_is_a_defect_of_its_step(project: pytest.Pytester) -> None:
    """A pattern that never ends is a skip that names file and line; other steps go on."""
    write_data(
        project.path,
        [episode("one") | {"turns": [*episode("one")["turns"],
            {"turn_id": "t7", "speaker": {"principal_id": "ann", "role": "nurse"},
             "text": "fact7 " + "ab" * 40}]}],
        [checkpoint("one", 1, 2), checkpoint("one", 2, 7,
            judge_spec={"include": ["(?:(?:a|b|ab)+,?)+[!?]"]})],
    )  # fmt: skip
    result = run(project, "--memory-system=adapters:LastWords", DATA, "gatemem", "-rs")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["*benchmark defect: medical/checkpoints.jsonl:2*"])
