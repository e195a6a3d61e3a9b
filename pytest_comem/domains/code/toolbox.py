"""What a language model that does a node's work may use, on a checkout of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.domains.code import contents, tools
from pytest_comem.domains.code.diffs import changes, unified
from pytest_comem.domains.code.locating import is_library
from pytest_comem.domains.code.repairing import CHANGELOG
from pytest_comem.domains.code.running import MAX_TEXT, Ran, Runner, Tree
from pytest_comem.executors.domain import ToolRefusal, ToolSpec
from pytest_comem.workflows.views import NodeView

#: Longest answer in characters, lines that a search gives, and files that may be written.
_ANSWER: Final = 12_000
_HITS: Final = 50
_WRITTEN: Final = 20
#: Most tests that are named in one call.
_NAMED: Final = 50


def _spec(name: str, description: str, **parameters: Mapping[str, Any]) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": parameters,
        "required": [each for each, one in parameters.items() if "default" not in one],
        "additionalProperties": False,
    }
    return ToolSpec(name, description, schema)


_TEXT: Final = {"type": "string"}
SPECS: Final = (
    _spec(tools.ISSUE, "Read what this task is about."),
    _spec(tools.READ, "Read a file of the repository.", path=_TEXT),
    _spec(
        tools.SEARCH,
        "Find lines that hold a text, as path:number:line; without a text, list the files.",
        text={"type": "string", "default": ""},
    ),
    _spec(
        tools.WRITE,
        "Write a whole module of the library; the change is part of your patch.",
        path=_TEXT,
        text=_TEXT,
    ),
    _spec(
        tools.TESTS,
        "Run pytest on the repository with your changes; all tests, or those that are named.",
        node_ids={"type": "array", "items": _TEXT, "default": []},
    ),
    _spec(tools.PYTHON, "Run a script in the repository with your changes.", code=_TEXT),
)


@final
class CodeToolbox:
    """The tools that a node's capability token names, on a checkout that only it changes.

    Whoever tests, releases or verifies a patch that was handed over has it applied already.
    """

    def __init__(self, runner: Runner, tree: Tree, view: NodeView) -> None:
        self._runner = runner
        self._base = tree
        self._view = view
        self._handed = _handed_patch(view)
        self._written: dict[str, str] = {}
        if self._handed:
            paths = [one.path for one in changes(self._handed)]
            known = runner.patched(tree, self._handed, paths)
            self._written = {path: text for path, text in known.items() if text is not None}
        self._ways: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
            tools.ISSUE: self._issue,
            tools.READ: self._read,
            tools.SEARCH: self._search,
            tools.WRITE: self._write,
            tools.TESTS: self._tests,
            tools.PYTHON: self._python,
        }

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tools, in a fixed order."""
        allowed = self._view.capability_token.allows_tool
        return [one for one in SPECS if allowed(one.name)]

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Use a tool and return what it says, bounded in length.

        :raises ToolRefusal: where there is no such tool, or it does not take the arguments.
        :raises InfrastructureError: where the sandbox broke.
        """
        known = {one.name: one for one in self.specs()}
        if name not in known:
            raise ToolRefusal(f"there is no tool {name[:60]!r}; there are: {', '.join(known)}")
        properties = known[name].parameters["properties"]
        strange = [str(each)[:60] for each in arguments if each not in properties]
        if strange:
            raise ToolRefusal(f"{name} takes no argument {strange[0]!r}")
        said = self._ways[name](arguments)
        return said if len(said) <= _ANSWER else f"{said[:_ANSWER]}\n[cut: {len(said)} characters]"

    def complete(self, content: Any) -> Any:
        """Return the content with the checkout's diff where its patch is missing, and hashes.

        The hash of a candidate's own patch is always put right; that of a patch that was handed
        over where it is missing.
        """
        kind = self._view.output_type
        if not isinstance(content, dict):
            return content
        if kind in (contents.CANDIDATE, contents.RELEASE):
            content = {**content, "patch": contents.text(content, "patch") or self._diff()}
        if kind == contents.CANDIDATE:
            return {**content, "patch_sha256": contents.patch_hash(content["patch"])}
        field = "candidate_sha256" if kind == contents.RELEASE else "patch_sha256"
        if kind in _RESTS_ON and self._handed and not contents.text(content, field):
            return {**content, field: contents.patch_hash(self._handed)}
        return content

    def _diff(self) -> str:
        before = {path: self._base.text(path) for path in self._written if path in self._base.files}
        return unified(before, self._written)

    @property
    def _tree(self) -> Tree:
        written = {path: text.encode() for path, text in self._written.items()}
        return Tree({**self._base.files, **written})

    def _issue(self, arguments: Mapping[str, Any]) -> str:
        told = [one.text for one in self._view.authorized_context]
        return "\n\n".join([self._view.task.instruction, *told])

    def _read(self, arguments: Mapping[str, Any]) -> str:
        path = _text(arguments, "path")
        if path not in self._tree.files:
            raise ToolRefusal(f"there is no file {path[:200]!r}; search without a text lists all")
        return self._tree.text(path)

    def _search(self, arguments: Mapping[str, Any]) -> str:
        wanted = _text({"text": "", **arguments}, "text")
        if not wanted:
            return "\n".join(sorted(self._tree.files))
        hits = [
            f"{path}:{number}:{line[:300]}"
            for path in sorted(self._tree.files)
            for number, line in enumerate(self._tree.text(path).split("\n"), 1)
            if wanted in line
        ]
        more = [f"and {len(hits) - _HITS} more lines"] if len(hits) > _HITS else []
        return "\n".join([*hits[:_HITS], *more]) or "no line holds it"

    def _write(self, arguments: Mapping[str, Any]) -> str:
        path, text = _text(arguments, "path"), _text(arguments, "text")
        tells = self._view.output_type == contents.RELEASE and path == CHANGELOG
        if path not in self._base.files or not (is_library(path) or tells):
            raise ToolRefusal(f"{path[:200]!r} is no module of the library that is there")
        if path not in self._written and len(self._written) >= _WRITTEN:
            raise ToolRefusal(f"{_WRITTEN} files were written; no other one can be")
        self._written[path] = text
        return f"written: {len(text)} characters"

    def _tests(self, arguments: Mapping[str, Any]) -> str:
        names = arguments.get("node_ids", [])
        if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            raise ToolRefusal("node_ids has to be a list of texts")
        if any(len(each) > 300 or "\0" in each for each in names) or len(names) > _NAMED:
            raise ToolRefusal(f"node_ids holds at most {_NAMED} ids of at most 300 characters")
        if any(each.startswith(("-", "@")) for each in names):
            raise ToolRefusal("a node id begins with neither - nor @")
        return _said(self._runner.suite(self._tree, (), names))

    def _python(self, arguments: Mapping[str, Any]) -> str:
        return _said(self._runner.script(self._tree, (), _text(arguments, "code")))


#: Which patch those who make a type work on.
_RESTS_ON: Final = {
    contents.TESTS: contents.CANDIDATE,
    contents.RELEASE: contents.CANDIDATE,
    contents.VERIFICATION: contents.RELEASE,
}


def _handed_patch(view: NodeView) -> str:
    """Return the patch that was handed over to be worked on; nothing where none was."""
    wanted = _RESTS_ON.get(view.output_type)
    came = [each.artifact for each in view.incoming_artifacts]
    patches = [contents.text(one.content, "patch") for one in came if one.semantic_type == wanted]
    return next((patch for patch in patches if patch), "")


def _text(arguments: Mapping[str, Any], name: str) -> str:
    found = arguments.get(name)
    if not isinstance(found, str):
        raise ToolRefusal(f"{name} has to be a text")
    if len(found) > MAX_TEXT:
        raise ToolRefusal(f"{name} is longer than {MAX_TEXT:,} characters")
    return found


def _said(ran: Ran) -> str:
    ended = f"exit status {ran.status}" if ran.ended == "exit" else f"ended by a limit: {ran.ended}"
    tail = [part[-_ANSWER // 2 :] for part in (ran.stdout, ran.stderr) if part.strip()]
    return "\n".join([ended, *tail])[:_ANSWER]
