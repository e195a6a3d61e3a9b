"""The run's key: one a run, kept to its owner, and never shown."""

from __future__ import annotations

import hashlib
import hmac
import pickle
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from workflow_play import SIGNER, Play, surroundings

from pytest_comem.errors import DataError, InfrastructureError
from pytest_comem.workflows.hidden import clean_instance
from pytest_comem.workflows.signing import key_beside, read_signer, run_signer


def test_a_signature_is_for_one_purpose() -> None:
    """One for a receipt does not confirm a seal."""
    signature = SIGNER.sign("receipt", "x")
    assert SIGNER.confirms("receipt", "x", signature)
    assert not SIGNER.confirms("seal", "x", signature)
    assert not SIGNER.confirms("receipt", "y", signature)


def test_a_signature_is_hmac_sha256() -> None:
    """Of the purpose, a zero byte and canonical JSON: anybody with the key can check it."""
    message = b'receipt\x00{"a":[1,"\\u00e9"]}'
    expected = hmac.new(bytes(range(32)), message, hashlib.sha256).hexdigest()
    assert SIGNER.sign("receipt", {"a": [1, "\u00e9"]}) == expected


def test_a_run_has_one_key(tmp_path: Path) -> None:
    """Many threads that ask at once sign alike, and nothing else stays in the directory."""
    with ThreadPoolExecutor(8) as pool:
        signers = list(pool.map(lambda _: run_signer(tmp_path), range(32)))
    assert len({signer.sign("seal", 1) for signer in signers}) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["trace.key"]
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "trace.key").stat().st_mode) == 0o600


def test_two_runs_have_two_keys(tmp_path: Path) -> None:
    """Keys are drawn, not derived."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, other = run_signer(tmp_path / "a"), run_signer(tmp_path / "b")
    assert one.sign("seal", 1) != other.sign("seal", 1)


def test_a_key_is_found_beside_or_above(tmp_path: Path) -> None:
    """In the directory of a trace, or in the run's directory above it."""
    (tmp_path / "traces").mkdir()
    trace = tmp_path / "traces" / "w.jsonl"
    assert key_beside(trace) is None
    run_signer(tmp_path)
    assert key_beside(trace) == tmp_path / "trace.key"


@pytest.mark.parametrize("text", ["", "00", "zz" * 32, "00" * 33])
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    """With the file's name, and never with what is in it."""
    (tmp_path / "trace.key").write_text(text)
    with pytest.raises(DataError, match="not a key: 64 hexadecimal digits"):
        read_signer(tmp_path / "trace.key")


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    """A key that cannot be written is trouble around the method."""
    with pytest.raises(InfrastructureError, match="cannot be written"):
        run_signer(tmp_path / "absent")


def test_a_key_does_not_show(tmp_path: Path) -> None:
    """Not in a representation, not in a pickle, not in a trace."""
    signer = run_signer(tmp_path)
    digits = (tmp_path / "trace.key").read_text().strip()
    assert digits not in repr(signer)
    with pytest.raises(TypeError, match="stays in its process"):
        pickle.dumps(signer)
    around = surroundings()
    Play(tmp_path / "t.jsonl", clean_instance(around.family), around.gold, signer).whole()
    assert digits not in (tmp_path / "t.jsonl").read_text()
