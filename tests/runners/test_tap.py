"""node-tap: tests between files and assertions, in TAP, JUnit and the drawing reporters."""

from __future__ import annotations

import pytest

from flaky_memory.runners import tap


def found(text):
    return {(r.scope, r.name): (r.failed, r.passed) for r in tap.read(text).results}


RAW = """\
TAP version 14
1..1
# Subtest: test/a.test.js
    # Subtest: calc
        # Subtest: adds
            ok 1 - sum is five
            1..1
        ok 1 - adds # time=3.7ms

        # Subtest: divides
            not ok 1 - half
              ---
              at:
                fileName: test/a.test.js
              ...
            1..1
        not ok 2 - divides # time=1ms

        1..2
    not ok 1 - calc # time=19ms

    ok 2 - later # SKIP not yet
    ok 3 - a bare assertion
    1..3
not ok 1 - test/a.test.js # time=33ms

# { total: 4, pass: 2, fail: 1, skip: 1 }
"""
DRAWN = """\
Asserts:  0 pass  0 fail  0 of 0 complete
Asserts:  1 pass  2 fail  3 of 3 complete
 FAIL  test/a.test.js 2 failed of 3 64ms
\u2716 calc > divides > half test/a.test.js:2:100
 FAIL  test/a.test.js 2 failed of 3 64ms
\u2610 todo
\u2716 calc > divides > half
  \u2716 calc > fake > x
\u2716 calc > divides > third
\u2716 a bare assertion
Asserts:  1 pass  2 fail  3 of 3 complete
# { total: 3, pass: 1, fail: 2 }
"""
FILE = "test/a.test.js"

SPEAKS = [
    ("raw", RAW, {(FILE, "calc > adds"): (0, 1), (FILE, "calc > divides"): (1, 0), (FILE, "calc"): (1, 0)}),
    ("run by node: no file", "TAP version 14\n# Subtest: calc\n    ok 1 - one\n    1..1\nok 1 - calc # time=1ms\n1..1\n",
     {(None, "calc"): (0, 1)}),
    ("a test without assertions", "TAP version 14\n# Subtest: calc\n    1..0\nok 1 - calc # time=1ms\n1..1\n",
     {(None, "calc"): (0, 1)}),
    ("drawn again and again is one failure", DRAWN, {(FILE, "calc > divides"): (1, 0)}),
    ("two runs add up", DRAWN + DRAWN, {(FILE, "calc > divides"): (2, 0)}),
    ("junit", '<testsuites name="TAP Tests" failures="1">\n<testsuite name="a.js">\n<testsuite name="calc">\n'
     '<testcase name="one" />\n<testcase name="two"><failure><![CDATA[\nx]]></failure></testcase>\n</testsuite>\n'
     '<testsuite name="cart">\n<testcase name="three" />\n', {("a.js", "calc"): (1, 0), ("a.js", "cart"): (0, 1)}),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in SPEAKS], ids=[c[0] for c in SPEAKS])
def test_names_tests(text, expected):
    assert found(text) == expected


SILENT = [
    ("node's spec list", "\u2716 failing tests:\n\u2716 a > b > c (0.5ms)\n"),
    ("deno's TAP", "TAP version 14\n# ./a_test.ts\n# Subtest: calc\n    ok 1 - one\n    1..1\nok 1 - calc\n1..1\n"),
    ("TAP 13", "TAP version 13\n# Subtest: calc\n    ok 1 - one\n    1..1\nok 1 - calc\n1..1\n# tests 1\n"),
    ("jest's file line", "FAIL test/a.test.js\n  \u2715 adds\n"),
]


@pytest.mark.parametrize("text", [c[1] for c in SILENT], ids=[c[0] for c in SILENT])
def test_names_nothing(text):
    assert found(text) == {}


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (RAW, "failed"),
        (DRAWN, "failed"),
        ("Asserts:  3 pass  0 fail  3 of 3 complete\n# { total: 3, pass: 3 }\n", "passed"),
        ("TAP version 14\n1..0\n", "none"),
    ],
    ids=["raw failed", "drawn failed", "passed", "empty plan"],
)
def test_summary(text, summary):
    assert tap.read(text).summary == summary
