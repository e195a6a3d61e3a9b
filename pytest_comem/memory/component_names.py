"""What a component is called: the program of ``--memory-system=cmd:PROGRAM`` in ids and tables.

The forms are ``cmd:PROGRAM ARGS``, ``NAME=cmd:PROGRAM ARGS`` and, where the command has a comma in
it, which separates systems, ``cmd`` or ``NAME=cmd`` with the command as a setting::

    --memory-system=NAME=cmd --memory-option 'NAME.command=PROGRAM A,B'
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final, final

from pytest_comem.core.printable import printable
from pytest_comem.core.steps import safe
from pytest_comem.errors import SettingsError

#: What such a name begins with, and the name of the settings that all components share.
COMPONENT: Final = "cmd"
#: Says how a command with a comma is given.
COMMA_HINT: Final = (
    "a comma separates systems; a command that has one is given by "
    "--memory-system=NAME=cmd --memory-option 'NAME.command=PROGRAM ARGS'"
)
_FORM: Final = re.compile(r"(?:([^=:\s]*)=)?cmd(?::(.*))?", re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
#: Programs that run the program which is meant.
_INTERPRETER: Final = re.compile(r"(?:python|pypy|ruby|perl|node|deno|bun|java|sh|bash)[0-9.]*")
_SUFFIX: Final = re.compile(r"\.(?:py|js|mjs|ts|rb|pl|sh|jar)")
#: Characters of a name that we make.
_LONGEST: Final = 32


@final
@dataclass(frozen=True, slots=True)
class ComponentName:
    """A component as the user asked for it.

    :param label: what it is called, not yet unique where :attr:`is_chosen` is false.
    :param command: program and arguments; ``None`` where a setting says them.
    :param is_chosen: the user chose the label.
    """

    label: str
    command: str | None
    is_chosen: bool


def component_name(name: str) -> ComponentName | None:
    """Return what an item of ``--memory-system`` says of a component; ``None`` for anything else.

    :raises SettingsError: for a label or a command that cannot be one.
    """
    found = _FORM.fullmatch(name)
    if found is None:
        return None
    label, command = found[1], found[2]
    if command is not None:
        command = command.strip()
        words_of(command)
    if label is None:
        label = COMPONENT if command is None else f"{COMPONENT}-{_program_name(command)}"
        return ComponentName(label, command, is_chosen=False)
    if not _NAME.fullmatch(label) or label == COMPONENT:
        raise SettingsError(
            f"--memory-system: {printable(name)[:80]!r}: what stands before = is no name for a "
            "component; it has letters, digits, '_', '.' and '-', at most 40 of them"
        )
    return ComponentName(label, command, is_chosen=True)


def component_labels(names: Sequence[str]) -> dict[str, ComponentName]:
    """Return the components among the systems of a run, each with a label that no other has.

    :raises SettingsError: as :func:`component_name`, and for a label that is given twice.
    """
    found = {name: one for name in names if (one := component_name(name)) is not None}
    taken = {name for name in names if name not in found}
    for one in found.values():
        if one.is_chosen:
            if one.label in taken:
                raise SettingsError(
                    f"--memory-system: {one.label!r} is the name of two systems of this run; "
                    f"give the component another one: NAME={COMPONENT}:PROGRAM"
                )
            taken.add(one.label)
    for name, one in found.items():
        if not one.is_chosen:
            label, number = one.label, 1
            while label in taken:
                number += 1
                label = f"{one.label}.{number}"
            taken.add(label)
            found[name] = ComponentName(label, one.command, is_chosen=False)
    return found


def words_of(command: str) -> list[str]:
    """Return program and arguments, split as a POSIX shell does; nothing is expanded.

    :raises SettingsError: where there is none, or a quote is not closed.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        shown = printable(command)[:80]
        raise SettingsError(
            f"--memory-system: cmd:{shown}: {str(error).lower()}; {COMMA_HINT}"
        ) from None
    if not words or not words[0] or "\0" in command:
        raise SettingsError(
            f"--memory-system: {COMPONENT}: no program is named; "
            f"{COMPONENT}:PROGRAM ARGS, or --memory-option '{COMPONENT}.command=PROGRAM ARGS'"
        )
    return words


def _program_name(command: str) -> str:
    """Return a short name: the program's, or that of the script an interpreter runs."""
    program, *arguments = words_of(command)
    name = PurePath(program).name
    if _INTERPRETER.fullmatch(name):
        name = next((PurePath(each).name for each in arguments if not each.startswith("-")), name)
    ending = _SUFFIX.search(name)
    if ending is not None and ending.end() == len(name):
        name = name[: ending.start()]
    return safe(name).strip("-.")[:_LONGEST] or "program"
