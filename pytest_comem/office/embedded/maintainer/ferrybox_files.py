"""Ferrybox as it lies in the workspace at first: records in batches, and as CSV."""

from __future__ import annotations

from typing import Final

BATCHING: Final = '''"""Puts items into batches."""


def batches(items, size):
    """Yield lists of *size* items, in order."""
    if size < 1:
        raise ValueError("size has to be at least 1")
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
'''

EXPORT: Final = '''"""Writes rows as CSV."""


def to_csv(rows, delimiter=","):
    """Return rows as CSV text; every row ends with CR and LF."""
    return "".join(delimiter.join(map(str, row)) + "\\r\\n" for row in rows)
'''

_COLLECT = '''"""Collects changes/ into the changelog at a release.

``python3 tools/collect.py 1.2.3 DATE``: writes the section, sets the version, takes the files away.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = (("added", "Added"), ("fixed", "Fixed"), ("removed", "Removed"))


def put(name, pattern, line):
    path = ROOT / name
    text, count = re.subn(pattern, line, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if count != 1:
        sys.exit(f"{name}: no place for it")
    path.write_text(text, encoding="utf-8")


def main(version, date):
    section = [f"## {version} ({date})", ""]
    taken = []
    for kind, heading in KINDS:
        found = sorted((ROOT / "changes").glob(f"[0-9]*.{kind}.md"))
        if found:
            section += [f"### {heading}", ""]
            section += [f"- {path.read_text(encoding='utf-8').strip()}" for path in found]
            section.append("")
        taken += found
    path = ROOT / "CHANGELOG.md"
    text = path.read_text(encoding="utf-8")
    mark = "<!-- releases -->\\n"
    if mark not in text:
        sys.exit("CHANGELOG.md: no mark for releases")
    path.write_text(text.replace(mark, mark + "\\n" + "\\n".join(section)), encoding="utf-8")
    put("pyproject.toml", r'^version = ".*"$', f'version = "{version}"')
    put("ferrybox/__init__.py", r'^__version__ = ".*"$', f'__version__ = "{version}"')
    for path in taken:
        path.unlink()
    print(f"collected {len(taken)} changes into {version}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
'''

CHANGELOG: Final = """# Changelog of Ferrybox

<!-- releases -->

## Up to 0.8.2

See the release pages.
"""

FILES: Final = {
    "ferrybox/pyproject.toml": (
        '[project]\nname = "ferrybox"\nversion = "0.8.2"\n'
        'description = "Records in batches, and as CSV"\nrequires-python = ">=3.8"\n'
    ),
    "ferrybox/ferrybox/__init__.py": (
        '"""Records in batches, and as CSV."""\n\n'
        "from ferrybox.batching import batches\nfrom ferrybox.export import to_csv\n\n"
        '__version__ = "0.8.2"\n__all__ = ["batches", "to_csv"]\n'
    ),
    "ferrybox/ferrybox/batching.py": BATCHING,
    "ferrybox/ferrybox/export.py": EXPORT,
    "ferrybox/tools/collect.py": _COLLECT,
    "ferrybox/tests/test_batching.py": (
        "import pytest\n\nfrom ferrybox import batches\n\n\n"
        "def test_full_batches_in_order():\n"
        "    assert list(batches([1, 2, 3, 4], 2)) == [[1, 2], [3, 4]]\n\n\n"
        "def test_a_size_is_positive():\n"
        "    with pytest.raises(ValueError):\n"
        "        list(batches([1], 0))\n"
    ),
    "ferrybox/tests/test_export.py": (
        "from ferrybox import to_csv\n\n\n"
        "def test_rows_end_with_cr_and_lf():\n"
        '    assert to_csv([["a", 1], ["b", 2]]) == "a,1\\r\\nb,2\\r\\n"\n'
    ),
    "ferrybox/changes/README.md": "Changes that no release has yet.\n",
    "ferrybox/CHANGELOG.md": CHANGELOG,
}
