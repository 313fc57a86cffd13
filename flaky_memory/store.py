"""The JSON file that keeps the runs, the pending runs, and the log of decisions.

All of it lies in `<git common dir>/flaky-memory/`; nothing else is ever written. The file is read
whole, changed under the lock, and replaced by renaming a new file over it, so that a reader sees
the old or the new one and a writer that dies leaves the old one.
"""

from __future__ import annotations

import json
import os
import time

from flaky_memory.fingerprint import key
from flaky_memory.lock import Lock
from flaky_memory.model import Green, Known, Memory, Run, TestId
from flaky_memory.repository import OWN_FILE, STORE_FOLDER, own_folder, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar

    T = TypeVar("T")

VERSION = 1
PATIENCE = 8.0  # seconds for the lock; the hooks' own timeout is longer
PENDING_AGE = 3 * 3600  # seconds: no command runs longer in the foreground
MOST_PENDING = 200
NEW_AGE = 60  # seconds: no file takes that long to write
_ASIDE = ".damaged-"
LONGEST_LOG, KEPT_DECISIONS = 16_384, 40
LARGEST_STORE, LARGEST_WRITTEN = 16 << 20, 2_900_000  # bytes that are read, that are written


_NO_JSON = (ValueError, RecursionError)  # what json raises of a text that is none, or is nested too deep


class Unusable(Exception):
    """The store cannot be used and was left as it is; the text is a key of message.REASONS."""


class Store:
    """The store of one repository, by the directory that its worktrees share."""

    def __init__(self, common: str) -> None:
        self.folder = os.path.join(common, STORE_FOLDER)
        self.path = os.path.join(self.folder, "runs.json")

    # -- on and off

    @property
    def enabled(self) -> bool:
        return not os.path.lexists(os.path.join(self.folder, "off"))

    def enable(self, on: bool) -> None:
        """Raises OSError."""
        marker = os.path.join(self.folder, "off")
        if on and not self.enabled:
            os.remove(marker)
        elif not on and self.enabled:
            own_folder(self.folder)
            os.close(os.open(marker, os.O_WRONLY | OWN_FILE, 0o600))

    # -- runs

    def load(self) -> Memory:
        """What is stored, nothing if there is no store yet. Raises Unusable."""
        try:
            data = _patiently(lambda: read_file(self.path, LARGEST_STORE + 1))
        except FileNotFoundError:
            return Memory([], [])
        except OSError:
            raise Unusable("unreadable-store") from None
        if data is None or len(data) > LARGEST_STORE:  # a folder, a fifo
            raise Unusable("damaged")
        return _decode(data)

    def update(self, change: Callable[[Memory], T]) -> T:
        """Apply a change to what is stored, under the lock. A file that is damaged is moved aside
        first, and `memory.moved` names it. Raises Unusable or OSError, with the store as it was."""
        own_folder(self.folder)
        with Lock(os.path.join(self.folder, "lock"), PATIENCE):
            self._sweep()
            try:
                memory = self.load()
            except Unusable as problem:
                if str(problem) != "damaged":
                    raise
                memory = Memory([], [], self._move_aside())
            answer = change(memory)
            data = _encode(memory)
            while len(data) > LARGEST_WRITTEN:
                _shed(memory)
                data = _encode(memory)
            _replace(self.path, data)
        return answer

    def _move_aside(self) -> str:
        aside = f"{self.path}{_ASIDE}{int(time.time())}"
        while os.path.lexists(aside):
            aside += "x"
        os.rename(self.path, aside)
        return os.path.basename(aside)

    def _make(self, name: str) -> str:
        """A folder in this store's own, made if need be. Raises OSError."""
        folder = os.path.join(self.folder, name)
        own_folder(self.folder)
        own_folder(folder)
        return folder

    def _sweep(self) -> None:
        """Remove what writers that were killed left behind. Under the lock nobody else writes runs; what
        is written without it takes no time."""
        for folder in (self.folder, os.path.join(self.folder, "data")):
            for path in () if os.path.islink(folder) else _files(folder):
                mine = os.path.basename(path).startswith("runs.json.")
                if path.endswith(".new") and (mine or _modified(path) < time.time() - NEW_AGE):
                    _remove(path)

    # -- pending runs

    def _pending(self, call: str) -> str:
        return os.path.join(self.folder, "pending", key(call) + ".json")

    def claim_pending(self, call: str) -> bool:
        """True for the first of several deliveries of one call's start. Raises OSError."""
        self._make("pending")
        try:
            os.close(os.open(self._pending(call), os.O_EXCL | os.O_WRONLY | OWN_FILE, 0o600))
        except FileExistsError:
            return False
        return True

    def put_pending(self, call: str, state: Dict[str, Any]) -> None:
        """Keep what was seen before a call, until its end. Raises OSError."""
        _replace(self._pending(call), json.dumps(state).encode("ascii"))

    def take_pending(self, call: str) -> Optional[Dict[str, Any]]:
        """What was kept for a call, to exactly one of several takers; None to the others."""
        path = self._pending(call)
        if not os.path.exists(path):
            return None
        mine = f"{path}.{os.getpid()}.taken"
        try:
            os.rename(path, mine)
            state = json.loads(read_file(mine, LARGEST_STORE) or b"")
        except (OSError, *_NO_JSON):
            state = None
        _remove(mine)
        return state if isinstance(state, dict) else None

    def sweep_pending(self, now: float) -> None:
        """Remove what calls left behind that never ended (interrupted ones send no event)."""
        try:
            folder = self._make("pending")
        except OSError:
            return
        found = sorted((_modified(path), path) for path in _files(folder))
        crowd = len(found) - MOST_PENDING
        for number, (modified, path) in enumerate(found):
            if number < crowd or modified < now - PENDING_AGE:
                _remove(path)

    # -- untracked data files

    def _data(self, top: str) -> str:
        return os.path.join(self.folder, "data", key(top))

    def data_left(self, top: str) -> Tuple[str, str]:
        """(fingerprint of the untracked data files as the last run left them, of the same as somebody
        else last changed them), both "" at first."""
        try:
            data = read_file(self._data(top), 100) or b""
        except OSError:
            return "", ""
        left, _, edited = data.decode("ascii", "replace").partition(" ")
        return left, edited

    def keep_data(self, top: str, left: str, edited: str) -> None:
        """Raises OSError."""
        self._make("data")
        _replace(self._data(top), f"{left} {edited}".encode("ascii"))

    # -- decisions

    def log(self, decision: str, now: float, detail: str = "", by_client: bool = True) -> None:
        """Note for `doctor` what was decided of a test command that the client ran, or else somebody
        through `run`. Never raises; never holds a command's text."""
        path = os.path.join(self.folder, "decisions.log")
        line = json.dumps([int(now), decision, detail[:400], by_client]) + "\n"
        try:
            own_folder(self.folder)
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | OWN_FILE, 0o600)
            try:
                os.write(descriptor, line.encode("ascii"))
                long = os.fstat(descriptor).st_size > LONGEST_LOG
            finally:
                os.close(descriptor)
            if long:
                _replace(path, b"".join(_last_lines(path)))
        except OSError:
            return

    def decisions(self) -> List[List[Any]]:
        """The latest decisions, [time, key of message.REASONS, detail, by_client], the oldest first."""
        try:
            lines = _last_lines(os.path.join(self.folder, "decisions.log"))
        except OSError:
            return []
        found = []
        for line in lines:
            try:
                entry = json.loads(line)
            except _NO_JSON:
                continue
            if isinstance(entry, list) and len(entry) == 4 and isinstance(entry[0], int):
                found.append([entry[0], str(entry[1]), str(entry[2]), entry[3] is True])
        return found

    def kept_aside(self) -> List[str]:
        """The names of damaged files that were moved aside."""
        try:
            return sorted(n for n in os.listdir(self.folder) if n.startswith("runs.json" + _ASIDE))
        except OSError:
            return []

    @property
    def size(self) -> int:
        """Bytes of the file of runs."""
        try:
            return os.stat(self.path).st_size
        except OSError:
            return 0


def _last_lines(path: str) -> List[bytes]:
    """The latest decisions as they are stored. Raises OSError."""
    return (read_file(path, 2 * LONGEST_LOG) or b"").splitlines(True)[-KEPT_DECISIONS:]


def _replace(path: str, data: bytes) -> None:
    """Write a file so that a reader sees the old or the new one. Raises OSError, with the old one there."""
    new = f"{path}.{os.getpid()}.new"
    try:
        with open(new, "xb") as file:
            file.write(data)
        _patiently(lambda: os.replace(new, path))
    except OSError:
        _remove(new)
        raise


def _patiently(action: Callable[[], T], attempts: int = 50 if os.name == "nt" else 1) -> T:
    """Do something with a file. On Windows that fails for a moment while another process has the file
    open, or replaces it. Raises OSError."""
    for _ in range(attempts - 1):
        try:
            return action()
        except PermissionError:
            time.sleep(0.01)
    return action()


def _files(folder: str) -> List[str]:
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:
        return []


def _modified(path: str) -> float:
    """When a file was last written, in seconds since the epoch; that is never for one that is gone."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return float("inf")


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        pass


# -- the format
#
# {"version": 1, "trees": [fingerprint, ...],
#  "tests": [{"id": [runner, scope, name], "runs": [time, tree, outcome, ...], "selection": key,
#             "place": text, "told": time, "cleared": [fingerprint, ...]}],
#  "greens": [{"time", "tree", "selection", "runners", "where", "what", "named", "skipped", "width"}]}
#
# `tree` is an index into `trees`, since many tests share few of them; `runs` is flat, three numbers a
# run, with outcome 4 * width + source for a pass, and -1 - width for a failure (Run.width, Run.source).
# That is what 1,000 tests of 50 runs are read and written fastest in.


def _encode(memory: Memory) -> bytes:
    trees: Dict[str, int] = {}
    place = trees.setdefault
    tests = []
    for known in memory.tests:
        flat: List[int] = []
        for at, fingerprint, passed, source, width in known.runs:
            flat += (at, place(fingerprint, len(trees)), 4 * width + source if passed else -1 - width)
        tests.append({
            "id": list(known.id), "runs": flat, "selection": known.selection, "place": known.place,
            "told": known.told, "skipped": known.skipped, "cleared": list(known.cleared),
        })  # fmt: skip
    greens = [
        {"time": g.time, "tree": place(g.fingerprint, len(trees)), "selection": g.selection, "runners": g.runners,
         "where": g.where, "what": g.what, "named": g.named, "skipped": g.skipped, "width": g.width}
        for g in memory.greens
    ]  # fmt: skip
    document = {"version": VERSION, "trees": list(trees), "tests": tests, "greens": greens}
    return json.dumps(document, separators=(",", ":")).encode("ascii")


def _shed(memory: Memory) -> None:
    """Forget a quarter of what is stored, or all when that is little: what is the longest ago."""
    memory.greens = sorted(memory.greens, key=lambda g: g.time)[len(memory.greens) // 4 + 1 :]
    memory.tests = sorted(memory.tests, key=lambda t: t.runs[-1].time if t.runs else 0)[len(memory.tests) // 4 + 1 :]


def _decode(data: bytes) -> Memory:
    try:
        document = json.loads(data)
        if isinstance(document, dict) and isinstance(document.get("version"), int) and document["version"] > VERSION:
            raise Unusable("newer-store")
        trees = [str(t) for t in document["trees"]]
        tests = [_known(t, trees) for t in document["tests"]]
        greens = [_green(g, trees) for g in document["greens"]]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise Unusable("damaged") from None
    return Memory(tests, greens)


def _known(stored: Dict[str, Any], trees: List[str]) -> Known:
    runner, scope, name = stored["id"]
    if not isinstance(runner, str) or not isinstance(name, str) or not isinstance(scope, (str, type(None))):
        raise TypeError(stored["id"])
    sum(stored["runs"])  # a TypeError for what is no list of numbers
    flat = iter(stored["runs"])
    new = tuple.__new__  # half the time of Run(), and 1,000 tests have 50,000 runs
    runs = [
        new(Run, (t, trees[i], True, o & 3, o >> 2) if o >= 0 else (t, trees[i], False, 0, -1 - o))
        for t, i, o in zip(flat, flat, flat)
    ]
    known = Known(TestId(runner, scope, name), runs, str(stored["selection"]), str(stored["place"]), stored["told"] + 0)
    known.skipped = stored.get("skipped", -1) + 0
    known.cleared = tuple(_texts(stored.get("cleared")) or ())
    return known


def _green(stored: Dict[str, Any], trees: List[str]) -> Green:
    runners, where, what, named = (_texts(stored.get(field)) for field in ("runners", "where", "what", "named"))
    skipped, width = stored.get("skipped", -1) + 0, stored.get("width", 0) + 0
    time, tree, selected = stored["time"] + 0, trees[stored["tree"]], str(stored["selection"])
    return Green(time, tree, selected, runners, where, what, named, skipped, width)


def _texts(stored: Any) -> Optional[List[str]]:
    if stored is not None and not isinstance(stored, list):
        raise TypeError(stored)
    return stored
