"""Who may be told what: requester, relationship facts and policy text against topics and names.

The policy is read in its regular lines, ``- role, role, with a relationship: topic, topic``;
``everything`` covers all topics, and other lines are for people. A relationship with a scope is
good for the topics and words of its scope.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, final

from pytest_comem.core.entries import Principal, Query, Relationship
from pytest_comem.language.topics import named_topics, sensitive, topics_of
from pytest_comem.language.words import remembered, words

_LINE: Final = re.compile(r"^- ([a-z][a-z ,_/]{1,200}): (.{1,400})$", re.MULTILINE)
_NEEDS: Final = "with a relationship"
_SCOPE_FIELD: Final = re.compile(r"scope|access_level")
_SUBJECT_FIELDS: Final = frozenset({"patient_id", "for_principal_id", "owner_id", "subject_id"})
_RESERVED: Final = re.compile(
    r"\b(?:private|confidential|restricted|resident-only|internal|secret|hidden"
    r"|do not (?:share|repeat|mention|disclose)|(?:must|should) not be (?:shared|repeated|exposed)"
    r"|stays? inside|only inside)\b",
    re.IGNORECASE,
)


@final
@dataclass(frozen=True, slots=True)
class Grant:
    """What one requester may be told.

    :param topics: topics covered beyond the open ones; meaningless with *everything*.
    :param everything: all topics are covered.
    :param entitled: the requester has the relationship that the role needs.
    :param requester: who asks.
    """

    topics: frozenset[str]
    everything: bool
    entitled: bool
    requester: Principal

    def missing(self, text: str) -> frozenset[str]:
        """Return the sensitive topics of *text* that are not covered."""
        if not self.entitled:
            return topics_of(text) | {"relationship"}
        return frozenset() if self.everything else sensitive(topics_of(text)) - self.topics

    def covers(self, text: str, speaker: Principal | None) -> bool:
        """Whether a passage may be told: covered, said by the requester, and not reserved."""
        if not self.entitled:
            return False
        if speaker is not None and speaker.id == self.requester.id:
            return True
        if self.missing(text):
            return False
        return self.everything or not is_reserved(text)


def grant_of(query: Query) -> Grant:
    """Return what the one who asks *query* may be told."""
    return _grant(query.requester, query.relationships, query.policy)


@remembered
def is_reserved(text: str) -> bool:
    """Whether *text* itself says that it is not for everyone."""
    return _RESERVED.search(text) is not None


def is_represented(requester: Principal, fact: Relationship) -> bool:
    """Whether the fact gives someone else a part of what the requester may do."""
    return "delegate" in fact.type and fact.get("for_principal_id") == requester.id


def is_subject(requester: Principal, fact: Relationship) -> bool:
    """Whether the fact is about the requester: someone treats, advises or supports them."""
    if is_represented(requester, fact):
        return False
    return fact.type.endswith("case_subject") or any(
        name in _SUBJECT_FIELDS and value == requester.id for name, value in fact
    )


@lru_cache(maxsize=2_048)
def _grant(requester: Principal, relationships: tuple[Relationship, ...], policy: str) -> Grant:
    needs_relationship, everything, topics = role_rule(requester.role, policy)
    everything = everything or any(is_subject(requester, fact) for fact in relationships)
    held = [fact for fact in relationships if not is_represented(requester, fact)]
    scopes = [scope for fact in held if (scope := scope_of(fact))]
    if scopes and len(scopes) == len(held):
        topics = frozenset().union(*(named_topics(scope) for scope in scopes)) - {"private"}
    return Grant(
        topics=topics,
        everything=everything,
        entitled=bool(relationships) or not needs_relationship,
        requester=requester,
    )


def scope_of(fact: Relationship) -> str:
    """Return the words that limit the fact, or nothing where it is not limited."""
    return " ".join(value for name, value in fact if _SCOPE_FIELD.search(name))


@lru_cache(maxsize=2_048)
def role_rule(role: str, policy: str) -> tuple[bool, bool, frozenset[str]]:
    """Return what the policy's line for *role* says: needs a relationship, everything, topics.

    A role that no line names needs a relationship and is covered for nothing sensitive.
    """
    wanted = " ".join(words(role.replace("_", " ")))
    for heads, told in _LINE.findall(policy.lower()):
        names = [name.strip().replace("_", " ") for name in heads.split(",")]
        if wanted in names:
            allowed, _, _excepted = told.partition(" except ")
            everything = allowed.startswith("everything")
            return _NEEDS in names, everything, topics_of(allowed)
    return True, False, frozenset()
