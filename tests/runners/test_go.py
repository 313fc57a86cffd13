"""go test: whose results a package line closes, and which lines a test printed itself."""

from __future__ import annotations

import json

import pytest

from flaky_memory.runners import go

P = "example.com/app/p"
OK = f"ok  \t{P}\t0.002s\n"
FAIL = f"FAIL\nFAIL\t{P}\t0.002s\nFAIL\n"
FAKE = "FAIL\texample.com/fake\t0.1s\n"
CUT = "\n... [20012 characters truncated] ...\n\n"


def found(text: str) -> dict[tuple[str, str | None], tuple[int, int]]:
    return {(r.name, r.scope): (r.failed, r.passed) for r in go.read(text).results}


def event(action: str, test: str | None = None, package: str = P, **more: str) -> str:
    named = {"Test": test} if test else {}
    return json.dumps({"Action": action, "Package": package, **named, **more}, separators=(",", ":")) + "\n"


SPEAK = {
    "failures only": ("--- FAIL: TestA (0.00s)\n    a_test.go:3: no\n" + FAIL, {("TestA", P): (1, 0)}),
    "verbose": ("=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n" + OK, {("TestA", P): (0, 1)}),
    "subtest": (
        "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b/c (0.00s)\n" + FAIL,
        {("TestA", P): (1, 0), ("TestA/b/c", P): (1, 0)},
    ),
    "name that looks like a time": (
        "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/took_(0.00s) (0.00s)\n" + FAIL,
        {("TestA", P): (1, 0), ("TestA/took_(0.00s)", P): (1, 0)},
    ),
    "count=2": (2 * "=== RUN   TestA\n--- PASS: TestA (0.00s)\n" + "PASS\n" + OK, {("TestA", P): (0, 2)}),
    "print without a line end": ("=== RUN   TestA\n1 2 3--- PASS: TestA (0.00s)\nPASS\n" + OK, {("TestA", P): (0, 1)}),
    "the same without -v": ("working... --- FAIL: TestA (0.00s)\n" + FAIL, {("TestA", P): (1, 0)}),
    "package line cut off": ("--- FAIL: TestA (0.00s)\n", {("TestA", None): (1, 0)}),
    "behind a cut": (
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\n" + CUT + "--- FAIL: TestB (0.00s)\n" + FAIL,
        {("TestA", None): (0, 1), ("TestB", P): (1, 0)},
    ),
    "no FAIL of the binary in filtered output": (
        f"--- FAIL: TestA (0.00s)\nFAIL\t{P}\t0.1s\n",
        {("TestA", P): (1, 0)},
    ),
    "exit while a test runs": (
        f"=== RUN   TestA\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\nFAIL\t{P}\t0.1s\n"
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.com/q\t0.1s\n",
        {("TestA", P): (1, 0), ("TestA", "example.com/q"): (0, 1)},
    ),
    "events": (
        event("run", "TestA") + event("pass", "TestA") + event("run", "TestB") + event("fail", "TestB") + event("fail"),
        {("TestA", P): (0, 1), ("TestB", P): (1, 0)},
    ),
    "events of two packages interleaved": (
        event("start") + event("start", package="q") + event("run", "TestA") + event("run", "TestA", "q")
        + event("pass", "TestA") + event("fail", "TestA", "q") + event("pass") + event("fail", package="q"),
        {("TestA", P): (0, 1), ("TestA", "q"): (1, 0)},
    ),
    "event missing behind a print without a line end": (
        event("run", "TestA") + event("output", "TestA", Output="1 2--- PASS: TestA (0.00s)\n") + event("pass"),
        {("TestA", P): (0, 1)},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "want"), SPEAK.values(), ids=SPEAK)
def test_names(text: str, want: dict[tuple[str, str | None], tuple[int, int]]) -> None:
    assert found(text) == want


REAL = {("TestA", P): (1, 0)}
PRINTED = {
    "a result, with -v": "=== RUN   TestA\n--- FAIL: TestFake (0.00s)\n--- FAIL: TestA (0.00s)\n" + FAIL,
    "a package, with -v": "=== RUN   TestA\n" + FAKE + "--- FAIL: TestA (0.00s)\n" + FAIL,
    "a result and a package": "--- FAIL: TestFake (0.00s)\n" + FAKE + "--- FAIL: TestA (0.00s)\n" + FAIL,
    "a result, in a log": "--- FAIL: TestA (0.00s)\n    a_test.go:3: --- FAIL: TestFake (0.00s)\n" + FAIL,
    "a result, in the second line of a log": "--- FAIL: TestA (0.00s)\n        --- FAIL: TestFake (0.00s)\n" + FAIL,
    "a package, in a log": "--- FAIL: TestA (0.00s)\n        ok  \texample.com/fake\t0.1s\n" + FAIL,
    "a RUN line, without -v": "=== RUN   TestNever\n--- FAIL: TestA (0.00s)\n" + FAIL,
    "the input that fuzzing found": "--- FAIL: TestA (0.02s)\n    --- FAIL: TestA (0.00s)\n" + FAIL,
    "an event without its run": event("run", "TestA") + event("fail", "Fake") + event("fail", "TestA") + event("fail"),
}


@pytest.mark.parametrize("text", PRINTED.values(), ids=PRINTED)
def test_a_print_names_no_test(text: str) -> None:
    assert found(text) == REAL


SILENT = {
    "skipped": "=== RUN   TestA\n--- SKIP: TestA (0.00s)\nPASS\n" + OK,
    "cached": f"=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \t{P}\t(cached)\n",
    "cached events": event("run", "TestA") + event("pass", "TestA")
    + event("output", Output=f"ok  \t{P}\t(cached)\n") + event("pass"),
    "started only": "=== RUN   TestA\n",
    "text of another runner": "running 3 tests\n--- FAIL: TestFake (0.00s)\n",
    "no result line": "--- FAIL: TestA\n--- FAIL: TestA (0.00s) again\n" + FAIL,
    "broken event": '{"Action":"pass","Test":3,"Package":"p"}\n{"Action":"pass"\n{"Action":"pass","Test":"T"}\n',
}  # fmt: skip


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_names_nothing(text: str) -> None:
    assert found(text) == {}


SUMMARIES = {
    "passed": (OK, "passed"),
    "failed": (FAIL, "failed"),
    "one of two": (OK + FAIL, "failed"),
    "build failed": (f"FAIL\t{P} [build failed]\n", "failed"),
    "tail -1": ("FAIL\n", "failed"),
    "tail behind the failing package": (OK + "FAIL\n", "failed"),
    "no tests to run": (f"ok  \t{P}\t0.002s [no tests to run]\n", "none"),
    "no test files": (f"?   \t{P}\t[no test files]\n", "none"),
    "missing end": (OK + "=== RUN   TestA\n", "none"),
    "printed while a test runs": ("=== RUN   TestA\n" + FAKE + "--- PASS: TestA (0.00s)\nPASS\n" + OK, "passed"),
    "vet only": ("# example.com/app/v\nv/v.go:9:2: bad\n", "none"),
    "events": (event("pass") + event("fail", package="q"), "failed"),
    "events without tests": (event("output", Output=f"ok  \t{P}\t0.1s [no tests to run]\n") + event("pass"), "none"),
}


@pytest.mark.parametrize(("text", "want"), SUMMARIES.values(), ids=SUMMARIES)
def test_summary(text: str, want: str) -> None:
    assert go.read(text).summary == want


def test_cached_packages_did_not_run() -> None:
    report = go.read(f"ok  \t{P}\t(cached)\tcoverage: 50.0% of statements\n?   \tq\t[no test files]\n")
    assert (report.unrun, report.idle, report.summary) == ({P}, True, "passed")


@pytest.mark.parametrize(
    ("text", "idle"),
    [
        ("no packages to test\n", True),
        (f"?   \t{P}\t[no test files]\n", True),
        (f"ok  \tq\t(cached)\nok  \t{P}\t0.1s\n", False),
        (f"ok  \tq\t(cached)\nFAIL\t{P} [build failed]\n", False),
        (event("output", Output=f"ok  \t{P}\t(cached)\n") + event("pass"), True),
    ],
)
def test_idle(text: str, idle: bool) -> None:
    assert go.read(text).idle is idle
