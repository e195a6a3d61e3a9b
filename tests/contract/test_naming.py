from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from systems import workshop
from toy_memories import AskingToy, StarReadsAll, Toy

from pytest_comem.contract.naming import arguments_of, can_be_opened
from pytest_comem.core.recall import Recall
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.bm25 import BM25
from pytest_comem.memory.mem0 import Mem0
from pytest_comem.memory.registry import Catalogue, SystemUnderTest
from pytest_comem.memory.wanted import wanted_systems
from pytest_comem.settings import Settings


class Hidden(MemorySystem):
    """A class in a module that no other process can import."""

    options: ClassVar = {"size": 3, "word": "x"}
    presets: ClassVar = {"big": {"size": 9}}

    def ingest(self, entry: Any) -> None:
        """Forget it."""

    def recall(self, query: Any) -> Recall:
        """Return nothing."""
        return Recall()


def find(
    root: Path,
    name: str,
    registered: Mapping[str, Callable[[], MemorySystem]] | None = None,
    options: tuple[str, ...] = (),
    top_k: tuple[int, ...] = (20,),
) -> SystemUnderTest:
    """Return a system as a run finds it."""
    settings = Settings((name,), memory_options=options, top_k=top_k)
    wanted = wanted_systems(settings, Path("no-such-pyproject.toml"))[0]
    return Catalogue(registered or {}, Path()).find(wanted, workshop(root))


@pytest.mark.parametrize(
    ("name", "options", "arguments"),
    [
        ("bm25", (), "'bm25'"),
        ("toy_memories:Toy", (), "'toy_memories:Toy'"),
        ("mem0:extract", (), "'mem0:extract'"),
        ("mem0:extract", ("mem0:extract.infer=false",), "'mem0:extract', options={'infer': False}"),
        ("mem0:mine", ("mem0:mine.infer=true",), "'mem0', options={'infer': True}"),
    ],
)
def test_a_name_that_any_script_knows_is_kept(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    options: tuple[str, ...],
    arguments: str,
) -> None:
    """Names that come with the package and class paths stand as they were asked for."""
    # Nothing is opened, so the library may be missing.
    monkeypatch.setattr(Mem0, "packages", ())
    system = find(tmp_path, name, options=options)
    assert arguments_of(system) == arguments
    assert can_be_opened(system)


def test_the_top_k_of_a_sweep_is_no_part_of_the_name(tmp_path: Path) -> None:
    """The label is not what a script asks for."""
    system = find(tmp_path, "bm25", top_k=(5, 20))
    assert system.info.name == "bm25-k5"
    assert (system.name, arguments_of(system)) == ("bm25", "'bm25'")


@pytest.mark.parametrize("name", ["x-k20", "bm25", "toy"])
def test_a_registered_class_is_opened_by_its_path(tmp_path: Path, name: str) -> None:
    """What a plugin registered has no name in a script; one that hides ours has another meaning."""
    registered: Any = {name: StarReadsAll}
    system = find(tmp_path, name, registered)
    assert system.name == name
    assert arguments_of(system) == "'toy_memories:StarReadsAll'"


def test_a_plugin_may_register_what_is_built_in(tmp_path: Path) -> None:
    """Another name for the same class is said by the class's path."""
    assert arguments_of(find(tmp_path, "mine", {"mine": BM25})) == "'pytest_comem.memory.bm25:BM25'"


@pytest.mark.parametrize("factory", [lambda: Hidden(), type("Local", (Hidden,), {})])
def test_what_a_script_cannot_find_is_known(tmp_path: Path, factory: Any) -> None:
    """A function's system, or a class that is not in its module, keeps the run's name."""
    system = find(tmp_path, "mine", {"mine": factory})
    assert not can_be_opened(system)
    assert arguments_of(system) == "'mine'"


def test_a_module_that_was_imported_by_its_file_is_not_importable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another process would import under that name counts, not what is imported here."""
    (tmp_path / "hidden_memories.py").write_text("from pytest_comem.memory.bm25 import BM25\n")
    monkeypatch.setattr(Hidden, "__module__", "hidden_memories")
    module = type(sys)("hidden_memories")
    vars(module).update(Hidden=Hidden, __file__="/elsewhere/hidden_memories.py")
    monkeypatch.setitem(sys.modules, "hidden_memories", module)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    registered: Any = {"mine": Hidden}
    assert not can_be_opened(find(tmp_path, "mine", registered))
    vars(module).update(__file__=str(tmp_path / "hidden_memories.py"))
    system = find(tmp_path, "mine:big", registered, options=("mine.word=y",))
    assert arguments_of(system) == "'hidden_memories:Hidden', options={'size': 9, 'word': 'y'}"


@pytest.mark.parametrize(
    ("toy", "remote", "said"),
    [(AskingToy, True, True), (AskingToy, False, False), (Toy, True, False)],
)
def test_a_report_says_where_its_program_has_another_model(
    tmp_path: Path, toy: type[Toy], remote: bool, said: bool
) -> None:
    """A model of the user's is not what a program for everybody asks."""
    from pytest_comem.contract.check import report_of
    from pytest_comem.contract.journal import AtMost, Broken, Call, Step
    from pytest_comem.contract.promises import PROMISES
    from pytest_comem.contract.search import Counterexample
    from pytest_comem.endpoint.registry import find_endpoint

    system = find(tmp_path, f"toy_memories:{toy.__name__}")
    if remote:
        system.workshop.endpoint = find_endpoint(
            system.workshop.embedder, model="large", api_base="http://127.0.0.1:9/v1"
        )
    steps = [Step(Call.OPEN, "m"), Step(Call.ENTRIES, "m")]
    broken = Broken(steps, AtMost(0), expected="nothing", happened="something")
    promise = PROMISES["an_empty_memory_recalls_nothing"]
    report = report_of(promise, system, Counterexample(broken, steady=True), "'x'")
    assert ("The program has the scripted model, not the run's" in report) is said
    assert "may not find" not in report
