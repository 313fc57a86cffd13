"""Shared fixtures: real git repositories in temporary folders."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# A test run that was started by nohup or in the background ignores these signals, and so would its
# children: then no test could see one arrive.
for name, handler in (("SIGHUP", signal.SIG_DFL), ("SIGQUIT", signal.SIG_DFL), ("SIGINT", signal.default_int_handler)):
    if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
        signal.signal(getattr(signal, name), handler)

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
# The hooks start `python3`: the one that runs the tests, and none by way of a script.
os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]

GIT_ENV = {
    **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "n@example.com",
    "GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "n@example.com",
}  # fmt: skip


def git(repo: Path, *args: str) -> str:
    """Run git in a repository; its output."""
    done = subprocess.run(["git", *args], cwd=repo, env=GIT_ENV, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def write(root: Path, files: dict[str, str | bytes]) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with one commit, and hostile settings that no hook may follow."""
    top = tmp_path / "app"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    for name, value in (("diff.external", "false"), ("color.ui", "always"), ("core.pager", "false"), ("diff.noprefix", "true")):
        git(top, "config", name, value)
    write(top, {"code.py": "a = 1\n", ".gitignore": "ignored/\n.env\n"})
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "start")
    return top
