"""Operations on files, as the program for inside of a sandbox does them."""

from __future__ import annotations

import ast
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from office_operations import do, done, refused, state

from pytest_comem.office import inside
from pytest_comem.office.inside.office_tools import perform
from pytest_comem.office.operations import OPERATIONS

openpyxl = pytest.importorskip("openpyxl")
docx = pytest.importorskip("docx")

HERE = Path(inside.__file__).parent


@pytest.mark.parametrize("name", sorted(OPERATIONS.keys() - {"shell", "ask_resource"}))
def test_every_operation_on_files_is_known(tmp_path: Path, name: str) -> None:
    """Each takes the arguments that models are told of, and no others."""
    parameters = ", ".join(OPERATIONS[name].parameters["properties"])
    assert f"its arguments are: {parameters}" in refused(tmp_path, name)
    assert f"its arguments are: {parameters}" in refused(tmp_path, name, path="a", strange=1)


def test_text_files_are_written_edited_appended_to_moved_and_deleted(tmp_path: Path) -> None:
    """Line ends stay as they are, directories are made."""
    done(tmp_path, "write", path="a/b/c.md", text="one\r\ntwo\n")
    done(tmp_path, "edit", path="a/b/c.md", old="one\r\n", new="1\r\n")
    done(tmp_path, "append", path="a/b/c.md", text="three")
    assert (tmp_path / "a/b/c.md").read_bytes() == b"1\r\ntwo\nthree"
    done(tmp_path, "move", path="a/b/c.md", to="d/e.md")
    done(tmp_path, "append", path="new.txt", text="x")
    assert done(tmp_path, "list", path=".") == ["d/e.md", "new.txt"]
    assert done(tmp_path, "list", path="d") == ["d/e.md"]
    assert do(tmp_path, "read", path="d/e.md")["text"] == "1\r\ntwo\nthree"
    done(tmp_path, "delete", path="d/e.md")
    assert state(tmp_path).keys() == {"new.txt"}


def test_an_edit_needs_exactly_one_place(tmp_path: Path) -> None:
    """None, two and an empty text are refused, and said."""
    (tmp_path / "a.md").write_text("x y x")
    assert "0 times" in refused(tmp_path, "edit", path="a.md", old="z", new="")
    assert "2 times" in refused(tmp_path, "edit", path="a.md", old="x", new="")
    assert "empty" in refused(tmp_path, "edit", path="a.md", old="", new="z")


@pytest.mark.parametrize(
    "path", ["../out", "/etc/hostname", "a/../../out", "in\0side", "a" * 400, "link", "links/x"]
)
@pytest.mark.parametrize("name", ["read", "delete", "list", "write", "move", "append"])
def test_nothing_outside_is_reached(tmp_path: Path, name: str, path: str) -> None:
    """Neither by a path nor over a link, for reading and for writing."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "x").write_text("secret")
    (root / "link").symlink_to(outside / "x")
    (root / "links").symlink_to(outside)
    more = {"write": {"text": "t"}, "append": {"text": "t"}, "move": {"to": "y"}}.get(name, {})
    assert "secret" not in refused(root, name, path=path, **more)
    assert state(outside).keys() == {"x"}
    assert (outside / "x").read_text() == "secret"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """Directories, pipes, and names that are taken."""
    (tmp_path / "dir").mkdir()
    (tmp_path / "a").write_text("a")
    os.mkfifo(tmp_path / "pipe")
    assert "directory" in refused(tmp_path, "read", path="dir")
    assert "regular" in refused(tmp_path, "read", path="pipe")
    assert "not a file" in refused(tmp_path, "write", path="dir", text="")
    assert "there already" in refused(tmp_path, "move", path="a", to="dir")
    assert "directory" in refused(tmp_path, "write", path="a/b", text="")
    assert "a" in refused(tmp_path, "read", path="b")


@pytest.mark.parametrize(
    "operation",
    [
        *(None, 3, "write", [], {}, {"name": 1}, {"name": "frob", "arguments": {}}),
        *({"name": "write", "arguments": []}, {"name": "write", "arguments": {"path": 1}}),
        {"name": "write", "arguments": {"path": "a", "text": "\ud800"}},
        {"name": "write", "arguments": {"path": "\ud800", "text": "a"}},
    ],
)
def test_calls_of_any_shape_are_refused_and_the_rest_is_done(
    tmp_path: Path, operation: Any
) -> None:
    """What is wrong with one call changes nothing about the next."""
    good = {"name": "write", "arguments": {"path": "b", "text": "B"}}
    first, second = perform(tmp_path, [operation, good])
    assert (first["ok"], second["ok"]) == (False, True)
    assert state(tmp_path).keys() == {"b"}


def test_an_answer_is_bounded(tmp_path: Path) -> None:
    """A long file is cut, and that is said."""
    (tmp_path / "a.txt").write_text("x" * 50_000)
    text = do(tmp_path, "read", path="a.txt")["text"]
    assert len(text) < 21_000
    assert "50,000 characters" in text


def test_a_sheet_is_written_beside_others(tmp_path: Path) -> None:
    """Formulas are formulas, other sheets stay, the sheet keeps its place."""
    done(tmp_path, "write_sheet", path="a.xlsx", sheet="May", rows=[["n", "v"], ["x", 1.5]])
    done(tmp_path, "write_sheet", path="a.xlsx", sheet="June", rows=[["q"]])
    done(tmp_path, "write_sheet", path="a.xlsx", sheet="May", rows=[["n"], [2], ["=A2*2"], [True]])
    done(tmp_path, "set_cells", path="a.xlsx", sheet="june", cells={"B2": "007", "C1": None})
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    assert book.sheetnames == ["May", "June"]
    assert [cell.value for cell in book["May"]["A"]] == ["n", 2, "=A2*2", True]
    assert book["May"]["A3"].data_type == "f"
    assert book["May"].max_column == 1
    assert book["June"]["B2"].value == "007"
    assert "=A2*2" in do(tmp_path, "read", path="a.xlsx")["text"]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("write_sheet", {"sheet": "a/b", "rows": []}, "1 to 31 characters"),
        ("write_sheet", {"sheet": "", "rows": []}, "1 to 31 characters"),
        ("write_sheet", {"sheet": "S", "rows": [1]}, "list of rows"),
        ("write_sheet", {"sheet": "S", "rows": [[{}]]}, "row 1 holds a dict"),
        ("write_sheet", {"sheet": "S", "rows": [[float("nan")]]}, "no number"),
        ("write_sheet", {"sheet": "S", "rows": [["\x01"]]}, "A1 cannot hold"),
        ("set_cells", {"sheet": "S", "cells": {"2B": 1}}, "such as B2"),
        ("set_cells", {"sheet": "T", "cells": {"B2": 1}}, "there are: 'S'"),
        ("set_cells", {"sheet": "S", "cells": {"B2": 1, "B3": []}}, "holds a list"),
    ],
)
def test_sheets_refuse_what_they_cannot_hold(
    tmp_path: Path, name: str, arguments: dict[str, Any], said: str
) -> None:
    """With a text that says what is wrong, and the file as it was."""
    done(tmp_path, "write_sheet", path="a.xlsx", sheet="S", rows=[["x"]])
    assert said in refused(tmp_path, name, path="a.xlsx", **arguments)


BLOCKS = [
    {"kind": "heading", "text": "Title"},
    {"kind": "heading", "text": "Part", "level": 2},
    {"kind": "paragraph", "text": "Some text."},
    {"kind": "bullet", "text": "point"},
    {"kind": "table", "rows": [["a", "b"], [1, None]]},
]


def test_a_document_is_written_read_and_edited(tmp_path: Path) -> None:
    """It reads as what was written; an edit reaches paragraphs and cells."""
    done(tmp_path, "write_document", path="a.docx", blocks=BLOCKS)
    text = "# Title\n## Part\nSome text.\n- point\na | b\n1 | "
    assert do(tmp_path, "read", path="a.docx")["text"] == text
    done(tmp_path, "edit_document", path="a.docx", old="Some", new="Any")
    done(tmp_path, "edit_document", path="a.docx", old="1", new="2")
    text = "# Title\n## Part\nAny text.\n- point\na | b\n2 | "
    assert do(tmp_path, "read", path="a.docx")["text"] == text
    assert "0 times" in refused(tmp_path, "edit_document", path="a.docx", old="zz", new="")


def test_an_edit_of_a_document_keeps_formatting(tmp_path: Path) -> None:
    """A text that goes over several runs is replaced in the first."""
    document = docx.Document()
    paragraph = document.add_paragraph("due ")
    paragraph.add_run("31 ").bold = True
    paragraph.add_run("May 2025")
    document.save(str(tmp_path / "a.docx"))
    done(tmp_path, "edit_document", path="a.docx", old="31 May", new="1 June")
    runs = docx.Document(str(tmp_path / "a.docx")).paragraphs[0].runs
    assert [(run.text, run.bold) for run in runs] == [
        ("due ", None),
        ("1 June", True),
        (" 2025", None),
    ]


@pytest.mark.parametrize(
    "block",
    [
        *(3, {}, {"kind": "picture"}, {"kind": "paragraph"}, {"kind": "table", "rows": []}),
        *({"kind": "heading", "text": "x", "level": 9}, {"kind": "bullet", "text": "\x01"}),
        {"kind": "paragraph", "text": "x", "rows": []},
    ],
)
def test_blocks_of_other_shapes_are_refused(tmp_path: Path, block: Any) -> None:
    """The block's number is said."""
    blocks = [{"kind": "paragraph", "text": "x"}, block]
    assert "block 2" in refused(tmp_path, "write_document", path="a.docx", blocks=blocks)


def test_the_same_content_is_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No moment, and no zone, is written into spreadsheets and documents."""
    found = set()
    for number, zone in enumerate(("UTC", "Asia/Tokyo")):
        monkeypatch.setenv("TZ", zone)
        root = tmp_path / str(number)
        root.mkdir()
        done(root, "write_sheet", path="a.xlsx", sheet="S", rows=[["x"]])
        done(root, "write_document", path="a.docx", blocks=BLOCKS)
        book = zipfile.ZipFile(root / "a.xlsx")
        assert b"2000-01-01T00:00:00Z" in book.read("docProps/core.xml")
        assert {part.date_time for part in book.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        found.add(tuple(sorted(state(root).items())))
    assert len(found) == 1


@pytest.mark.parametrize("path", ["a.xlsx", "a.docx"])
@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut", None])
def test_broken_office_files_are_said_to_be(
    tmp_path: Path, path: str, content: bytes | None
) -> None:
    """An archive of something else, or none."""
    if content is None:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("x.xml", "<x/>")
        content = out.getvalue()
    (tmp_path / path).write_bytes(content)
    assert repr(path) in refused(tmp_path, "read", path=path)
    tables = [{"name": "t", "path": path}]
    assert repr(path) in refused(tmp_path, "query", tables=tables, statement="SELECT 1")


def test_entities_of_a_hostile_part_are_not_expanded(tmp_path: Path) -> None:
    """Neither by the memory that they would take, nor with a file of the host."""
    done(tmp_path, "write_document", path="a.docx", blocks=BLOCKS)
    laughs = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 20}">' for n in range(1, 12))
    types = f'<!DOCTYPE d [<!ENTITY e0 "ha"><!ENTITY f SYSTEM "file:///etc/passwd">{laughs}]>'
    with zipfile.ZipFile(tmp_path / "a.docx") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    body = parts["word/document.xml"].decode()
    head, _, rest = body.partition("?>")
    for entity in ("e11", "f"):
        told = rest.replace("Some text.", f"Some &{entity};")
        parts["word/document.xml"] = f"{head}?>{types}{told}".encode()
        with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
            for name, content in parts.items():
                archive.writestr(name, content)
        text = do(tmp_path, "read", path="a.docx")["text"]
        assert "haha" not in text
        assert "root:" not in text


def test_an_archive_that_unpacks_to_too_much_is_not_read(tmp_path: Path) -> None:
    """However small it is packed."""
    with zipfile.ZipFile(tmp_path / "a.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 70_000_000)
    assert "unpacks to more" in refused(tmp_path, "read", path="a.docx")


def test_the_program_answers_a_line_an_operation(tmp_path: Path) -> None:
    """On standard output, in the directory it is started in; a bad request ends it."""
    operations = [
        {"name": "write", "arguments": {"path": "a", "text": "ä"}},
        {"name": "read", "arguments": {"path": "b"}},
    ]
    command = [sys.executable, "-m", "pytest_comem.office.inside.office_tools"]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[2])}

    def run(given: bytes) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            command, input=given, capture_output=True, cwd=tmp_path, env=environment, check=False
        )

    ran = run(json.dumps({"operations": operations}).encode())
    lines = [json.loads(line)["results"] for line in ran.stdout.splitlines()]
    assert [[one["ok"] for one in line] for line in lines] == [[True], [False]]
    assert (tmp_path / "a").read_text("utf-8") == "ä"
    assert run(b"[]").returncode == 2


def imported(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports from."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", sorted(HERE.glob("*.py")), ids=lambda path: path.stem)
def test_what_runs_inside_stands_alone(path: Path) -> None:
    """It imports the standard library, what lies beside it, and two libraries."""
    for module in imported(path):
        beside = module.startswith(f"{inside.__name__}.")
        first = module.split(".")[0]
        known = first in sys.stdlib_module_names or first in ("openpyxl", "docx")
        assert beside or known, module
