"""The status line: one short line for the client to show below its prompt, or nothing.

The client runs this with each message of the model, so it is as cheap as a hook that has nothing to
do: neither `json` nor `re` nor `subprocess` is imported, and the store itself is not opened.
https://code.claude.com/docs/en/statusline
"""

from __future__ import annotations

import os
import time

from flaky_memory import sessions
from flaky_memory.repository import STORE_FOLDER, find_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Tuple

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
        _write(text.encode("utf-8", "replace") + b"\n")
    return status


def line(session: str, directory: str, now: float) -> str:
    """What to show in a session; "" for nothing. Leaves word in the store that it is being shown."""
    repository = find_repository(directory)
    if repository is None:
        return ""
    folder = os.path.join(repository.common, STORE_FOLDER)
    sessions.mark_shown(folder, session)
    entries = sessions.entries(folder, session)[::-1]
    flaky = [e.text for e in entries if e.state == sessions.FLAKY]
    closed = [e.text for e in entries if e.state == sessions.CLOSED and e.time > now - CLOSING]
    if not flaky and not closed:
        return ""
    from flaky_memory import message

    parts = [_RED + message.panel_flaky(flaky) + _PLAIN] if flaky else []
    parts += [_GREEN + message.panel_closed(closed) + _PLAIN] if closed else []
    return "  ".join(parts)


def _read(data: bytes) -> Tuple[str, str]:
    """(session id, directory) of the client's JSON; empty where it does not say."""
    try:
        document = _parse(data.decode("utf-8", "replace").strip())
    except (ValueError, StopIteration, RecursionError):
        return "", ""
    if not isinstance(document, dict):
        return "", ""
    workspace = document.get("workspace")
    inner = workspace.get("current_dir") if isinstance(workspace, dict) else None
    session, directory = document.get("session_id"), document.get("cwd") or inner
    if not isinstance(session, str) or not isinstance(directory, str) or "\0" in directory:
        return "", ""
    return session, directory


class _Decoder:
    """What the scanner of `_json` asks of a decoder (json.decoder.JSONDecoder)."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_int, parse_float, parse_constant = int, float, float


def _parse(text: str) -> Any:
    """Read JSON by what the json module itself is built on: importing the whole of it would double the
    time of a bare start. Raises ValueError or StopIteration."""
    try:
        from _json import make_scanner
    except ImportError:  # an interpreter that builds it another way
        import json

        return json.loads(text)
    return make_scanner(_Decoder)(text, 0)[0]  # type: ignore[arg-type]


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
    _write(data, writer)
    os.close(writer)
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def _write(data: bytes, descriptor: int = 1) -> None:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return  # nobody reads it any more
