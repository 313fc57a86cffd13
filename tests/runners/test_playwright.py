"""Playwright: marks in the light of the closing lists, steps, retries, projects and tags."""

from __future__ import annotations

import pytest

from flaky_memory.runners import playwright


def found(text):
    return {(r.scope, r.name): (r.failed, r.passed) for r in playwright.read(text).results}


RUN = """\

Running 5 tests using 1 worker

  \u2713  9 tests/a.spec.ts:1:1 \u203a printed (1ms)
  \u2713  1 tests/a.spec.ts:3:3 \u203a calc \u203a adds (7ms)
  \u2718  2 tests/a.spec.ts:7:3 \u203a calc \u203a has a known bug (9ms)
  \u2718  3 tests/a.spec.ts:9:5 \u203a calc \u203a goes step by step (10ms)
  -  4 tests/a.spec.ts:5:8 \u203a calc \u203a skipped
  \u2713  5 tests/b.spec.ts:3:1 \u203a holds @smoke @slow (1.2s)


  1) tests/a.spec.ts:9:5 \u203a calc \u203a goes step by step \u203a caps \u2500\u2500\u2500\u2500

    Error: x
      at /app/tests/a.spec.ts:9:5

  1 failed
    tests/a.spec.ts:9:5 \u203a calc \u203a goes step by step \u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500
  1 skipped
  3 passed (721ms)
"""
WHOLE = {("tests/a.spec.ts", "calc > adds"): (0, 1), ("tests/a.spec.ts", "calc > has a known bug"): (0, 1),
         ("tests/a.spec.ts", "calc > goes step by step"): (1, 0), ("tests/b.spec.ts", "holds"): (0, 1),
         ("tests/a.spec.ts", "printed"): (0, 1)}
RETRIES = """\
Running 1 test using 1 worker

  \u2718  1 [chromium] \u203a q.spec.ts:3:3 \u203a settles (9ms)
  \u2713  2 [chromium] \u203a q.spec.ts:3:3 \u203a settles (retry #1) (7ms)

  1) [chromium] \u203a q.spec.ts:3:3 \u203a settles \u2500\u2500\u2500

    Error: x

  1 flaky
    [chromium] \u203a q.spec.ts:3:3 \u203a settles \u2500\u2500\u2500
"""

SPEAKS = [
    ("list, blocks and closing list are one run", RUN, WHOLE),
    ("two runs add up", RUN + RUN, {key: (f * 2, p * 2) for key, (f, p) in WHOLE.items()}),
    ("each attempt is a run, a project another test", RETRIES, {("[chromium]/q.spec.ts", "settles"): (1, 1)}),
    ("dot: attempts of the block", "Running 1 test using 1 worker\nF\n\n  1) q.spec.ts:3:3 \u203a bad \u2500\u2500\n\n    Error: x\n\n"
     "    Retry #1 \u2500\u2500\u2500\n\n    Error: x\n\n  1 failed\n    q.spec.ts:3:3 \u203a bad \u2500\u2500\n", {("q.spec.ts", "bad"): (2, 0)}),
    ("the closing list alone", "  1 failed\n    q.spec.ts:3:3 \u203a bad \u2500\u2500\n  5 passed (2.5s)\n", {("q.spec.ts", "bad"): (1, 0)}),
    ("expected to fail, but passed", "  \u2713  1 q.spec.ts:3:3 \u203a fixed (1ms)\n\n  1 failed\n    q.spec.ts:3:3 \u203a fixed \u2500\u2500\n",
     {("q.spec.ts", "fixed"): (1, 0)}),
    ("no end: the mark counts", "  \u2718  1 q.spec.ts:3:3 \u203a bad (1ms)\n", {("q.spec.ts", "bad"): (1, 0)}),
    ("repeats", "  \u2713  1 q.spec.ts:3:3 \u203a a (1ms)\n  \u2713  2 q.spec.ts:3:3 \u203a a (1ms)\n\n  2 passed (1s)\n",
     {("q.spec.ts", "a"): (0, 2)}),
    ("junit", '<testsuites failures="0" errors="1">\n<testsuite name="a.spec.ts" errors="1">\n'
     '<testcase name="calc \u203a adds" classname="a.spec.ts" time="0.1">\n<error message="x" type="E">\n</error>\n</testcase>\n',
     {("a.spec.ts", "calc > adds"): (1, 0)}),
    ("json", '{\n  "config": {},\n  "suites": [{"title": "a.spec.ts", "specs": [], "suites": [{"title": "calc", "specs": '
     '[{"title": "bug", "file": "a.spec.ts", "tests": [{"expectedStatus": "failed", "projectName": "", "results": '
     '[{"status": "failed"}]}]}]}]}],\n  "stats": {"expected": 1, "unexpected": 0}\n}\n',
     {("a.spec.ts", "calc > bug"): (0, 1)}),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in SPEAKS], ids=[c[0] for c in SPEAKS])
def test_names_tests(text, expected):
    assert found(text) == expected


SILENT = [
    ("line reporter's progress", "[1/15] tests/a.spec.ts:3:3 \u203a calc \u203a adds\n"),
    ("a listing of tests", "Listing tests:\n  tests/b.spec.ts:2:1 \u203a b ok\nTotal: 1 test in 1 file\n"),
    ("stopped before its end", "  \u2718  1 q.spec.ts:3:3 \u203a a (1ms)\n\n  1 interrupted\n    q.spec.ts:3:3 \u203a a \u2500\u2500\n"),
    ("vitest", "  \u2713 test/a.test.ts (3 tests) 5ms\n"),
    ("a print narrower than the numbers", "Running 15 tests using 1 worker\n  \u2713  9 a.spec.ts:1:1 \u203a printed (1ms)\n"),
    ("two lines with one number", "  \u2713  1 a.spec.ts:1:1 \u203a a (1ms)\n  \u2713  1 a.spec.ts:2:1 \u203a b (1ms)\n"),
]


@pytest.mark.parametrize("text", [c[1] for c in SILENT], ids=[c[0] for c in SILENT])
def test_names_nothing(text):
    assert found(text) == {}


@pytest.mark.parametrize(
    ("text", "summary", "idle"),
    [
        (RUN, "failed", False),
        (RETRIES, "passed", False),
        ("\n  2 passed (602ms)\n", "passed", False),
        ("  2 passed (602ms)\n", "none", False),
        ("  2 skipped\n", "none", True),
        ("Error: No tests found\n", "none", True),
        ("  1 error was not a part of any test, see above for details\n  1 passed (2s)\n", "failed", False),
    ],
    ids=["failed", "flaky", "passed", "what stands above is cut off", "skipped", "no tests", "error outside of tests"],
)
def test_summary(text, summary, idle):
    report = playwright.read(text)
    assert (report.summary, report.idle) == (summary, idle)
