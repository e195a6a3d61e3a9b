"""Families from files: what is wrong is named with file, family, node and field."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from workflow_play import DATA, NAMES

from pytest_comem.errors import DataError
from pytest_comem.records.strict_json import MAX_BYTES
from pytest_comem.workflows.hidden_files import gold_artifacts, load_oracles, load_pollution
from pytest_comem.workflows.loading import load_corpus, load_family


@pytest.fixture
def family(tmp_path: Path) -> Path:
    """A copy of a family to be broken."""
    return Path(shutil.copytree(DATA / "dates-fix", tmp_path / "dates-fix"))


def edit(path: Path, change: Callable[[Any], object]) -> None:
    """Change a JSON file."""
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def refused(call: Callable[[], object]) -> str:
    """Return the message of the error that a call raises."""
    with pytest.raises(DataError) as caught:
        call()
    return str(caught.value)


def test_a_corpus_is_ordered_by_id() -> None:
    """Whatever the order of the files."""
    assert tuple(one.family_id for one in load_corpus(DATA)) == NAMES


def test_the_public_loader_never_opens_hidden(family: Path) -> None:
    """No file below hidden/ is opened or listed, and without it the family still loads."""
    opened: list[str] = []
    watching = [True]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and event in ("open", "os.listdir", "os.scandir"):
            opened.append(str(arguments[0]))

    sys.addaudithook(hook)
    try:
        before = load_family(family)
        load_corpus(family.parent)
    finally:
        watching.clear()
    assert any(name.endswith("family.json") for name in opened)
    assert not [name for name in opened if "hidden" in name]
    shutil.rmtree(family / "hidden")
    (family / "hidden").write_bytes(b"\xff")
    assert load_family(family) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda it: it["nodes"][3].pop("output_type"),
            "dates-fix/family.json: field nodes.3.output_type: family dates-fix, node "
            "locate_parse: field required",
        ),
        (
            lambda it: it["nodes"][0]["task"].update(instruction=""),
            "dates-fix/family.json: field nodes.0.task.instruction: family dates-fix, node issue: "
            "string should have at least 1 character",
        ),
        (
            lambda it: it["edges"][2].update(colour="red"),
            "dates-fix/family.json: field edges.2.colour: family dates-fix, edge repro_parse -> "
            "locate_parse: extra inputs are not permitted",
        ),
        (
            lambda it: it["edges"][1].update(target="repro_fromat"),
            "dates-fix/family.json: field edges.target: family dates-fix: edge issue -> "
            "repro_fromat: no node is called repro_fromat; did you mean repro_format or "
            "repro_parse or locate_format?",
        ),
        (
            lambda it: it.update(terminal="releases"),
            "dates-fix/family.json: field terminal: family dates-fix: the terminal node releases "
            "is missing; did you mean release or repro_parse?",
        ),
    ],
)
def test_errors_say_where(family: Path, change: Callable[[Any], object], message: str) -> None:
    """File, field, family and node or edge, and the nearest right name."""
    edit(family / "family.json", change)
    assert refused(lambda: load_family(family)) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"family_id": "x",\n "nodes": [\n  oops]}', "family.json:3: not JSON: Expecting value"),
        (b'{"family_id": "x",\n "nodes": [', "family.json:2: not JSON"),
        (b'{"family_id":\n "\xff"}', "family.json:2: not UTF-8: byte 0xff"),
        (b'{"title": "a", "title": "b"}', "the field 'title' is there twice in one object"),
        (b'{"title": NaN}', "NaN is no number of JSON"),
        (b'{"title": 1e999}', "1e999 is too large for a number"),
        (b'{"title": ' + b"9" * 5000 + b"}", "not JSON: Exceeds the limit"),
        (b"[" * 100_000, "more than 64 deep"),
        (b'{"a":' * 70 + b"1" + b"}" * 70, "more than 64 deep"),
        (b"[]", "family.json:1: not a JSON object"),
        (b'{"title": "\\ud800"}', "family.json"),
        (b" " * (MAX_BYTES + 1), "larger than 16,777,216 bytes"),
    ],
    ids=range(12),
)
def test_broken_and_hostile_json(family: Path, text: bytes, message: str) -> None:
    """One bounded message each, with the line where the JSON itself is broken."""
    (family / "family.json").write_bytes(text)
    said = refused(lambda: load_family(family))
    assert message in said
    assert len(said) < 400


def test_hostile_names_are_shown_harmlessly(family: Path) -> None:
    """What would move a terminal's cursor is escaped, and what has no end is cut."""
    edit(family / "family.json", lambda it: it.update({"\x1b[2J" + "x" * 10_000: 1}))
    said = refused(lambda: load_family(family))
    assert "\\x1b[2J" in said
    assert "\x1b" not in said
    assert len(said) < 400


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_file_is_not_read(family: Path) -> None:
    """A named pipe, which would block for ever, is refused."""
    (family / "family.json").unlink()
    os.mkfifo(family / "family.json")
    assert "not a regular file" in refused(lambda: load_family(family))


def test_ids_are_unique_in_a_corpus(family: Path) -> None:
    """Two families of one id are named with both directories."""
    shutil.copytree(family, family.parent / "other")
    said = refused(lambda: load_corpus(family.parent))
    assert said.startswith("other/family.json: field family_id: family dates-fix: dates-fix/")


def test_an_empty_corpus_is_refused(tmp_path: Path) -> None:
    """It says what a family would be."""
    assert "no family is here" in refused(lambda: load_corpus(tmp_path))
    assert "cannot be read" in refused(lambda: load_corpus(tmp_path / "absent"))


@pytest.mark.parametrize("name", NAMES)
def test_gold_artifacts_are_what_nodes_declare(name: str) -> None:
    """One a node, of its type, entity and version."""
    found = load_family(DATA / name)
    gold = gold_artifacts(found, load_oracles(DATA / name, found))
    for node in found.nodes:
        artifact = gold[node.node_id]
        assert artifact.intact
        assert artifact.semantic_type == node.output_type
        assert (artifact.entity_scope, artifact.version) == (node.entity_scope, node.version)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (
            "oracles.json",
            lambda it: it["oracles"].pop(2),
            "dates-fix/hidden/oracles.json: field oracles: family dates-fix, node repro_format: "
            "0 oracles; every node has one",
        ),
        (
            "oracles.json",
            lambda it: it["oracles"][1].update(node_id="repro_pars"),
            "no node is called repro_pars; did you mean repro_parse",
        ),
        (
            "oracles.json",
            lambda it: it["oracles"][1].pop("gold"),
            "field oracles.1.gold: family dates-fix, node repro_parse: field required",
        ),
        ("oracles.json", lambda it: it.update(family_id="x"), "lies beside family dates-fix"),
        ("pollution.json", lambda it: it["plans"][0].update(operator="x"), "node locate_parse"),
        ("pollution.json", lambda it: it["plans"].append(it["plans"][0]), "is planned twice"),
    ],
)
def test_hidden_files_are_as_strict(
    family: Path, file: str, change: Callable[[Any], object], message: str
) -> None:
    """Errors in them say where, too."""
    edit(family / "hidden" / file, change)
    public = load_family(family)
    load = load_oracles if file == "oracles.json" else load_pollution
    assert message in refused(lambda: load(family, public))
