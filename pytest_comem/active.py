"""The hooks of a run that evaluates something; each hands over to the session."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import pytest

from pytest_comem import collection

if TYPE_CHECKING:
    from pytest_comem.session import ComemSession


@final
class ActiveHooks:
    """Registered by the plugin when ``--memory-system`` is in force."""

    def __init__(self, session: ComemSession) -> None:
        self._session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        self._session.start()

    def pytest_report_header(self) -> list[str]:
        return self._session.header()

    def pytest_pycollect_makemodule(
        self, module_path: Path, parent: Any
    ) -> collection.SuiteModule | None:
        return collection.suite_module(module_path, parent)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        self._session.parametrize(metafunc)

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        collection.tidy(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        with self._session.collecting():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None]:
        yield
        self._session.order(items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        with self._session.running(session):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        # Outside pytest's own wrapper, which puts warning filters back after each item.
        self._session.before(item)
        return (yield)

    @pytest.hookimpl(tryfirst=True, specname="pytest_runtest_protocol")
    def pytest_pass_over(self, item: pytest.Item) -> bool | None:
        return True if self._session.passes_over(item) else None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        self._session.attach(item, report, call.excinfo and call.excinfo.value)
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None]:
        self._session.record(report)
        yield
        self._session.forget(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        return self._session.status(report)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> Generator[None]:
        with self._session.summarizing(terminalreporter):
            yield

    @pytest.hookimpl(tryfirst=True, specname="pytest_sessionfinish")
    def pytest_before_junit_xml(self) -> None:
        self._session.note_properties()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._session.finish(session)

    @pytest.hookimpl(wrapper=True, tryfirst=True, specname="pytest_sessionfinish")
    def pytest_at_the_very_end(self, session: pytest.Session) -> Generator[None]:
        # Outside the terminal reporter's wrapper, which writes the line of counts.
        yield
        self._session.conclude(session)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        self._session.equip(node.workerinput)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config) -> Any:
        return self._session.make_scheduler()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._session.plan(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._session.gather(getattr(node, "workeroutput", {}))

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, report: pytest.TestReport) -> None:
        self._session.crashed(report)
