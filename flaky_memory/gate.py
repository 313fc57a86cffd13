"""The gate: is an event worth the imports that reading it takes?

It stands in front of every command that passes the filters of hooks.json. `json` or `re` alone cost
half a bare start of Python, so what runs no tests is told here with neither.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

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
    key = data.find(b'"command"')
    colon = data.find(b":", key)
    start = data.find(b'"', colon)
    if key < 0 or colon < 0 or start < 0 or data[colon + 1 : start].strip():
        return False  # no call that could be read later either
    end = data.find(b'"', start + 1)
    while end > 0 and _is_escaped(data, end):
        end = data.find(b'"', end + 1)
    written = data[start + 1 : end]
    if not any(hint in written for hint in HINTS):
        return False
    from flaky_memory import command

    text = written.decode("utf-8", "replace")
    if "\\" in text:
        try:
            from _json import scanstring

            text = scanstring(text + '"', 0, False)[0]
        except Exception:
            return True
    return command.read(text, b'"PowerShell"' in data).runs_tests


def _is_escaped(data: bytes, at: int) -> bool:
    """True for a character behind an odd number of backslashes."""
    start = at
    while data[start - 1 : start] == b"\\":
        start -= 1
    return (at - start) % 2 == 1
