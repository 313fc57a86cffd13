"""`make bench`: what the hooks and the readers cost, as ratios that are measured side by side in one run.

Each round measures every row once, in turn, so that a busy machine slows all of them alike; the table
shows medians. Exits 1 when a limit is not held. `python -m tests.bench --rounds 5` is quicker.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from flaky_memory import git as commands
from flaky_memory.model import Known, Run, TestId
from flaky_memory.runners import TABLE
from flaky_memory.store import Store
from tests.conftest import GIT_ENV, ROOT, git, write

PYTHON = [os.path.realpath(sys.executable), "-I", "-S"]
HOOK = [*PYTHON, str(ROOT / "flaky_memory" / "__main__.py")]
GITS = (commands._DIFF, commands._UNTRACKED, ("rev-parse", "--verify", "-q", "HEAD"))
MEGABYTES = 10


class Row(NamedTuple):
    """Seconds `spent`, and what they are set `against`; `limit` of their ratio, or of the seconds where
    `unit` is "s". `over` is True when something else than the time is over its limit."""

    name: str
    spent: float
    against: float
    limit: float | None = None
    unit: str = "x"
    note: str = ""
    over: bool = False


# -- measuring


class Clock:
    """Runs labelled actions in turn, round after round; `[label]` is the median of one, in seconds."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.actions: list[tuple[str, Callable[[int], Any]]] = []
        self.times: dict[str, list[float]] = {}

    def add(self, label: str, action: Callable[[int], Any]) -> None:
        self.actions.append((label, action))

    def run(self) -> None:
        for number in range(self.rounds):
            for label, action in self.actions:
                begun = time.perf_counter()
                action(number)
                self.times.setdefault(label, []).append(time.perf_counter() - begun)
        self.actions = []

    def __getitem__(self, label: str) -> float:
        return statistics.median(self.times[label])


def start(argv: list[str], data: bytes = b"") -> None:
    done = subprocess.run(argv, input=data, capture_output=True, env=GIT_ENV)
    if done.returncode or done.stderr:
        raise SystemExit(f"{argv} exited {done.returncode}: {done.stderr.decode(errors='replace')}")


def three_gits(top: Path) -> None:
    argvs = [["git", "-C", str(top), *words] for words in GITS]
    running = [subprocess.Popen(a, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=GIT_ENV) for a in argvs]
    for process in running:
        process.communicate()


# -- hooks


def event(top: Path, number: int, command: str, **more: Any) -> bytes:
    common = {"session_id": "bench", "transcript_path": "/home/dev/.claude/projects/-src-app/x.jsonl", "cwd": str(top)}
    call = {"tool_name": "Bash", "tool_use_id": f"toolu_{number}", "tool_input": {"command": command, "description": "Run it"}}
    return json.dumps({**common, **call, **more}).encode()


def failing(names: list[str]) -> str:
    head = "=========================== short test summary info ============================"
    return "\n".join(["F.. [100%]", head, *(f"FAILED {n} - assert 1 == 2" for n in names), f"{len(names)} failed, 2 passed in 0.02s"])


def add_hooks(clock: Clock, label: str, top: Path) -> None:
    """The hooks before and after a failing test command, and the git commands that both run."""
    error = "Exit code 1\n" + failing(["tests/test_a.py::test_x"])
    clock.add(f"{label} gits", lambda n: three_gits(top))
    clock.add(f"{label} before", lambda n: start(HOOK, event(top, n, "pytest -q", hook_event_name="PreToolUse")))
    clock.add(f"{label} after", lambda n: start(HOOK, event(top, n, "pytest -q", hook_event_name="PostToolUseFailure", error=error)))


def hook_rows(clock: Clock, label: str, *limits: float) -> Iterator[Row]:
    against = clock["loaded"] + clock[f"{label} gits"]
    for when, limit in zip(("before", "after"), limits or (None, None)):
        yield Row(f"{when} a test command, {label}", clock[f"{label} {when}"], against, limit)


def sources(count: int) -> dict[str, str | bytes]:
    return {f"src{n % 200}/a{n}.py": f"a = {n}\n" for n in range(count)}


def repository(base: Path, name: str, files: dict[str, str | bytes]) -> Path:
    """A repository with one changed file."""
    top = base / name
    write(top, files)
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "start")
    write(top, {"src0/a0.py": "a = 2\n"})
    return top


def repositories(base: Path) -> dict[str, Path]:
    names = {"small repository": 50, "50,000 files": 50_000, "2,000 untracked files": 50, "4 MiB diff": 50}
    found = {name: repository(base, name, {**sources(count), "big.py": ""}) for name, count in names.items()}
    write(found["2,000 untracked files"], {f"src{n % 50}/new{n}.py": f"b = {n}\n" for n in range(2_000)})
    big = "".join(f"a{n} = {n}  # {'x' * 60}\n" for n in range(60_000))
    write(found["4 MiB diff"], {"big.py": big[: commands.LARGEST_DIFF - 100_000]})
    return found


def hooks(clock: Clock, base: Path) -> Iterator[Row]:
    found = repositories(base)
    passing_by = event(base, 0, "grep -rn pytest .", hook_event_name="PreToolUse")
    clock.add("bare", lambda n: start([*PYTHON, "-c", "pass"], passing_by))
    clock.add("gate", lambda n: start(HOOK, passing_by))
    clock.add("loaded", lambda n: start([*PYTHON, "-c", "import json, re, subprocess"], passing_by))
    for label, top in found.items():
        add_hooks(clock, label, top)
    clock.run()
    for label, top in found.items():
        decided = {d[1] for d in Store(str(top / ".git")).decisions()}
        if decided != {"recorded"}:
            raise SystemExit(f"{label}: {decided}")
    yield Row("loaded start: import json, re, subprocess", clock["loaded"], clock["bare"])
    yield Row("gate: a command that runs no tests", clock["gate"], clock["bare"], 1.25)
    yield from hook_rows(clock, "small repository", 1.3, 1.6)
    for label in ("50,000 files", "2,000 untracked files", "4 MiB diff"):
        yield from hook_rows(clock, label)
    alone = clock["loaded"] + clock["4 MiB diff gits"]
    yield Row("before, 4 MiB diff: beyond git's own time", clock["4 MiB diff before"] - alone, alone, 0.15, "s")


# -- stores


def fill(top: Path, tests: int, runs: int) -> Store:
    store, now = Store(str(top / ".git")), int(time.time())

    def change(memory: Any) -> None:
        for n in range(tests):
            made = [Run(now - 9000 + i, f"{i // 2:016x}", bool((i + n) % 3), 0) for i in range(runs)]
            test = TestId("pytest", None, f"tests/test_{n % 40}.py::test_{n}")
            memory.tests.append(Known(test, made, "0123456789abcdef fedcba9876543210"))

    store.update(change)
    return store


def stores(clock: Clock, base: Path) -> Iterator[Row]:
    top, many = repository(base, "store", sources(50)), repository(base, "many", sources(50))
    full, crowd = fill(top, 1_000, 50), fill(many, 5_000, 10)
    document = json.loads(Path(full.path).read_bytes())
    write(base, {"output.txt": failing([f"tests/test_{n % 40}.py::test_{n}" for n in range(5_000)])})
    ended = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "", "persistedOutputPath": str(base / "output.txt")}}
    add_hooks(clock, "1,000 tests of 50 runs", top)
    clock.add("store", lambda n: full.update(lambda memory: None))
    clock.add("json", lambda n: json.loads(json.dumps(document)))
    clock.add("many before", lambda n: start(HOOK, event(many, n, "pytest -q || true", hook_event_name="PreToolUse")))
    clock.add("many after", lambda n: start(HOOK, event(many, n, "pytest -q || true", **ended)))
    clock.run()
    yield from hook_rows(clock, "1,000 tests of 50 runs")
    yield Row("store of 1,000 tests of 50 runs, against json alone", clock["store"], clock["json"])
    note, over = f"store {crowd.size / 1e6:.1f} MB", crowd.size > 3e6
    yield Row("after 5,000 failing tests", clock["many after"], clock["loaded"], 0.5, "s", note, over)


# -- readers

READ = """
import sys, time
sys.path.insert(0, sys.argv[1])
from flaky_memory import causes, record, runners
from flaky_memory.model import TestId
text = record._read_ends(sys.argv[2])
begun = time.perf_counter()
if sys.argv[3] == "plain":
    import re
    pattern = re.compile(r"^\\s*(?:FAIL|PASS|ok|not ok|---|\\d+ tests?|.*(?:passed|failed))")
    found = 0
    for line in text.split("\\n"):
        found += bool(pattern.search(line))
else:
    text = runners.without_escapes(text)
    reports = runners.read(text, [sys.argv[3]])
    tests = [TestId(r.runner, t.scope, t.name) for r in reports for t in r.results if t.failed]
    causes.common(text, tests)
took = time.perf_counter() - begun
try:
    with open("/proc/self/status") as file:  # on Linux ru_maxrss counts the process that started this one, too
        most = next(1024 * int(line.split()[1]) for line in file if line.startswith("VmHWM"))
except OSError:
    try:
        import resource
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    except ImportError:
        most = 0
print(took, most)
"""


def outputs(base: Path) -> Iterator[tuple[str, Path]]:
    """10 MB of the output of each row of runners.TABLE: its captures, over and over."""
    folder = ROOT / "tests" / "captures"
    captures = [c for path in sorted(folder.glob("*.json")) for c in json.loads(path.read_text(encoding="utf-8"))]
    for row, entry in TABLE.items():
        own = [c for c in captures if c["runner"] == entry.prefix]
        texts = [c["output"] for c in own if row in c["tool"].lower()] or [c["output"] for c in own]
        whole = "\n".join([*texts, ""]).encode("utf-8", "replace")
        path = base / f"{row}.txt"
        path.write_bytes(whole * (MEGABYTES * 1_000_000 // len(whole) + 1))
        yield row, path
        path.unlink()


def read(path: Path, how: str) -> tuple[float, float]:
    """(seconds, MB of memory at most) of reading an output in a process of its own."""
    done = subprocess.run([*PYTHON, "-c", READ, str(ROOT), str(path), how], capture_output=True, check=True, text=True)
    took, most = done.stdout.split()
    return float(took), int(most) / 1e6


def readers(rounds: int, base: Path) -> Iterator[Row]:
    for row, path in outputs(base):
        measured = [(read(path, "plain"), read(path, row)) for _ in range(rounds)]
        plain, spent = (statistics.median(pair[side][0] for pair in measured) for side in (0, 1))
        most = max(own[1] for _, own in measured)
        yield Row(f"{MEGABYTES} MB of {row}, against a plain reader", spent, plain, 1.0, "s", f"{most:.0f} MB of 80", most > 80)


# -- the table


def show(rows: Iterator[Row]) -> bool:
    """Print rows as they come; True when all limits are held."""
    held = True
    for row in rows:
        ratio = row.spent / row.against
        over = row.over or (row.limit is not None and (row.spent if row.unit == "s" else ratio) > row.limit)
        held = held and not over
        limit = f"{row.limit:g} {row.unit}" if row.limit is not None else ""
        verdict = "OVER" if over else "ok" if limit else ""
        times = f"{1000 * row.spent:9.1f} ms {1000 * row.against:9.1f} ms {ratio:7.2f} x"
        print(f"{row.name:<52} {times} {limit:>7} {verdict:<5}{row.note}".rstrip(), flush=True)
    return held


def main() -> int:
    parser = argparse.ArgumentParser(description="What the hooks and the readers cost.")
    parser.add_argument("--rounds", type=int, default=15, help="how often each row is measured (default: 15)")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="flaky-memory-bench-") as folder:
        base, clock = Path(folder), Clock(rounds)
        print(f"Python {sys.version.split()[0]}, {git(base, '--version').strip()}; medians of {rounds} rounds\n")
        print(f"{'':<52} {'spent':>12} {'against':>12} {'ratio':>9} {'limit':>7}")
        held = [show(hooks(clock, base)), show(stores(clock, base)), show(readers(max(3, rounds // 5), base))]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
