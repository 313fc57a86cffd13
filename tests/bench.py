"""`make bench`: what the program costs, as ratios of medians measured side by side in one run.

Nothing here is judged: the table is for people. Each row's figures are taken in turns, so that a busy
machine slows all of them alike.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

from tests.conftest import ROOT, git, write

PYTHON = ["python3", "-I", "-S"]
MAIN = [*PYTHON, str(ROOT / "flaky_memory" / "__main__.py")]
OUTPUT = "=== short test summary info ===\nFAILED tests/test_a.py::test_x - assert False\n1 failed, 2 passed in 0.02s"
LOADED_WITH_GIT = """
import json, re, subprocess, sys
commands = (["diff", "HEAD"], ["ls-files", "-z", "--others", "--exclude-standard"], ["rev-parse", "HEAD"])
running = [subprocess.Popen(["git", "-C", sys.argv[1], *c], stdout=subprocess.PIPE) for c in commands]
for process in running:
    process.stdout.read()
    process.wait()
"""


def seconds(argv: list[str], data: bytes = b"") -> float:
    start = time.perf_counter()
    subprocess.run(argv, input=data, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def side_by_side(turns: int, **measures: Callable[[int], float]) -> dict[str, float]:
    """The median of each measure, taken in turns."""
    taken: dict[str, list[float]] = {name: [] for name in measures}
    for turn in range(turns):
        for name, measure in measures.items():
            taken[name].append(measure(turn))
    return {name: statistics.median(values) for name, values in taken.items()}


def row(name: str, value: float, unit: float, of: str, bound: str = "") -> None:
    print(f"{name:58} {1000 * value:9.1f} ms {value / unit:7.2f} x {of:28} {bound}", flush=True)


def event(repo: Path, turn: int, **more: Any) -> bytes:
    common = {"session_id": "s", "cwd": str(repo), "tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
    return json.dumps({**common, "tool_use_id": f"toolu_{turn}", **more}).encode()


def before(repo: Path, turn: int) -> bytes:
    return event(repo, turn, hook_event_name="PreToolUse")


def after(repo: Path, turn: int, output: str = OUTPUT) -> bytes:
    return event(repo, turn, hook_event_name="PostToolUseFailure", error="Exit code 1\n" + output)


def gate() -> None:
    def passing(command: str) -> bytes:
        payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/", "tool_input": {"command": command}}
        return json.dumps({**payload, "tool_use_id": "t"}).encode()

    taken = side_by_side(
        30,
        bare=lambda n: seconds([*PYTHON, "-c", "pass"]),
        other=lambda n: seconds(MAIN, passing("ls -la && git status")),
        mention=lambda n: seconds(MAIN, passing("grep -rn pytest . | head; cat tests/test_a.py")),
    )
    row("gate: a command without a hint", taken["other"], taken["bare"], "bare start", "at most 1.25")
    row("gate: a command that mentions a runner", taken["mention"], taken["bare"], "bare start", "at most 1.25")


def hooks(name: str, repo: Path, turns: int = 12) -> None:
    taken = side_by_side(
        turns,
        git=lambda n: seconds([*PYTHON, "-c", LOADED_WITH_GIT, str(repo)]),
        before=lambda n: seconds(MAIN, before(repo, n)),
        after=lambda n: seconds(MAIN, after(repo, n)),
    )
    row(f"{name}: hook before", taken["before"], taken["git"], "loaded start and three gits", "at most 1.3")
    row(f"{name}: hook after", taken["after"], taken["git"], "loaded start and three gits", "at most 1.6")


def repository(base: Path, name: str, files: dict[str, Any]) -> Path:
    top = base / name
    top.mkdir()
    git(top, "init", "-q")
    write(top, files)
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "start")
    return top


def trees(base: Path) -> None:
    hooks("small repository", repository(base, "small", {"a.py": "1\n"}), 20)
    hooks("50,000 files", repository(base, "large", {f"d{n % 500}/f{n}.py": "" for n in range(50_000)}), 8)
    changed = repository(base, "diff", {"big.txt": "old line of text\n" * 1000})
    write(changed, {"big.txt": "".join(f"new line {n:06d} of text that fills it\n" for n in range(100_000))})
    hooks("a diff of nearly 4 MiB", changed, 8)
    untracked = repository(base, "untracked", {"a.py": "1\n"})
    write(untracked, {f"new/f{n}.py": f"value = {n}\n" * 40 for n in range(2000)})
    hooks("2,000 untracked files", untracked, 8)


READ = """
import re, resource, sys, time
sys.path.insert(0, sys.argv[1])
text = open(sys.argv[2], encoding="utf-8", errors="replace").read()
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
if sys.argv[3] == "-":
    pattern = re.compile(r"^(?:FAIL|FAILED|ok|not ok|PASS|test) .*$")
    found = [line for line in text.split("\\n") if pattern.match(line)]
else:
    from flaky_memory import runners
    runners.read(text, sys.argv[3].split(","))
print(time.perf_counter() - start, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) / 1024)
"""


def readers(base: Path) -> None:
    from flaky_memory import runners

    for family in sorted(p.stem for p in (ROOT / "tests" / "captures").glob("*.json")):
        cases = json.loads((ROOT / "tests" / "captures" / f"{family}.json").read_text())
        whole = "\n".join(c["output"] for c in cases).encode("utf-8", "replace")
        path = base / f"{family}.txt"
        path.write_bytes((whole + b"\n") * (10_000_000 // len(whole) + 1))
        rows = ",".join(r for r, e in runners.TABLE.items() if e.prefix == family)
        plain, own = (figures(path, r) for r in ("-", rows))
        row(f"10 MB of {family} ({rows}), {own[1]:.0f} MB more memory", own[0], plain[0], "plain line reader", "1 s, 80 MB")
        path.unlink()


def figures(path: Path, rows: str) -> tuple[float, float]:
    """Seconds and MB of one reading, the faster of two."""
    argv = [sys.executable, "-c", READ, str(ROOT), str(path), rows]
    taken = [subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split() for _ in range(2)]
    best = min(taken, key=lambda t: float(t[0]))
    return float(best[0]), float(best[1])


def stores(base: Path) -> None:
    from flaky_memory.model import Known, Memory, Run, TestId
    from flaky_memory.store import Store

    repo = repository(base, "store", {"a.py": "1\n"})
    now = int(time.time())
    runs = [Run(now - 60 * n, f"{n % 7:016x}", n % 2 == 0, 0) for n in range(50, 0, -1)]
    known = [Known(TestId("pytest", None, f"tests/test_{n % 40}.py::test_{n}"), list(runs), "k b") for n in range(1000)]
    store = Store(str(repo / ".git"))

    def fill(memory: Memory) -> None:
        memory.tests[:] = known

    store.update(fill)
    hooks(f"a store of 1,000 tests of 50 runs ({store.size / 1e6:.1f} MB)", repo, 10)
    many = "\n".join(f"FAILED tests/test_{n % 50}.py::test_{n} - no" for n in range(5000)) + "\n5000 failed in 1s"
    seconds(MAIN, before(repo, 900))
    taken = seconds(MAIN, after(repo, 900, many))
    print(f"{'5,000 failing tests in one output: hook after':58} {1000 * taken:9.1f} ms; store {store.size / 1e6:.1f} MB")


def main() -> int:
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    with tempfile.TemporaryDirectory(prefix="flaky-memory-bench-") as folder:
        base = Path(folder)
        print(f"Python {sys.version.split()[0]}, {git(base, '--version').strip()}; medians, measured in turns")
        gate()
        trees(base)
        stores(base)
        readers(base)
    return 0


if __name__ == "__main__":
    sys.exit(main())
