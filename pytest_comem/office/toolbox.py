"""The operations as tools of a language model, and whether a call is what one of them takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_comem.office.operations import OPERATIONS, OperationInfo
from pytest_comem.suggest import did_you_mean

#: Characters of what a caller gave that a refusal repeats.
_REPEATED: Final = 60
#: Deepest place of an argument that a schema speaks of.
_DEEPEST: Final = 8
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list, tuple),
    "object": (Mapping,),
}


def specs(names: Sequence[str] | None = None) -> tuple[OperationInfo, ...]:
    """Return the operations as tools, in a fixed order.

    :param names: of those to be had; all where ``None``.
    """
    return tuple(info for info in OPERATIONS.values() if names is None or info.name in names)


def function_tools(names: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return the same as the ``tools`` of an OpenAI-compatible chat completion request."""
    return [
        {
            "type": "function",
            "function": {
                "name": info.name,
                "description": info.description,
                "parameters": info.parameters,
            },
        }
        for info in specs(names)
    ]


def refusal(name: Any, arguments: Any) -> str | None:
    """Return why a call cannot be done as it is, and what to do; ``None`` where it can be tried.

    :param name: of an operation; of any shape a model gave it, as are
    :param arguments: those of the call.
    """
    if not isinstance(name, str) or name not in OPERATIONS:
        hint = did_you_mean(str(name)[:_REPEATED], OPERATIONS)
        return f"there is no operation {str(name)[:_REPEATED]!r}; {hint}"
    schema = OPERATIONS[name].parameters
    if not isinstance(arguments, Mapping):
        return f"{name}: its arguments have to be an object with {_named(schema)}"
    wrong = _wrong(arguments, schema, "", 0)
    return f"{name}: {wrong}" if wrong else None


def _named(schema: Mapping[str, Any]) -> str:
    return ", ".join(schema.get("properties", {}))


def _wrong(value: Any, schema: Mapping[str, Any], where: str, depth: int) -> str | None:
    """Return what of a value is not as the schema has it; the part of JSON Schema that ours use."""
    here = where or "the arguments"
    if "enum" in schema and value not in schema["enum"]:
        return f"{here} has to be one of {', '.join(map(str, schema['enum']))}"
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    if kinds and not any(_is(value, kind) for kind in kinds):
        return f"{here} has to be {' or '.join(kinds)}, not {type(value).__name__}"
    if depth >= _DEEPEST:
        return None
    if isinstance(value, Mapping):
        return _wrong_member(value, schema, where, depth)
    if isinstance(value, list | tuple) and "items" in schema:
        for number, item in enumerate(value):
            if wrong := _wrong(item, schema["items"], f"{where}[{number}]", depth + 1):
                return wrong
    return None


def _wrong_member(
    value: Mapping[Any, Any], schema: Mapping[str, Any], where: str, depth: int
) -> str | None:
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            return f"{f'{where} needs' if where else 'there is no'} {name}; {_takes(schema)}"
    for name, each in value.items():
        if not isinstance(name, str) or (name not in known and others is False):
            return f"{where or 'it'} takes no {str(name)[:_REPEATED]!r}; {_takes(schema)}"
        inner = known.get(name, others if isinstance(others, Mapping) else {})
        path = f"{where}.{name[:_REPEATED]}" if where else name[:_REPEATED]
        if wrong := _wrong(each, inner, path, depth + 1):
            return wrong
    return None


def _takes(schema: Mapping[str, Any]) -> str:
    return f"it takes {_named(schema)}"


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])
