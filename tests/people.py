"""What a person does: plays a flaky test through the hooks, and types commands of the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.player import Player

MAIN = ROOT / "flaky_memory" / "__main__.py"
STATUS_LINE = '{"session_id":"%s","transcript_path":"/t","cwd":"%s","workspace":{"current_dir":"%s"}}'


def session(base: Path, files: dict[str, Any] | None = None, **environ: str) -> Player:
    """A session in a new repository."""
    player = Player(base, environ=environ)
    player.repository("app", files or {"go.mod": "module example.com/app\n"})
    return player


def go_output(*outcomes: str) -> str:
    """What `go test -v` prints; each outcome is "PASS TestX" or "FAIL TestX"."""
    lines = [f"=== RUN   {o[5:]}\n--- {o[:4]}: {o[5:]} (0.00s)" for o in outcomes]
    failed = any(o.startswith("FAIL") for o in outcomes)
    end = "FAIL\nFAIL\texample.com/app\t0.01s\nFAIL" if failed else "PASS\nok  \texample.com/app\t0.01s"
    return "\n".join([*lines, end, ""])


def run(player: Player, name: str, passed: bool, **step: Any) -> dict[str, str]:
    """One run of one Go test; what the model is told."""
    output = go_output(f"{'PASS' if passed else 'FAIL'} {name}")
    return player.bash("go test -v ./...", output, 0 if passed else 1, **step)


def flip(player: Player, name: str = "TestFlip", **step: Any) -> dict[str, str]:
    """Fails, passes, fails; what the model is told at the third."""
    return [run(player, name, passed, **step) for passed in (False, True, False)][-1]


def command(player: Player, *argv: str, data: bytes = b"", **environ: str) -> subprocess.CompletedProcess[str]:
    """Type a command in the repository, with no terminal around."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(MAIN), *argv], input=data, cwd=player.repo,
        env={**player.environ, **environ}, capture_output=True, timeout=60,
    )  # fmt: skip
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def slash(player: Player, arguments: str) -> str:
    """Type `/flaky-memory ARGUMENTS`; what the client would show."""
    import json

    event = {
        "hook_event_name": "UserPromptExpansion", "session_id": "s1", "cwd": str(player.repo),
        "command_name": "flaky-memory:flaky-memory", "command_args": arguments,
    }  # fmt: skip
    answer = json.loads(command(player, data=json.dumps(event).encode()).stdout)
    assert answer["decision"] == "block" and answer["hookSpecificOutput"]["suppressOriginalPrompt"] is True
    return str(answer["reason"])


def status_line(player: Player, session: str = "s1", *own: str) -> str:
    """What the status line shows in a session."""
    payload = STATUS_LINE % (session, player.repo, player.repo)
    done = command(player, "statusline", *own, data=payload.encode())
    assert done.stderr == ""
    return done.stdout


def age(player: Player, seconds: int) -> None:
    """Make all that is stored older, as if time had passed."""
    import json

    path = player.repo / ".git" / "flaky-memory" / "runs.json"
    document = json.loads(path.read_text())
    for test in document["tests"]:
        test["runs"][::3] = [at - seconds for at in test["runs"][::3]]
    path.write_text(json.dumps(document))
