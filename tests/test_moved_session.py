"""A command may end in another repository than it began in; its run still belongs to where its tests are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from flaky_memory.store import Store
from tests.conftest import ROOT, git

OUTPUT = "FAILED test_a.py::test_b - boom\n1 failed in 0.01s"


def hook(event: dict[str, Any], project: Path) -> None:
    """Start the program for one event, as the client does in a session that began in `project`."""
    environ = {**os.environ, "CLAUDE_PROJECT_DIR": str(project)}
    argv = [sys.executable, "-I", "-S", str(ROOT / "flaky_memory" / "__main__.py")]
    done = subprocess.run(argv, input=json.dumps(event).encode(), env=environ, cwd=event["cwd"], capture_output=True, check=True)
    assert done.stderr == b""


@pytest.fixture
def other(repo: Path) -> Path:
    top = repo.parent / "other"
    (top / "sub").mkdir(parents=True)
    git(top, "init", "-q")
    return top


@pytest.mark.parametrize(
    ("command", "began", "ended"),
    [
        pytest.param("pytest", "app", "app", id="stays"),
        pytest.param("cd sub && pytest", "app", "app/sub", id="into-a-folder"),
        pytest.param("pytest && cd ../other", "app", "other", id="on-to-another-repository"),
        pytest.param("cd ../app && pytest", "other", "app", id="here-from-another-repository"),
        pytest.param("cd ../app && pytest", "other", "other", id="taken-back-by-the-client"),
    ],
)
def test_run_is_recorded_where_its_tests_are(repo: Path, other: Path, command: str, began: str, ended: str) -> None:
    (repo / "sub").mkdir()
    call = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t"}
    start, end = repo.parent / began, repo.parent / ended
    hook({**call, "hook_event_name": "PreToolUse", "cwd": str(start)}, start)
    hook({**call, "hook_event_name": "PostToolUseFailure", "cwd": str(end), "error": f"Exit code 1\n{OUTPUT}"}, start)
    assert [entry[1] for entry in Store(str(repo / ".git")).decisions()] == ["recorded"]
    assert not (other / ".git" / "flaky-memory").exists()
