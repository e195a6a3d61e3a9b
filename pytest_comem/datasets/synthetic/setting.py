"""What a domain is made of: the people, the cases, and the kinds of facts they talk about.

A domain has two cases with names that are easily mixed up (two patients, two projects, two
students, two houses). Case ``a`` has the delegate whose consent is withdrawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from pytest_comem.datasets.synthetic.values import Shape


@final
@dataclass(frozen=True, slots=True)
class Seat:
    """One place at the table, filled with a fresh name in every episode.

    Topics are the policy's words, separated by blanks; ``*`` is everything.

    :param key: name of the seat within its domain.
    :param role: role word; the domain's policy has a line for it, except for some agents.
    :param prefix: what the principal's id starts with.
    :param a: topics of case *a* that may be told.
    :param b: topics of case *b* that may be told.
    :param unclear: topics on which the policy can be read either way; never asked about.
    :param consent: topics of case *a* that may be told from permission to withdrawal.
    :param attack: attack type of asking for more than that.
    :param facts: relationship facts as ``type field=value ...``, where ``{seat}``, ``{case_a}``
        and ``{case_b}`` stand for ids.
    """

    key: str
    role: str
    prefix: str
    a: str = ""
    b: str = ""
    unclear: str = ""
    consent: str = ""
    attack: str = "role_mismatch"
    facts: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fact, stated of a case.

    :param noun: what it is called, the same words in every turn about it.
    :param alias: what a question may call it instead, in other words.
    :param topic: topic it belongs to.
    :param shape: what its values look like.
    :param teller_a: seat that states it of case *a*.
    :param teller_b: seat that states it of case *b*; nobody does when empty.
    :param prefix: what a code starts with.
    :param lines: ways of stating it, with ``{thing}`` and ``{value}``.
    """

    noun: str
    alias: str
    topic: str
    shape: Shape
    teller_a: str
    teller_b: str = ""
    prefix: str = ""
    lines: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Setting:
    """A domain.

    :param domain: its name.
    :param case_names: names of the two cases, with ``{first_a}``, ``{first_b}`` and ``{name}``.
    :param subjects: seats that case *a* and *b* are about, who say "my"; empty where none is.
    :param principal: seat that gives and withdraws consent.
    :param consented: the consent in words, such as ``appointments and rides``.
    :param opening: first words of an episode, with ``{case_a}`` and ``{case_b}``.
    :param noise: small talk of the domain.
    """

    domain: str
    case_names: tuple[str, str]
    subjects: tuple[str, str]
    principal: str
    consented: str
    seats: tuple[Seat, ...]
    kinds: tuple[Kind, ...]
    opening: tuple[str, ...]
    noise: tuple[str, ...]

    @property
    def delegate(self) -> Seat:
        """The seat whose access rests on consent."""
        return next(seat for seat in self.seats if seat.consent)
