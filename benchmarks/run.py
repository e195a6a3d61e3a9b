"""Measure the plugin and print one table. Figures are printed, never asserted.

``python -m benchmarks.run [SECTION ...] [--comem-data DIR] [--repeats N] [--json]``; ``-h`` says
more. All of it takes about an hour.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Final

from benchmarks import ingest, latency, office, start, steps, whole, workflows
from benchmarks.measure import Row, Section, Wanted, as_table, as_values

SECTIONS: Final[dict[str, Section]] = {
    "start-up": start.section,
    "steps": steps.section,
    "steps-xdist": steps.section_parallel,
    "gatemem": whole.section,
    "models": latency.section,
    "xdist": whole.section_xdist,
    "ingest": ingest.section,
    "dask": whole.section_dask,
    "comembench": workflows.section,
    "contextweave": office.section,
}


def main() -> None:
    """Measure the sections asked for, all by default."""
    usual = Wanted()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--comem-data", default=os.environ.get("COMEM_DATA"), metavar="DIR")
    parser.add_argument("--repeats", type=int, default=usual.repeats, metavar="N")
    parser.add_argument("--steps", default=",".join(map(str, usual.sizes)), metavar="N,N")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    for name in given.sections:
        if name not in SECTIONS:
            parser.error(f"no section {name!r}; there are {', '.join(SECTIONS)}")
    wanted = Wanted(
        data=Path(given.comem_data).resolve() if given.comem_data else None,
        repeats=given.repeats,
        sizes=tuple(int(size) for size in given.steps.split(",")),
    )
    found: dict[str, list[Row]] = {}
    for name in given.sections or SECTIONS:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        found[name] = list(SECTIONS[name](wanted))
    print(json.dumps(as_values(found), indent=2) if given.json else as_table(found))


if __name__ == "__main__":
    main()
