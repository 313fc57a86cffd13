"""The state of a repository's code, through subprocess git.

git is only ever asked to read: by argv, from the top level, with a scrubbed environment, with
everything off that its configuration could run, and with a deadline. What cannot be read within
the bounds has no fingerprint, never a partial one.
"""

from __future__ import annotations

import os
import stat
import subprocess
import threading
import time

from flaky_memory import fingerprint
from flaky_memory.model import NamedTuple
from flaky_memory.repository import SMALL_FILE, Repository, find_repository, read_file, small_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

LARGEST_DIFF = 4 << 20
LARGEST_LISTING = 8 << 20
LARGEST_FILE = 4 << 20  # a larger untracked file enters by size and time
LARGEST_TOTAL = 64 << 20
MOST_FILES = 20_000
MOST_REPOSITORIES = 24  # submodules and nested repositories together
DEADLINE = 1.8  # seconds for one look at the tree

# Nothing that a configuration names may run: no fsmonitor, hook, pager.
_SAFE = (
    "--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.devnull,
    "-c", "core.untrackedCache=false", "-c", "submodule.recurse=false",
)  # fmt: skip
# The same for what has no option. In a partial clone a missing object would be fetched, by programs that
# the configuration names (core.sshCommand, remote.*.uploadpack): no protocol is allowed for that, and git
# 2.44 does not try.
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none", "LC_ALL": "C",
}  # fmt: skip
# `git diff` would write the index where it finds other times in it, and follow many settings.
_DIFF = (
    "diff-index", "-p", "HEAD", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--full-index",
    "--unified=0", "--ignore-submodules=dirty", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
_UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard")
_EVERYTHING = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
# What a package manager writes last when it has installed something; seen by stat alone.
_STAMPS = (
    "node_modules/.package-lock.json", "node_modules/.yarn-integrity", "node_modules/.yarn-state.yml",
    "node_modules/.modules.yaml", ".pnp.cjs", "vendor/composer/installed.json", "vendor/composer/installed.php",
    ".bundle/config", "vendor/bundle", "node_modules/.bun-tag",
)  # fmt: skip
_VIRTUAL_ENVIRONMENTS = (".venv", "venv", "env", ".env")


class Tree(NamedTuple):
    """Two fingerprints: of the code with its settings, and of the untracked files that are no source
    files ("" without any), which runs may write."""

    code: str
    data: str


class Unfingerprinted(Exception):
    """The state of the tree could not be read within the bounds; the text is a key of message.REASONS."""


def find_git(environ: Mapping[str, str]) -> Optional[str]:
    """git on PATH, looked up here: a relative entry would let a repository bring its own."""
    names = ("git.exe",) if os.name == "nt" else ("git",)
    for folder in environ.get("PATH", "").split(os.pathsep):
        if os.path.isabs(folder):
            for name in names:
                path = os.path.join(folder, name)
                if os.access(path, os.X_OK) and os.path.isfile(path):
                    return path
    return None


# On Windows a timer ends git instead.
_PIPES_CAN_BE_WAITED_FOR = os.name != "nt"


def _readable(stream: IO[bytes], patience: float) -> bool:
    """True when there is something to read, or the end, within some seconds."""
    import select

    return bool(select.select([stream], [], [], max(0.0, patience))[0])


class Reader:
    """Looks at trees within one deadline.

    `environ` is the hook's environment, `directories` the places whose settings count
    (absolute: the top level and where the runners start), `leftovers` paths relative to the top
    that the command's own runs write.
    """

    def __init__(self, environ: Mapping[str, str], clock: float = DEADLINE) -> None:
        git = find_git(environ)
        if git is None:
            raise Unfingerprinted("no-git")
        self.git = git
        self.environ = {k: v for k, v in environ.items() if not k.startswith("GIT_")}
        self.environ.update(_ENVIRONMENT)
        self.virtual_env = environ.get("VIRTUAL_ENV", "")
        self.ends = time.monotonic() + clock
        self.repositories = self.files = self.total = 0
        self.data: List[bytes] = []
        self.running: List[subprocess.Popen[bytes]] = []

    def tree(self, repository: Repository, directories: Sequence[str], leftovers: Set[str]) -> Tree:
        """The state of a working tree and the settings beside it. Raises Unfingerprinted."""
        timer = threading.Timer(max(0.0, self.ends - time.monotonic()), self._stop)
        timer.daemon = True
        if not _PIPES_CAN_BE_WAITED_FOR:
            timer.start()
        try:
            asked = self._ask(repository)
            settings = list(self._beside(repository.top, directories))  # while git is at work
            parts = [*self._state(repository, asked, leftovers), *settings]
        finally:
            timer.cancel()
            self._stop()
        if time.monotonic() > self.ends:
            raise Unfingerprinted("too-slow")
        return Tree(fingerprint.fingerprint(parts), fingerprint.fingerprint(self.data) if self.data else "")

    def _beside(self, top: str, directories: Sequence[str]) -> Iterator[bytes]:
        """The settings of some directories and of those on the way to them, and installed packages."""
        for directory in _chain(top, directories):
            yield from _settings(directory, top)
        yield from _interpreter(self.environ)
        if os.path.isabs(self.virtual_env) and not self.virtual_env.startswith(top + os.sep):
            yield from _installed(self.virtual_env)

    # -- git

    def _stop(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.kill()

    def _start(self, top: str, *arguments: str) -> subprocess.Popen[bytes]:
        # core.worktree could name another tree than the one that the tests run in.
        process = subprocess.Popen(
            [self.git, "-C", top, "--work-tree=" + top, *_SAFE, *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=self.environ, close_fds=os.name == "nt",
        )  # fmt: skip
        self.running.append(process)
        return process

    def _finish(self, process: subprocess.Popen[bytes], most: int, too_large: str) -> Optional[bytes]:
        """What a git command printed; None when it failed."""
        data = self._read(process, most + 1)
        if len(data) > most:
            raise Unfingerprinted(too_large)
        return data if process.wait() == 0 else None

    def _read(self, process: subprocess.Popen[bytes], most: int) -> bytes:
        """What a process prints, up to so many bytes. Waits no longer than the deadline, whoever else
        holds the other end of the pipe open."""
        assert process.stdout is not None
        data = bytearray()
        with process.stdout as stream:
            while len(data) < most:
                if _PIPES_CAN_BE_WAITED_FOR and not _readable(stream, self.ends - time.monotonic()):
                    raise Unfingerprinted("too-slow")
                chunk = os.read(stream.fileno(), min(most - len(data), 1 << 20))
                if not chunk:
                    break
                data += chunk
        if time.monotonic() > self.ends:
            raise Unfingerprinted("too-slow")
        return bytes(data)

    def _without_filters(self, repository: Repository) -> List[str]:
        """Options that turn off clean filters, which `git diff` would run (gitattributes(5)). Only asked
        for where the repository's own configuration may name some: git-lfs in the person's may stay."""
        asked = ("config", "--null", "--name-only", "--get-regexp", r"^filter\.")
        listing = self._finish(self._start(repository.top, *asked), 1 << 16, "git-failed") or b""
        names = {os.fsdecode(key[len(b"filter.") :].rpartition(b".")[0]) for key in listing.split(b"\0")}
        if any("=" in name for name in names):  # `-c` cannot say its key
            raise Unfingerprinted("git-failed")
        settings = (("clean", ""), ("process", ""), ("required", "false"))
        found = [f"filter.{name}.{key}={value}" for name in sorted(names) if name for key, value in settings]
        return [word for setting in found for word in ("-c", setting)]

    def _ask(self, repository: Repository) -> List[subprocess.Popen[bytes]]:
        """Start what git is asked of one repository, side by side."""
        self.repositories += 1
        if self.repositories > MOST_REPOSITORIES:
            raise Unfingerprinted("too-many-repositories")
        options = self._without_filters(repository) if _may_filter(repository) else []
        commands = (_DIFF, _UNTRACKED, ("rev-parse", "--verify", "-q", "HEAD"))
        return [self._start(repository.top, *options, *a) for a in commands]

    def _state(
        self, repository: Repository, asked: Sequence[subprocess.Popen[bytes]], leftovers: Set[str]
    ) -> Iterator[bytes]:
        """HEAD, what differs from it, and the untracked files of one repository and those inside."""
        top = repository.top
        diff = self._finish(asked[0], LARGEST_DIFF, "large-diff")
        listing = self._finish(asked[1], LARGEST_LISTING, "many-files")
        head = self._finish(asked[2], 1 << 10, "git-failed")
        if listing is None:
            raise Unfingerprinted("git-failed")
        if head is None:  # no commit yet: every file is read
            listing = self._finish(self._start(top, *_EVERYTHING), LARGEST_LISTING, "many-files")
            head, diff = b"", b""
        if diff is None or listing is None:
            raise Unfingerprinted("git-failed")
        yield from _revision(head, diff)
        skipped = {os.fsencode(p) for p in leftovers}
        for path in sorted(set(listing.split(b"\0"))):
            kind = fingerprint.kind(path) if path and not _is_under(path, skipped) else fingerprint.LEFTOVER
            if kind == fingerprint.CODE:
                yield from self._untracked(top, path)
            elif kind == fingerprint.DATA:
                self.data.extend(self._untracked(top, path))
        for path in _submodules(top):
            yield from self._inside(top, path)

    def clean_tree(self, repository: Repository, commit: str) -> Tuple[str, str]:
        """(the full name of a commit, the code's fingerprint of a clean tree at it that has no settings
        beside it). Raises Unfingerprinted."""
        asked = ("rev-parse", "--verify", "-q", "--end-of-options", commit + "^{commit}")
        head = self._finish(self._start(repository.top, *asked), 1 << 10, "git-failed")
        if head is None:
            raise Unfingerprinted("no-such-commit")
        parts = [*_revision(head, b""), *_interpreter(self.environ)]  # as tree() adds them up
        return head.decode("ascii", "replace").strip(), fingerprint.fingerprint(parts)

    def _inside(self, top: str, path: bytes) -> Iterator[bytes]:
        """A submodule or nested repository: its own state, content and all."""
        inner = os.path.join(top, os.fsdecode(path.rstrip(b"/")))
        found = find_repository(inner) if os.path.lexists(os.path.join(inner, ".git")) else None
        real = os.path.realpath(top)
        if found and found.top == os.path.abspath(inner) and os.path.realpath(inner).startswith(real + os.sep):
            yield from (b"repository", path)
            yield from self._state(found, self._ask(found), set())

    # -- files

    def _untracked(self, top: str, path: bytes) -> Iterator[bytes]:
        if path.endswith(b"/"):
            yield from self._inside(top, path)
            return
        self.files += 1
        if self.files > MOST_FILES:
            raise Unfingerprinted("many-files")
        if time.monotonic() > self.ends:
            raise Unfingerprinted("too-slow")
        full = os.path.join(os.fsencode(top), path)
        try:
            info = os.lstat(full)
            content = self._content(full, info)
        except FileNotFoundError:
            return  # gone since git listed it
        except OSError:
            raise Unfingerprinted("unreadable-file") from None
        yield from (b"file", path, b"%o" % info.st_mode, content)

    def _content(self, full: bytes, info: os.stat_result) -> bytes:
        if stat.S_ISLNK(info.st_mode):
            return os.readlink(full)
        if not stat.S_ISREG(info.st_mode):
            return b""
        if info.st_size > LARGEST_FILE:
            return b"%d %d" % (info.st_size, info.st_mtime_ns)
        self.total += info.st_size
        if self.total > LARGEST_TOTAL:
            raise Unfingerprinted("large-files")
        return read_file(full, LARGEST_FILE) or b""


def _revision(head: bytes, diff: bytes) -> Tuple[bytes, ...]:
    """The part of a tree's state that git keeps: what `rev-parse HEAD` and `diff HEAD` print."""
    return b"head", head, b"diff", diff


def _is_under(path: bytes, folders: Set[bytes]) -> bool:
    return path in folders or any(path.startswith(f + b"/") for f in folders)


def _may_filter(repository: Repository) -> bool:
    """True when the repository's own configuration may name filters, itself or in a file that it includes."""
    text = small_file(os.path.join(repository.common, "config")).lower()
    return len(text) >= SMALL_FILE or any(w in text for w in ("filter", "include", "worktreeconfig"))


def _submodules(top: str) -> List[bytes]:
    """The paths that .gitmodules names (gitmodules(5))."""
    paths = []
    for line in small_file(os.path.join(top, ".gitmodules")).splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "path" and value.strip():
            paths.append(os.fsencode(os.path.normpath(value.strip().strip('"'))))
    return sorted(set(paths))


def _chain(top: str, directories: Sequence[str]) -> List[str]:
    """The directories from the top down to each of the given ones, and those right below the top, where
    tests that are started from there may have their settings; once each."""
    found = {top, *_below(top)}
    for directory in directories:
        here = os.path.abspath(directory)
        while here.startswith(top + os.sep):
            found.add(here)
            here = os.path.dirname(here)
    return sorted(found)


# Folders whose folders are projects of their own.
_WORKSPACES = ("packages", "apps", "services", "libs", "modules", "crates", "projects")
_MOST_FOLDERS = 200


def _below(top: str) -> List[str]:
    """The folders right below the top, and those in the usual folders of a workspace, that have settings."""
    folders = _folders(top)
    folders += [f for name in _WORKSPACES for f in _folders(os.path.join(top, name))]
    return [f for f in folders[:_MOST_FOLDERS] if _has_settings(f)]


def _has_settings(folder: str) -> bool:
    names = "\0".join(["", *_names(folder)])  # one text, since a large repository has many names
    return any("\0" + start in names for start in (".env", "node_modules", ".venv", "venv"))


def _names(directory: str) -> List[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _folders(directory: str) -> List[str]:
    """The folders in a directory, but for hidden ones and installed packages."""
    try:
        with os.scandir(directory) as entries:
            return sorted(
                e.path
                for e in entries
                if e.name[:1] != "." and e.name not in ("node_modules", "venv") and e.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []


def _settings(directory: str, top: str) -> Iterator[bytes]:
    """What explains a flip and is not code: `.env*` files by content, installed packages by stamp."""
    place = os.fsencode(os.path.relpath(directory, top))
    for name in sorted(n for n in _names(directory) if n.startswith(".env")):
        try:
            content = read_file(os.path.join(directory, name), 1 << 20)
        except OSError:
            continue
        if content is not None:
            yield from (b"env", place, os.fsencode(name), content)
    stamps = [(s, _stamp(os.path.join(directory, s))) for s in _STAMPS]
    for name, stamp in stamps:
        if stamp:
            yield from (b"stamp", place, name.encode(), stamp)
    if not any(stamp for name, stamp in stamps if name.startswith("node_modules")):
        packages = _node_modules(os.path.join(directory, "node_modules"))
        yield from (b"modules", place, packages) if packages else ()
    for name in _VIRTUAL_ENVIRONMENTS:
        for part in _installed(os.path.join(directory, name)):
            yield from (place, part)


def _stamp(path: str) -> bytes:
    """A file's size and time, empty when there is none."""
    try:
        info = os.stat(path)
    except OSError:
        return b""
    return b"%d %d" % (info.st_size, info.st_mtime_ns)


_MOST_PACKAGES = 2_000


def _node_modules(folder: str) -> bytes:
    """The packages in a folder whose installer left no stamp."""
    names = sorted(n for n in _names(folder) if n[:1] != ".")[:_MOST_PACKAGES]
    return b"\n".join(os.fsencode(n) + b" " + _stamp(os.path.join(folder, n, "package.json")) for n in names)


def _installed(environment: str) -> Iterator[bytes]:
    """The packages of a Python virtual environment: each module, and each package's first file and
    metadata, with its time."""
    for site in _site_packages(environment):
        names = sorted(n for n in _names(site) if n != "__pycache__")
        if names:
            stamps = [os.fsencode(n) + b" " + _stamp(os.path.join(site, _first_file(n))) for n in names]
            yield from (b"packages", b"\n".join(stamps))


def _interpreter(environ: Mapping[str, str]) -> Iterator[bytes]:
    """The packages of the Python on PATH, by the times of the folders that they are installed in."""
    folders = [f for f in environ.get("PATH", "").split(os.pathsep) if os.path.isabs(f)]
    python = next((p for f in folders for p in [os.path.join(f, "python3")] if os.path.exists(p)), "")
    if not python:
        return
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(python)))
    own = os.path.dirname(os.path.dirname(python))
    homes = (own, prefix, "/usr/local", os.path.join(environ.get("HOME", ""), ".local"))
    for library in dict.fromkeys(os.path.join(h, "lib") for h in homes if os.path.isabs(h)):
        for name in sorted(n for n in _names(library) if n.startswith("python3")):
            for packages in ("site-packages", "dist-packages"):
                stamp = _stamp(os.path.join(library, name, packages))
                yield from (b"interpreter", os.fsencode(os.path.join(library, name)), stamp) if stamp else ()


def _first_file(name: str) -> str:
    """What changes when an entry of site-packages is installed again: importing a package changes its folder."""
    return name if "." in name.lstrip("_") else name + "/__init__.py"


def _site_packages(environment: str) -> List[str]:
    if os.name == "nt":
        return [os.path.join(environment, "Lib", "site-packages")]
    library = os.path.join(environment, "lib")
    try:
        versions = sorted(n for n in os.listdir(library) if n.startswith("python"))
    except OSError:
        return []
    return [os.path.join(library, v, "site-packages") for v in versions]


def tree_state(
    repository: Repository, directories: Sequence[str], leftovers: Set[str], environ: Mapping[str, str]
) -> Tuple[Optional[Tree], str]:
    """(the state, "") or (None, why there is none)."""
    try:
        return Reader(environ).tree(repository, directories, leftovers), ""
    except Unfingerprinted as problem:
        return None, str(problem)
    except OSError:
        return None, "git-failed"


def clean_tree(repository: Repository, commit: str, environ: Mapping[str, str]) -> Tuple[str, str]:
    """As Reader.clean_tree(). Raises Unfingerprinted, also where git cannot be started."""
    try:
        return Reader(environ).clean_tree(repository, commit)
    except (OSError, ValueError):
        raise Unfingerprinted("git-failed") from None
