"""The status line: one short line for the client to show below its prompt, or nothing.

The client runs this with each message of the model, so it is as cheap as a hook that has nothing to
do: neither `json` nor `re` nor `subprocess` is imported, and the store itself is not opened.
https://code.claude.com/docs/en/statusline
"""

from __future__ import annotations

import os
import time

from flaky_memory import gate, sessions
from flaky_memory.repository import STORE_FOLDER, find_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Tuple

# Seconds for which a closing is shown.
CLOSING = 600
_RED, _GREEN, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[0m"


def run(data: bytes, command: List[str]) -> int:
    """Print the line for a session; `command` is the person's own status line, which is run on the same
    data and comes first. The exit status is that command's."""
    status = _own(command, data) if command else 0
    session, directory = _read(data)
    text = line(session, directory, time.time()) if session and directory else ""
    if text:
        gate.write(text.encode("utf-8", "replace") + b"\n")
    return status


def line(session: str, directory: str, now: float) -> str:
    """What to show in a session; "" for nothing. Leaves word in the store that it is being shown."""
    repository = find_repository(directory)
    if repository is None:
        return ""
    folder = os.path.join(repository.common, STORE_FOLDER)
    sessions.mark_shown(folder, session)
    entries = sessions.entries(folder, session)[::-1]
    flaky = [text for state, _, text in entries if state == sessions.FLAKY]
    closed = [text for state, at, text in entries if state == sessions.CLOSED and at > now - CLOSING]
    if not flaky and not closed:
        return ""
    from flaky_memory import panel

    parts = [_RED + panel.flaky(flaky) + _PLAIN] if flaky else []
    parts += [_GREEN + panel.closed(closed) + _PLAIN] if closed else []
    return "  ".join(parts)


def _read(data: bytes) -> Tuple[str, str]:
    """(session id, directory) of the client's JSON; empty where it does not say."""
    written = [gate.written_string(data, key) for key in (b'"session_id"', b'"cwd"')]
    try:
        session, directory = (gate.unescaped(w or b"") for w in written)
    except Exception:  # no JSON, or an interpreter that reads it another way
        return "", ""
    return ("", "") if "\0" in directory else (session, directory)


def _own(command: List[str], data: bytes) -> int:
    """Run the person's own status line on the same data, its output passed through; its exit status."""
    if not hasattr(os, "posix_spawnp"):
        import subprocess

        return subprocess.run(command, input=data).returncode
    reader, writer = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, reader, 0), (os.POSIX_SPAWN_CLOSE, writer)]
    try:
        child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    except OSError:
        os.close(reader)
        os.close(writer)
        return 127
    os.close(reader)
    gate.write(data, writer)
    os.close(writer)
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
