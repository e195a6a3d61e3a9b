"""A cluster is looked at before anything is played on it: every difference is one line."""

from __future__ import annotations

import asyncio
import json
import secrets
import warnings
from collections.abc import Callable, Mapping
from importlib.metadata import version
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final

from pytest_comem import __version__
from pytest_comem.cluster import fingerprint
from pytest_comem.core.printable import printable
from pytest_comem.errors import SettingsError

if TYPE_CHECKING:
    from distributed import Client

    from pytest_comem.cluster.connection import Cluster
    from pytest_comem.cluster.parcel import Parcel
    from pytest_comem.materials import Materials

#: Seconds in which a scheduler has to answer.
PATIENCE: Final = 10.0
#: Seconds that a cluster without workers is waited for, and a worker that does not answer.
WAITING: Final = 30.0
#: Seconds in which a worker has to have read the data and imported the memory systems.
LOADING: Final = 600.0
_OPTION: Final = "--comem-backend"


def open_cluster(address: str, materials: Materials, say: Callable[[str], None]) -> Cluster:
    """Return the cluster at *address*, every worker of which can play the run.

    :param say: tells the user what is waited for.
    :raises SettingsError: saying what is wrong, one line for each worker and difference.
    """
    _require_package()
    from pytest_comem.cluster.connection import Cluster
    from pytest_comem.cluster.parcel import Parcel

    parcel = Parcel.of(materials, secrets.token_hex(8))
    ours = {**fingerprint.of_code(), **fingerprint.of_materials(materials)}
    _check_scheduler(address)
    client = _connected(address)
    try:
        _wait_for_workers(client, address, say)
        _check_workers(client, address, parcel, ours)
        return Cluster(address, client, parcel, ours)
    except BaseException:
        client.close()
        raise


def _require_package() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise SettingsError(
            f"{_OPTION} needs the package distributed: pip install 'pytest-comem[distributed]'"
        ) from error


def _check_scheduler(address: str) -> None:
    """Refuse what does not answer, is no scheduler, or is one of another version."""
    try:
        kind, theirs = asyncio.run(asyncio.wait_for(_ask(address), PATIENCE))
    except Exception as error:
        # Whatever listens there may send anything.
        detail = "" if isinstance(error, TimeoutError) else f" ({_detail(error)})"
        raise SettingsError(
            f"{_OPTION}: no scheduler of Dask answers at {address} within {PATIENCE:g} s{detail}; "
            "start one with 'dask scheduler', or correct the address"
        ) from error
    if kind != "Scheduler":
        raise SettingsError(f"{_OPTION}: at {address} is a {kind} of Dask, not its scheduler")
    if theirs != (ours := version("distributed")):
        raise SettingsError(
            f"{_OPTION}: the scheduler at {address} runs distributed {theirs} and this is {ours}; "
            "install one version everywhere"
        )


async def _ask(address: str) -> tuple[str, str]:
    """Return what answers at *address*, and its version."""
    from distributed.core import rpc
    from distributed.security import Security

    arguments = Security().get_connection_args("client")
    async with rpc(address, timeout=PATIENCE, connection_args=arguments) as answering:
        identity: Mapping[str, Any] = await answering.identity()
        versions: Mapping[str, Any] = await answering.versions(packages=[])
    return str(identity["type"]), str(versions["packages"]["distributed"])


def _connected(address: str) -> Client:
    from distributed import Client

    try:
        with warnings.catch_warnings():
            # What matters of its own check of versions is said by ours.
            warnings.simplefilter("ignore")
            return Client(address, timeout=PATIENCE, set_as_default=False)
    except Exception as error:
        raise SettingsError(
            f"{_OPTION}: cannot connect to the scheduler at {address}: {_detail(error)}"
        ) from error


def _wait_for_workers(client: Client, address: str, say: Callable[[str], None]) -> None:
    until = monotonic() + WAITING
    told = False
    while not client.nthreads():
        if not told:
            say(f"comem: no worker on {address} yet; waiting {WAITING:g} s for one")
            told = True
        if monotonic() > until:
            raise SettingsError(
                f"{_OPTION}: no worker on {address}: start some with 'dask worker {address}'"
            )
        sleep(0.2)


def _check_workers(client: Client, address: str, parcel: Parcel, ours: Mapping[str, str]) -> None:
    from pytest_comem.cluster import task

    with_code = _answers(client, WAITING, task.identify)
    problems = _problems(with_code, fingerprint.of_code())
    if not problems:
        # Only the same code can be trusted to understand the rest.
        problems = _problems(_answers(client, LOADING, task.inspect, parcel), ours)
    if problems:
        head = (
            f"{_OPTION}: not every worker of {address} can play this run; give each what is here, "
            "and start it anew"
        )
        raise SettingsError("\n".join([head, *problems]))


def _answers(
    client: Client, patience: float, function: Callable[..., Any], *arguments: object
) -> dict[str, object]:
    """Return what *function* returns on each worker, by its address; what it raises is returned.

    :param patience: seconds that a worker may take; what takes longer counts as a ``TimeoutError``.
    """
    workers = list(client.nthreads())

    async def answer_of(worker: str) -> object:
        asking = client.run(function, *arguments, workers=[worker], on_error="return")
        try:
            answers: Mapping[str, object] = await asyncio.wait_for(asking, patience)
        except TimeoutError:
            return TimeoutError(f"nothing in {patience:g} s; if it is paused, wake it or end it")
        return answers[worker]

    async def all_answers() -> list[object]:
        return await asyncio.gather(*map(answer_of, workers))

    return dict(zip(workers, client.sync(all_answers), strict=True))


def _problems(answers: Mapping[str, object], ours: Mapping[str, str]) -> list[str]:
    """Return what is wrong with workers, in the order of their addresses."""
    return [
        f"worker {worker}: {printable(problem)}"
        for worker, answer in sorted(answers.items())
        for problem in _problems_of(answer, ours)
    ]


def _problems_of(answer: object, ours: Mapping[str, str]) -> list[str]:
    if isinstance(answer, ImportError):
        return [f"{answer}; install pytest-comem=={__version__} there"]
    if not isinstance(answer, str):
        return [f"did not answer: {_detail(answer)}"]
    theirs = json.loads(answer)
    if "problem" in theirs:
        return str(theirs["problem"]).splitlines()
    return fingerprint.differences(ours, theirs)


def _detail(error: object) -> str:
    return printable(f"{type(error).__name__}: {error}")
