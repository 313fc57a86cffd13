"""The gate: is an event worth the imports that reading it takes?

It stands in front of every command that passes the filters of hooks.json. `json` or `re` alone cost
half a bare start of Python, so what runs no tests is told here with neither.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional

PATIENCE = 1.5  # seconds for stdin to end

# The last word of every filter in hooks.json, which keep the client from starting a process for other
# commands; a test holds the two together. They are few because the client starts one process for each
# entry that matches, and for every entry where it cannot read a command. "ox" is tox and nox.
HINTS = (
    b"test", b"jest", b"spec", b"phpunit", b"mocha", b" ava", b" tap", b"ox", b"mvn", b"gradle", b"check",
)  # fmt: skip


def main(argv: "List[str]") -> int:
    """Route one start of the program; its exit status, always 0 for a hook."""
    if argv[:1] == ["statusline"] and argv[1:2] in ([], ["--"]):
        from flaky_memory import statusline

        return statusline.run(read_all(), argv[2:])
    if argv or (sys.stdin is not None and sys.stdin.isatty()):  # a hook has no terminal
        from flaky_memory import cli

        return cli.main(argv or ["status"])
    data = read_all()
    if data and may_matter(data):
        import os

        from flaky_memory import hook

        return hook.run(data, os.environ)
    return 0


def read_all() -> bytes:
    """All of stdin; ends the process, silently, when stdin does not end."""
    import _thread

    done: List[bool] = []

    def give_up() -> None:
        import time

        time.sleep(PATIENCE)
        if not done:
            import os

            os._exit(0)

    _thread.start_new_thread(give_up, ())
    try:
        return sys.stdin.buffer.read()
    except Exception:
        return b""  # no stdin at all
    finally:
        done.append(True)


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
