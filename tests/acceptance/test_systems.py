"""How memory systems are found, set up and swept, seen from the command line."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from tiny_project import records

from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.chat import ChatReply, ChatRequest
from pytest_comem.endpoint.scripted import ScriptedChat
from pytest_comem.endpoint.server import LoopbackServer

needs_xdist = pytest.mark.skipif(find_spec("xdist") is None, reason="pytest-xdist is not installed")
needs_numpy = pytest.mark.skipif(find_spec("numpy") is None, reason="numpy is not installed")

CONFIGURABLE = """
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.memory.base import Capabilities, MemorySystem, Package


class Configurable(MemorySystem):
    version = "7"
    options = {"last": 3, "shout": False, "name": "x", "share": 0.5}
    presets = {"loud": {"shout": True}}

    def __init__(self, setup):
        self.setup = setup
        self.items = []

    @classmethod
    def open(cls, setup):
        (setup.directory / "state.txt").write_text("state")
        return cls(setup)

    def ingest(self, entry):
        text = entry.text.upper() if self.setup.options["shout"] else entry.text
        self.items.append(RecallItem(text, source_ids=(entry.id,)))

    def recall(self, query):
        return Recall(tuple(self.items[-min(query.top_k, self.setup.options["last"]):]))


class Missing(Configurable):
    packages = (Package("no-such-distribution", "missing", ">=1"),)


class TooOld(Configurable):
    packages = (Package("pytest", "old", ">=1,<2"),)


class Embeds(Configurable):
    capabilities = Capabilities(needs_embedder=True)
"""


@pytest.fixture
def configured(project: pytest.Pytester) -> pytest.Pytester:
    """The tiny project with an adapter that has settings."""
    project.makepyfile(configurable=CONFIGURABLE)
    project.makeconftest(
        "def pytest_comem_memory_systems():\n"
        "    from configurable import Configurable, Embeds, Missing, TooOld\n"
        "    return {'conf': Configurable, 'missing': Missing, 'old': TooOld, 'embeds': Embeds}\n"
    )
    return project


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run the GateMem suite on the tiny data."""
    return project.runpytest_subprocess(
        "gatemem", "--comem-data=data", "--comem-run-dir=run", "-p", "no:cacheprovider", *arguments
    )


def recalled(project: pytest.Pytester) -> dict[str, list[int]]:
    """Return the numbers of recalled items by system."""
    found: dict[str, list[int]] = {}
    for record in records(project.path / "run"):
        found.setdefault(record["system"]["name"], []).append(len(record["recall"]["items"]))
    return found


def test_a_setting_on_the_command_line_reaches_the_system(configured: pytest.Pytester) -> None:
    """``--memory-option`` sets a value of the default's type."""
    run(configured, "--memory-system=conf", "--memory-option=conf.last=1")
    assert recalled(configured) == {"conf": [1] * 5}


def test_settings_stand_in_an_ini_file(configured: pytest.Pytester) -> None:
    """The ini key holds one setting a line, and the command line wins over it."""
    configured.makeini("[pytest]\nmemory_option =\n    conf.last=2\n    conf.shout=true\n")
    run(configured, "--memory-system=conf", "--memory-option=conf.last=1")
    assert recalled(configured) == {"conf": [1] * 5}
    assert records(configured.path / "run")[0]["recall"]["items"][0]["text"].isupper()


def test_settings_stand_in_pyproject(configured: pytest.Pytester) -> None:
    """``tool.comem.systems.NAME`` configures a system, and the command line wins over it."""
    configured.makepyprojecttoml(
        "[tool.comem.systems.conf]\nlast = 2\nshout = true\n"
        "[tool.comem.systems.'conf:one']\nlast = 1\n"
    )
    run(configured, "--memory-system=conf,conf:one", "--memory-option=conf:one.shout=false")
    assert recalled(configured) == {"conf": [2, 2, 2, 1, 2], "conf:one": [1] * 5}
    texts = {
        record["system"]["name"]: record["recall"]["items"][0]["text"]
        for record in records(configured.path / "run")
    }
    assert texts["conf"].isupper()
    assert texts["conf:one"].startswith("fact")


def test_two_configurations_have_two_rows_and_two_hashes(configured: pytest.Pytester) -> None:
    """A system and its preset are compared in one run."""
    result = run(configured, "--memory-system=conf,conf:loud")
    result.stdout.fnmatch_lines(["*conf *", "*conf:loud *"])
    hashes = {record["system"]["configuration"] for record in records(configured.path / "run")}
    assert len(hashes) == 2


def test_top_k_is_swept(configured: pytest.Pytester) -> None:
    """Several values of top-k are a parameter, with a row each in the scorecard."""
    result = run(configured, "--memory-system=conf", "--comem-top-k=1,2,30")
    result.stdout.fnmatch_lines(["*conf-k1 *", "*conf-k2 *", "*conf-k30 *"])
    assert recalled(configured) == {
        "conf-k1": [1] * 5,
        "conf-k2": [2, 2, 2, 1, 2],
        "conf-k30": [2, 3, 3, 1, 3],
    }
    kept = {record["system"]["top_k"] for record in records(configured.path / "run")}
    assert kept == {1, 2, 30}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--memory-option=conf.lost=1"], "conf.lost: unknown setting; did you mean last?"),
        (["--memory-option=conf.last=many"], "conf.last: 'many' is not a whole number."),
        (["--memory-option=conf.shout=9"], "conf.shout: '9' is not true or false."),
        (["--memory-option=cnf.last=1"], "cnf.KEY: no such system in this run; did you mean conf?"),
        (["--memory-option=last"], "'last' is not of the form SYSTEM.KEY=VALUE"),
        (["--memory-system=conf:lowd"], "'lowd' is unknown; did you mean loud?"),
        (
            ["--memory-system=missing"],
            "needs the package no-such-distribution; pip install 'pytest-comem[[]missing[]]'",
        ),
        (["--memory-system=old"], "was made for pytest>=1,<2, and * is installed"),
        (["--comem-top-k=1,x"], "--comem-top-k: 'x' is not a whole number"),
        (["--comem-embedder=hsh"], "--comem-embedder: 'hsh' is unknown; did you mean hash?"),
        (["--comem-memory-model="], "--comem-memory-model: it is empty"),
        (["--comem-synthetic=1"], "how many episodes there are: leave out --comem-data."),
    ],
)
def test_a_wrong_setting_is_a_usage_error(
    configured: pytest.Pytester, arguments: list[str], message: str
) -> None:
    """What is wrong, and the nearest right thing; nothing is run or written."""
    result = run(configured, "--memory-system=conf", *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{message}*"])
    assert not (configured.path / "run").exists()


@pytest.mark.parametrize("arguments", [(), pytest.param(("-n", "2"), marks=needs_xdist)], ids=str)
def test_state_lies_in_the_run_directory_and_goes(
    configured: pytest.Pytester, arguments: tuple[str, ...]
) -> None:
    """Every episode has its own directory under the run, and nothing of it stays."""
    configured.makepyfile(
        watching=CONFIGURABLE.replace('write_text("state")', "write_text(str(setup.directory))")
        .replace("def recall(self, query):", "def recall(self, query):\n        note(self.setup)")
        .replace(
            "class Missing",
            "def note(setup):\n"
            "    with open('places.txt', 'a') as file:\n"
            "        print(setup.directory, setup.namespace, file=file)\n\n\nclass Missing",
        )
    )
    run(configured, "--memory-system=watching:Configurable", *arguments)
    lines = (configured.path / "places.txt").read_text().split("\n")
    places = {line.split()[0] for line in lines if line}
    assert len(places) == 2
    assert all(Path(place).is_relative_to(configured.path / "run" / "state") for place in places)
    assert sorted(path.name for path in (configured.path / "run").iterdir()) == [
        "manifest.json",
        "outcomes.jsonl",
    ]


def test_an_installed_package_registers_a_system(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry point of the group ``pytest_comem.memory_systems`` is a name."""
    site = project.mkdir("site")
    (site / "theirs.py").write_text(CONFIGURABLE)
    information = site / "theirs-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(
        "[pytest_comem.memory_systems]\ntheirs = theirs:Configurable\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(site), prepend=":")
    run(project, "--memory-system=theirs,theirs:loud")
    assert set(recalled(project)) == {"theirs", "theirs:loud"}


def test_capabilities_and_settings_go_into_the_manifest(configured: pytest.Pytester) -> None:
    """Whoever reads a run can see what each system declares and how it was set up."""
    run(configured, "--memory-system=embeds:loud,conf")
    systems = json.loads((configured.path / "run" / "manifest.json").read_text())["systems"]
    assert systems["embeds:loud"]["capabilities"]["needs_embedder"] is True
    assert systems["embeds:loud"]["options"]["shout"] is True
    assert systems["embeds:loud"]["embedder"] == "hash-1"
    assert systems["conf"]["options"]["shout"] is False
    assert systems["conf"]["embedder"] is None


@pytest.mark.parametrize("workers", [(), pytest.param(("-n", "2"), marks=needs_xdist)])
def test_synthetic_episodes_replace_the_data(
    project: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    """``--comem-synthetic`` plays fresh episodes from the seed."""
    result = project.runpytest_subprocess(
        *("gatemem", "--memory-system=oracle", "--comem-synthetic=1", "--comem-run-dir=run", "-q"),
        *workers,
    )
    assert result.ret == 0
    manifest = json.loads((project.path / "run" / "manifest.json").read_text())
    assert manifest["data"]["gatemem"]["episodes"] == 4
    assert manifest["data"]["gatemem"]["revision"].startswith("synthetic")


def test_a_librarys_warnings_are_no_errors(project: pytest.Pytester) -> None:
    """A project that turns warnings into errors can still evaluate a library that warns."""
    project.makeini("[pytest]\nfilterwarnings = error")
    project.makepyfile(
        warning="import warnings\nfrom adapters import LastWords\n\n\n"
        "class Warns(LastWords):\n    def recall(self, query):\n"
        "        warnings.warn('old', DeprecationWarning)\n        return super().recall(query)\n"
    )
    run(project, "--memory-system=warning:Warns").assert_outcomes(passed=5)


def test_a_proxy_does_not_get_what_is_meant_for_this_machine(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls to the local server go there, whatever proxy the environment names."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    project.makepyfile(
        calling="import urllib.request\nfrom adapters import LastWords\n\n\n"
        "class Calls(LastWords):\n"
        "    def __init__(self, setup):\n        super().__init__()\n        self.setup = setup\n\n"
        "    @classmethod\n    def open(cls, setup):\n        return cls(setup)\n\n"
        "    def recall(self, query):\n"
        "        urllib.request.urlopen(self.setup.endpoint.chat_url + '/models').read()\n"
        "        return super().recall(query)\n"
    )
    run(project, "--memory-system=calling:Calls").assert_outcomes(passed=5)


class Counting:
    """The scripted model, noting what it is asked for."""

    def __init__(self) -> None:
        self.models: list[str] = []
        self._inner = ScriptedChat()

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer as the scripted model does."""
        self.models.append(request.model)
        return self._inner.complete(request)


@needs_numpy
def test_a_model_elsewhere_is_asked_by_its_name(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory systems call the model and the server that the user names; the key is not recorded."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-seen")
    chat = Counting()
    server = LoopbackServer(HashEmbedder(), chat)
    try:
        result = run(
            project,
            "--memory-system=remem-single",
            "--comem-memory-model=their-model",
            f"--comem-memory-api-base={server.start()}",
        )
    finally:
        server.stop()
    assert "errors" not in result.parseoutcomes()
    assert set(chat.models) == {"their-model"}
    written = [path.read_text() for path in (project.path / "run").iterdir() if path.is_file()]
    assert not any("sk-not-to-be-seen" in text for text in [*written, result.stdout.str()])


def test_warnings_of_the_projects_own_tests_are_shown(project: pytest.Pytester) -> None:
    """A run with a memory system shows a project's own warnings as any run does."""
    project.makepyfile(
        test_own="import warnings\n\n\ndef test_own():\n    warnings.warn('mind this')\n"
    )
    result = project.runpytest_subprocess(
        "gatemem", "test_own.py", "--comem-data=data", "--memory-system=adapters:LastWords"
    )
    result.assert_outcomes(passed=6, warnings=1)
    result.stdout.fnmatch_lines(["*UserWarning: mind this*"])


@needs_xdist
def test_workers_read_the_projects_ini_file(configured: pytest.Pytester) -> None:
    """What the project's ini file says holds in every process of a parallel run."""
    configured.makeini("[pytest]\ncomem_top_k = 1\nmemory_option = conf.shout=true\n")
    run(configured, "--memory-system=conf", "-n", "2")
    assert recalled(configured) == {"conf": [1] * 5}
    for record in records(configured.path / "run"):
        assert record["recall"]["items"][0]["text"].isupper()
        assert record["system"]["top_k"] == 1


OWN_NAMES = """
import pytest


@pytest.fixture
def checkpoint():
    return "mine"


@pytest.fixture
def contract():
    return "mine"


@pytest.fixture
def outcome():
    return "mine"


def test_own(checkpoint, contract, outcome):
    assert checkpoint == contract == outcome == "mine"


@pytest.mark.parametrize("memory_system", ["theirs"])
def test_parametrized(memory_system):
    assert memory_system == "theirs"
"""


def test_a_projects_own_fixtures_keep_their_names(project: pytest.Pytester) -> None:
    """Fixtures that happen to be called like ours serve the project's tests and no suite."""
    project.makeconftest(OWN_NAMES.partition("def test_own")[0])
    project.makepyfile(test_own=OWN_NAMES)
    result = project.runpytest_subprocess(
        "test_own.py", "gatemem", "--comem-data=data", "--memory-system=adapters:LastWords"
    )
    result.assert_outcomes(passed=7)


@pytest.mark.parametrize(
    "ini", ["memory_option = ['conf.last=1']", "comem_domains = ['medical']", "comem_top_k = 'x'"]
)
def test_an_ini_file_does_not_touch_runs_without_a_system(
    project: pytest.Pytester, ini: str
) -> None:
    """Whatever stands there, plain pytest is untouched."""
    project.makepyprojecttoml(f"[tool.pytest.ini_options]\n{ini}\n")
    project.makepyfile(test_own="def test_own(): pass")
    project.runpytest_subprocess("test_own.py").assert_outcomes(passed=1)


def test_an_ini_file_may_hold_lists_and_settings_of_other_systems(
    configured: pytest.Pytester,
) -> None:
    """Settings of systems that a run has not are for other runs."""
    configured.makepyprojecttoml(
        "[tool.pytest.ini_options]\nmemory_option = ['conf.last=1', 'mem0.infer=true']\n"
    )
    run(configured, "--memory-system=conf")
    assert recalled(configured) == {"conf": [1] * 5}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("raise SystemExit(3)", "importing 'broken' raised SystemExit: 3"),
        (
            CONFIGURABLE + "\n\nclass Broken(Configurable):\n"
            "    capabilities = Capabilities(lists=True)\n",
            "broken:Broken declares 'lists' and does not define entries()",
        ),
    ],
)
def test_a_class_that_cannot_be_used_is_a_usage_error(
    project: pytest.Pytester, source: str, message: str
) -> None:
    """It is said before anything runs."""
    project.makepyfile(broken=source)
    result = run(project, "--memory-system=broken:Broken")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{message}*"])


def test_a_hook_that_returns_something_else_is_a_usage_error(project: pytest.Pytester) -> None:
    """A plugin's mistake is named."""
    project.makeconftest("def pytest_comem_memory_systems():\n    return ['x']\n")
    result = run(project, "--memory-system=bm25")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: the hook pytest_comem_memory_systems returned ?'x'?*"])


def test_a_key_that_a_library_repeats_is_not_recorded(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refused key comes back in messages; neither the run nor the output has it."""
    monkeypatch.setenv("THEIR_API_KEY", "sk-not-to-be-seen")
    project.makepyfile(
        repeating="import os\nfrom adapters import LastWords\n\n\n"
        "class Repeats(LastWords):\n    def recall(self, query):\n"
        "        raise ValueError(f\"wrong key {os.environ['THEIR_API_KEY']}\")\n"
    )
    result = run(project, "--memory-system=repeating:Repeats")
    assert result.parseoutcomes()["errors"] == 5
    written = [path.read_text() for path in (project.path / "run").iterdir() if path.is_file()]
    assert not any("sk-not-to-be-seen" in text for text in [*written, result.stdout.str()])
    result.stdout.fnmatch_lines(["*wrong key <THEIR_API_KEY> (repeating.py:7)*"])
