"""Recorded agent sessions, with the notes that are due, through the hooks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.player import play

SESSIONS = json.loads((Path(__file__).parent / "sessions" / "recorded.json").read_text())


def test_there_are_sessions() -> None:
    assert len(SESSIONS) >= 50


@pytest.mark.parametrize("session", SESSIONS, ids=[s["name"] for s in SESSIONS])
def test_session(session: dict, tmp_path: Path) -> None:
    assert play(session, tmp_path) == []
