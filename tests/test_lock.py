"""The lock: one holder at a time, and none that stays in anyone's way."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flaky_memory import lock
from flaky_memory.lock import Busy, Lock
from tests.conftest import ROOT

HOLD = """
import sys
sys.path.insert(0, sys.argv[1])
from flaky_memory.lock import Lock
with Lock(sys.argv[2], 5):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its stdin ends."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", HOLD, str(ROOT), str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_held_lock_is_busy(tmp_path: Path) -> None:
    with holder(tmp_path / "lock"):
        begun = time.monotonic()
        with pytest.raises(Busy), Lock(str(tmp_path / "lock"), 0.2):
            pytest.fail("two hold the lock")
        assert 0.2 <= time.monotonic() - begun < 2
    with Lock(str(tmp_path / "lock"), 0.2):
        pass


def test_it_is_waited_for(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as other:
        assert other.stdin is not None
        with pytest.raises(Busy), Lock(str(tmp_path / "lock"), 0):
            pass
        other.stdin.close()
        with Lock(str(tmp_path / "lock"), 5):
            pass


def test_a_holder_that_is_killed_lets_go(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as other:
        other.kill()
        other.wait()
        begun = time.monotonic()
        with Lock(str(tmp_path / "lock"), 5):
            assert time.monotonic() - begun < 1


def test_one_process_is_kept_out_by_itself(tmp_path: Path) -> None:
    with Lock(str(tmp_path / "lock"), 0.1), pytest.raises(Busy), Lock(str(tmp_path / "lock"), 0.1):
        pass


def test_it_is_let_go_when_its_body_raises(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Lock(str(tmp_path / "lock"), 0.1):
        1 / 0  # noqa: B018
    with Lock(str(tmp_path / "lock"), 0.1):
        pass


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    with Lock(str(tmp_path / "lock"), 0.1):
        lowest = free_descriptor()
        for _ in range(5):
            with pytest.raises(Busy), Lock(str(tmp_path / "lock"), 0):
                pass
        assert free_descriptor() == lowest


def free_descriptor() -> int:
    found = os.dup(0)
    os.close(found)
    return found


def test_a_file_that_was_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("12345")
    with Lock(str(tmp_path / "lock"), 0.1):
        pass
    assert (tmp_path / "lock").read_text() == "12345"


def test_what_is_wrong_is_not_taken_for_busy(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "none" / "lock", tmp_path / "folder"):
        with pytest.raises(OSError) as raised, Lock(str(path), 5):
            pass
        assert not isinstance(raised.value, Busy)


@pytest.mark.skipif(os.name == "nt", reason="another kind of lock")
def test_a_file_system_without_locks_is_not_taken_for_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def none_left(descriptor: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none_left)
    with pytest.raises(OSError, match="No locks") as raised, Lock(str(tmp_path / "lock"), 5):
        pass
    assert not isinstance(raised.value, Busy)


@pytest.mark.skipif(os.name == "nt", reason="fifos and links")
def test_no_link_is_followed_and_no_fifo_hangs(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError) as raised, Lock(str(tmp_path / "link"), 5):
        pass
    assert raised.value.errno in (errno.ELOOP, errno.EMLINK)  # EMLINK: FreeBSD
    assert not (tmp_path / "elsewhere").exists()
    os.mkfifo(tmp_path / "fifo")
    with Lock(str(tmp_path / "fifo"), 0.1):
        pass


# -- Windows, by what its module answers


def windows(monkeypatch: pytest.MonkeyPatch, answers: list[OSError | None]) -> list[tuple[int, int, int]]:
    """Put a module in the place of Windows' own, which gives one answer after the other."""
    calls: list[tuple[int, int, int]] = []

    def locking(descriptor: int, mode: int, count: int) -> None:
        calls.append((descriptor, mode, count))
        answer = answers.pop(0)
        if answer is not None:
            raise answer

    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(LK_NBLCK=2, locking=locking))
    monkeypatch.setattr(lock, "os", types.SimpleNamespace(**{**vars(os), "name": "nt"}))
    return calls


HELD = PermissionError(errno.EACCES, "Permission denied")


def test_windows_waits_while_the_lock_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = windows(monkeypatch, [HELD, HELD, None])
    with Lock(str(tmp_path / "lock"), 5):
        assert [c[1:] for c in calls] == [(2, 1)] * 3  # one byte, without blocking


def test_windows_gives_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    windows(monkeypatch, [HELD] * 1000)
    with pytest.raises(Busy), Lock(str(tmp_path / "lock"), 0.05):
        pass


def test_windows_tells_other_errors_from_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    windows(monkeypatch, [OSError(errno.EINVAL, "no locks on this drive")])
    with pytest.raises(OSError, match="no locks") as raised, Lock(str(tmp_path / "lock"), 5):
        pass
    assert not isinstance(raised.value, Busy)
