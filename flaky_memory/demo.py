"""The main job in a throw-away repository: a flaky unittest, run three times through the hooks.

The tests, git and the hooks' own code run for real; only Claude Code is missing, so its events are
made here, in the shapes of version 2.1.332. Everything lies in one temporary folder, removed at the end.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from flaky_memory import git, hook, message, slash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Tuple

COMMAND = "python3 -m unittest"
RUNS = 3
DEADLINE = 60  # seconds for one process
# Its outcome depends on something outside the code, as with a clock, a port or a slow network: here on
# a file beside the repository, so that the demo always shows the same.
_TEST = """\
import pathlib
import unittest

TURN = pathlib.Path(__file__).resolve().parent.parent / "turn"


class SyncTest(unittest.TestCase):
    def test_settles(self):
        turn = int(TURN.read_text()) + 1
        TURN.write_text(str(turn))
        self.assertEqual(turn % 2, 0, "the reply came too late")
"""


def run() -> int:
    """Show the demo; exit status 0 when the note came, 1 when it cannot be shown."""
    found = git.find_git(os.environ)
    if found is None:
        return _cannot(message.NO_GIT)
    try:
        with tempfile.TemporaryDirectory(prefix="flaky-memory-demo-") as folder:
            told = _show(_make(os.path.realpath(folder), found))
    except (OSError, subprocess.SubprocessError) as problem:
        return _cannot(str(problem))
    return slash.OK if told else _cannot(message.NO_NOTE)


def _cannot(why: str) -> int:
    print(message.demo_failed(why), file=sys.stderr)
    return slash.CANNOT


def _make(folder: str, found: str) -> str:
    """A repository with one commit and one test; its top level. Raises OSError or SubprocessError."""
    top = os.path.join(folder, "repository")
    os.mkdir(top)
    for name, text in ((os.path.join(top, "test_sync.py"), _TEST), (os.path.join(folder, "turn"), "0")):
        with open(name, "w", encoding="ascii") as file:
            file.write(text)
    settings = ("user.name=demo", "user.email=demo@example.com", "commit.gpgsign=false", f"core.hooksPath={os.devnull}")
    own = [found, *(part for setting in settings for part in ("-c", setting))]
    for arguments in (["init", "-q", "--template="], ["add", "test_sync.py"], ["commit", "-q", "-m", "A flaky test"]):
        status, output = _process([*own, *arguments], top)
        if status:
            raise OSError(f"git {arguments[0]}: {output.strip()}")
    return top


def _process(argv: List[str], directory: str) -> Tuple[int, str]:
    """The exit status of a process, and its output and errors as one text."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PYTHON"))}
    environ["PYTHONDONTWRITEBYTECODE"] = "1"  # a new file would be a change of the tree
    done = subprocess.run(
        argv, cwd=directory, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=DEADLINE, encoding="utf-8", errors="replace",
    )  # fmt: skip
    return done.returncode, done.stdout


def _show(top: str) -> bool:
    """Run the test RUNS times and print what comes of it; true when the last run gave a note."""
    print(message.demo_intro(top, COMMAND, RUNS))
    answer: Dict[str, Any] = {}
    for number in range(1, RUNS + 1):
        status, answer = _call(top, number)
        print(message.demo_run(COMMAND, status))
    note = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    print(message.demo_notes(note, answer.get("systemMessage", "")))
    print(message.demo_list(slash.answer("status", top, time.time())[1]))
    return bool(note)


def _call(top: str, number: int) -> Tuple[int, Dict[str, Any]]:
    """One Bash call with its hooks: the exit status of the tests, and what the hook answered."""
    event = {
        "session_id": "demo", "cwd": top, "tool_name": "Bash", "tool_input": {"command": COMMAND},
        "tool_use_id": f"demo-{number}",
    }  # fmt: skip
    hook.handle({**event, "hook_event_name": "PreToolUse"}, os.environ, time.time())
    status, output = _process([sys.executable, *COMMAND.split()[1:]], top)
    if status:
        error = f"Exit code {status}\n{output}"
        after = {"hook_event_name": "PostToolUseFailure", "error": error, "is_interrupt": False}
    else:
        response = {"stdout": output, "stderr": "", "interrupted": False}
        after = {"hook_event_name": "PostToolUse", "tool_response": response}
    return status, hook.handle({**event, **after}, os.environ, time.time()) or {}
