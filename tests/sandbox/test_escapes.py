from __future__ import annotations

import os
import pty
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_comem.sandbox.base import Limits, Sandbox, SandboxKind
from pytest_comem.sandbox.reading import UnreadableError, read_file

LIMITS = Limits(seconds=20, memory_mib=256, processes=20, disk_mib=20)
#: Tries each line of its standard input as Python, and prints what came of it.
TRY = """
import sys
for line in sys.stdin.read().splitlines():
    try:
        found = eval(line, {"m": __import__})
    except BaseException as error:
        print("held", type(error).__name__, line)
    else:
        print("GOT", repr(found)[:500], line)
"""


def attempt(sandbox: Sandbox, *lines: str) -> list[str]:
    """Try Python expressions in a sandbox, ``m`` standing for ``__import__``."""
    finished = sandbox.run(["python3", "-c", TRY], stdin="\n".join(lines).encode())
    assert (finished.status, finished.ended) == (0, "exit"), finished
    said = finished.stdout.decode().splitlines()
    assert len(said) == len(lines)
    return said


def assert_held(sandbox: Sandbox, *lines: str) -> None:
    """Check that each of the expressions raises."""
    assert [line for line in attempt(sandbox, *lines) if not line.startswith("held")] == []


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A server on the host's loopback."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        yield found


def test_the_hosts_loopback_is_not_reached(jail: Sandbox, listener: socket.socket) -> None:
    """A server that we reach is not there for the program."""
    port = listener.getsockname()[1]
    socket.create_connection(("127.0.0.1", port), timeout=5).close()
    assert_held(jail, f'm("socket").create_connection(("127.0.0.1", {port}), timeout=3)')


def test_no_name_is_resolved_and_no_address_reached(jail: Sandbox) -> None:
    """Neither by name nor by number, nor by a datagram."""
    assert_held(
        jail,
        'm("socket").getaddrinfo("example.com", 80)',
        'm("socket").create_connection(("192.0.2.1", 80), timeout=3)',
        'm("socket").socket(2, 2).sendto(b"x", ("192.0.2.1", 53))',
    )


def test_only_a_loopback_is_there(jail: Sandbox) -> None:
    """Programs may talk to themselves."""
    (said,) = attempt(jail, 'sorted(name for _, name in m("socket").if_nameindex())')
    assert said.startswith("GOT ['lo']")


def test_an_abstract_socket_of_the_host_is_not_reached(jail: Sandbox, token: str) -> None:
    """They belong to no file system."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{token}")
        server.listen()
        assert_held(jail, f'm("socket").socket(1).connect("\\0{token}")')


def test_nothing_outside_the_workspace_is_written(jail: Sandbox, tmp_path: Path) -> None:
    """Neither the system nor the host's directories."""
    system = ("/", "/usr", "/usr/bin", "/bin", "/lib", "/etc", "/dev", "/proc", "/proc/sys/kernel")
    places = (*system, "/var", "/run", "/home", "/root", "/sys", str(tmp_path), "/workspace/..")
    name = "comem-test-outside"
    assert_held(
        jail,
        *(f"open({place + '/' + name!r}, 'w').close()" for place in places),
        "open('/etc/passwd', 'a').write('x')",
        "open('/usr/bin/env', 'r+b').close()",
        "m('os').chmod('/usr/bin/env', 0o777)",
        "m('os').remove('/bin/sh')",
        "open('/proc/sys/kernel/core_pattern', 'r+').close()",
        "open('/proc/sys/vm/drop_caches', 'r+').close()",
        "open('/proc/sysrq-trigger', 'r+').close()",
        "m('os').symlink('/x', '/y')",
    )
    assert [place for place in places if Path(place, name).exists()] == []


def test_no_setting_of_the_kernel_can_be_changed(jail: Sandbox) -> None:
    """Root owns them, and a program may be root outside."""
    program = (
        "import os\n"
        "for top in ('/proc/sys', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/acpi'):\n"
        "    for place, _, names in os.walk(top):\n"
        "        for name in names:\n"
        "            try: os.close(os.open(f'{place}/{name}', os.O_WRONLY | os.O_NONBLOCK))\n"
        "            except OSError: continue\n"
        "            print(place, name)\n"
    )
    finished = jail.run(["python3", "-c", program])
    assert (finished.status, finished.stdout.decode()) == (0, "")


def test_the_hosts_files_are_not_read(jail: Sandbox, tmp_path: Path) -> None:
    """No password file, no home directory, none of our own files."""
    (tmp_path / "secret").write_text("marked")
    here = Path(__file__).resolve()
    assert_held(
        jail,
        # An image may have an empty one.
        "m('re').search('.', open('/etc/shadow').read()).group()",
        f"open({str(tmp_path / 'secret')!r}).read()",
        f"open({str(here)!r}).read()",
        f"m('os').listdir({str(Path.home())!r})[0]",
        "m('os').listdir('/root')[0]",
        "m('os').listdir('/home')[0]",
        "m('os').listdir('/var/lib/docker')",
        "open('/var/run/docker.sock').read()",
        "m('os').listdir('/run/user')",
        "open('/etc/machine-id').read(1)[0]",
        "open('/proc/kcore', 'rb').read(1)[0]",
        "open('/dev/kmsg', 'rb').read(1)",
    )


def test_the_hosts_environment_is_not_read(jail: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of no process that the program sees, in any way."""
    monkeypatch.setenv("COMEM_TEST_SECRET", "marked-secret")
    program = "cat /proc/*/environ /proc/*/cmdline /proc/*/task/*/environ 2>/dev/null; env; set"
    finished = jail.run(["sh", "-c", program])
    assert b"PATH=" in finished.stdout
    assert b"marked-secret" not in finished.stdout


def test_no_process_of_the_host_is_seen(jail: Sandbox) -> None:
    """Nor what can be reached through one."""
    us = os.getpid()
    assert_held(jail, f"m('os').kill({us}, 0)", f"open('/proc/{us}/status').read()")
    # What its own root has not, another root would have.
    (said,) = attempt(
        jail,
        "[p for p in m('glob').glob('/proc/[0-9]*/root/*')"
        " if not m('os').path.lexists('/' + m('os').path.basename(p))]",
    )
    assert said.split("[", 1)[1].split("]", 1)[0] == ""


def test_all_may_be_killed_inside_and_nothing_outside(
    jail: Sandbox, token: str, processes_with: Callable[[str], list[int]]
) -> None:
    """Neither a process of ours nor the sandbox."""
    victim = subprocess.Popen(["sh", "-c", f"sleep 60; : {token}"], start_new_session=True)
    try:
        program = f"kill -9 {victim.pid}; kill -9 -1; kill -9 1; echo here"
        finished = jail.run(["sh", "-c", program])
        assert (finished.status, finished.stdout) == (0, b"here\n")
        assert victim.poll() is None
        assert victim.pid in processes_with(token)
        assert jail.is_alive()
        assert jail.run(["echo", "again"]).stdout == b"again\n"
    finally:
        victim.kill()
        victim.wait()
        for pid in processes_with(token):
            os.kill(pid, 9)


@pytest.mark.parametrize("start", ["{0} &", "({0} &);", "trap '' HUP TERM; nohup {0} &"])
def test_nothing_in_the_background_stays(
    sandbox: Sandbox, token: str, processes_with: Callable[[str], list[int]], start: str
) -> None:
    """It is gone when the run is over, whether it held the output open or not."""
    for stream in ("", " >/dev/null 2>&1"):
        daemon = f"sh -c 'sleep 60; : {token}'{stream}"
        finished = sandbox.run(["sh", "-c", f"{start.format(daemon)} echo begun"])
        assert (finished.status, finished.ended) == (0, "exit")
        assert b"begun" in finished.stdout
        assert processes_with(token) == []


def test_no_daemon_stays(
    jail: Sandbox, token: str, processes_with: Callable[[str], list[int]]
) -> None:
    """Not in a session of its own either."""
    daemon = f"setsid sh -c 'trap \"\" TERM HUP; sleep 60; : {token}' >/dev/null 2>&1 &"
    assert jail.run(["sh", "-c", f"({daemon}) ; echo begun"]).stdout == b"begun\n"
    assert processes_with(token) == []


def test_links_out_of_the_workspace_lead_nowhere(jail: Sandbox, tmp_path: Path) -> None:
    """Not for the program, which does not see what is there."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("marked")
    program = f"ln -s {outside} dir; ln -s {outside}/secret file; cat file dir/*; echo x >file"
    finished = jail.run(["sh", "-c", f"{program}; echo x >dir/new; ln {outside}/secret hard"])
    assert b"marked" not in finished.stdout
    assert (outside / "secret").read_text() == "marked"
    assert [path.name for path in outside.iterdir()] == ["secret"]


def test_links_that_a_program_left_are_not_followed(sandbox: Sandbox, tmp_path: Path) -> None:
    """Not by us either, who would see what is there."""
    (tmp_path / "secret").write_text("marked")
    program = f"ln -s {tmp_path}/secret file; ln -s {tmp_path} dir; mkdir real; echo mine >real/own"
    assert sandbox.run(["sh", "-c", f"{program}; mkfifo pipe"]).status == 0
    assert read_file(sandbox.workspace, "real/own", 100) == b"mine\n"
    for name in ("file", "dir/secret", "real/../file", "pipe", "../secret", "real"):
        with pytest.raises(UnreadableError):
            read_file(sandbox.workspace, name, 100)


def test_another_sandboxes_workspace_is_not_read(isolating: SandboxKind, tmp_path: Path) -> None:
    """Not by its path, nor through its running processes."""
    places = [tmp_path / "one", tmp_path / "two"]
    for place in places:
        place.mkdir()
    one, two = (isolating.open(place, limits=LIMITS, label="test") for place in places)
    with one, two:
        (two.workspace / "secret").write_text("marked-secret")
        thread = threading.Thread(target=two.run, args=(["sleep", "2"],))
        thread.start()
        time.sleep(0.5)
        program = f"cat {places[1]}/* /workspace/../two/* /proc/*/root/workspace/* /proc/*/cwd/*"
        finished = one.run(["sh", "-c", program])
        thread.join()
    assert b"marked-secret" not in finished.stdout


def test_no_rights_are_had_or_gained(jail: Sandbox) -> None:
    """No capability, and none through a program that is set to be another user's."""
    status = dict(
        line.split(":\t", 1)
        for line in jail.run(["cat", "/proc/self/status"]).stdout.decode().splitlines()
        if ":\t" in line
    )
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[name], 16) == 0
    assert status["NoNewPrivs"] == "1"
    assert "0" not in status["Uid"].split()
    assert_held(jail, "m('os').setuid(0)", "m('os').chroot('/tmp')", "m('os').setgid(0)")


@pytest.mark.parametrize(
    "command",
    [
        "mount -t tmpfs none /workspace",
        "mount -o remount,rw /",
        "mount -o remount,rw /usr",
        "mount --bind /workspace /etc",
        "umount /proc/sys || umount /proc",
        "unshare --user --map-root-user true",
        "unshare --net true",
        "unshare --mount true",
        "nsenter --target 1 --mount true",
        "mknod /workspace/disk b 8 0",
        "mknod /workspace/memory c 1 1",
        "chroot /workspace /bin/true",
        "su root -c true",
    ],
)
def test_the_system_is_not_rearranged(jail: Sandbox, command: str) -> None:
    """No mount, namespace or device is made."""
    finished = jail.run(["sh", "-c", command])
    assert finished.ended == "exit"
    assert finished.status not in (0, None)
    # The command is there, and refused.
    assert finished.status != 127 or b"not found" in finished.stderr


def test_devices_are_harmless(jail: Sandbox) -> None:
    """No disk, no memory, no kernel log; only what any user may have."""
    program = (
        "import os, stat\n"
        "for place, _, names in os.walk('/dev'):\n"
        "    for name in names:\n"
        "        mode = os.lstat(f'{place}/{name}').st_mode\n"
        "        if stat.S_ISBLK(mode) or stat.S_ISCHR(mode): print(name)\n"
    )
    finished = jail.run(["python3", "-c", program])
    assert set(finished.stdout.decode().split()) <= {
        *("null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"),
    }


@pytest.mark.parametrize("kind", ["bubblewrap", "none"], indirect=True)
def test_our_terminal_cannot_be_typed_into(kind: SandboxKind, tmp_path: Path) -> None:
    """A program has no terminal, though we have one."""
    attack = (
        "import fcntl, os\n"
        "for name in ('/dev/tty', '/proc/self/fd/0', '/proc/self/fd/1', '/proc/self/fd/2'):\n"
        "    try: fcntl.ioctl(os.open(name, os.O_RDWR | os.O_NONBLOCK), 0x5412, b'x')\n"
        "    except OSError as error: print('held')\n"
        "    else: print('TYPED', name)\n"
    )
    ours = (
        "import os, sys, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "os.close(os.open('/dev/tty', os.O_RDWR))\n"
        "from pathlib import Path\n"
        "from pytest_comem.sandbox.base import Limits\n"
        "from pytest_comem.sandbox.registry import choose\n"
        "kind = choose(sys.argv[1])\n"
        "with kind.open(Path(sys.argv[2]), limits=Limits(), label='x') as sandbox:\n"
        "    print(sandbox.run(['python3', '-c', sys.argv[3]]).stdout.decode(), 'end')\n"
    )
    said = _on_a_terminal([sys.executable, "-c", ours, kind.name, str(tmp_path), attack])
    assert said.split() == ["held"] * 4 + ["end"]


def _on_a_terminal(command: list[str]) -> str:
    """Return what a command prints that has a terminal of its own."""
    here = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(here)}
    ours, theirs = pty.openpty()
    # setsid --ctty gives it the terminal.
    process = subprocess.Popen(
        ["setsid", "--ctty", *command],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        close_fds=True,
    )
    os.close(theirs)
    said = b""
    try:
        while chunk := os.read(ours, 4096):
            said += chunk
    except OSError:
        # The terminal's end.
        pass
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return said.decode()
