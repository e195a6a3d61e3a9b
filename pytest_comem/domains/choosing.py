"""How the offline worker chooses among what it is shown: naively.

For every input that its contracts name it takes the artifact that looks right: of the type, about
the entity, with most words of the task in it, then the highest version, then what it saw last. It
asks neither who made an artifact nor whether it was verified, as readers of long contexts do not
either; so an inapplicable artifact that is exposed can mislead it, and one that looks less right
than the declared input does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_comem.executors.domain import Shown
from pytest_comem.language.words import content_words, stem, words
from pytest_comem.records.canonical import texts_of
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.views import InputContract

#: Most artifacts, and most characters of one, that are looked at.
_MOST = 500
_READ = 8_000


def chosen(shown: Shown) -> tuple[Artifact, ...]:
    """Return the artifact for each input contract, in their order; none where nothing fits."""
    artifacts = _all_shown(shown)
    asked = content_words(shown.view.task.instruction)
    found = (_best(slot, artifacts, asked) for slot in shown.view.handoff_contract)
    return tuple({one.artifact_id: one for one in found if one is not None}.values())


def _all_shown(shown: Shown) -> list[Artifact]:
    """Return what came in and what was recalled, each once, at most :data:`_MOST`."""
    incoming = [each.artifact for each in shown.view.incoming_artifacts]
    by_id = {one.artifact_id: one for one in [*incoming, *shown.recalled][:_MOST]}
    return list(by_id.values())


def _best(
    slot: InputContract, artifacts: Sequence[Artifact], asked: frozenset[str]
) -> Artifact | None:
    scope = set(words(slot.contract.entity_scope))
    best, most = None, (0, 0, 0, 0)
    for place, one in enumerate(artifacts):
        if one.semantic_type != slot.contract.semantic_type:
            continue
        about = len(scope.intersection(words(one.entity_scope)))
        told = sum(stem(word) in asked for text in _read(one) for word in words(text))
        looks = (about, told, one.version, place)
        if 2 * about >= len(scope) and (best is None or looks > most):
            best, most = one, looks
    return best


def _read(artifact: Artifact) -> Iterator[str]:
    left = _READ
    for text in texts_of(artifact.content):
        if left <= 0:
            return
        yield text[:left]
        left -= len(text)
