"""`run -- COMMAND`: what the hooks do around a command of Claude Code, around a command of any terminal.

The command runs as if it had been typed alone: it keeps stdin and the terminal's process group, so that
Ctrl-C, Ctrl-Z and prompts are between it and the terminal. Where stdout is a terminal it gets a terminal
too (a pty whose output is not processed), otherwise a pipe each for stdout and stderr; what comes out of
them is passed on at once, and a bounded copy of it is read when the command has ended.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
import time
import uuid

from flaky_memory import command, gate, hook, message, record
from flaky_memory.payload import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Dict, List, Optional, Set, Tuple

NOT_FOUND, NOT_EXECUTABLE = 127, 126  # as shells say it
GRACE = 0.2  # seconds in which what a finished command has written is still read
_FORWARDED = ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2")


def run(words: List[str]) -> int:
    """Run a command and record it; its exit status. A command that a signal ends takes this process
    with it in the same way."""
    text = shlex.join(words)
    call = Call("PreToolUse", "run-" + uuid.uuid4().hex, "", os.getcwd(), text, False)
    meant = command.read(text)
    before = hook.follow(call, os.environ, time.time()).decision
    child = _Child(words)
    started = child.start()
    status = child.wait() if started else child.failed
    if meant.runs_tests and not before:
        skipped = "interrupted" if child.interrupted or status < 0 or not started else ""
        ended = call._replace(
            event="PostToolUse" if status == 0 else "PostToolUseFailure",
            output=child.output.text(), exit_zero=status == 0, skipped=skipped,
        )  # fmt: skip
        _tell(*hook.follow(ended, os.environ, time.time()))
    elif started:
        _tell(before or command.NO_TESTS, None)
    return status if status >= 0 else _die_of(-status)


def _tell(decision: str, answer: Optional[Dict[str, object]]) -> None:
    """Say on stderr what is known of the failing tests, or why nothing was recorded."""
    lines = [str(answer["systemMessage"])] if answer and "systemMessage" in answer else []
    if decision not in ("recorded", "nothing-named", "interrupted", ""):
        lines.append(message.unrecorded(decision))
    if lines:
        gate.write(("\n".join(lines) + "\n").encode("utf-8", "replace"), 2)


def _die_of(number: int) -> int:
    """End as the command did, so that whoever waits for this process sees the same."""
    if os.name == "posix":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    return 128 + number


class _Copy:
    """What a command printed: the first and the last part of it, when it is long."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.head, self.tail, self.dropped = bytearray(), bytearray(), 0

    def add(self, data: bytes) -> None:
        half = record.LARGEST_OUTPUT // 2
        with self.lock:
            room = half - len(self.head)
            self.head += data[:room] if room > 0 else b""
            self.tail += data[room:] if room > 0 else data
            if len(self.tail) > 2 * half:
                self.dropped += len(self.tail) - half
                del self.tail[:-half]

    def text(self) -> str:
        head, tail = self.head.decode("utf-8", "replace"), self.tail.decode("utf-8", "replace")
        return head + (record.cut(self.dropped) if self.dropped else "") + tail


class _Child:
    """The running command. `failed` is the exit status when it cannot be started, `interrupted` that a
    Ctrl-C came while it ran."""

    def __init__(self, words: List[str]) -> None:
        self.words, self.output = words, _Copy()
        self.failed, self.interrupted = 0, False
        self.process: Optional[subprocess.Popen[bytes]] = None
        self.threads: List[threading.Thread] = []
        self.terminal = -1  # our side of the command's pty
        self.last_read = 0.0
        self.writing: Set[int] = set()
        self.early: List[int] = []  # signals that came before there was a process

    def start(self) -> bool:
        """Start the command; False when that fails, which is said on stderr."""
        sources, targets = self._channels()
        self._handle_signals()
        try:
            self.process = subprocess.Popen(self.words, stdout=targets[0], stderr=targets[1])
        except OSError as problem:
            missing = isinstance(problem, (FileNotFoundError, NotADirectoryError))
            self.failed = NOT_FOUND if missing else NOT_EXECUTABLE
            gate.write((message.cannot_run(self.words[0], missing) + "\n").encode("utf-8", "replace"), 2)
        for target in set(targets):
            os.close(target)
        if self.process is None:
            return False
        for number in self.early:
            self.process.send_signal(number)
        for source, descriptor in sources:
            thread = threading.Thread(target=self._relay, args=(source, descriptor), daemon=True)
            thread.start()
            self.threads.append(thread)
        return True

    def wait(self) -> int:
        """The command's exit status, negative for a signal, when its output has been passed on."""
        assert self.process is not None
        status = self.process.wait()
        # A process that it left behind may keep the output open: nobody waits for that.
        while any(t.is_alive() for t in self.threads):
            ended = time.monotonic()
            for thread in self.threads:
                thread.join(GRACE / len(self.threads))
            if self.last_read < ended and not self.writing:
                break
        return status

    # -- output

    def _channels(self) -> Tuple[List[Tuple[int, int]], Tuple[int, int]]:
        """([(where to read, where to pass it on)], (the command's stdout, its stderr))."""
        if os.name == "posix" and os.isatty(1):
            ours, its = _open_pty()
            self.terminal = ours
            if os.isatty(2):
                return [(ours, 1)], (its, its)
            reader, writer = os.pipe()
            return [(ours, 1), (reader, 2)], (its, writer)
        out, err = os.pipe(), os.pipe()
        return [(out[0], 1), (err[0], 2)], (out[1], err[1])

    def _relay(self, source: int, descriptor: int) -> None:
        """Pass on what comes, and copy it. When nobody reads it any more the command is told so in the
        same way: its next write fails."""
        try:
            while True:
                data = os.read(source, 65536)
                if not data:
                    break
                self.last_read = time.monotonic()
                self.output.add(data)
                self.writing.add(source)
                _write_all(descriptor, data)
                self.writing.discard(source)
        except OSError:  # a pty says so when its last writer is gone; a pipe when its reader is
            pass
        finally:
            self.writing.discard(source)
            os.close(source)

    # -- signals

    def _handle_signals(self) -> None:
        """Leave signals to the command. One that was ignored before stays ignored, for it too."""
        for name in _FORWARDED:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        if self.terminal >= 0:
            signal.signal(signal.SIGWINCH, lambda number, frame: _copy_size(self.terminal))

    def _on_signal(self, number: int, frame: Optional[FrameType]) -> None:
        """Hand a signal on. One that the terminal sent has reached the command as well."""
        keyboard = number in (signal.SIGINT, getattr(signal, "SIGQUIT", None))
        self.interrupted = self.interrupted or keyboard
        if keyboard and _in_foreground():
            return
        if self.process is None:
            self.early.append(number)
        else:
            self.process.send_signal(number)  # does nothing to a process that has ended


def _in_foreground() -> bool:
    """True when Ctrl-C in a terminal reaches this process group."""
    if os.name != "posix":
        return True
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _open_pty() -> Tuple[int, int]:
    """A new terminal (our side, the command's) of the size of the one on stdout. The real one turns line
    ends into what it needs, so this one must not."""
    import termios

    ours, its = os.openpty()
    modes = termios.tcgetattr(its)
    modes[1] &= ~termios.OPOST
    termios.tcsetattr(its, termios.TCSANOW, modes)
    _copy_size(ours)
    return ours, its


def _copy_size(terminal: int) -> None:
    import fcntl
    import termios

    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, fcntl.ioctl(1, termios.TIOCGWINSZ, b"\0" * 8))
    except OSError:
        return  # the terminal is gone


def _write_all(descriptor: int, data: bytes) -> None:
    """Write all of it, also to a descriptor that somebody made non-blocking. Raises OSError."""
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:
            import select

            select.select([], [descriptor], [])
