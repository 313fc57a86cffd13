"""The filters of hooks.json in the client itself: which commands start the hooks, and how often."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.e2e.driver import Client
from tests.test_hooks_json import AROUND, RUN_NONE, RUN_TESTS

# Stands in place of the program: notes the command that it was started for.
_RECORD = (
    "import json, sys; command = json.load(sys.stdin)['tool_input']['command']; "
    "open(sys.argv[1], 'a').write(json.dumps(command) + '\\n')"
)
_DENY = {
    "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not run in this test",
}  # fmt: skip


def recorder(folder: Path, log: Path) -> Path:
    """A plugin with the filters of hooks.json that records what passes them and lets nothing run."""
    groups: list[dict[str, Any]] = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]["PreToolUse"]
    for group in groups:
        for hook in group["hooks"]:
            hook["args"] = ["-I", "-S", "-c", _RECORD, str(log)]
    deny = ["-I", "-S", "-c", f"print({json.dumps(json.dumps({'hookSpecificOutput': _DENY}))})"]
    groups.append({"matcher": "Bash", "hooks": [{"type": "command", "command": "python3", "args": deny, "timeout": 15}]})
    for name, content in (
        (".claude-plugin/plugin.json", {"name": "recorder", "version": "0.1.0"}),
        ("hooks/hooks.json", {"hooks": {"PreToolUse": groups}}),
    ):
        path = folder / name
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content))
    return folder


def test_client_starts_the_hooks_for_tests_only(client: Client, go_repo: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    commands = [*RUN_TESTS, *(around.format("npx jest") for around in AROUND), *RUN_NONE]
    session = client.session(go_repo, *commands, plugin=recorder(tmp_path / "recorder", log))
    assert [r.text for r in session.results if "not run in this test" not in r.text] == [], session
    started = Counter(json.loads(line) for line in log.read_text().splitlines())
    missed = [c for c in commands if c not in RUN_NONE and not started[c]]
    assert (missed, [c for c in RUN_NONE if started[c]]) == ([], [])
    assert max(started[c] for c in RUN_TESTS) <= 2
