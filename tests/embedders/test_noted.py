from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.embedders.noted import NotedEmbedder
from pytest_comem.llm.faults import Fault, ModelCallError
from pytest_comem.llm.meter import Meter


class Failing:
    """An embedder that raises what it is given.

    :param error: to raise.
    """

    name = "failing"
    dimensions = 8

    def __init__(self, error: Exception) -> None:
        self._error = error

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Raise it."""
        raise self._error


def test_vectors_are_those_of_the_embedder_behind() -> None:
    """Nothing is noted where nothing fails."""
    meter = Meter("one")
    noted = NotedEmbedder(HashEmbedder(), meter)
    assert noted.embed(["a text"]) == HashEmbedder().embed(["a text"])
    assert (noted.name, noted.dimensions) == (HashEmbedder().name, HashEmbedder().dimensions)
    assert meter.take_failure() is None


@pytest.mark.parametrize(
    ("error", "kind", "told"),
    [
        (ModelCallError("too many", Fault.RATE_LIMIT), Fault.RATE_LIMIT, "too many"),
        (
            OSError("the recording is damaged"),
            Fault.SERVER_ERROR,
            "the embedder failing failed: OSError: the recording is damaged",
        ),
        (
            ValueError("no such sk-marked-0123456789"),
            Fault.SERVER_ERROR,
            "the embedder failing failed: ValueError: no such <OPENAI_API_KEY>",
        ),
    ],
)
def test_whatever_fails_is_noted(
    error: Exception, kind: Fault, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library gets the error as it is, and may swallow it; the meter knows, without keys."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-marked-0123456789")
    meter = Meter("one")
    with pytest.raises(type(error)) as caught:
        NotedEmbedder(Failing(error), meter).embed(["a text"])
    assert caught.value is error
    failure = meter.take_failure()
    assert failure is not None
    assert (failure.kind, str(failure)) == (kind, told)
