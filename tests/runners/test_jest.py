"""jest: its listing, its failure blocks, its JSON, and what tests print in the same shapes."""

from __future__ import annotations

import json

import pytest

from flaky_memory.runners import jest

CUT = "\n... [0 characters truncated] ...\n"
COUNTS = "\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 passed, 2 total\nSnapshots:   0 total\n"


def found(text):
    return {(r.scope, r.name): (r.failed, r.passed) for r in jest.read(text).results}


LISTING = """\
FAIL test/a.test.js
  calc
    \u2713 adds (5 ms)
    \u2715 divides
    clamp
      \u2713 keeps (1.2 s)
      \u25cb skipped works
      \u270e todo later
  \u2713 top

  \u25cf calc \u203a divides

    expected
"""
WHOLE = {("test/a.test.js", "calc > adds"): (0, 1), ("test/a.test.js", "calc > divides"): (1, 0),
         ("test/a.test.js", "calc > clamp > keeps"): (0, 1), ("test/a.test.js", "top"): (0, 1)}

SPEAKS = [
    ("listing and failure block are one run", LISTING + COUNTS, WHOLE),
    ("failure block alone", "FAIL a.test.js\n  \u25cf calc \u203a divides\n\n    x\n",
     {("a.test.js", "calc > divides"): (1, 0)}),
    ("colours leave blanks around the words", " FAIL   unit  t/a.test.js\n  \u25cf x \u203a y\n\n", {("t/a.test.js", "x > y"): (1, 0)}),
    ("project name and time around the path", "FAIL api t/a.test.js (5.1 s, 80 MB heap size)\n  \u25cf x \u203a y\n\n",
     {("t/a.test.js", "x > y"): (1, 0)}),
    ("heap use without a time", "FAIL a.test.js (80 MB heap size)\n  \u25cf x \u203a y\n\n", {("a.test.js", "x > y"): (1, 0)}),
    ("a separator in a title is read as the listing has it",
     "FAIL a.test.js\n  a > b\n    \u2715 is not a \u203a c (1 ms)\n\n  \u25cf a > b \u203a is not a \u203a c\n\n",
     {("a.test.js", "a > b > is not a \u203a c"): (1, 0)}),
    ("failing files printed once more at the end", "FAIL a.test.js\n  \u25cf x \u203a y\n\nSummary of all failing tests\n"
     "FAIL a.test.js\n  \u25cf x \u203a y\n\n", {("a.test.js", "x > y"): (1, 0)}),
    ("the heading of that list was cut away", "FAIL a.test.js\n  \u25cf x \u203a y\n\n    e" + CUT
     + "FAIL a.test.js\n  \u25cf x \u203a y\n\n", {("a.test.js", "x > y"): (1, 0)}),
    ("header cut away by tail", "  \u25cf x \u203a y\n\n    e\n\nPASS b.test.js\n" + COUNTS, {(None, "x > y"): (1, 0)}),
    ("describes cut away by tail", "      \u2713 deep (1 ms)\n  \u2715 top (1 ms)\n\n  \u25cf top\n\n    e\n" + COUNTS,
     {(None, "deep"): (0, 1), (None, "top"): (1, 0)}),
    ("marks alone, left by a filter", "    \u2713 adds (5 ms)\n    \u2715 divides\n",
     {(None, "adds"): (0, 1), (None, "divides"): (1, 0)}),
    ("filtered runs of a loop add up", "run 1\n  \u2715 x (1 ms)\nTests:       1 failed, 1 total\nrun 2\n  \u2713 x\n"
     "Tests:       1 passed, 1 total\n", {(None, "x"): (1, 1)}),
    ("bullets alone, left by a filter", "  \u25cf x \u203a y\n  \u25cf x \u203a z\n", {(None, "x > y"): (1, 0), (None, "x > z"): (1, 0)}),
    ("two whole runs", LISTING + COUNTS + LISTING + COUNTS, {k: (2 * v[0], 2 * v[1]) for k, v in WHOLE.items()}),
    ("retries that are logged", " LOGGING RETRY ERRORS  q settles\n RETRY 1 \n\n    e\n\n RETRY 2 \n\n    e\n\n"
     "PASS a.test.js\n  q\n    \u2713 settles (1 ms)\n\n", {("a.test.js", "q > settles"): (2, 1)}),
    ("an annotation of GitHub Actions alone", "::error file=/w/a.test.js,line=1,title=x \u203a y%2C z::bad%0A\n"
     "FAIL b.test.js\n", {("/w/a.test.js", "x > y, z"): (1, 0)}),
    ("an annotation beside its failure block", "FAIL a.test.js\n  \u25cf x \u203a y\n\n"
     "::error file=/w/a.test.js,line=1,title=x \u203a y::bad\n", {("a.test.js", "x > y"): (1, 0)}),
]


@pytest.mark.parametrize(("text", "want"), [row[1:] for row in SPEAKS], ids=[row[0] for row in SPEAKS])
def test_speaks(text, want):
    assert found(text) == want


SILENT = [
    ("files that pass without a listing", "PASS a.test.js\nPASS b.test.js\n"),
    ("captured prints of a passing file", "PASS a.test.js\n  \u25cf Console\n\n    console.log\n        \u2713 fake (5 ms)\n\n"),
    ("captured prints before a header", "  console.log\n      \u2713 fake (5 ms)\n\n      at x\n\nPASS a.test.js\n"),
    ("a raw print before a header", "  \u2713 fake (3 ms)\nPASS a.test.js\nPASS b.test.js\n\n" + COUNTS),
    ("a file that does not load", "FAIL a.test.js\n  \u25cf Test suite failed to run\n\n    Cannot find module\n"),
    ("a failure block of a describe", "FAIL a.test.js\n  x\n    \u25cb skipped y\n\n"),
    ("a bullet inside an error", "FAIL a.test.js\n    \u25cf x \u203a y\n"),
    ("an obsolete snapshot", "FAIL a.test.js\n \u203a 1 snapshot obsolete.\n   \u2022 was removed 1\n"),
    ("vitest's failures", " FAIL  test/a.test.ts > x > y.js\n"),
    ("mocha's list", "  calc\n    \u2713 adds (5ms)\n    \u2713 divides\n\n  2 passing (10ms)\n"),
    ("one mark in another runner's text", "FF.F\nE assert\n  \u2715 fake title (3 ms)\nFAILED a\nFAILED b\n"),
    ("a file list", "/app/test/a.test.js\n/app/test/b.test.js\n"),
]


@pytest.mark.parametrize("text", [row[1] for row in SILENT], ids=[row[0] for row in SILENT])
def test_silent(text):
    assert found(text) == {}


SUMMARIES = [
    ("failed", COUNTS, "failed", False),
    ("passed", "Tests:       1 skipped, 3 passed, 4 total\n", "passed", False),
    ("a file that does not load", "Test Suites: 1 failed, 1 total\nTests:       0 total\n", "failed", False),
    ("everything skipped", "Test Suites: 1 skipped, 0 of 1 total\nTests:       6 skipped, 6 total\n", "none", True),
    ("nothing found", "No tests found, exiting with code 1\n", "none", True),
    ("coverage below its threshold", 'Jest: "global" coverage threshold for lines (90%) not met: 66%\n'
     "Test Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n", "failed", False),
    ("of two runs one failed", "Tests:       1 failed, 1 total\nTests:       1 passed, 1 total\n", "failed", False),
    ("counts of PHPUnit", "Tests: 5, Assertions: 3, Failures: 1.\n", "none", False),
    ("no counts", LISTING, "none", False),
]


@pytest.mark.parametrize(("text", "summary", "idle"), [r[1:] for r in SUMMARIES], ids=[r[0] for r in SUMMARIES])
def test_summary(text, summary, idle):
    report = jest.read(text)
    assert (report.summary, report.idle) == (summary, idle)


def document(*tests, success=False, name="/w/a.test.js"):
    results = [{"ancestorTitles": list(t[:-2]), "title": t[-2], "status": t[-1], "invocations": 1} for t in tests]
    return {"numFailedTestSuites": 1, "numRuntimeErrorTestSuites": 0, "numTotalTests": len(tests), "success": success,
            "testResults": [{"assertionResults": results, "message": 'say "name":"x"', "name": name}]}


def test_json_on_one_long_line():
    tests = [("calc", f"adds {i}", "passed") for i in range(2000)] + [("divides", "failed"), ("later", "todo")]
    report = jest.read(json.dumps(document(*tests)) + "\n")
    assert len(report.results) == 2001
    assert report.results[-1] == ("divides", "/w/a.test.js", 1, 0)
    assert report.summary == "failed"


def test_json_over_many_lines():
    assert found(json.dumps(document(("x", "y", "passed"), success=True), indent=2)) == {("/w/a.test.js", "x > y"): (0, 1)}


def test_json_beside_the_listing_is_the_same_run():
    text = LISTING + COUNTS + "\n" + json.dumps(document(("calc", "divides", "failed"), name="/w/test/a.test.js")) + "\n"
    assert found(text) == WHOLE


def test_json_without_its_middle():
    text = json.dumps(document(*[("calc", f"adds {i}", "passed") for i in range(10)]))
    first, last = text.index("adds 3"), text.index("adds 7")
    names = [r.name for r in jest.read(text[:first] + CUT + text[last:]).results]
    assert names == ["calc > adds 0", "calc > adds 1", "calc > adds 2", "calc > adds 8", "calc > adds 9"]


def test_json_of_vitest_is_not_read():
    text = json.dumps(document(("x", "failed"))).replace('"invocations"', '"meta"').replace("RuntimeError", "Pending")
    report = jest.read(text)
    assert (report.results, report.summary, report.idle) == ((), "none", False)


def test_json_counts_invocations():
    text = json.dumps(document(("x", "passed"), ("y", "failed"))).replace('"invocations": 1', '"invocations": 3')
    assert found(text) == {("/w/a.test.js", "x"): (2, 1), ("/w/a.test.js", "y"): (3, 0)}
