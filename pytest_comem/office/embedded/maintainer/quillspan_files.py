"""Quillspan as it lies in the workspace at first: durations as people write them."""

from __future__ import annotations

from typing import Final

PARSING: Final = '''"""Reads durations such as ``1h 30m``."""

import re

UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_PART = re.compile(r"(\\d+(?:\\.\\d+)?)\\s*([dhms])")


def parse(text):
    """Return a duration in seconds."""
    total = 0
    for amount, unit in _PART.findall(text):
        total += int(float(amount)) * UNITS[unit]
    return total


def parse_all(texts):
    """Return the durations of many texts in seconds."""
    return [parse(text) for text in texts]
'''

SPELLING: Final = '''"""Writes durations such as ``1h 30m``."""

_NAMES = (("d", "day", 86400), ("h", "hour", 3600), ("m", "minute", 60), ("s", "second", 1))


def spell(seconds, long=False):
    """Return a duration such as ``1h 30m``, or ``1 hour 30 minutes`` where *long*."""
    parts = []
    for short, name, size in _NAMES:
        amount, seconds = divmod(seconds, size)
        if amount:
            plural = "" if amount == 1 else "s"
            parts.append(f"{amount} {name}{plural}" if long else f"{amount}{short}")
    return " ".join(parts) or ("0 seconds" if long else "0s")


def spell_long(seconds):
    """Return a duration such as ``1 hour 30 minutes``."""
    return spell(seconds, long=True)
'''

_INIT = '''"""Durations as people write them."""

from quillspan._version import VERSION
from quillspan.parsing import parse, parse_all
from quillspan.spelling import spell, spell_long

__version__ = VERSION
__all__ = ["parse", "parse_all", "spell", "spell_long"]
'''

_STAMP = '''"""Writes a version wherever Quillspan shows it: ``python3 tools/stamp.py 1.2.3``."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def put(name, pattern, line):
    path = ROOT / name
    text, count = re.subn(pattern, line, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if count != 1:
        sys.exit(f"{name}: no place for a version")
    path.write_text(text, encoding="utf-8")


def main(version):
    major, minor, patch = map(int, version.split("."))
    put("pyproject.toml", r'^version = ".*"$', f'version = "{version}"')
    put("docs/index.md", r"^Version .*$", f"Version {version}")
    put("quillspan/_version.py", r'^VERSION = ".*"$', f'VERSION = "{version}"')
    serial = major * 10000 + minor * 100 + patch
    put("quillspan/_version.py", r"^SERIAL = .*$", f"SERIAL = {serial}")
    print(f"stamped {version} (serial {serial})")


if __name__ == "__main__":
    main(sys.argv[1])
'''

_TEST_VERSION = """from pathlib import Path

from quillspan._version import SERIAL, VERSION

ROOT = Path(__file__).resolve().parent.parent


def test_every_place_shows_the_same_version():
    assert f'version = "{VERSION}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"Version {VERSION}\\n" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


def test_the_serial_follows_from_the_version():
    major, minor, patch = map(int, VERSION.split("."))
    assert SERIAL == major * 10000 + minor * 100 + patch
"""

CHANGELOG: Final = """# Changelog of Quillspan

What callers notice, newest first.

## Unreleased

Nothing yet.

## Up to 1.3.2

See the release pages.
"""

FILES: Final = {
    "quillspan/pyproject.toml": (
        '[project]\nname = "quillspan"\nversion = "1.3.2"\n'
        'description = "Durations as people write them"\nrequires-python = ">=3.8"\n'
    ),
    "quillspan/quillspan/__init__.py": _INIT,
    "quillspan/quillspan/_version.py": (
        '"""Which release this is."""\n\nVERSION = "1.3.2"\nSERIAL = 10302\n'
    ),
    "quillspan/quillspan/parsing.py": PARSING,
    "quillspan/quillspan/spelling.py": SPELLING,
    "quillspan/tools/stamp.py": _STAMP,
    "quillspan/tests/test_parsing.py": (
        "import warnings\n\nfrom quillspan import parse, parse_all\n\n\n"
        "def test_nothing_warns():\n"
        "    with warnings.catch_warnings():\n"
        '        warnings.simplefilter("error")\n'
        '        assert parse("2d") == 172800\n\n\n'
        "def test_parts_are_added():\n"
        '    assert parse("1h 30m") == 5400\n\n\n'
        "def test_many_texts():\n"
        '    assert parse_all(["1m", "2d"]) == [60, 172800]\n'
    ),
    "quillspan/tests/test_spelling.py": (
        "import warnings\n\nfrom quillspan import spell, spell_long\n\n\n"
        "def test_nothing_warns():\n"
        "    with warnings.catch_warnings():\n"
        '        warnings.simplefilter("error")\n'
        '        assert spell(60) == "1m"\n\n\n'
        "def test_short_and_long_forms():\n"
        '    assert spell(5400) == "1h 30m"\n'
        '    assert spell_long(3660) == "1 hour 1 minute"\n'
    ),
    "quillspan/tests/test_version.py": _TEST_VERSION,
    "quillspan/CHANGELOG.md": CHANGELOG,
    "quillspan/docs/index.md": (
        "# Quillspan\n\nVersion 1.3.2\n\n"
        "Quillspan reads durations such as `1h 30m` and writes them again.\n\n"
        ">>> from quillspan import parse, spell\n>>> parse('2h 5m')\n7500\n"
        ">>> spell(7500)\n'2h 5m'\n"
    ),
}
