"""Recorded agent sessions, with the notes that are due, through the hooks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.player import play
from tests.scenarios import SCENARIOS

FOLDER = Path(__file__).parent / "sessions"
RECORDED = json.loads((FOLDER / "recorded.json").read_text(encoding="utf-8"))
SECOND_OPINION = json.loads((FOLDER / "second_opinion.json").read_text(encoding="utf-8"))
SESSIONS = [*RECORDED, *SECOND_OPINION]


def test_there_are_sessions() -> None:
    assert len(RECORDED) >= 50


def test_each_scenario_is_recorded_as_it_is_written() -> None:
    """Else: `make sessions`."""
    kept = ("bash", "write", "git", "cwd", "notes", "says", "never", "person")
    written = [(s["name"], s["files"], [[step.get(k) for k in kept] for step in s["steps"]]) for s in SCENARIOS]
    assert [(s["name"], s["files"], [[step.get(k) for k in kept] for step in s["steps"]]) for s in SECOND_OPINION] == written


@pytest.mark.parametrize("session", SESSIONS, ids=[s["name"] for s in SESSIONS])
def test_session(session: dict, tmp_path: Path) -> None:
    assert play(session, tmp_path) == []
