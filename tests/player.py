"""Plays Bash sessions through the literal commands of hooks/hooks.json, as Claude Code starts them."""

from __future__ import annotations

import base64
import fnmatch
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.conftest import GIT_ENV, ROOT, git

LIMIT, HALF = 30_000, 5_000  # characters of an output that the client hands on, and of an error's two ends
_FINDING = re.compile(
    r"flaky-memory: (.+?) failed (\d+) of (\d+) runs in the last 7 days and both passed and failed on the same code"
)


class Fault(AssertionError):
    """A hook did what no hook may do."""


class Player:
    """One Claude Code session in a repository; nothing is run but git and the hooks."""

    def __init__(self, base: Path, environ: dict[str, str] | None = None, times: int = 1) -> None:
        self.base, self.repo, self.times = base, base / "app", times
        self.hooks = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
        self.calls = 0
        self.lines: list[str] = []  # what the person read, over the session
        (base / "home").mkdir(exist_ok=True)
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "CLAUDE"))}
        self.environ = {**keep, "HOME": str(base / "home"), "LC_ALL": "C.UTF-8", **(environ or {})}

    def repository(self, name: str, files: dict[str, Any]) -> Path:
        top = self.base / name
        top.mkdir()
        git(top, "init", "-q", "-b", "main")
        self.write(files, top)
        git(top, "add", "-A")
        git(top, "commit", "-q", "--allow-empty", "-m", "start")
        return top

    def write(self, files: dict[str, Any], root: Path | None = None) -> None:
        for name, content in files.items():
            path = (root or self.repo) / name
            if content is None:
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(base64.b64decode(content["base64"]) if isinstance(content, dict) else content.encode())

    # -- one call

    def bash(self, command: str, output: str = "", exit: int = 0, **step: Any) -> dict[str, str]:
        """Play one call; the tests that the model is told of, with their counts ("2/3")."""
        return told(self.finish(self.start(command, step), output, exit, step))

    def start(self, command: str, step: dict[str, Any]) -> dict[str, Any]:
        self.calls += 1
        common = {
            "session_id": step.get("session", "s1"), "transcript_path": str(self.base / "t.jsonl"),
            "cwd": os.path.normpath(self.repo / step.get("cwd", ".")), "permission_mode": "default",
            "tool_name": step.get("tool", "Bash"), "tool_input": {"command": command, "description": "run"},
            "tool_use_id": f"toolu_{self.calls}",
        }  # fmt: skip
        if self.fire("PreToolUse", common):
            raise Fault("PreToolUse said something")
        self.write(step.get("during", {}))
        return common

    def finish(self, common: dict[str, Any], output: str, exit: int, step: dict[str, Any]) -> list[str]:
        how = step.get("how", "done")
        if how == "interrupted":
            return []
        if how == "background" or exit == 0:
            response = {"stdout": output[:LIMIT], "stderr": "", "interrupted": False, "isImage": False}
            if how == "background":
                response["backgroundTaskId"] = "b1"
            elif len(output) > LIMIT:
                path = self.base / (common["tool_use_id"] + ".txt")
                path.write_text(output)
                response.update(persistedOutputPath=str(path), persistedOutputSize=len(output))
            return self.fire("PostToolUse", {**common, "tool_response": response, "duration_ms": 5})
        error = f"Exit code {exit}\n{output[:LIMIT]}"
        if len(error) > 2 * HALF:
            error = f"{error[:HALF]}\n\n... [{len(error) - 2 * HALF} characters truncated] ...\n\n{error[-HALF:]}"
        return self.fire("PostToolUseFailure", {**common, "error": error, "is_interrupt": False, "duration_ms": 5})

    def fire(self, event: str, payload: dict[str, Any]) -> list[str]:
        """Run every hook that an event starts; what they add for the model."""
        contexts = []
        for argv in list(self.matching(event, payload)) * self.times:
            data = json.dumps({**payload, "hook_event_name": event}, ensure_ascii=False).encode()
            cwd = payload["cwd"] if os.path.isdir(payload["cwd"]) else self.base
            done = subprocess.run(argv, input=data, capture_output=True, cwd=cwd, env=self.environ, timeout=60)
            if done.returncode or done.stderr:
                raise Fault(f"{event} hook exited {done.returncode}: {done.stderr.decode(errors='replace')}")
            if not done.stdout.strip():
                continue
            answer = json.loads(done.stdout)
            self.lines += [answer["systemMessage"]] if "systemMessage" in answer else []
            special = answer.get("hookSpecificOutput", {})
            if special and special["hookEventName"] != event:
                raise Fault(f"{event} hook answered for {special['hookEventName']}")
            contexts += [special["additionalContext"]] if "additionalContext" in special else []
        return contexts

    def matching(self, event: str, payload: dict[str, Any]) -> Any:
        for group in self.hooks.get(event, []):
            if re.fullmatch(group.get("matcher", ".*"), payload["tool_name"]):
                for hook in group["hooks"]:
                    if passes(hook.get("if"), payload["tool_name"], payload["tool_input"]["command"]):
                        yield [w.replace("${CLAUDE_PLUGIN_ROOT}", str(ROOT)) for w in (hook["command"], *hook["args"])]


def passes(condition: str | None, tool: str, command: str) -> bool:
    """An entry's `if`: `Bash(*word*)` is a contains-test over the whole command."""
    match = re.fullmatch(r"(\w+)\((.*)\)", condition or "", re.S)
    return match is None or (match[1] == tool and fnmatch.fnmatchcase(command, match[2]))


def told(contexts: list[str]) -> dict[str, str]:
    found = [_FINDING.match(line) for context in contexts for line in context.splitlines()]
    return {m[1]: f"{m[2]}/{m[3]}" for m in found if m}


# -- recorded sessions


def play(scenario: dict[str, Any], base: Path) -> list[str]:
    """Play a recorded session; what was wrong, a line each."""
    player = Player(base, times=2 if scenario.get("twice") else 1)
    if scenario.get("git", True):
        player.repository("app", scenario.get("files", {}))
    else:
        player.repo.mkdir()
        player.write(scenario.get("files", {}))
    for name, files in scenario.get("other_repos", {}).items():
        player.repository(name, files)
    wrong = []
    for number, step in enumerate(scenario["steps"]):
        player.write(step.get("write", {}))
        for args in step.get("git", []):
            subprocess.run(["git", *args], cwd=player.repo, env=GIT_ENV, check=True, capture_output=True)
        together = step.get("parallel", [step] if "bash" in step else [])
        begun = [(call, player.start(call["bash"], call)) for call in together]
        for call, common in reversed(begun):
            before = len(player.lines)
            contexts = player.finish(common, call.get("output", ""), call.get("exit", 0), call)
            found = [*judge(call, contexts), *judge_person(call, player.lines[before:])]
            wrong += [f"step {number} $ {call['bash']}: {w}" for w in found]
    return wrong


def judge(call: dict[str, Any], contexts: list[str]) -> list[str]:
    """How the notes differ from the ones that are due; a test may be given as "a|b" and "a #2/3"."""
    got, text = told(contexts), "\n".join(contexts)
    wrong = [f"no text like {p}" for p in call.get("says", []) if not re.search(p, text)]
    wrong += [f"text like {p}" for p in call.get("never", []) if re.search(p, text)]
    if "notes" not in call:
        return wrong
    known = set()
    for due in call["notes"]:
        ids, _, counts = due.partition(" #")
        hit = [i for i in ids.split("|") if i in got]
        known.update(hit)
        if not hit or (counts and got[hit[0]] != counts):
            wrong.append(f"due {due}, told {got}")
    return wrong + [f"wrongly told of {t}" for t in got if t not in known]


def judge_person(call: dict[str, Any], lines: list[str]) -> list[str]:
    """How what the person reads differs from the patterns in "person"; an empty list means nothing at all."""
    due, text = call.get("person"), "\n".join(lines)
    if due == [] and text:
        return [f"the person reads {text}"]
    return [f"the person reads no text like {p}" for p in due or [] if not re.search(p, text)]
