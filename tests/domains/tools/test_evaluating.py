"""The state evaluator: files and rows decide, replies do not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from shipped_families import shipped

from pytest_comem.domains.tools.evaluating import evaluate
from pytest_comem.domains.tools.laying import Ground, ground_of
from pytest_comem.errors import BenchmarkDefect, InfrastructureError
from pytest_comem.executors.domain import Judgement
from pytest_comem.workflows.artifacts import Artifact

ONE = shipped("tools-three-sources")
JSON: list[Any] = [
    None,
    True,
    7,
    1.5,
    "text",
    [],
    [[]],
    {},
    {"table": 7},
    {"place": {}},
    {"facts": {"a": []}},
]


@pytest.fixture
def ground() -> Iterator[Ground]:
    """Lay out what the family starts with."""
    with ground_of(ONE.family) as opened:
        yield opened


def judged(
    ground: Ground, node_id: str, content: Any, consumed: list[Artifact] | None = None
) -> Judgement:
    """Judge a content on its gold inputs."""
    inputs = [ONE.gold[edge.source] for edge in ONE.family.inputs(node_id)]
    return evaluate(
        ground.state,
        ONE.family.node(node_id),
        ONE.oracles.of(node_id),
        content,
        inputs if consumed is None else consumed,
    )


def gold(node_id: str) -> dict[str, Any]:
    """Return a copy of a node's gold content."""
    content = ONE.gold[node_id].content
    assert isinstance(content, dict)
    return {**content}


NODES = ("list_stock", "write_sheet", "file_notice", "write_report", "verify_notice")


@pytest.mark.parametrize("node_id", NODES)
def test_a_reply_without_work_is_nothing(ground: Ground, node_id: str) -> None:
    """The right words, before anything lies at the place; afterwards they pass."""
    found = judged(ground, node_id, gold(node_id))
    assert not found.passed
    assert found.evidence["state"] is None
    ground.lay(gold(node_id))
    found = judged(ground, node_id, gold(node_id))
    assert found.passed, found.reason
    assert len(found.evidence["state"]) == 64


def test_the_wording_of_a_summary_is_not_looked_at(ground: Ground) -> None:
    """Nor is the order of rows, columns and facts."""
    ground.lay(gold("list_stock"))
    content = gold("list_stock")
    table = content["table"]
    turned = {
        "columns": table["columns"][::-1],
        "rows": [row[::-1] for row in table["rows"]][::-1],
    }
    assert judged(ground, "list_stock", {**content, "summary": "-", "table": turned}).passed


@pytest.mark.parametrize("node_id", NODES)
@pytest.mark.parametrize("content", JSON)
def test_any_json_leads_to_a_verdict(ground: Ground, node_id: str, content: Any) -> None:
    """A rejection, though the state is right."""
    ground.lay(gold(node_id))
    assert not judged(ground, node_id, content).passed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"table": {"columns": ["item"], "rows": []}}, "says something else than work/stock.csv"),
        ({"place": {"file": "work/other.csv"}}, "names another place"),
        ({"place": None}, "not of its type: it names no place"),
        ({"summary": 7}, "other fields than summary, place and its result"),
        ({"more": 1}, "other fields than summary, place and its result"),
        ({"facts": {"a": 1}}, "it has to hold one table"),
    ],
)
def test_an_artifact_is_a_true_record_of_the_state(
    ground: Ground, change: dict[str, Any], said: str
) -> None:
    """What is handed on is what lies there, or it is rejected, with what is wrong."""
    ground.lay(gold("list_stock"))
    found = judged(ground, "list_stock", {**gold("list_stock"), **change})
    assert not found.passed
    assert said in found.reason


def test_wrong_rows_are_counted_and_not_told(ground: Ground) -> None:
    """The reason says how many, and gives nothing of the truth away."""
    wrong = gold("list_stock")
    wrong["table"] = {"columns": ["item", "on_hand"], "rows": [["secret-item", 7]]}
    ground.lay(wrong)
    found = judged(ground, "list_stock", wrong)
    right = len(gold("list_stock")["table"]["rows"])
    assert found.reason.endswith(f"has 1 wrong rows, and lacks {right}.")


def test_a_row_too_many_is_wrong(ground: Ground) -> None:
    """A form filed twice is not filed once."""
    ground.lay(gold("file_notice"))
    row = gold("file_notice")["facts"]
    ground.database.execute("INSERT INTO notices VALUES ('N-7', ?, ?)", (row["item"], row["lack"]))
    found = judged(ground, "file_notice", gold("file_notice"))
    assert "there are 2 rows, and one is expected" in found.reason
    ground.lay(gold("file_notice"))
    assert judged(ground, "file_notice", gold("file_notice")).passed


def test_rows_of_others_are_no_matter(ground: Ground) -> None:
    """A form is looked at under its own key."""
    ground.lay(gold("file_notice"))
    ground.database.execute("INSERT INTO notices VALUES ('N-8', 'bolt', 1)")
    assert judged(ground, "file_notice", gold("file_notice")).passed


@pytest.mark.parametrize("source", ["file", "sheet", "table", "gone"])
def test_sources_stay_as_they_were(ground: Ground, source: str) -> None:
    """Who makes the source fit the result has not done the work."""
    ground.lay(gold("list_stock"))
    workspace = ground.state.workspace
    if source == "file":
        (workspace / "inbox" / "deliveries.csv").write_text("site,item,coming\n")
    elif source == "sheet":
        rows = {"columns": ["site"], "rows": []}
        place = {"workbook": "books/plan.xlsx", "sheet": "Wanted"}
        ground.lay({"place": place, "table": rows})
    elif source == "table":
        ground.database.execute("UPDATE stock SET on_hand = on_hand + 1")
    else:
        shutil.rmtree(workspace / "inbox")
    found = judged(ground, "list_stock", gold("list_stock"))
    assert not found.passed
    assert "the source" in found.reason.lower()


def test_links_lead_nowhere(ground: Ground) -> None:
    """A result that is a link to somewhere else is none."""
    ground.lay(gold("list_stock"))
    path = ground.state.workspace / "work" / "stock.csv"
    path.rename(path.with_name("elsewhere.csv"))
    path.symlink_to("elsewhere.csv")
    assert "symbolic link" in judged(ground, "list_stock", gold("list_stock")).reason


def test_an_output_rests_on_what_was_handed_over(ground: Ground) -> None:
    """On nothing, or on an artifact that is not what its hash says, it is rejected."""
    for node_id in ("list_stock", "list_deliveries", "add_supply"):
        ground.lay(gold(node_id))
    assert judged(ground, "list_stock", gold("list_stock"), []).passed
    assert not judged(ground, "add_supply", gold("add_supply"), []).passed
    edited = ONE.gold["list_stock"].model_copy(update={"content": {"summary": "edited"}})
    assert not judged(ground, "add_supply", gold("add_supply"), [edited]).passed


def test_an_oracle_of_no_use_is_a_defect(ground: Ground) -> None:
    """Of the benchmark, never a method's failure."""
    oracle = ONE.oracles.of("list_stock").model_copy(update={"gold": {"table": 7}})
    with pytest.raises(BenchmarkDefect, match="list_stock"):
        evaluate(ground.state, ONE.family.node("list_stock"), oracle, {}, ())


def test_a_dead_database_is_no_verdict(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said to be broken."""

    def dead(sql: str, params: object = ()) -> object:
        raise InfrastructureError("the database is gone", type="database")

    ground.lay(gold("file_notice"))
    monkeypatch.setattr(ground, "query", dead)
    with pytest.raises(InfrastructureError, match="gone"):
        judged(ground, "file_notice", gold("file_notice"))
