"""Play GateMem on several memory systems, a process each, and print one table.

Run by hand: ``python benchmarks/bench_libraries.py DATA SYSTEM [SYSTEM ...] [-- PYTEST OPTIONS]``.
Metrics are percent; CPU is that of the process and its children, memory the peak of one process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pytest_comem.engine.records import read_outcomes
from pytest_comem.metrics.gatemem import METRICS
from pytest_comem.metrics.sheet import Sheet


def main() -> None:
    arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    (data, *systems), more = arguments[:split], arguments[split + 1 :]
    heads = [name.replace("_exposed", "x") for name in METRICS]
    print("system".ljust(18), *(head.rjust(6) for head in heads), "    n   CPU s  wall s     MB")
    with tempfile.TemporaryDirectory() as name:
        for number, system in enumerate(systems):
            run = Path(name) / str(number)
            command = [
                *(sys.executable, "-m", "pytest", "-q", "--tb=no", "-r", ""),
                *("-p", "no:cacheprovider", f"--memory-system={system}", "gatemem"),
                *(f"--comem-data={Path(data).resolve()}", f"--comem-run-dir={run}", *more),
            ]
            started = time.perf_counter()
            process = subprocess.Popen(command, cwd=name, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode > 1 or process.returncode < 0:
                raise SystemExit(f"{system}: pytest ended with {process.returncode}")
            wall = time.perf_counter() - started
            sheet = Sheet()
            for outcome in read_outcomes(run):
                sheet.add(outcome, outcome.step.label)
            cpu, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
            for (label, _), rows in sheet:
                values = map(rows.overall.estimate, METRICS)
                shown = ("-" if value is None else f"{value.mean:.1f}" for value in values)
                print(
                    label.ljust(18),
                    *(value.rjust(6) for value in shown),
                    f"{rows.overall.scored:5} {cpu:7.0f} {wall:7.0f} {memory:6.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
