"""What was reported in each session, for the status line: small files beside the store.

`<store folder>/sessions/<hashed session id>` holds a line for each report, only ever appended to, so
that hooks which end at the same time need no lock; the last line of a test counts. Beside it, the time
of `<hashed session id>.shown` says when the status line was last shown in that session.
"""

from __future__ import annotations

import os

from flaky_memory import fingerprint
from flaky_memory.repository import OWN_FILE, own_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterable, List, Optional, Sequence, Tuple

    from flaky_memory.model import TestId

    # FLAKY, CLOSED or GONE; when, in seconds since the epoch; what to show. A bare tuple: what makes
    # named ones costs the status line a sixth of its time.
    Entry = Tuple[str, int, str]

FOLDER = "sessions"
FLAKY, CLOSED, GONE = "flaky", "closed", "gone"
# The client runs the status line with each message of the model. Between that and the end of a test
# command lie a permission prompt and the tests themselves, so an hour without it means it is gone.
FRESH = 3600
AGE = 7 * 24 * 3600  # seconds after which nothing in a session's file can still be true
MOST_ENTRIES = 100  # of one report
LARGEST_FILE = 64 << 10
_SHOWN = ".shown"


def path_of(store_folder: str, session: str) -> str:
    """The file of a session; its name is a hash, since session ids come from outside."""
    return os.path.join(store_folder, FOLDER, fingerprint.key(session))


def _key(test: TestId) -> str:
    return fingerprint.key(test.runner, test.scope or "", test.name)


# -- what the hooks and commands say


def report(store_folder: str, session: str, flaky: Sequence[Tuple[TestId, str]], now: float) -> None:
    """Note which tests a session was told of as flaky, each with its text. Never raises."""
    if not session or not flaky:
        return
    path = path_of(store_folder, session)
    entries = [(FLAKY, _key(test), text) for test, text in flaky[:MOST_ENTRIES]]
    try:
        _make(store_folder)
        _append(path, entries, now)
    except OSError:
        return
    _sweep(os.path.dirname(path), now)


def close(store_folder: str, closed: Sequence[Tuple[TestId, str]], now: float) -> None:
    """Note in every session that was told of these tests that they are no longer flaky. Never raises."""
    _tell_all(store_folder, [(CLOSED, _key(test), text) for test, text in closed], now)


def forget(store_folder: str, tests: Optional[Sequence[TestId]], now: float) -> None:
    """Take tests (None: all) out of what the sessions show. Never raises."""
    if tests is not None:
        return _tell_all(store_folder, [(GONE, _key(test), "") for test in tests], now)
    for path in _files(store_folder):
        _remove(path)
    return None


def shown(store_folder: str, session: str, now: float) -> bool:
    """True while the status line is being shown in a session."""
    try:
        return bool(session) and os.stat(path_of(store_folder, session) + _SHOWN).st_mtime > now - FRESH
    except OSError:
        return False


def _tell_all(store_folder: str, entries: List[Tuple[str, str, str]], now: float) -> None:
    for path in _files(store_folder) if entries else ():
        known = _read(path)
        told = [e for e in entries if e[1] in known and known[e[1]][0] == FLAKY]
        try:
            if told:
                _append(path, told, now)
        except OSError:
            continue


# -- what the status line does


def entries(store_folder: str, session: str) -> List[Entry]:
    """What a session was told, the latest report of each test, the newest last."""
    return list(_read(path_of(store_folder, session)).values())


def mark_shown(store_folder: str, session: str) -> None:
    """Leave word that the status line is being shown. Never raises."""
    path = path_of(store_folder, session) + _SHOWN
    try:
        os.utime(path)
    except OSError:
        try:
            _make(store_folder)
            os.close(os.open(path, os.O_WRONLY | OWN_FILE, 0o600))
        except OSError:
            return


# -- files


def _make(store_folder: str) -> None:
    """Raises OSError."""
    own_folder(store_folder)
    own_folder(os.path.join(store_folder, FOLDER))


def _append(path: str, entries: Iterable[Tuple[str, str, str]], now: float) -> None:
    lines = "".join(f"{state}\t{key}\t{int(now)}\t{text}\n" for state, key, text in entries)
    flags = os.O_APPEND if _size(path) < LARGEST_FILE else os.O_TRUNC
    descriptor = os.open(path, os.O_WRONLY | flags | OWN_FILE, 0o600)
    try:
        os.write(descriptor, lines.encode("utf-8", "replace"))
    finally:
        os.close(descriptor)


def _read(path: str) -> Dict[str, Entry]:
    """The latest entry of each test by its key; what is no whole line is left out."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError:
        return {}
    try:
        data = os.read(descriptor, 2 * LARGEST_FILE)
    except OSError:
        return {}
    finally:
        os.close(descriptor)
    found: Dict[str, Entry] = {}
    for line in data.decode("utf-8", "replace").split("\n"):
        fields = line.split("\t")
        if len(fields) == 4 and fields[2].isdecimal() and fields[3].isprintable():
            found.pop(fields[1], None)
            found[fields[1]] = (fields[0], int(fields[2]), fields[3])
    return found


def _files(store_folder: str) -> List[str]:
    folder = os.path.join(store_folder, FOLDER)
    if os.path.islink(store_folder) or os.path.islink(folder):
        return []
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder) if not name.endswith(_SHOWN)]
    except OSError:
        return []


def _sweep(folder: str, now: float) -> None:
    """Remove the files of sessions that ended long ago."""
    try:
        with os.scandir(folder) as found:
            old = [e.path for e in found if e.stat(follow_symlinks=False).st_mtime < now - AGE]
    except OSError:
        return
    for path in old:
        _remove(path)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        pass
