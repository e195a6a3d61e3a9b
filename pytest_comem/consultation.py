"""``comem doctor``: systems looked up, watched and probed one after the other.

Names that only a plugin's hook knows belong to pytest and are not known here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from pytest_comem.embedders.registry import find_embedder
from pytest_comem.endpoint.registry import find_endpoint
from pytest_comem.engine.doctor import examine
from pytest_comem.engine.watching import Watch
from pytest_comem.errors import SettingsError
from pytest_comem.memory.registry import Catalogue
from pytest_comem.memory.setup import Workshop
from pytest_comem.memory.wanted import wanted_systems
from pytest_comem.report.doctor import configuration, findings
from pytest_comem.settings import Settings


def consult(
    systems: str,
    *,
    options: tuple[str, ...],
    top_k: str,
    embedder: str,
    memory_model: str,
    memory_api_base: str,
    say: Callable[[str], None],
) -> bool:
    """Probe *systems* and say what was seen; true where everything is as it should be.

    :raises SettingsError: where a name or a setting is wrong.
    """
    settings = Settings(
        tuple(name.strip() for name in systems.split(",") if name.strip()),
        memory_options=options,
        top_k=tuple(_positive(number) for number in top_k.split(",")),
    )
    here = Path.cwd()
    vectors = find_embedder(embedder)
    endpoint = find_endpoint(vectors, model=memory_model, api_base=memory_api_base)
    healthy = True
    with tempfile.TemporaryDirectory(prefix="comem-doctor-") as place:
        # Writes are compared with it as they are seen.
        root = Path(place).resolve()
        watch = Watch(root)
        workshop = Workshop(root, embedder=vectors, endpoint=endpoint)
        for wanted in wanted_systems(settings, here / "pyproject.toml"):
            watch.forget()
            system = Catalogue({}, here).find(wanted, workshop)
            for line in configuration(system):
                say(line)
            checks = examine(system, watch)
            for line in findings(checks):
                say(line)
            healthy = healthy and all(check.passed for check in checks)
        workshop.close()
    return healthy


def _positive(number: str) -> int:
    if not number.strip().isdecimal() or int(number) < 1:
        raise SettingsError(f"--top-k: {number!r} is not a whole number of 1 or more.")
    return int(number)
