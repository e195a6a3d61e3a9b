"""The page's own files, put together."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from pytest_comem.report.html import assets

WEB = Path(assets.__file__).parent / "web"
_DECLARED = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
_EXPORTED = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)
_IMPORTED = re.compile(r'^import \{ ([^}]*) \} from "\./(\w+)\.js";$', re.MULTILINE)


def test_every_file_is_in_the_page() -> None:
    """No script is forgotten, none is named that is not there."""
    assert sorted(path.stem for path in WEB.glob("*.js")) == sorted(assets.SCRIPTS)


def test_names_are_unique_among_all_scripts() -> None:
    """In the page all scripts share one scope, where a name declared twice would be lost."""
    names = Counter(
        name
        for script in assets.SCRIPTS
        for name in _DECLARED.findall(assets.asset(f"{script}.js"))
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_imports_name_what_earlier_scripts_export() -> None:
    """What a script imports is exported by the one it names, which comes before it."""
    for place, script in enumerate(assets.SCRIPTS):
        for names, source in _IMPORTED.findall(assets.asset(f"{script}.js")):
            assert source in assets.SCRIPTS[:place], f"{script} imports {source}"
            exported = set(_EXPORTED.findall(assets.asset(f"{source}.js")))
            assert set(names.split(", ")) <= exported, f"{script} imports from {source}"


def test_the_script_is_plain_and_closed() -> None:
    """No import or export is left, and nothing in it could end the element it stands in."""
    script = assets.script()
    assert not re.search(r"^(?:import|export) ", script, re.MULTILINE)
    assert "</script" not in script.lower()
    assert "<!--" not in script
