"""Which repository a directory belongs to, read from the file system as git does: no process.

Apart from git.py, because the status line and the commands that only read the store need no more.
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

# What this program keeps lies in this folder of a repository's common directory.
STORE_FOLDER = "flaky-memory"
# How a file in it is opened to write: where somebody put a link, it is not followed; a fifo does not hang.
OWN_FILE = (
    os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)  # fmt: skip
SMALL_FILE = 1 << 16


class Repository:
    """A working tree's top level, and the directory that all its worktrees share. No named tuple:
    importing what makes them would cost the status line a sixth of its time."""

    __slots__ = ("common", "top")

    def __init__(self, top: str, common: str) -> None:
        self.top, self.common = top, common

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Repository) and (self.top, self.common) == (other.top, other.common)

    def __hash__(self) -> int:
        return hash((self.top, self.common))


def find_repository(directory: str) -> Optional[Repository]:
    """The repository that a directory is in, or None; see gitrepository-layout(5)."""
    here = os.path.abspath(directory)
    if not os.path.isdir(here):
        return None
    while True:
        dot_git = os.path.join(here, ".git")
        if os.path.isfile(os.path.join(dot_git, "HEAD")):
            return Repository(here, _common(dot_git))
        linked = _linked(dot_git, here)
        if linked:
            return Repository(here, _common(linked))
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent


def located(session_directory: str, top: Optional[str], directory: Optional[str]) -> Optional[str]:
    """Where a directory of a command (see Invocation.directory) is, absolute; None when it is not known."""
    from flaky_memory.command import TOP

    if directory is None:
        return None
    if directory.startswith(TOP):
        return os.path.normpath((top or session_directory) + "/" + directory[len(TOP) :])
    return os.path.normpath(os.path.join(session_directory, directory))


def _linked(dot_git: str, here: str) -> Optional[str]:
    """Where a `.git` file (worktree, submodule) points to, if it points to a git directory."""
    text = small_file(dot_git)
    if not text.startswith("gitdir:"):
        return None
    path = os.path.normpath(os.path.join(here, text[len("gitdir:") :].strip()))
    return path if os.path.isfile(os.path.join(path, "HEAD")) else None


def _common(git_dir: str) -> str:
    text = small_file(os.path.join(git_dir, "commondir")).strip()
    return os.path.realpath(os.path.join(git_dir, text) if text else git_dir)


_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def own_folder(path: str) -> None:
    """Make a folder of this program's own. Raises OSError, also where anything else stands in its place:
    a link would lead what is written and swept there out of the repository."""
    try:
        os.mkdir(path)
    except FileExistsError:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "not a folder", path) from None


def small_file(path: str) -> str:
    """The first 64 KiB of a text file; "" where it cannot be read."""
    try:
        data = read_file(path, SMALL_FILE)
    except OSError:
        return ""
    return data.decode("utf-8", "surrogateescape") if data else ""


def read_file(path: str | bytes, most: int) -> Optional[bytes]:
    """A regular file's content; None for anything else (a fifo must not hang the hook)."""
    descriptor = os.open(path, _READ)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            return None
        data = os.read(descriptor, min(most, 1 << 20))
        if len(data) == min(most, info.st_size):
            return data
        chunks = [data]
        while data and most > len(data):
            most -= len(data)
            data = os.read(descriptor, min(most, 1 << 20))
            chunks.append(data)
        return b"".join(chunks)
    finally:
        os.close(descriptor)
