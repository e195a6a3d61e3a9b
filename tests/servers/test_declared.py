from __future__ import annotations

from pathlib import Path

import pytest

from pytest_comem.errors import DataError
from pytest_comem.servers.declared import declared, read

GOOD = """
[one]
kind = "python"
package = "a-package"
version = "1.2"
start = ["{python}", "{environment}/bin/a", "{workspace}"]
sees = "workspace"
"""


def test_the_shipped_declarations_cover_what_the_domain_promises() -> None:
    """Files, git, both databases, time and a format of an office, each with a version."""
    assert {"filesystem", "git", "sqlite", "postgres", "time", "excel"} <= set(declared())
    assert all(server.version for server in declared().values())


def test_places_are_filled_in_once(tmp_path: Path) -> None:
    """A value that looks like a place stays what it is."""
    file = tmp_path / "servers.toml"
    file.write_text(GOOD)
    values = {"python": "{workspace}", "environment": "/e", "workspace": "/w"}
    assert read(file)["one"].argv(values) == ["{workspace}", "/e/bin/a", "/w"]


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('"python"\n', '"ruby"\n', "one.kind"),
        ("a-package", "../a", "one.package"),
        ("a-package", "a --index-url=x", "one.package"),
        ('"1.2"', '"latest"', "one.version"),
        ("{environment}", "{home}", "one.start"),
        ('"workspace"\n', '"everything"\n', "one.sees"),
        ("start = [", "start = [1, ", "one.start"),
        ("sees", "unknown = 1\nsees", "one.unknown"),
        ("[one]", "['../one']", None),
        ("kind", "kind kind", None),
    ],
)
def test_a_wrong_declaration_is_named(
    tmp_path: Path, old: str, new: str, field: str | None
) -> None:
    """The message has the file and the field."""
    file = tmp_path / "servers.toml"
    file.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        read(file)
    assert str(file) in str(caught.value)
    if field:
        assert caught.value.field == field


def test_what_is_installed_goes_by_all_that_decides_it(tmp_path: Path) -> None:
    """Another version, package or companion is another installation; a note is not."""
    file = tmp_path / "servers.toml"
    digests = []
    for change in ("", 'with = ["mcp<2"]\n', 'note = "x"\n'):
        file.write_text(GOOD + change)
        digests.append(read(file)["one"].digest)
    file.write_text(GOOD.replace("1.2", "1.3"))
    digests.append(read(file)["one"].digest)
    assert digests[0] == digests[2]
    assert len(set(digests)) == 3
