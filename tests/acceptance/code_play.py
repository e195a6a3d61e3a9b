"""A tiny repository with two instances, its families, and plays of them without an executor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from pytest_comem.domains.code import grading
from pytest_comem.domains.code.diffs import unified
from pytest_comem.domains.code.families.blueprint import Blueprint, parsed
from pytest_comem.domains.code.families.building import Built, Workbench
from pytest_comem.domains.code.instances import Instance
from pytest_comem.domains.code.kit import CodeKit
from pytest_comem.domains.code.running import Runner, Tree
from pytest_comem.domains.code.shipped import Material
from pytest_comem.domains.family_files import family_files
from pytest_comem.errors import DataError
from pytest_comem.executors.domain import Judgement, Shown
from pytest_comem.workflows.artifacts import Artifact, Producer, make_artifact
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import Pollution
from pytest_comem.workflows.hidden_files import gold_artifacts
from pytest_comem.workflows.pollution import Surroundings
from pytest_comem.workflows.schema import Family
from pytest_comem.workflows.twins import Twins, twin
from pytest_comem.workflows.views import IncomingArtifact, NodeView, node_view

MISSING = grading.preflight()
needs_grader = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))

REPOSITORY, COMMIT = "acme/pocket", "a" * 40
RANGES = '''\
"""Ranges of numbers."""


def within(value, low, high):
    """Whether a value lies between two bounds, which belong to it."""
    if low > high:
        raise ValueError("the bounds are the wrong way round")
    return low <= value < high


def clipped(value, low, high):
    """Return the value, or the bound that it is beyond."""
    if within(value, low, high):
        return value
    return low if value < low else high
'''
NAMES = '''\
"""Names of people."""


def initials(name):
    """Return the first letters of a name's parts, in capitals."""
    return "".join(part[0] for part in name.split())


def sorted_names(names):
    """Return names by their last part."""
    return sorted(names, key=lambda name: name.split()[-1])
'''
TEST_RANGES = """\
import pytest

from pocket import clipped, within


def test_inside():
    assert within(2, 1, 3)
    assert within(1, 1, 3)
    assert not within(0, 1, 3)
    assert not within(4, 1, 3)


def test_bounds_the_wrong_way_round():
    with pytest.raises(ValueError):
        within(2, 3, 1)


def test_clipped():
    assert clipped(2, 1, 3) == 2
    assert clipped(0, 1, 3) == 1
    assert clipped(9, 1, 3) == 3
"""
TEST_NAMES = """\
from pocket import initials, sorted_names


def test_initials_of_capitals():
    assert initials("Ada Lovelace") == "AL"


def test_sorted_names():
    assert sorted_names(["Ada Lovelace", "Ada Byron"]) == ["Ada Byron", "Ada Lovelace"]
"""
FILES = {
    "CHANGELOG.md": "# Changelog\n\n## 0.1.0\n\n- First release.\n",
    "pocket/__init__.py": '"""Small things."""\n\nfrom .names import initials, sorted_names\n'
    "from .ranges import clipped, within\n\n"
    '__all__ = ["clipped", "initials", "sorted_names", "within"]\n__version__ = "0.1.0"\n',
    "pocket/names.py": NAMES,
    "pocket/ranges.py": RANGES,
    "tests/test_names.py": TEST_NAMES,
    "tests/test_ranges.py": TEST_RANGES,
}
TREE = Tree({path: text.encode() for path, text in FILES.items()})
KEPT = (
    *("tests/test_names.py::test_initials_of_capitals", "tests/test_names.py::test_sorted_names"),
    *("tests/test_ranges.py::test_inside", "tests/test_ranges.py::test_clipped"),
    "tests/test_ranges.py::test_bounds_the_wrong_way_round",
)


def patch_of(path: str, old: str, new: str) -> str:
    """Return the patch that exchanges a text of a file for another."""
    assert old in FILES[path]
    return unified({path: FILES[path]}, {path: FILES[path].replace(old, new, 1)})


GOLD_RANGES = patch_of("pocket/ranges.py", "value < high", "value <= high")
GOLD_NAMES = patch_of("pocket/names.py", "part[0] for", "part[0].upper() for")
#: It passes the issue's example, and another test no more.
WRONG_RANGES = patch_of("pocket/ranges.py", "low <= value < high", "value <= high")


def _instance(number: int, statement: str, patch: str, test: str, added: str) -> Instance:
    path = f"tests/test_{test}.py"
    new_test = f"\n\ndef test_of_issue_{number}():\n{added}"
    return Instance(
        instance_id=f"acme__pocket-{number}",
        repo=REPOSITORY,
        base_commit=COMMIT,
        environment_setup_commit=COMMIT,
        patch=patch,
        test_patch=unified({path: FILES[path]}, {path: FILES[path] + new_test}),
        problem_statement=statement,
        hints_text="",
        created_at="2024-05-01T10:00:00Z",
        version="0.1",
        FAIL_TO_PASS=(f"{path}::test_of_issue_{number}",),
        PASS_TO_PASS=KEPT,
    )


ISSUE_RANGES = """\
The upper bound does not belong to its range

A rating of five is refused by our form, though ratings go from one to five.

```python
>>> from pocket import within
>>> within(5, 1, 5)
True
>>> within(6, 1, 5)
False
```

Actual:

```text
False
```
"""
ISSUE_NAMES = """\
Initials come in small letters

People who type their name in a hurry get a badge that looks wrong.

```python
>>> from pocket import initials
>>> initials("ada lovelace")
'AL'
```

Actual:

```text
'al'
```
"""
INSTANCES = {
    one.instance_id: one
    for one in (
        _instance(
            1,
            ISSUE_RANGES,
            GOLD_RANGES,
            "ranges",
            "    assert within(9, 9, 9)\n    assert not within(10, 0, 9)\n",
        ),
        _instance(2, ISSUE_NAMES, GOLD_NAMES, "names", '    assert initials("x y") == "XY"\n'),
    )
}


class TinyTrees:
    """The one commit of the one repository."""

    def tree(self, repository: str, commit: str) -> Tree:
        """Return its files."""
        if (repository, commit) != (REPOSITORY, COMMIT):
            raise DataError("no such commit", file="pocket")
        return TREE


MATERIAL = Material(TinyTrees(), INSTANCES)
BLUEPRINT = Blueprint(
    "upper-bounds",
    "acme__pocket-1",
    "acme__pocket-2",
    parsed(
        """
        reading: analyse
        witness: analyse
        baseline: baseline
        script: reproduce reading
        recheck: reproduce witness
        traces: localize spectrum script baseline
        wording: localize words witness
        plan: plan traces wording
        fix: implement plan script baseline
        focus: test focused fix recheck
        suite: test regression fix script
        release: release fix suite
        verify: verify release focus recheck
        """
    ),
    (("suite", "fix"),),
)


@cache
def runner() -> Runner:
    """Return what runs code here."""
    return Runner("auto")


@cache
def kit() -> CodeKit:
    """Return the kit that plays the tiny repository."""
    return CodeKit("auto", MATERIAL)


@cache
def built() -> Built:
    """Return the family of the tiny repository."""
    (found,) = Workbench(runner(), MATERIAL).families(blueprints=(BLUEPRINT,))
    return found


@cache
def gold() -> Mapping[str, Artifact]:
    """Return what its nodes make in a run without fault."""
    return gold_artifacts(built().family, built().oracles)


def written(directory: Path) -> Path:
    """Write the family below a directory, and return where it lies."""
    made = built()
    for name, raw in family_files(made.family, made.oracles, made.plans):
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    return directory / "families" / built().family.family_id


def pollutions() -> Iterator[Pollution]:
    """Yield the planned pollutions of the family."""
    around = Surroundings(built().family, gold(), built().plans.decoys)
    for plan in built().plans.plans:
        found = twin(around, plan.operator, plan.target)
        assert isinstance(found, Twins)
        assert found.polluted.pollution is not None
        yield found.polluted.pollution


def view_of(family: Family, node_id: str, made: Mapping[str, Artifact]) -> NodeView:
    """Return a node's view with its declared inputs, all with a receipt."""
    inputs = [made[edge.source] for edge in family.inputs(node_id)]
    return node_view(
        family, node_id, [IncomingArtifact(artifact=one, receipt_id="r-1") for one in inputs]
    )


@dataclass(frozen=True)
class Played:
    """What came of a play, by node."""

    made: Mapping[str, Artifact]
    verdicts: Mapping[str, Judgement]
    consumed: Mapping[str, tuple[str, ...]]


def played(*, everything: bool = False, pollution: Pollution | None = None) -> Played:
    """Play the family in order by the offline worker's own outputs.

    :param everything: recall all that was made so far, in order.
    :param pollution: recalled by its target, last.
    """
    family = built().family
    made: dict[str, Artifact] = {}
    verdicts: dict[str, Judgement] = {}
    used: dict[str, tuple[str, ...]] = {}
    with kit().open(family, "w-1") as stand:
        for node_id in Graph.of(family).order():
            recalled = [*made.values()] if everything else []
            if pollution is not None and pollution.target == node_id:
                recalled.append(pollution.artifact)
            node = family.node(node_id)
            work = stand.work(Shown(view_of(family, node_id, made), tuple(recalled)))
            shown = {each.artifact_id: each for each in [*made.values(), *recalled]}
            made[node_id] = make_artifact(
                work.content,
                semantic_type=node.output_type,
                entity_scope=node.entity_scope,
                version=node.version,
                producer=Producer(family_id=family.family_id, node_id=node_id),
            )
            consumed = [shown[artifact_id] for artifact_id in work.consumed]
            oracle = built().oracles.of(node_id)
            verdicts[node_id] = stand.evaluate(node, oracle, made[node_id], consumed)
            used[node_id] = work.consumed
    return Played(made, verdicts, used)
