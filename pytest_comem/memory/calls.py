"""How a library's own API says what its adapter does, for counter-examples that run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class PublicCalls:
    """Python source of each operation, written with the library's public calls.

    Places to fill are ``string.Template`` names; every value put there is a Python literal
    (``repr``) or a variable's name, so that nothing in a text can become code.

    :param preamble: imports and whatever is done once; no places.
    :param open: makes an empty memory: ``$m`` (variable to assign), ``$directory`` (literal).
    :param ingest: stores an entry: ``$m``, ``$id`` (variable to assign the library's id to),
        ``$text``, ``$principal``, ``$timestamp`` (literals).
    :param recall: assigns a list of texts to ``found``: ``$m``, ``$query``, ``$k``.
    :param recall_of: the same in one principal's part: also ``$principal``.
    :param entries: assigns a list of texts to ``found``: ``$m``.
    :param delete: deletes ``$id`` (a variable, or a literal for an id never stored).
    :param update: replaces ``$id`` by ``$text``.
    :param delete_principal: deletes everything of ``$principal``.
    :param unknown_argument: searches with an argument the library cannot know: ``$m``.
    :param close: closes ``$m``.
    """

    preamble: str
    open: str
    ingest: str
    recall: str
    recall_of: str = ""
    entries: str = ""
    delete: str = ""
    update: str = ""
    delete_principal: str = ""
    unknown_argument: str = ""
    close: str = ""
