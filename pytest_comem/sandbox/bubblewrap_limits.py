"""What holds a process of bubblewrap to its limits, set from outside before it begins."""

from __future__ import annotations

import resource

from pytest_comem.sandbox.base import MIB, Limits, failure
from pytest_comem.sandbox.cgroups import Group


def join(group: Group, pid: int) -> None:
    """Put a process into its control group.

    :raises InfrastructureError: of type ``sandbox``, where that fails.
    """
    try:
        group.add(pid)
    except OSError as error:
        raise failure(f"sandbox bubblewrap: no control group: {error}") from error


def limit(pid: int, limits: Limits) -> None:
    """Set the limits of a process that cannot be lifted again, and that its children inherit.

    :raises InfrastructureError: of type ``sandbox``, where that fails.
    """
    values = {
        # Programs reserve more than they use; what they use is held otherwise.
        resource.RLIMIT_AS: 4 * limits.memory_mib * MIB,
        resource.RLIMIT_FSIZE: limits.disk_mib * MIB,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 1024,
        resource.RLIMIT_NPROC: limits.processes + 1,
        resource.RLIMIT_MEMLOCK: 0,
    }
    try:
        for name, value in values.items():
            resource.prlimit(pid, name, (value, value))
    except (OSError, ValueError) as error:
        raise failure(f"sandbox bubblewrap: limits cannot be set: {error}") from error
