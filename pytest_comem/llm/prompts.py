"""Prompts as files: what is said to a model can be read, compared and versioned without the code.

A prompt file is Markdown. Its ``## system`` and ``## user`` sections become one message each, in
file order; text before the first of them is for people. A ``$name`` is replaced once, so that a
dollar sign in a value is never looked at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import Final, Self, final

_SECTIONS: Final = {"## system": "system", "## user": "user"}


@final
@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file.

    :param version: hash of the file, the same for every form of line ends.
    :param placeholders: the names to give values for.
    """

    version: str
    placeholders: frozenset[str]
    _sections: tuple[tuple[str, Template], ...]

    @classmethod
    def load(cls, package: str, name: str) -> Self:
        """Return the prompt ``prompts/<name>.md`` of *package*.

        :param package: such as ``pytest_comem.agents``.
        :raises FileNotFoundError: where there is no such file.
        :raises ValueError: where the file has no section, an empty one, or a stray ``$``.
        """
        raw = files(package).joinpath("prompts", f"{name}.md").read_bytes()
        return cls.parse(raw, f"{package}/prompts/{name}.md")

    @classmethod
    def parse(cls, raw: bytes, origin: str) -> Self:
        """Return the prompt that *raw* holds.

        :param origin: the file's name, for errors.
        :raises ValueError: as :meth:`load`.
        """
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        sections = tuple(_sections(raw.decode("utf-8")))
        if not sections:
            raise ValueError(f"{origin}: there is no `## system` or `## user` section")
        for role, template in sections:
            if not template.template:
                raise ValueError(f"{origin}: the {role} section is empty")
            if not template.is_valid():
                raise ValueError(f"{origin}: the {role} section has a `$` that begins no name")
        return cls(
            version=hashlib.sha256(raw).hexdigest()[:8],
            placeholders=frozenset(
                name for _, template in sections for name in template.get_identifiers()
            ),
            _sections=sections,
        )

    def messages(self, **values: str) -> list[dict[str, str]]:
        """Return the ``role``/``content`` messages with *values* in their places.

        :raises ValueError: where a placeholder has no value, or a value no placeholder.
        """
        if differing := self.placeholders.symmetric_difference(values):
            raise ValueError(
                f"values and placeholders of a prompt differ in {', '.join(sorted(differing))}"
            )
        return [
            {"role": role, "content": template.substitute(values)}
            for role, template in self._sections
        ]


def _sections(text: str) -> Iterator[tuple[str, Template]]:
    role, lines = "", list[str]()
    for line in [*text.split("\n"), None]:
        if line is not None and line.rstrip() not in _SECTIONS:
            lines.append(line)
            continue
        if role:
            yield role, Template("\n".join(lines).strip())
        role, lines = _SECTIONS[line.rstrip()] if line is not None else "", []
