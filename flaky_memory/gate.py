"""The gate: is an event worth the imports that reading it takes?

It stands in front of every command that passes the filters of hooks.json. `json` or `re` alone cost
half a bare start of Python, so what runs no tests is told here with neither.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional

# Seconds for stdin to end, and for one whole hook: less than the shortest timeout in hooks.json.
PATIENCE, LONGEST = 1.5, 12.0

# The last word of every filter in hooks.json, which keep the client from starting a process for other
# commands; a test holds the two together. They are few because the client starts one process for each
# entry that matches, and for every entry where it cannot read a command. "ox" is tox and nox.
HINTS = (
    b"test", b"jest", b"spec", b"phpunit", b"mocha", b" ava", b" tap", b"ox", b"mvn", b"gradle", b"check",
)  # fmt: skip


def main(argv: "List[str]") -> int:
    """Route one start of the program; its exit status. A hook ends the process here, always with 0."""
    if argv[:1] == ["statusline"] and argv[1:2] in ([], ["--"]):
        from flaky_memory import statusline

        return leave(statusline.run(read_all(0), argv[2:]))
    if argv or (sys.stdin is not None and sys.stdin.isatty()):  # a hook has no terminal
        from flaky_memory import cli

        return cli.main(argv or ["status"])
    data = read_all(LONGEST)
    if data and may_matter(data):
        import os

        from flaky_memory import hook

        hook.run(data, os.environ)
    return leave(0)


def leave(status: int) -> int:
    """End the process without taking the interpreter down, which would cost a sixth of a bare start.
    Nothing is buffered: answers are written by `write`."""
    try:
        from posix import _exit
    except ImportError:
        from nt import _exit  # type: ignore[attr-defined,no-redef,unused-ignore]
    _exit(status)


def write(data: bytes, descriptor: int = 1) -> None:
    """Write all of some bytes to a descriptor, where anybody reads it."""
    from os import write

    try:
        while data:
            data = data[write(descriptor, data) :]
    except OSError:
        return


def read_all(then: float) -> bytes:
    """All of stdin; ends the process, silently, when stdin does not end, or what follows takes longer
    than so many seconds."""
    give_up_after(PATIENCE)
    try:
        return sys.stdin.buffer.read()
    except Exception:
        return b""  # no stdin at all
    finally:
        give_up_after(then)


def give_up_after(seconds: float) -> None:
    """End the process, silently, in some seconds, in place of what was asked for before; 0: never."""
    try:
        # What `signal` itself is built on, without the `enum` that it imports.
        from _signal import ITIMER_REAL, SIGALRM, setitimer, signal  # type: ignore[import-not-found]
    except ImportError:
        _watch(seconds)
    else:
        signal(SIGALRM, lambda number, frame: leave(0))
        setitimer(ITIMER_REAL, seconds)


_ends: "List[float]" = []  # when the process is to end, by the monotonic clock; the last counts


def _watch(seconds: float) -> None:
    """The same for Windows, which has no alarm: a thread that looks at the clock."""
    import _thread
    from time import monotonic, sleep

    def look() -> None:
        while monotonic() < _ends[-1]:
            sleep(0.05)
        leave(0)

    _ends.append(monotonic() + (seconds or 1e9))
    if len(_ends) == 1:
        _thread.start_new_thread(look, ())


def may_matter(data: bytes) -> bool:
    """False for an event of a command that runs no tests; True where that is not sure."""
    if b'"UserPromptExpansion"' in data:
        return True
    written = written_string(data, b'"command"')
    if written is None or not any(hint in written for hint in HINTS):
        return False  # no call that could be read later either, or no tests
    from flaky_memory import command

    try:
        text = unescaped(written)
    except Exception:
        return True
    return command.read(text, b'"PowerShell"' in data).runs_tests


def written_string(data: bytes, key: bytes) -> "Optional[bytes]":
    """The string behind the first occurrence of a key in JSON, as it is written there; None when
    there is no such key or its value is no string."""
    at = data.find(key)
    colon = data.find(b":", at)
    start = data.find(b'"', colon)
    if at < 0 or colon < 0 or start < 0 or data[colon + 1 : start].strip():
        return None
    end = data.find(b'"', start + 1)
    while end > 0 and _is_escaped(data, end):
        end = data.find(b'"', end + 1)
    return data[start + 1 : end]


def unescaped(written: bytes) -> str:
    """A JSON string as it is meant. Raises ValueError (json's) where it is none."""
    text = written.decode("utf-8", "replace")
    if "\\" not in text:
        return text
    from _json import scanstring

    return str(scanstring(text + '"', 0, False)[0])


def _is_escaped(data: bytes, at: int) -> bool:
    """True for a character behind an odd number of backslashes."""
    start = at
    while data[start - 1 : start] == b"\\":
        start -= 1
    return (at - start) % 2 == 1
