"""A program that does office tasks in their sandbox: ``--comem-agent cmd:COMMAND``.

Any agent that works from a command line will do. It is run once a task in the workspace, without a
network, told the task in a file or on its standard input, and what it leaves is graded, whatever
its exit status. Where the run has a model, it is asked at ``OPENAI_BASE_URL`` inside: a forwarder
in the sandbox (:mod:`pytest_comem.office.inside.forward`) passes it on to a socket of ours, so that
keys stay outside and every call is counted, recorded and paid like the run's others.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Protocol, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.printable import printable
from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.llm.faults import Fault, ModelCallError, RunStopped
from pytest_comem.llm.meter import Meter
from pytest_comem.office.base import Call, Shown, Stopped, Trajectory, Workbench
from pytest_comem.office.command_agent_asking import answering
from pytest_comem.office.command_agent_events import SAID, Printed, clean, read_printed
from pytest_comem.office.command_agent_program import MOUNTS, Program
from pytest_comem.office.command_agent_prompt import WORDING, task_text
from pytest_comem.office.libraries import Tooling, tooling_for
from pytest_comem.office.offline_agent import learn
from pytest_comem.office.operations import CallClass
from pytest_comem.office.plan_problems import problems_of
from pytest_comem.sandbox.base import ENVIRONMENT, MIB, Finished, Limits
from pytest_comem.sandbox.registry import choose
from pytest_comem.secrets import without_secrets

#: Of a task as a whole; a language model is slow, and its programs are large.
LIMITS: Final = Limits(
    seconds=900, memory_mib=2048, processes=512, disk_mib=512, output_bytes=32 * MIB
)
#: Where an isolated program sees the task, our directory, and its model.
TASK: Final = "/comem/task.md"
ASK: Final = "/comem/ask"
_PLACE: Final = "/comem/agent"
_PORT: Final = 8000
#: Kinds of sandboxes in which a socket of ours can be reached.
_KINDS: Final = ("bubblewrap", "none")
_FORWARD: Final = "pytest_comem.office.inside.forward"
#: Exit statuses of a command that was not started.
_NOT_STARTED: Final = (126, 127)
#: Characters of the reply, and of standard error in it.
_REPLY: Final = 2_000
_TAIL: Final = 500


class OpenModel(Protocol):
    """A model's socket while a task goes on."""

    @property
    def path(self) -> Path:
        """The socket."""

    @property
    def tokens(self) -> int:
        """Tokens of all calls so far."""


class ReachedModel(Protocol):
    """A model that a program in a sandbox can ask."""

    @property
    def name(self) -> str:
        """What a program asks for."""

    @property
    def version(self) -> str:
        """Changes whenever it may answer the same in another way."""

    def open(self, directory: Path, meter: Meter) -> AbstractContextManager[OpenModel]:
        """Serve at a socket in *directory*, which is shown inside; calls count for *meter*."""


@final
@dataclass(frozen=True, slots=True)
class _Ran:
    """A program's run, and what it says of it."""

    finished: Finished
    printed: Printed
    asked: Sequence[Call]
    prompt: str
    model_tokens: int


@final
class CommandAgent:
    """Does tasks by a program; see :class:`pytest_comem.office.base.OfficeAgent`.

    :param sandbox: name of a kind that works here, never ``auto``.
    :param model: that the program asks; ``None`` where the run has none.
    :param limits: of a task.
    :raises SettingsError: where that kind of sandbox will not do.
    """

    def __init__(
        self,
        program: Program,
        sandbox: str,
        model: ReachedModel | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        if sandbox not in _KINDS:
            raise SettingsError(
                f"--comem-agent: a program cannot reach its model in the sandbox {sandbox}; "
                f"choose --comem-sandbox {' or '.join(_KINDS)}"
            )
        self._program = program
        self._sandbox = sandbox
        self._model = model
        self._limits = limits
        self.name: Final = f"cmd:{program.name}"
        held = [limits.seconds, limits.memory_mib, limits.processes, limits.disk_mib]
        asked = [model.name, model.version] if model else []
        #: Changes with the command, the files it is shown, what it is told, and how its model is
        #: asked.
        self.version: Final = stable_hash(
            [WORDING, program.version(), held, limits.output_bytes, asked]
        )[:16]

    @property
    def _isolated(self) -> bool:
        return self._sandbox != "none"

    def missing(self, shown: Shown) -> str | None:
        """Return nothing: a program can try every task."""
        return None

    def work(self, shown: Shown, bench: Workbench, meter: Meter) -> Trajectory:
        """Run the program in the task's workspace.

        :raises InfrastructureError: of type ``agent``, where it cannot be started or its model
            failed; of type ``sandbox``, where the sandbox broke.
        """
        ran = self._ran(shown, bench, meter)
        failure = meter.take_failure()
        self._refuse(ran.finished, failure)
        tokens = ran.model_tokens or ran.printed.tokens
        if not tokens:
            tokens = len(ran.prompt.split()) + len(ran.finished.stdout.split())
        return Trajectory(
            calls=(*(ran.printed.calls or [self._itself(ran.finished)]), *ran.asked),
            reply=_reply(ran),
            stopped=_stopped(ran.finished, failure),
            known=_known(shown),
            tokens=tokens,
        )

    def _ran(self, shown: Shown, bench: Workbench, meter: Meter) -> _Ran:
        label = f"{shown.participant.participant_id} {shown.task.task_id}"
        with ExitStack() as stack:
            holder = tempfile.TemporaryDirectory(prefix="comem-", ignore_cleanup_errors=True)
            place = Path(stack.enter_context(holder))
            ours = place / "agent"
            for directory in (ours, place / "home"):
                directory.mkdir()
            asking = ASK if self._isolated else str(ours / "ask")
            prompt = task_text(shown, asking)
            (ours / "task.md").write_bytes(prompt.encode("utf-8", "replace"))
            tooling = tooling_for(self._sandbox)
            seen = _PLACE if self._isolated else str(ours)
            asked = stack.enter_context(answering(shown.task, ours, seen, tooling))
            model = None
            if self._model is not None:
                model = stack.enter_context(self._model.open(ours, meter))
            start = self._start(place, bench.workspace, model)
            (ours / "start.json").write_text(json.dumps(start), encoding="utf-8")
            finished = self._run(ours, bench.workspace, label)
            printed = read_printed(finished.stdout)
        # Calls that were at hand are over by now.
        return _Ran(finished, printed, asked, prompt, model.tokens if model else 0)

    def _start(self, place: Path, workspace: Path, model: OpenModel | None) -> Mapping[str, Any]:
        """Return what the program inside is told to run, and in what."""
        isolated = self._isolated
        tooling = tooling_for(self._sandbox)
        seen = _PLACE if isolated else str(place / "agent")
        home = "/tmp" if isolated else str(place / "home")
        own = {"HOME": home, "TMPDIR": home}
        # A repository around the workspace is none of its own.
        own["GIT_CEILING_DIRECTORIES"] = "/" if isolated else str(workspace.resolve().parent)
        start: dict[str, Any] = {
            "command": list(self._program.command),
            "environment": {**ENVIRONMENT, **tooling.shell_environment, **own},
            "task": TASK if isolated else f"{seen}/task.md",
        }
        if model is not None and self._model is not None:
            start |= {"socket": f"{seen}/{model.path.name}", "model": self._model.name}
            start["port"] = _PORT if isolated else 0
        return start

    def _run(self, ours: Path, workspace: Path, label: str) -> Finished:
        tooling: Tooling = tooling_for(self._sandbox)
        seen = _PLACE if self._isolated else str(ours)
        shown = {
            **tooling.read_only,
            **self._program.read_only,
            _PLACE: ours,
            TASK: ours / "task.md",
            ASK: ours / "ask",
        }
        kind = choose(self._sandbox)
        opened = kind.open(workspace, limits=self._limits, read_only=shown, label=label)
        argv = (*tooling.program[:-1], _FORWARD, f"{seen}/start.json")
        with opened as sandbox:
            finished = sandbox.run(argv, environment=tooling.program_environment)
            if not sandbox.is_alive():
                raise InfrastructureError(f"{label}: the sandbox died", type="sandbox")
        return replace(finished, stdout=_scrubbed(finished.stdout))

    def _refuse(self, finished: Finished, failure: ModelCallError | None) -> None:
        """Raise what is no work of the agent's: it did not start, or its model failed."""
        if isinstance(failure, RunStopped):
            raise failure
        said = _tail(finished)
        if failure is not None and _is_to_blame(failure, finished):
            raise InfrastructureError(
                f"{self.name}: its model failed: {failure}; exit status {finished.status}: {said}",
                type="agent",
            ) from failure
        if finished.ended == "exit" and finished.status in _NOT_STARTED:
            raise InfrastructureError(
                f"{self.name}: the command cannot be run in the sandbox (exit status "
                f"{finished.status}): {said or 'it says nothing'}; what it needs beside its "
                f"program is named in {MOUNTS}",
                type="agent",
            )

    def _itself(self, finished: Finished) -> Call:
        """Return the one call of a program that says nothing of its work."""
        ok = finished.status == 0 and finished.ended == "exit"
        said = finished.stdout.decode("utf-8", "replace").strip()
        # Without its arguments, which may hold paths of this machine.
        return Call("command", CallClass.OTHER, f"ran {self.name}", ok, clean(said, SAID))


def _is_to_blame(failure: ModelCallError, finished: Finished) -> bool:
    """Return whether a failed call makes the run worth nothing.

    A request that is wrong or too long is the agent's own, as long as it can go on.
    """
    if failure.kind is Fault.CONTEXT_TOO_LONG:
        return False
    if failure.kind in (Fault.BAD_REQUEST, Fault.CONTENT_FILTER):
        return finished.status != 0
    return True


def _stopped(finished: Finished, failure: ModelCallError | None) -> Stopped:
    if finished.ended == "exit":
        is_long = failure is not None and failure.kind is Fault.CONTEXT_TOO_LONG
        return "tokens" if is_long and finished.status != 0 else "finished"
    return "time" if finished.ended == "timeout" else "limit"


def _reply(ran: _Ran) -> str:
    """Return what the program said last, and how it ended where that was not well."""
    finished = ran.finished
    said = ran.printed.reply
    if not said and not ran.printed.calls:
        said = finished.stdout.decode("utf-8", "replace").strip()[-_REPLY:]
    said = said[:_REPLY]
    if finished.why:
        said += f"\n[ended: {finished.why}]"
    elif finished.status:
        said += f"\n[exit status {finished.status}: {_tail(finished) or 'it says nothing'}]"
    return printable(clean(said.strip(), 2 * _REPLY), keep="\n")


def _tail(finished: Finished) -> str:
    text = finished.stderr.decode("utf-8", "replace").strip()[-_TAIL:]
    return printable(without_secrets(clean(text, _TAIL)))


def _scrubbed(output: bytes) -> bytes:
    return without_secrets(output.decode("utf-8", "replace")).encode("utf-8", "replace")


def _known(shown: Shown) -> Mapping[str, tuple[str, ...]]:
    """Return what the recalled passages offer, by the slots of the task's plan.

    The program is shown nothing of it. It says of recall what it says with the offline agent: which
    problems it would have solved.
    """
    if shown.plan is None or not shown.passages or problems_of(shown.plan):
        return {}
    return learn(shown, shown.plan).known
