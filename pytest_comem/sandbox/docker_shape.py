"""What containers are made with; all of one shape are alike."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.ownership import Owner, child_labels
from pytest_comem.sandbox.base import ENVIRONMENT, INSIDE, MIB, Limits

IMAGE: Final = "comem-sandbox:latest"
LABEL: Final = "pytest-comem.sandbox"
#: The first process is another user's than the programs, so that they cannot end or trace it. It
#: sleeps, and collects what orphans leave.
_KEEPER: Final = 65533
_KEEPING: Final = ["/bin/sh", "-c", "while :; do sleep 3600; done"]
#: The shell and its sleep.
KEEPERS: Final = 2
_NOBODY: Final = 65534
#: CPU time a container gets of each second: that of one core.
_PERIOD: Final = 100_000


@final
@dataclass(frozen=True, slots=True)
class Shape:
    """A container but for its workspace.

    :param image: that it runs.
    :param memory_mib: of all its processes.
    :param processes: at once.
    :param disk_mib: of a file, and of ``/tmp``.
    :param read_only: paths inside and on the host.
    """

    image: str
    memory_mib: int
    processes: int
    disk_mib: int
    read_only: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, image: str, limits: Limits, read_only: Mapping[str, Path]) -> Shape:
        """Return what these limits and mounts ask for."""
        mounts = tuple(sorted((inside, str(host)) for inside, host in read_only.items()))
        return cls(image, limits.memory_mib, limits.processes, limits.disk_mib, mounts)

    def options(self, workspace: Path, label: str) -> dict[str, Any]:
        """Return the arguments that make such a container on a workspace."""
        from docker.types import Mount, Ulimit

        mounts = [(INSIDE, str(workspace), False), *((*pair, True) for pair in self.read_only)]
        file = self.disk_mib * MIB
        return {
            "image": self.image,
            "command": _KEEPING,
            "user": f"{_KEEPER}:{_KEEPER}",
            "environment": dict(ENVIRONMENT),
            "hostname": "sandbox",
            "working_dir": INSIDE,
            "labels": {**labels(), LABEL: label},
            "network_mode": "none",
            "ipc_mode": "private",
            "read_only": True,
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges"],
            "pids_limit": self.processes + KEEPERS,
            "mem_limit": self.memory_mib * MIB,
            "memswap_limit": self.memory_mib * MIB,
            "cpu_period": _PERIOD,
            "cpu_quota": _PERIOD,
            "shm_size": 64 * MIB,
            "tmpfs": {"/tmp": f"rw,exec,nosuid,nodev,mode=1777,size={file}"},
            "ulimits": [
                Ulimit(name="nofile", soft=1024, hard=1024),
                Ulimit(name="core", soft=0, hard=0),
                Ulimit(name="fsize", soft=file, hard=file),
            ],
            "mounts": [Mount(at, host, type="bind", read_only=fixed) for at, host, fixed in mounts],
        }


def user() -> int:
    """Return the id of the user that programs run as: ours, unless that is root."""
    return os.geteuid() or _NOBODY


def labels() -> dict[str, str]:
    """Return what says whose a container is."""
    owner = Owner.from_labels(child_labels()) or Owner.this_process("none")
    return dict(owner.docker_labels)
