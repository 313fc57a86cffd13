"""A look at the tree: what enters the fingerprint, and that nothing which a repository brings is run."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

import pytest

from flaky_memory.git import Reader, Tree, Unfingerprinted, find_git, tree_state
from flaky_memory.repository import find_repository
from tests.conftest import GIT_ENV, git, write

posix = pytest.mark.skipif(os.name == "nt", reason="a kind of file that Windows has not")


def look(top: Path, **environ: str) -> Tree:
    """The state of a repository. Raises Unfingerprinted."""
    found = find_repository(str(top))
    assert found is not None
    return Reader({**GIT_ENV, **environ}).tree(found, [str(top)], set())


def trap(base: Path) -> tuple[str, Path]:
    """A command that leaves a mark when it is run, and passes its input through where it is a filter."""
    mark, script = base / "ran", base / "trap.sh"
    script.write_text(f"#!/bin/sh\necho ran >> {shlex.quote(str(mark))}\n[ $# -gt 0 ] || cat\n")
    script.chmod(0o755)
    return str(script), mark


# -- what git could be made to run

# Settings of a repository, and the git command that follows them (none where no plain command does).
TRAPS: dict[str, tuple[dict[str, str], str]] = {
    "external diff": ({"diff.external": "TRAP"}, "diff HEAD"),
    "diff driver": ({"diff.x.command": "TRAP"}, "diff HEAD"),
    "textconv": ({"diff.x.textconv": "TRAP"}, "diff HEAD"),
    "clean filter": ({"filter.x.clean": "TRAP"}, "diff HEAD"),
    "clean filter, required": ({"filter.x.clean": "TRAP", "filter.x.required": "true"}, "diff HEAD"),
    "filter process": ({"filter.x.process": "TRAP"}, "diff HEAD"),
    "fsmonitor": ({"core.fsmonitor": "TRAP"}, "status"),
    "hooks": ({"core.hooksPath": "HOOKS"}, "status"),
    "aliases": ({f"alias.{name}": "!TRAP" for name in ("diff", "ls-files", "rev-parse")}, ""),
    "pager": ({"core.pager": "TRAP", "pager.diff": "TRAP", "pager.ls-files": "true"}, ""),
    "trace": ({"trace2.eventTarget": "MARK", "trace2.normalTarget": "MARK"}, ""),
    "submodule diffs": ({"diff.submodule": "diff", "submodule.recurse": "true"}, ""),
}


@posix
@pytest.mark.parametrize("name", TRAPS)
def test_settings_of_a_repository_run_nothing(name: str, repo: Path, tmp_path: Path) -> None:
    settings, command = TRAPS[name]
    script, mark = trap(tmp_path)
    (tmp_path / "hooks").mkdir()
    shutil.copy(script, tmp_path / "hooks" / "post-index-change")
    git(repo, "config", "--unset", "diff.external")
    write(repo, {".gitattributes": "*.py diff=x filter=x\n", "code.py": "a = 2\n"})
    for key, value in settings.items():
        value = value.replace("TRAP", script).replace("MARK", str(mark)).replace("HOOKS", str(tmp_path / "hooks"))
        git(repo, "config", key, value)
    if command:
        subprocess.run(["git", *command.split()], cwd=repo, env=GIT_ENV, capture_output=True, timeout=20)
        assert mark.exists(), "the trap does not work"
        mark.unlink()
    assert_untouched(repo, mark)


# The same filter, written in ways that a search for "[filter" would miss.
WRITTEN = {
    "another case": '[FILTER "x"]\n\tclean = TRAP\n',
    "old form": "[filter.x]\n\tclean = TRAP\n",
    "included": "[include]\n\tpath = ../more.config\n",
    "quoted": '[filter "x\\"]y"]\n\tclean = TRAP\n',
    "behind 64 KiB": "#" + "x" * 70_000 + '\n[filter "x"]\n\tclean = TRAP\n',
    "of the worktree": "[extensions]\n\tworktreeConfig = true\n",
}


@posix
@pytest.mark.parametrize("name", WRITTEN)
def test_a_filter_is_found_however_it_is_written(name: str, repo: Path, tmp_path: Path) -> None:
    script, mark = trap(tmp_path)
    attribute = 'filter=x"]y' if name == "quoted" else "filter=x"
    write(repo, {".gitattributes": f"*.py {attribute}\n", "code.py": "a = 2\n"})
    git(repo, "config", "--unset", "diff.external")
    plain = f'[filter "x"]\n\tclean = {script}\n'
    write(repo, {"more.config": plain, ".git/config.worktree": plain})
    with open(repo / ".git" / "config", "a") as file:
        file.write(WRITTEN[name].replace("TRAP", script))
    subprocess.run(["git", "diff", "HEAD"], cwd=repo, env=GIT_ENV, capture_output=True, timeout=20)
    assert mark.exists(), "the trap does not work"
    mark.unlink()
    assert_untouched(repo, mark)


@posix
@pytest.mark.parametrize("how", ["core.sshCommand", "remote.origin.uploadpack", "ext protocol"])
def test_a_missing_object_is_not_fetched(how: str, repo: Path, tmp_path: Path) -> None:
    """In a partial clone git fetches what it lacks, by commands that the configuration names."""
    script, mark = trap(tmp_path)
    settings = {
        "core.sshCommand": {"remote.origin.url": "ssh://example.com/x", "core.sshCommand": script},
        "remote.origin.uploadpack": {"remote.origin.url": str(tmp_path), "remote.origin.uploadpack": script},
        "ext protocol": {"remote.origin.url": f"ext::{script} x", "protocol.ext.allow": "always"},
    }[how]
    clone = {"core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true"}
    git(repo, "config", "--unset", "diff.external")
    for key, value in {**clone, **settings}.items():
        git(repo, "config", key, value)
    blob = git(repo, "rev-parse", "HEAD:code.py").strip()
    (repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    write(repo, {"code.py": "a = 2\n"})
    subprocess.run(["git", "diff", "HEAD"], cwd=repo, env=GIT_ENV, capture_output=True, timeout=20)
    assert mark.exists(), "the trap does not work"
    mark.unlink()
    with pytest.raises(Unfingerprinted, match="git-failed"):
        look(repo)
    assert not mark.exists()


@posix
def test_git_is_not_taken_from_the_repository(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script, mark = trap(tmp_path)
    shutil.copy(script, repo / "git")
    monkeypatch.chdir(repo)
    for path in (".", "", "bin:.", "./"):
        assert find_git({"PATH": path}) is None
    assert look(repo, PATH=".:" + os.environ["PATH"]).code
    assert not mark.exists()


def test_without_git_there_is_a_reason(repo: Path, tmp_path: Path) -> None:
    found = find_repository(str(repo))
    assert found is not None
    assert tree_state(found, [str(repo)], set(), {"PATH": str(tmp_path)}) == (None, "no-git")
    assert tree_state(found, [str(repo)], set(), {}) == (None, "no-git")


def test_variables_of_git_lead_nowhere_else(repo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    there = {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other), "GIT_INDEX_FILE": str(other / "x")}
    assert look(repo, **there) == look(repo)
    assert not (other / "x").exists()


def test_another_worktree_in_the_configuration_is_not_looked_at(repo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write(other, {"code.py": "a = 1\n"})
    git(repo, "config", "core.worktree", str(other))
    before = look(repo)
    write(other, {"code.py": "a = 3\n"})
    assert look(repo) == before
    write(repo, {"code.py": "a = 2\n"})
    assert look(repo) != before


# -- nothing is written


def state(repo: Path) -> tuple[str, bytes, int, set[str]]:
    index = repo / ".git" / "index"
    status = subprocess.run(
        ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", "status", "--porcelain=v2", "--untracked-files=all"],
        cwd=repo, env=GIT_ENV, capture_output=True, text=True,
    ).stdout  # fmt: skip
    return status, index.read_bytes(), index.stat().st_mtime_ns, {str(p) for p in (repo / ".git").rglob("*")}


def assert_untouched(repo: Path, mark: Path) -> None:
    """A look that runs nothing, changes nothing, and still tells two states apart."""
    before = state(repo)
    mark.unlink(missing_ok=True)
    one = look(repo)
    write(repo, {"code.py": "a = 2\nb = 3\n"})
    two = look(repo)
    write(repo, {"code.py": "a = 2\n"})
    assert (one == two, mark.exists()) == (False, False)
    assert look(repo) == one
    assert not mark.exists()
    assert state(repo) == before


def test_an_index_that_is_out_of_date_stays_so(repo: Path, tmp_path: Path) -> None:
    """`git status` and `git diff` write the index where they find other times in it."""
    clean = look(repo)
    os.utime(repo / "code.py", (1, 1))
    before = state(repo)
    assert look(repo) == clean
    assert state(repo) == before


def test_a_lock_on_the_index_stops_nothing(repo: Path) -> None:
    before = look(repo)
    lock = repo / ".git" / "index.lock"
    lock.write_text("held")
    assert look(repo) == before
    assert lock.read_text() == "held"


# -- what enters


def test_each_kind_of_change_counts(repo: Path) -> None:
    seen = [look(repo).code]

    def changed(what: str) -> None:
        seen.append(look(repo).code)
        assert len(set(seen)) == len(seen), what

    write(repo, {"code.py": "a = 2\n"})
    changed("a tracked file")
    write(repo, {"more.py": "b = 1\n"})
    changed("an untracked file")
    write(repo, {"more.py": "b = 2\n"})
    changed("its content")
    write(repo, {".env": "KEY=1\n"})
    changed("a settings file, though it is ignored")
    git(repo, "add", "-A")
    assert look(repo).code not in seen[:-2]
    git(repo, "commit", "-q", "-m", "more")
    changed("a commit")
    write(repo, {"ignored/x.py": "c = 1\n"})
    assert look(repo).code == seen[-1]


def test_the_same_state_has_the_same_fingerprint_in_any_worktree(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    first, second = find_repository(str(repo)), find_repository(str(tmp_path / "linked"))
    assert first is not None and second is not None
    assert first.common == second.common
    assert look(repo) == look(tmp_path / "linked")
    write(tmp_path / "linked", {"code.py": "a = 2\n"})
    assert look(repo) != look(tmp_path / "linked")


NAMES: dict[str, bytes] = {
    "newline": b"a\nb.py", "quotes": b"a\"b'c.py", "backslash": b"a\\nb.py", "tab": b"a\tb.py", "option": b"--output=x.py",
    "not UTF-8": b"\xff\xfe.py", "escape": b"\x1b[2Ja.py", "blank": b" .py", "magic": b":(top)*.py", "long": b"x" * 250 + b".py",
}  # fmt: skip


@posix
@pytest.mark.parametrize("tracked", [False, True], ids=["untracked", "tracked"])
@pytest.mark.parametrize("name", NAMES)
def test_a_file_counts_whatever_its_name(name: str, tracked: bool, repo: Path) -> None:
    path = os.fsencode(repo) + b"/" + NAMES[name]
    before = look(repo)
    try:
        with open(path, "w") as file:
            file.write("a = 1\n")
    except OSError:
        pytest.skip("a name that this file system does not take")
    if tracked:
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", "odd")
    one = look(repo)
    assert one != before
    with open(path, "w") as file:
        file.write("a = 2\n")
    assert look(repo) != one


def device(path: Path) -> None:
    os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))  # /dev/zero: it never ends


def listening(path: Path) -> None:
    place = os.getcwd()
    os.chdir(path.parent)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(place)


KINDS: dict[str, Callable[[Path], Any]] = {
    "fifo": os.mkfifo if os.name != "nt" else print, "socket": listening, "device": device,
    "dangling link": lambda p: p.symlink_to("nowhere"), "link to itself": lambda p: p.symlink_to(p.name),
    "link to a device": lambda p: p.symlink_to("/dev/zero"), "link to a folder": lambda p: p.symlink_to("/"),
    "folder": lambda p: p.mkdir(),
}  # fmt: skip


@posix
@pytest.mark.parametrize("place", ["new.py", "code.py", ".env", ".git/info/exclude", ".gitmodules", "pytest.ini"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_file_hangs_a_look(kind: str, place: str, repo: Path) -> None:
    path = repo / place
    path.unlink(missing_ok=True)
    try:
        KINDS[kind](path)
    except PermissionError:
        pytest.skip("only root makes devices")
    begun = time.monotonic()
    found = find_repository(str(repo))
    assert found is not None
    tree, problem = tree_state(found, [str(repo)], set(), GIT_ENV)
    assert time.monotonic() - begun < 2.5
    assert tree or problem in ("too-slow", "git-failed", "unreadable-file")


@posix
def test_what_a_link_leads_to_outside_is_not_read(repo: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside", {"secret": "1"})
    (repo / "file.py").symlink_to(tmp_path / "outside" / "secret")
    (repo / "folder").symlink_to(tmp_path / "outside")
    before = look(repo)
    write(tmp_path / "outside", {"secret": "2", "more.py": "3"})
    assert look(repo) == before
    (repo / "file.py").unlink()
    (repo / "file.py").symlink_to(tmp_path / "elsewhere")
    assert look(repo) != before


def test_a_nested_repository_counts_with_its_content(repo: Path, tmp_path: Path) -> None:
    inner = repo / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    write(inner, {"a.py": "1"})
    seen = [look(repo)]
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "inner")
    seen.append(look(repo))
    write(inner, {"a.py": "2"})
    seen.append(look(repo))
    write(inner, {"b.py": "2"})
    seen.append(look(repo))
    assert len(set(seen)) == 4


@posix
def test_a_filter_of_a_nested_repository_is_off_too(repo: Path, tmp_path: Path) -> None:
    script, mark = trap(tmp_path)
    inner = repo / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    write(inner, {"a.py": "1"})
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "inner")
    git(inner, "config", "filter.x.clean", script)
    write(inner, {"a.py": "2", ".gitattributes": "* filter=x\n"})
    subprocess.run(["git", "diff", "HEAD"], cwd=inner, env=GIT_ENV, capture_output=True, timeout=20)
    assert mark.exists(), "the trap does not work"
    mark.unlink()
    assert look(repo).code
    assert not mark.exists()


# -- bounds


@posix
@pytest.mark.parametrize("last", ["exec sleep 60", "sleep 60"], ids=["git", "its child"])
def test_a_git_that_does_not_end_is_not_waited_for(last: str, repo: Path, tmp_path: Path) -> None:
    slow = tmp_path / "bin" / "git"
    write(tmp_path, {"bin/git": f"#!/bin/sh\necho $$ >> {tmp_path}/pids\n{last}\n"})
    slow.chmod(0o755)
    found = find_repository(str(repo))
    assert found is not None
    begun = time.monotonic()
    with pytest.raises(Unfingerprinted, match="too-slow"):
        Reader({"PATH": f"{slow.parent}:{os.environ['PATH']}"}, 0.3).tree(found, [], set())
    assert time.monotonic() - begun < 1.5
    for pid in (tmp_path / "pids").read_text().split():
        assert ended(int(pid))


def ended(pid: int) -> bool:
    """True once a process has ended; its parent may not have asked for its status yet."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return True
        except ChildProcessError:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"code.py": "x" * (4 << 20)}, "large-diff"),
        ({f"new{n}.py": b"x" * (4 << 20) for n in range(17)}, "large-files"),
    ],
    ids=["diff", "files"],
)
def test_what_is_too_large_has_no_fingerprint(files: dict[str, Any], problem: str, repo: Path) -> None:
    write(repo, files)
    with pytest.raises(Unfingerprinted) as raised:
        found = find_repository(str(repo))
        assert found is not None
        Reader(GIT_ENV, 20).tree(found, [], set())
    assert str(raised.value) == problem


def test_a_missing_or_broken_repository_has_a_reason(repo: Path) -> None:
    found = find_repository(str(repo))
    assert found is not None
    for broken in ("HEAD", "config", "index"):
        path = repo / ".git" / broken
        kept = path.read_bytes()
        path.write_bytes(b"\0\xff broken")
        assert tree_state(found, [], set(), GIT_ENV) == (None, "git-failed")
        path.write_bytes(kept)
    assert tree_state(found, [], set(), GIT_ENV)[0]


if sys.platform == "win32":  # how git is called there

    def test_git_is_an_exe() -> None:
        path = find_git(os.environ)
        assert path is not None
        assert path.endswith("git.exe")
