from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from pytest_comem.removal import remove_tree


def test_everything_goes_and_links_are_not_followed(tmp_path: Path) -> None:
    """A link's target stays, whether it is a file or a directory."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").write_text("x")
    tree = tmp_path / "tree"
    (tree / "deep").mkdir(parents=True)
    (tree / "to-directory").symlink_to(outside, target_is_directory=True)
    (tree / "deep" / "to-file").symlink_to(outside / "mine")
    remove_tree(tree)
    assert not tree.exists()
    assert (outside / "mine").read_text() == "x"
    remove_tree(tree)


def test_a_link_is_refused(tmp_path: Path) -> None:
    """It is not what was meant, and what it leads to is somebody's."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real", target_is_directory=True)
    with pytest.raises(OSError, match="is a symbolic link"):
        remove_tree(tmp_path / "link")
    assert (tmp_path / "real").is_dir()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no modes of this kind")
def test_directories_that_cannot_be_listed_or_written_go() -> None:
    """Whoever is not root cannot look into them, but they are his own."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o777)
        pid = os.fork()
        if not pid:
            # The interpreter's files may be out of another user's reach: nothing is imported here.
            os._exit(_removed_by_a_plain_user(Path(place)))
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _removed_by_a_plain_user(place: Path) -> int:
    try:
        if os.geteuid() == 0:
            os.setuid(65534)
        tree = place / "tree"
        (tree / "unlistable" / "inner").mkdir(parents=True)
        (tree / "unlistable" / "inner" / "file").write_text("x")
        (tree / "unlistable" / "inner").chmod(0o500)
        (tree / "unlistable").chmod(0o300)
        remove_tree(tree)
        return int(tree.exists())
    except BaseException:
        return 2
