"""One writer at a time, among processes: an advisory lock on a file that stays where it is.

The operating system lets go of the lock when its holder ends, however it ends, so no lock can
stay in anyone's way.
"""

from __future__ import annotations

import os
import time

from flaky_memory.repository import OWN_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Optional, Type

_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.02


class Busy(OSError):
    """Somebody else held the lock until the patience was over."""


class Lock:
    """`with Lock(path, patience):` holds the lock. Raises Busy after `patience` seconds, or OSError
    where the file cannot be opened."""

    def __init__(self, path: str, patience: float) -> None:
        self.path, self.patience = path, patience
        self._descriptor = -1

    def __enter__(self) -> Lock:
        self._descriptor = os.open(self.path, os.O_RDWR | OWN_FILE, 0o600)
        try:
            self._wait()
        except BaseException:
            os.close(self._descriptor)
            raise
        return self

    def _wait(self) -> None:
        ends = time.monotonic() + self.patience
        pause = _FIRST_PAUSE
        while not _take(self._descriptor):
            if time.monotonic() > ends:
                raise Busy("the lock is held by another process: " + self.path)
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        os.close(self._descriptor)  # which also lets go


def _take(descriptor: int) -> bool:
    """Try once. Only the errors that mean "held" answer False; any other is raised."""
    if os.name == "nt":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except PermissionError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
