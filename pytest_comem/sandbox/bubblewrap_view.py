"""What a program sees through bubblewrap: the command line that builds it.

No file of the host is there but the system's programs and libraries, read-only, and what was asked
for. Names of users and hosts come from files of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pytest_comem.sandbox.base import ENVIRONMENT, INSIDE, MIB, Limits

_ISOLATED: Final = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
    *("--unshare-cgroup-try", "--disable-userns", "--die-with-parent", "--new-session"),
    *("--as-pid-1", "--cap-drop", "ALL", "--clearenv", "--hostname", "sandbox"),
    # Whoever runs us, the program sees itself as this user, who owns the workspace.
    *("--uid", "1000", "--gid", "1000"),
)
#: Beside ``/usr``; links into it on systems of today.
_SYSTEM: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
#: What the dynamic linker and the commands' alternatives need.
_SETTINGS: Final = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives")
_OURS: Final = Path(__file__).parent / "etc"
#: Bytes of ``/dev/shm``.
_SHARED_MEMORY: Final = 64 * MIB


def view(workspace: Path, limits: Limits, read_only: Mapping[str, Path]) -> list[str]:
    """Return bubblewrap's arguments but for the program, its directory and its variables."""
    return [
        *_ISOLATED,
        *_system(),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--size", str(_SHARED_MEMORY), "--perms", "1777", "--tmpfs", "/dev/shm"),
        *("--size", str(limits.disk_mib * MIB), "--perms", "1777", "--tmpfs", "/tmp"),
        *("--bind", str(workspace), INSIDE),
        *(text for at, host in read_only.items() for text in ("--ro-bind", str(host), at)),
        # The kernel's settings in there are root's, whom the program is where we are.
        *("--remount-ro", "/proc"),
        # Both are file systems in memory, and could be filled without a bound.
        *("--remount-ro", "/dev", "--remount-ro", "/"),
    ]


def variables(given: Mapping[str, str]) -> list[str]:
    """Return the arguments that set the program's environment."""
    every = {**ENVIRONMENT, **given}
    return [text for name in sorted(every) for text in ("--setenv", name, every[name])]


def _system() -> list[str]:
    arguments = ["--ro-bind", "/usr", "/usr", "--perms", "0755", "--dir", "/etc"]
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            arguments += ["--ro-bind", name, name]
    for name in _SETTINGS:
        arguments += ["--ro-bind-try", name, name]
    for file in sorted(_OURS.iterdir()):
        arguments += ["--ro-bind", str(file), f"/etc/{file.name}"]
    return arguments
