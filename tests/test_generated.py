"""Random sessions with a known truth: edits, settings and commands as agents use them, against the hooks.

Every test of the imagined project either has an outcome that follows from the code and the settings, or is
flaky. A note on a test of the first kind is wrong, whatever the agent does.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from flaky_memory import hook
from tests.conftest import git, write
from tests.player import told

SESSIONS, STEPS = 25, 16
FLAKY = {"tests/test_b.py::test_flip", "tests/test_a.py::test_flop"}


class World:
    """The code, the settings beside it, and how each test ends on them."""

    def __init__(self, repo: Path, chance: random.Random) -> None:
        self.repo, self.chance = repo, chance
        self.state: dict[str, Any] = {"app.py": 0, "tests/helper.py": None, ".env": None}
        for name in self.state:
            self.put(name, self.state[name])

    def put(self, name: str, value: Any) -> None:
        self.state[name] = value
        if value is None:
            (self.repo / name).unlink(missing_ok=True)
        else:
            write(self.repo, {name: f"value = {value}\n"})

    def outcome(self, test: str, mode: str) -> bool:
        state = self.state
        if test in FLAKY:
            return self.chance.random() < 0.5
        return {
            "tests/test_a.py::test_code": state["app.py"] != 1, "tests/test_a.py::test_helper": state["tests/helper.py"] != 1,
            "tests/test_b.py::test_env": state[".env"] is None, "tests/test_b.py::test_mode": mode != "fast",
            "tests/test_a.py::test_good": True, "tests/test_b.py::test_bad": False,
        }[test]  # fmt: skip


TESTS = (
    "tests/test_a.py::test_code", "tests/test_a.py::test_flop", "tests/test_a.py::test_good", "tests/test_a.py::test_helper",
    "tests/test_b.py::test_bad", "tests/test_b.py::test_env", "tests/test_b.py::test_flip", "tests/test_b.py::test_mode",
)  # fmt: skip


def run_pytest(world: World, args: list[str], mode: str) -> tuple[str, int]:
    """What pytest would print for these arguments, and its exit status."""
    places = [a for a in args if a.startswith("tests")]
    chosen = [t for t in TESTS if not places or any(t == p or t.startswith(p + "::") for p in places)]
    total = len(chosen)
    if "-k" in args:
        chosen = [t for t in chosen if args[args.index("-k") + 1] in t]
    results = {t: world.outcome(t, mode) for t in chosen}
    failed = [t for t, ok in results.items() if not ok]
    lines = [f"{t} {'PASSED' if ok else 'FAILED'} [ 50%]" for t, ok in results.items()] if "-v" in args else ["..F [100%]"]
    if failed:
        lines += ["=========================== short test summary info ============================"]
        lines += [f"FAILED {t} - assert False" for t in failed]
    counts = [f"{n} {w}" for n, w in ((len(failed), "failed"), (total - len(failed) - (total - len(chosen)), "passed"), (total - len(chosen), "deselected")) if n]
    text = ", ".join(counts) or "no tests ran"
    lines.append(f"===== {text} in 0.02s =====" if "-v" in args else f"{text} in 0.02s")
    return "\n".join(lines), (1 if failed else 0) if chosen else 5


def command(world: World) -> tuple[str, str, int]:
    """One command that an agent might type: its text, its output, its exit status."""
    pick = world.chance.choice
    args = pick([["-q"], ["-v"], ["-q", "tests/test_a.py"], ["-q", "tests/test_b.py"], ["-v", "-k", "flip"], ["-q", "-k", "code"], ["-q", pick(TESTS)]])
    prefix = pick(["", "", "", "MODE=fast ", "CI=1 "])
    mode = "fast" if "MODE" in prefix else ""
    text = f"{prefix}pytest {' '.join(args)}"
    output, code = run_pytest(world, args, mode)
    shape = pick(["plain", "plain", "plain", "tail", "true", "echo", "grep", "quiet", "and", "stash", "sabotage", "loop"])
    return SHAPES[shape](world, text, output, code, args, mode)


def stash(world: World, text: str, args: list[str], mode: str) -> tuple[str, str, int]:
    kept, world.state["app.py"] = world.state["app.py"], 0
    output, _ = run_pytest(world, args, mode)
    world.state["app.py"] = kept
    return f"git stash -q; {text}; git stash pop -q", output, 0


def sabotage(world: World, text: str, args: list[str], mode: str) -> tuple[str, str, int]:
    kept, world.state["app.py"] = world.state["app.py"], 1
    output, _ = run_pytest(world, args, mode)
    world.state["app.py"] = kept
    return f"cp app.py /tmp/a; echo 'value = 1' > app.py; {text}; cp /tmp/a app.py", output, 0


def loop(world: World, text: str, args: list[str], mode: str) -> tuple[str, str, int]:
    turns = [run_pytest(world, args, mode) for _ in range(3)]
    return f"for i in 1 2 3; do {text}; done", "\n".join(t[0] for t in turns), turns[-1][1]


SHAPES: dict[str, Any] = {
    "plain": lambda w, t, o, c, a, m: (t, o, c),
    "tail": lambda w, t, o, c, a, m: (f"{t} 2>&1 | tail -1", o.splitlines()[-1], 0),
    "true": lambda w, t, o, c, a, m: (f"{t} || true", o, 0),
    "echo": lambda w, t, o, c, a, m: (f"{t}; echo exit=$?", f"{o}\nexit={c}", 0),
    "grep": lambda w, t, o, c, a, m: (f"{t} | grep -c failed", str(o.count("failed")), 0 if "failed" in o else 1),
    "quiet": lambda w, t, o, c, a, m: (f"{t} > /dev/null 2>&1; true", "", 0),
    "and": lambda w, t, o, c, a, m: (f"{t} > /dev/null && echo ok", "ok" if c == 0 else "", c),
    "stash": lambda w, t, o, c, a, m: stash(w, t, a, m),
    "sabotage": lambda w, t, o, c, a, m: sabotage(w, t, a, m),
    "loop": lambda w, t, o, c, a, m: loop(w, t, a, m),
}


def change(world: World) -> None:
    name = world.chance.choice(list(world.state))
    world.put(name, world.chance.choice([0, 1, 2] if name == "app.py" else [None, 0, 1]))


def play(world: World, environ: dict[str, str], number: int) -> dict[str, str]:
    """One command through the hooks; what the model is told."""
    common = {"session_id": "s", "cwd": str(world.repo), "tool_name": "Bash", "tool_use_id": f"t{number}"}
    if world.chance.random() < 0.4:
        change(world)
    text, output, code = command(world)
    common["tool_input"] = {"command": text}
    now = 1_800_000_000.0 + 60 * number
    assert hook.handle({**common, "hook_event_name": "PreToolUse"}, environ, now) is None
    if code:
        event = {"hook_event_name": "PostToolUseFailure", "error": f"Exit code {code}\n{output}"}
    else:
        event = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": output, "stderr": "", "interrupted": False}}
    answer = hook.handle({**common, **event}, environ, now) or {}
    context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    return told([context])


def session(seed: int, repo: Path) -> int:
    """Play one session; how many notes were given. Fails on a wrong one."""
    world = World(repo, random.Random(seed))
    git(repo, "add", "app.py")
    git(repo, "commit", "-q", "-m", "app")
    notes = 0
    for number in range(STEPS):
        for test in play(world, dict(os.environ), number):
            assert test.removeprefix("pytest:") in FLAKY, f"step {number}"
            notes += 1
    return notes


@pytest.mark.parametrize("seed", range(SESSIONS))
def test_no_note_is_wrong(seed: int, repo: Path) -> None:
    session(seed, repo)


def test_flaky_tests_are_told(repo: Path) -> None:
    """Silence is never wrong: some session must speak."""
    assert session(9, repo) > 0
