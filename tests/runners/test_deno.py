"""deno test: steps, dotted names, blocks of output, retries, and its lists."""

from __future__ import annotations

import pytest

from flaky_memory.runners import deno

FILE = "./tests/calc_test.ts"


def found(text):
    return {(r.scope, r.name): (r.failed, r.passed) for r in deno.read(text).results}


RUN = """\
running 3 tests from ./tests/calc_test.ts
adds ... ok (463\u00b5s)
clamps ...
  upper ... end ...
------- output -------
  upper ... end ... ok (1ms)
raw----- output end -----
    caps ... FAILED (0ms)
  upper ... end ... FAILED (due to 1 failed step) (1ms)
  works with NaN ... ignored (0ms)
clamps ... FAILED (due to 1 failed step) (1ms)

 ERRORS\x20

clamps ... upper ... end ... caps => ./tests/calc_test.ts:11:13
error: Error: x

fake => ./x_test.ts:1:2

ok | 9 passed | 0 failed (3ms)

 FAILURES\x20

clamps ... upper ... end ... caps => ./tests/calc_test.ts:11:13

FAILED | 1 passed | 1 failed (2 steps) | 0 ignored (1 step) (50ms)

error: Test failed
"""
WHOLE = {(FILE, "adds"): (0, 1), (FILE, "clamps"): (1, 0), (FILE, "clamps > upper ... end"): (1, 0),
         (FILE, "clamps > upper ... end > caps"): (1, 0)}
TAIL = "\nclamps ... caps => ./tests/calc_test.ts:11:13\n\nFAILED | 1 passed | 1 failed (1 step) (50ms)\n\nerror: Test failed\n"

SPEAKS = [
    ("lines, errors and list are one run", RUN, WHOLE),
    ("two runs add up", RUN + RUN, {key: (f * 2, p * 2) for key, (f, p) in WHOLE.items()}),
    ("the list alone", TAIL, {(FILE, "clamps > caps"): (1, 0)}),
    ("--parallel puts the file before each line",
     "./a_test.ts => adds ... ok (1ms)\n./a_test.ts => p ... deep ... leaf ... ok (0ms)\n./a_test.ts => p ... deep ... ok (0ms)\n"
     "------- output -------\nx\n./a_test.ts => p ...----- output end -----\n./b_test.ts => adds ... FAILED (1ms)\n"
     "./b_test.ts => left out ... ignored (0ms)\n\n ERRORS \n\nadds => ./b_test.ts:1:6\nerror: x\n\n FAILURES \n\n"
     "adds => ./b_test.ts:1:6\n\nFAILED | 1 passed (2 steps) | 1 failed (2ms)\n",
     {("./a_test.ts", "adds"): (0, 1), ("./a_test.ts", "p > deep > leaf"): (0, 1), ("./a_test.ts", "p > deep"): (0, 1),
      ("./b_test.ts", "adds"): (1, 0)}),
    ("a filter leaves the errors' heads above the list",
     "adds => ./b_test.ts:1:6\nx => ./b_test.ts:2:6\nadds => ./b_test.ts:1:6\nx => ./b_test.ts:2:6\n"
     "FAILED | 1 passed | 2 failed (2ms)\n", {("./b_test.ts", "adds"): (1, 0), ("./b_test.ts", "x"): (1, 0)}),
    ("each attempt of a retry",
     "running 1 test from ./a_test.ts\nflaky ... retrying (attempt 1 failed) (Uncaught Error: x)\nflaky ... ok (13ms)\n",
     {("./a_test.ts", "flaky"): (1, 1)}),
    ("filtered lines", "adds ... ok (1ms)\n  caps ... FAILED (0ms)\nclamps ... FAILED (due to 1 failed step) (1ms)\n",
     {(None, "adds"): (0, 1), (None, "clamps > caps"): (1, 0), (None, "clamps"): (1, 0)}),
    ("tap", "TAP version 14\n# ./a_test.ts\nok 1 - adds\n# Subtest: clamps\n    ok 1 - low\n    ok 2 - deep\n"
     '    not ok 3 - bad\n      ---\n      {"message":"Error: x"}\n      ...\n    not ok 4 - up\n      ---\n'
     '      {"message":"1 test step failed."}\n      ...\n    ok 5 - after\n    1..5\nnot ok 2 - clamps\n1..2\n'
     "error: Test failed\n",
     {("./a_test.ts", "adds"): (0, 1), ("./a_test.ts", "clamps"): (1, 0), ("./a_test.ts", "clamps > up"): (1, 0),
      ("./a_test.ts", "clamps > up > bad"): (1, 0), ("./a_test.ts", "clamps > after"): (0, 1)}),
    ("junit", '<testsuites name="deno test" failures="1">\n    <testsuite name="./a_test.ts">\n'
     '        <testcase name="a &gt; b" classname="./a_test.ts" time="0.0" line="4" col="6">\n'
     '            <failure message="Uncaught Error: x\n\ny">z</failure>\n        </testcase>\n',
     {("./a_test.ts", "a > b"): (1, 0)}),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in SPEAKS], ids=[c[0] for c in SPEAKS])
def test_names_tests(text, expected):
    assert found(text) == expected


SILENT = [
    ("cancelled by an uncaught error", "starts ...\nUncaught error from ./a_test.ts FAILED\nstarts ... cancelled (0ms)\n"),
    ("a file in the list", " FAILURES \n\n./a_test.ts (uncaught error)\n\nFAILED | 0 passed | 1 failed (9ms)\n"),
    ("cargo and unittest", "test tests::flip ... ok\ntest_x (mod.C) ... FAIL\nrunning 2 tests\n"),
    ("an arrow in a text", "see a => b:1:2 for more\nand on\n"),
    ("node-tap's TAP", "TAP version 14\n# Subtest: calc\n    ok 1 - one\n    1..1\nok 1 - calc # time=2ms\n1..1\n"),
]


@pytest.mark.parametrize("text", [c[1] for c in SILENT], ids=[c[0] for c in SILENT])
def test_names_nothing(text):
    assert found(text) == {}


@pytest.mark.parametrize(
    ("text", "summary", "idle"),
    [
        (RUN, "failed", False),
        ("ok | 1 passed | 0 failed | 4 filtered out (63ms)\n", "passed", False),
        ("ok | 0 passed (2 steps) | 0 failed (63ms)\n", "passed", False),
        ("ok | 0 passed | 0 failed | 9 filtered out (165ms)\n", "none", True),
        ("error: No test modules found\n", "none", True),
        ("error: Type checking failed.\n", "none", False),
        ("error: Test failed\n", "failed", False),
    ],
    ids=["failed", "passed", "steps", "all filtered out", "no files", "type error", "last line only"],
)
def test_summary(text, summary, idle):
    report = deno.read(text)
    assert (report.summary, report.idle) == (summary, idle)
