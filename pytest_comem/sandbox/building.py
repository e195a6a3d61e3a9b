"""Making the image of Docker's sandboxes from a distribution's packages, without a registry."""

from __future__ import annotations

import subprocess

from pytest_comem.errors import SettingsError
from pytest_comem.locations import fixture_path
from pytest_comem.sandbox.docker_shape import IMAGE


def build_image(name: str = IMAGE) -> None:
    """Run the shipped recipe; it takes minutes, and says itself what it does and what is missing.

    :raises SettingsError: where it fails.
    """
    recipe = fixture_path("images", "build.sh")
    try:
        status = subprocess.run(["sh", str(recipe), name], check=False).returncode
    except OSError as error:
        raise SettingsError(f"{recipe} cannot be run: {error.strerror}") from error
    if status:
        raise SettingsError(f"{recipe} ended with exit status {status}; no image was made")
