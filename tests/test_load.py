"""Many writers at once, writers that are killed, and many tests: nothing lost, nothing doubled, no delay.

Each test prints its figure; `pytest -s tests/test_load.py` shows them all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from flaky_memory.repository import find_repository
from flaky_memory.store import Store
from tests.conftest import ROOT, git
from tests.player import Player

WRITERS, RUNS = 8, 500
START = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
from flaky_memory import history, record
from flaky_memory.model import TestId
from flaky_memory.repository import find_repository
from flaky_memory.store import Store
store = Store(find_repository(sys.argv[2]).common)
now = int(time.time())
def run(writer, number):
    # 50 runs are kept of a test, so each writer has ten tests; the time tells the runs of one apart.
    test = TestId("go", "p", "Test%d_%d" % (writer, number // 50))
    seen = history.Observation(now - 1000 + number, "a" * 16, (), (history.Named(test, 1, 0),))
    record.add(store, seen)
"""


def python(script: str, *arguments: Any, **more: Any) -> subprocess.Popen[bytes]:
    """Start a script in a new process, as the hooks are."""
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", script, str(ROOT), *map(str, arguments)], **more)


@pytest.fixture
def figure(capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """Prints what a test measured."""
    told: list[str] = []
    yield told.append
    with capsys.disabled():
        print("\n  " + "\n  ".join(told))


def runs_of(store: Store) -> Counter[tuple[str, int]]:
    return Counter((test.id.name, run.time) for test in store.load().tests for run in test.runs)


def stored(top: Path) -> Store:
    found = find_repository(str(top))
    assert found is not None
    return Store(found.common)


# -- writers at once

WRITE = START + """
writer = int(sys.argv[3])
for number in range(int(sys.argv[4])):
    run(writer, number)
"""
READ = START + """
most = reads = 0
while os.path.exists(sys.argv[3]):
    count = sum(len(t.runs) for t in store.load().tests)  # raises Unusable unless it sees a whole file
    assert count >= most, (count, most)
    most, reads = count, reads + 1
    time.sleep(0.005)  # the readers are to watch the writers, not to take their processors
print(reads, most)
"""


def test_eight_writers_in_two_worktrees_lose_and_double_nothing(repo: Path, tmp_path: Path, figure: Any) -> None:
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "writing").touch()
    readers = [python(READ, top, tmp_path / "writing", stdout=subprocess.PIPE) for top in (repo, tmp_path / "linked")]
    begun = time.monotonic()
    writers = [python(WRITE, (repo, tmp_path / "linked")[n % 2], n, RUNS) for n in range(WRITERS)]
    assert [w.wait(120) for w in writers] == [0] * WRITERS
    took = time.monotonic() - begun
    (tmp_path / "writing").unlink()
    reads = [int(r.communicate(timeout=20)[0].split()[0]) for r in readers]
    assert [r.returncode for r in readers] == [0, 0]
    found = runs_of(stored(repo))
    figure(f"{WRITERS} processes wrote {len(found)} runs in {took:.1f} s, {1000 * took / len(found):.1f} ms each; "
           f"{sum(reads)} reads meanwhile saw whole files")  # fmt: skip
    assert len(found) == WRITERS * RUNS
    assert set(found.values()) == {1}
    assert min(reads) > 10


# -- writers that are killed

MOMENTS = 200
KILL = START + """
import random, signal
from flaky_memory.lock import Lock
random.seed(int(sys.argv[3]))
acknowledged = failed = 0
leftovers = set()
for moment in range(int(sys.argv[4])):
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        number = acknowledged
        while True:
            run(number % 7, number // 7)
            os.write(writer, b".")
            number += 1
    os.close(writer)
    os.read(reader, 1)  # the writer is at work
    acknowledged += 1
    time.sleep(random.random() * 0.006)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while os.read(reader, 1):
        acknowledged += 1
    os.close(reader)
    with Lock(os.path.join(store.folder, "lock"), 0):  # raises Busy where a lock stayed
        pass
    leftovers.update(n for n in os.listdir(store.folder) if n not in ("lock", "runs.json"))
    count = sum(len(t.runs) for t in store.load().tests)
    assert count in (acknowledged, acknowledged + 1), (moment, count, acknowledged)
    acknowledged = count  # the last one was written but not yet said
print(acknowledged, len(leftovers))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="starts its writers by fork")
def test_a_killed_writer_takes_nothing_with_it(repo: Path, figure: Any) -> None:
    seed = int(time.time())
    with python(KILL, repo, seed, MOMENTS, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out, problem = process.communicate(timeout=120)
    assert process.returncode == 0, f"seed {seed}: {problem.decode()}"
    runs, leftovers = map(int, out.split())
    figure(f"{MOMENTS} writers killed: {runs} runs acknowledged, all kept; {leftovers} left a file behind, none of it stayed")
    store = stored(repo)
    store.update(lambda memory: None)
    assert sorted(os.listdir(store.folder)) == ["lock", "runs.json"]


# -- hooks at once


def test_hooks_that_end_together_record_each_run_once(repo: Path, tmp_path: Path, figure: Any) -> None:
    """Sessions in two worktrees, each event delivered twice."""
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    sessions, calls = 4, 4

    def session(number: int) -> None:
        player = Player(tmp_path, times=2)
        player.calls = 1000 * number
        for call in range(calls):
            name, failed = f"TestS{number}", call % 2 == 0
            output = f"--- {'FAIL' if failed else 'PASS'}: {name} (0.00s)\n" + ("FAIL\nFAIL\tx/y\t0.1s\nFAIL" if failed else "PASS\nok  \tx/y\t0.1s")
            player.bash("go test -v ./...", output, int(failed), cwd=("../app", "../linked")[number % 2], session=f"s{number}")

    begun = time.monotonic()
    with ThreadPoolExecutor(sessions) as pool:
        list(pool.map(session, range(sessions)))
    took = time.monotonic() - begun
    memory = stored(repo).load()
    found = {t.id.name: [r.passed for r in t.runs if r.source == 0] for t in memory.tests}
    figure(f"{sessions} sessions of {calls} calls, each event delivered twice, in {took:.1f} s: each run once")
    assert found == {f"TestS{n}": [False, True, False, True] for n in range(sessions)}
    assert Counter(d[1] for d in stored(repo).decisions()) == {"recorded": sessions * calls}
    assert os.listdir(os.path.join(stored(repo).folder, "pending")) == []


def test_one_event_that_is_delivered_to_many_at_once_is_recorded_once(repo: Path, tmp_path: Path, figure: Any) -> None:
    player, deliveries = Player(tmp_path), 6
    event = player.start("go test ./...", {})
    event = {**event, "hook_event_name": "PostToolUseFailure", "error": "Exit code 1\n--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/y\t0.1s\nFAIL"}
    argv = next(iter(player.matching("PostToolUseFailure", event)))
    hooks = [subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=player.environ) for _ in range(deliveries)]
    for hook in hooks:
        assert hook.stdin is not None
        hook.stdin.write(json.dumps(event).encode())
    for hook in hooks:  # each reads to the end of stdin, so all of them go on together
        assert hook.stdin is not None
        hook.stdin.close()
    assert [h.wait(20) for h in hooks] == [0] * deliveries
    figure(f"{deliveries} deliveries of one event at once: {sum(runs_of(stored(repo)).values())} run")
    assert list(runs_of(stored(repo)).values()) == [1]
    assert [d[1] for d in stored(repo).decisions()] == ["recorded"]


# -- many tests


def pytest_output(names: list[str], failed: bool) -> str:
    if not failed:
        return f"{len(names)} passed in 1.00s\n"
    head = "=========================== short test summary info ============================"
    return "\n".join(["F" * 72, head, *(f"FAILED {n} - assert False" for n in names), f"{len(names)} failed in 1.00s", ""])


@pytest.mark.parametrize("long", [False, True], ids=["", "long names"])
def test_5000_failing_tests_are_ten_notes_and_a_count(long: bool, repo: Path, tmp_path: Path, figure: Any) -> None:
    player = Player(tmp_path)
    names = [f"tests/test_many.py::test_{n:04d}" + "x" * (10_000 if long and n < 1_000 else 0) for n in range(5_000)]
    slowest, notes = 0.0, ""
    for turn in range(4):
        event = player.start("pytest -q || true", {})
        begun = time.monotonic()
        notes = "\n".join(player.finish(event, pytest_output(names, turn != 1), 0, {}))
        slowest = max(slowest, time.monotonic() - begun)
    store = stored(repo)
    figure(f"5,000 failing tests{' with long names' if long else ''}: {len(notes.splitlines())} lines, "
           f"{store.size / 1e6:.2f} MB, {slowest:.2f} s for the slowest command")  # fmt: skip
    assert [d[1] for d in store.decisions()] == ["recorded"] * 4
    lines = notes.splitlines()
    assert sum("failed 3 of 4 runs" in line for line in lines) == 10
    assert lines[10] == "flaky-memory: 4990 more failing tests both passed and failed on the same code."
    assert len(lines) == 12
    assert max(map(len, lines)) < 400
    assert store.size < 3_000_000
    assert slowest < 2.0  # 0.5 s where nothing else runs: see bench.py
