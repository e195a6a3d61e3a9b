"""Hold the real libraries to the contract and write what came out as Markdown.

Run by hand after a change of a version: ``python benchmarks/contract_results.py OUT SYSTEM [...]``,
with ``suites/contract/RESULTS.md`` for OUT, where the libraries are installed. The heads of the
programs (imports, an embedder, configuration) are told once a library.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path

from pytest_comem.contract.check import Verdict, check
from pytest_comem.contract.promises import PROMISES
from pytest_comem.embedders.registry import find_embedder
from pytest_comem.endpoint.registry import find_endpoint
from pytest_comem.memory.registry import Catalogue, SystemUnderTest
from pytest_comem.memory.setup import Workshop
from pytest_comem.memory.wanted import wanted_systems
from pytest_comem.settings import Settings

HEAD = """\
# The contract, held against the real libraries

Made by `benchmarks/contract_results.py` for {systems}; seed 0, embedder `hash`. A promise is kept
(yes), broken (**no**), or says nothing about a system, which does not declare what it is about
(-). The known deviations among the broken ones are on record in `deviations.toml`.
"""


def main() -> None:
    out, *names = sys.argv[1:]
    embedder = find_embedder("hash")
    endpoint = find_endpoint(embedder, model="scripted", api_base="")
    workshop = Workshop(None, embedder=embedder, endpoint=endpoint)
    catalogue = Catalogue({}, Path())
    wanted = wanted_systems(Settings(tuple(names)), Path("pyproject.toml"))
    systems = [catalogue.find(one, workshop) for one in wanted]
    verdicts = {system.info.name: _verdicts(system) for system in systems}
    # Libraries print as they like: the page is a file of its own.
    with Path(out).open("w", encoding="utf-8") as page, redirect_stdout(page):
        _write(names, systems, verdicts)
    workshop.close()


def _write(
    names: list[str], systems: list[SystemUnderTest], verdicts: dict[str, dict[str, Verdict]]
) -> None:
    print(HEAD.format(systems=", ".join(names)))
    print("| promise |", " | ".join(f"`{name}`" for name in names), "|")
    print("|---|", "---|" * len(names))
    print("| version |", " | ".join(system.info.version for system in systems), "|")
    for promise in PROMISES.values():
        cells = (_cell(verdicts[name][promise.name]) for name in names)
        print(f"| {promise.statement} |", " | ".join(cells), "|")
    for system in systems:
        _write_broken(system, verdicts[system.info.name])
    _write_reports()


def _verdicts(system: SystemUnderTest) -> dict[str, Verdict]:
    found = {}
    for name, promise in PROMISES.items():
        found[name] = check(promise, system, seed=0)
        print(f"{system.info.name}: {name}: {_cell(found[name])}", file=sys.stderr)
    return found


def _cell(verdict: Verdict) -> str:
    return "yes" if verdict.kept else "-" if verdict.not_applicable else "**no**"


def _write_broken(system: SystemUnderTest, verdicts: dict[str, Verdict]) -> None:
    broken = {name: found for name, found in verdicts.items() if found.counterexample}
    if not broken:
        return
    print(f"\n## {system.info.name} ({system.info.version})")
    calls = getattr(system.factory, "calls", None)
    preamble = calls.preamble.strip() if calls is not None else ""
    if preamble:
        print(
            f"\nEvery program below that uses the library begins with\n\n```python\n{preamble}\n```"
        )
    for name, verdict in broken.items():
        words, _, code = verdict.report.partition("\n\n")
        expected, happened = (line.strip() for line in words.splitlines()[1:3])
        print(f"\n### {PROMISES[name].statement}\n\n- {expected}\n- {happened}\n")
        print(
            f"```python\n{code.replace(preamble, '', 1).strip() if preamble else code.strip()}\n```"
        )


def _write_reports() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "memory"))
    reports = import_module("test_known_reports").REPORTS
    print("\n## Reports that no promise can see\n")
    print(
        "What adapters do not go through. `tests/memory/test_known_reports.py` reproduces each.\n"
    )
    for name, report in reports.items():
        print(f"- {report.library}: {report.says} (`{name}`)")


if __name__ == "__main__":
    main()
