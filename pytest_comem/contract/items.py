"""The contract as pytest sees it: the ``contract`` fixture's value and its outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

import pytest

from pytest_comem.contract.deviations import Deviation, deviation_for, load_deviations
from pytest_comem.contract.tally import PROMISE, SYSTEM, ContractTally
from pytest_comem.errors import SettingsError
from pytest_comem.locations import suites_root

if TYPE_CHECKING:
    from pytest_comem.contract.promise import Promise
    from pytest_comem.memory.registry import SystemUnderTest

#: The suite's name, and the fixture's.
NAME: Final = "contract"
_PREFIX: Final = "test_"
_OUT_OF_ORDER: Final[pytest.StashKey[str]] = pytest.StashKey()


@final
class ContractRun:
    """The contract's part of a pytest run.

    :param seed: of the examples.
    :param embedder: name of the run's, for printed code.
    :param deviations: files of known deviations besides the shipped one.
    """

    def __init__(self, *, seed: int, embedder: str, deviations: Sequence[Path] = ()) -> None:
        self._files = deviations
        self._seed = seed
        self._embedder = embedder
        self._deviations: Sequence[Deviation] = ()
        self._orders: dict[str, str | None] = {}
        self.tally = ContractTally()

    def start(self, arguments: Iterable[str], asked: Iterable[str]) -> None:
        """Read the known deviations where the contract is among pytest's *arguments*.

        :param asked: what the user wrote.
        :raises SettingsError: where a file of them is wrong, or the contract is asked for by name
            and Hypothesis is missing.
        """
        if find_spec("hypothesis") is None and any(map(is_contract, asked)):
            raise SettingsError(
                "the contract needs Hypothesis; pip install 'pytest-comem[contract]'"
            )
        home = suites_root() / NAME
        places = [one.partition("::")[0] for one in arguments]
        if any(
            place.partition("/")[0] == NAME or Path(place).is_relative_to(home) for place in places
        ):
            from pytest_comem.contract.promises import PROMISES

            names = [f"{_PREFIX}{name}" for name in PROMISES]
            files = [suites_root() / NAME / "deviations.toml", *self._files]
            self._deviations = load_deviations(files, names)

    def contract(self, item: Any, system: SystemUnderTest) -> Contract:
        """Return the fixture's value for a test item.

        :raises pytest.skip.Exception: without Hypothesis.
        :raises pytest.fail.Exception: where the system cannot be tried at all; in set-up, so that
            it is an error.
        """
        promise = item.originalname
        item.user_properties += [(SYSTEM, system.info.name), (PROMISE, promise)]
        if find_spec("hypothesis") is None:
            pytest.skip("hypothesis is not installed; pip install 'pytest-comem[contract]'")
        from pytest_comem.contract.check import working_order

        name = system.info.name
        if not system.capabilities.reference:
            if name not in self._orders:
                self._orders[name] = working_order(system)
            if (problem := self._orders[name]) is not None:
                pytest.fail(problem, pytrace=False)
        known = deviation_for(self._deviations, promise, system)
        return Contract(item, system, known, seed=self._seed, embedder=self._embedder)

    def attach(self, item: pytest.Item, report: pytest.TestReport) -> None:
        """Make an error of a failure that is not the memory's, and print each line logged once."""
        if PROMISE in dict(item.user_properties):
            # Each of many examples opens a memory, and libraries greet every time.
            report.sections[:] = [
                (name, _each_once(text) if name.startswith("Captured") else text)
                for name, text in report.sections
            ]
        if report.when == "call" and _OUT_OF_ORDER in item.stash:
            report.when = "setup"


@final
class Contract:
    """What a promise's test is given: a memory system to hold it to.

    :param known: the deviation on record for this promise and system.
    """

    def __init__(
        self,
        item: pytest.Item,
        system: SystemUnderTest,
        known: Deviation | None,
        *,
        seed: int,
        embedder: str,
    ) -> None:
        self._item = item
        self._system = system
        self._known = known
        self._seed = seed
        self._embedder = embedder

    def holds(self, promise: Promise) -> None:
        """Try a promise; the test passes, fails, is skipped or fails as expected."""
        __tracebackhide__ = True
        from pytest_comem.contract.check import check
        from pytest_comem.contract.journal import OutOfOrder

        try:
            verdict = check(promise, self._system, seed=self._seed, embedder=self._embedder)
        except OutOfOrder as problem:
            self._item.stash[_OUT_OF_ORDER] = str(problem)
            pytest.fail(f"memory system {self._system.info.name}: {problem}", pytrace=False)
        if verdict.not_applicable is not None:
            pytest.skip(verdict.not_applicable)
        known = self._known
        if known is None and not verdict.kept:
            pytest.fail(verdict.report, pytrace=False)
        if known is not None and not verdict.kept:
            self._item.add_report_section("call", "known deviation", verdict.report)
            pytest.xfail(known.why)
        if known is not None:
            pytest.fail(
                f"{self._system.info.name} ({self._system.info.version}) keeps this promise now: "
                f"remove the entry ({known.place})",
                pytrace=False,
            )


def is_contract(argument: str) -> bool:
    """Whether one of pytest's arguments, a name or a path, is of the contract."""
    place = argument.partition("::")[0]
    return place.partition("/")[0] == NAME or Path(place).is_relative_to(suites_root() / NAME)


def _each_once(text: str) -> str:
    return "".join(dict.fromkeys(text.splitlines(keepends=True)))
