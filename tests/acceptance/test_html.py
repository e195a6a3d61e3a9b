"""The HTML page as users get it: at a run's end, and from recorded runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from html_pages import chunks
from test_shards import comem


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run the tiny data on a memory that knows what was said last."""
    return project.runpytest_subprocess(
        *(
            "-p",
            "no:cacheprovider",
            "-q",
            "--memory-system=adapters:LastWords",
            "--comem-data=data",
        ),
        *(*arguments, "gatemem"),
    )


def labels(page: Path) -> list[str]:
    """Return the labels of all steps of a page's first run."""
    index = chunks(page.read_text(encoding="utf-8"))["index"]
    heads = [row["sides"][0]["head"] for row in index["rows"]]
    cases = zip(index["cases"]["step"], index["cases"]["row"], strict=True)
    return [f"{heads[row]}-{index['steps']['tail'][step]}" for step, row in cases]


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_run_leaves_its_page(project: pytest.Pytester, workers: tuple[str, ...]) -> None:
    """The page is written once, at the end, with every step and what had been told."""
    result = run(project, "--comem-html=deep/page.html", "--comem-run-dir=run", *workers)
    result.stdout.fnmatch_lines(["html: deep/page.html"])
    page = project.path / "deep" / "page.html"
    assert len(labels(page)) == 5
    assert sorted(labels(page))[0] == "adapters_LastWords-medical-one-ckpt_01"
    found = chunks(page.read_text(encoding="utf-8"))
    assert found["index"]["runs"][0]["finished"] is True
    assert {len(found[name]["entries"]) for name in found if name != "index"} == {6}


def test_a_page_that_cannot_be_written_is_a_line(project: pytest.Pytester) -> None:
    """The run's results and status stay what they are."""
    (project.path / "file").write_text("in the way")
    result = run(project, "--comem-html=file/page.html")
    result.stdout.fnmatch_lines(["comem: warning: the HTML page is not written: *page.html*"])
    assert result.ret == run(project).ret


def test_a_directory_is_refused_before_anything_is_played(project: pytest.Pytester) -> None:
    """It would only be found out at the end otherwise."""
    result = run(project, "--comem-html=data", "--comem-run-dir=run")
    result.stderr.fnmatch_lines(["*--comem-html: *data is a directory; name a file in it"])
    assert not (project.path / "run" / "outcomes.jsonl").exists()


def test_recorded_runs_become_one_page(project: pytest.Pytester) -> None:
    """Several runs stand beside each other; the same command writes the same bytes."""
    run(project, "--comem-run-dir=one")
    run(project, "--comem-run-dir=two", "--comem-top-k=1")
    done = comem(project, "report", "one", "two", "-o", "page.html")
    assert (done.returncode, done.stdout, done.stderr) == (0, "written: page.html\n", "")
    page = project.path / "page.html"
    index = chunks(page.read_text(encoding="utf-8"))["index"]
    assert [about["name"] for about in index["runs"]] == ["one", "two"]
    assert len(index["comparisons"]) == 1
    first = page.read_bytes()
    comem(project, "report", "one", "two", "-o", "page.html")
    assert page.read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("one", "one"), "several runs make one HTML page: say where with -o FILE"),
        (("one", "./one", "-o", "x.html"), "one is named more than once"),
        (("one", "-o", "x.html", "--format", "markdown"), "leave out --format"),
        (("nothing", "-o", "x.html"), "holds no outcomes.jsonl"),
        (("one", "-o", "data"), "data cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said(
    project: pytest.Pytester, arguments: tuple[str, ...], said: str
) -> None:
    """One message, exit status 2, and no file."""
    run(project, "--comem-run-dir=one")
    done = comem(project, "report", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (project.path / "x.html").exists()


def test_a_run_without_a_terminal_leaves_its_page_too(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ``-p no:terminal`` page and job summary are written as ever."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    project.runpytest_subprocess(
        *("-p", "no:terminal", "-p", "no:cacheprovider", "--memory-system=adapters:LastWords"),
        *("--comem-data=data", "--comem-html=page.html", "gatemem"),
    )
    assert len(labels(project.path / "page.html")) == 5
    assert "5 scored steps" in (project.path / "summary.md").read_text(encoding="utf-8")
