"""`python3 -m flaky_memory demo` does the main job anywhere, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

FINDING = (
    "flaky-memory: unittest:test_sync.SyncTest.test_settles failed 2 of 3 runs in the last 7 days "
    "and both passed and failed on the same code once"
)
INSTRUCTION = ". It may be flaky rather than broken by this change: run it again before you change code for it."


def demo(tmp_path: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the demo with its temporary folder, and all of its home, below tmp_path."""
    own = {**os.environ, "TMPDIR": str(tmp_path), "HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT), **environ}
    argv = [sys.executable, "-m", "flaky_memory", "demo"]
    return subprocess.run(argv, cwd=tmp_path, env=own, capture_output=True, text=True, encoding="utf-8", timeout=60)


def test_shows_what_the_model_and_the_person_read_and_leaves_nothing_behind(tmp_path: Path) -> None:
    done = demo(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert [line for line in lines if line.startswith(("failed,", "passed,"))] == [
        "failed, exit status 1", "passed, exit status 0", "failed, exit status 1",
    ]  # fmt: skip
    assert FINDING + INSTRUCTION in lines
    assert FINDING in lines
    assert "unittest:test_sync.SyncTest.test_settles · failed 2/3 · same code once  just now" in lines
    assert list(tmp_path.iterdir()) == []


def test_keeps_to_its_own_repository(repo: Path, tmp_path: Path) -> None:
    """Variables that lead git elsewhere (a git hook sets them) are not followed."""
    done = demo(tmp_path, GIT_DIR=str(repo / ".git"), GIT_WORK_TREE=str(repo), GIT_INDEX_FILE=str(tmp_path / "index"))
    assert done.returncode == 0
    assert not (repo / ".git" / "flaky-memory").exists()


def test_without_git_says_so(tmp_path: Path) -> None:
    done = demo(tmp_path, PATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == "flaky-memory: the demo could not be shown: git was not found on PATH\n"
