"""The whole loop in the real Claude Code client."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.e2e.driver import Client, Session

INSTRUCTION = ". It may be flaky rather than broken by this change: run it again before you change code for it."


def finding(test: str, failed: int = 2, runs: int = 3) -> str:
    return (
        f"flaky-memory: {test} failed {failed} of {runs} runs in the last 7 days "
        "and both passed and failed on the same code once"
    )


def status(repo: Path) -> dict[str, Any]:
    """What `status --json` says of a repository."""
    argv = [sys.executable, str(ROOT / "flaky_memory" / "__main__.py"), "status", "--json"]
    found: dict[str, Any] = json.loads(subprocess.run(argv, cwd=repo, capture_output=True, check=True).stdout)
    return found


def decisions(repo: Path) -> list[str]:
    """Why each test command in a repository was recorded or not, the oldest first."""
    log = repo / ".git" / "flaky-memory" / "decisions.log"
    return [json.loads(line)[1] for line in log.read_text().splitlines()]


def contexts(session: Session) -> list[list[str]]:
    return [r.contexts for r in session.results]


def test_go_fails_passes_fails(client: Client, go_repo: Path) -> None:
    session = client.session(go_repo, *["go test -count=1 ./..."] * 3, plugin=ROOT)
    assert [r.is_error for r in session.results] == [True, False, True], session
    assert contexts(session) == [[], [], [finding("go:TestFlip") + INSTRUCTION]]
    assert session.notices == ["PostToolUseFailure:Bash says: " + finding("go:TestFlip")]


def test_pytest_fails_passes_fails(client: Client, python_repo: Path) -> None:
    session = client.session(python_repo, *["pytest -q test_flip.py"] * 3, plugin=ROOT)
    test = "pytest:test_flip.py::test_flip"
    assert contexts(session) == [[], [], [finding(test) + INSTRUCTION]], session
    assert session.notices == ["PostToolUseFailure:Bash says: " + finding(test)]
