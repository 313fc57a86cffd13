"""A terminal for tests: runs a command on a pty of its own session, as a terminal window does."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from typing import Mapping, Sequence


class Terminal:
    """A command on a terminal; `screen` is what came out of it so far."""

    def __init__(
        self, argv: Sequence[str], cwd: str, environ: Mapping[str, str], columns: int = 80, lines: int = 24,
        **streams: int,
    ) -> None:  # fmt: skip
        self.ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

        def control() -> None:
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            argv, cwd=cwd, env=dict(environ), preexec_fn=control, **{"stdin": its, "stdout": its, "stderr": its, **streams}
        )
        os.close(its)
        self.screen = ""

    def read_until(self, text: str, seconds: float = 20.0) -> str:
        """Read until a text is on the screen. Fails when it does not come."""
        ends = time.monotonic() + seconds
        while text not in self.screen:
            left = ends - time.monotonic()
            assert left > 0 and self._read(left), f"{text!r} did not come: {self.screen[-500:]!r}"
        return self.screen

    def finish(self, seconds: float = 20.0) -> int:
        """Read to the end; the exit status as `wait` tells it (negative for a signal)."""
        ends = time.monotonic() + seconds
        while self._read(max(ends - time.monotonic(), 0)):
            pass
        status = self.process.wait(max(ends - time.monotonic(), 1))
        os.close(self.ours)
        return status

    def type(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.killpg(self.process.pid, signal.SIGWINCH)

    def _read(self, seconds: float) -> bool:
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.ours, 65536)
        except OSError:  # Linux says so at the end
            return False
        self.screen += data.decode(errors="replace")
        return bool(data)
