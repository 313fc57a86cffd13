"""vitest: the ways its reporters and versions name one test, and what tests print in the same shapes."""

from __future__ import annotations

import json

import pytest

from flaky_memory.runners import vitest

CUT = "\n... [0 characters truncated] ...\n"
RUN = "\n RUN  v3.2.7 /app\n\n"
LINE = "\u23af" * 7
HEAD = f"\n{LINE} Failed Tests 1 {LINE}\n\n"
SUITES = f"\n{LINE} Failed Suites 1 {LINE}\n\n"
OK, NO, ARROW = "\u2713", "\u00d7", "\u276f"


def found(text):
    return {(r.scope, r.name): (r.failed, r.passed) for r in vitest.read(text).results}


def counts(failed, passed):
    return f"\n Test Files  1 passed (1)\n      Tests  {failed} failed | {passed} passed ({failed + passed})\n"


X, Y = ("a.test.ts", "c > x"), ("a.test.ts", "c > y")
SPEAKS = [
    ("verbose list and failure block are one run",
     RUN + f" {OK} a.test.ts > c > x 1ms\n {NO} a.test.ts > c > y 2ms\n   \u2192 bad\n" + HEAD
     + " FAIL  a.test.ts > c > y\nError: bad\n" + counts(1, 1), {X: (0, 1), Y: (1, 0)}),
    ("below a failing file", RUN + f" {ARROW} a.test.ts (2 tests | 1 failed) 9ms\n   {OK} c > x 1ms\n   {NO} c > y 2ms\n"
     + HEAD + " FAIL  a.test.ts > c > y\n", {X: (0, 1), Y: (1, 0)}),
    ("version 4: bare titles, the failed one named by its block", RUN + f" {ARROW} a.test.ts (2 tests | 1 failed) 9ms\n"
     f"     {OK} x 1ms\n     {NO} y 2ms\n" + HEAD + " FAIL  a.test.ts > c > y\n", {("a.test.ts", "x"): (0, 1), Y: (1, 0)}),
    ("version 4: the describe that fits the depth", RUN + f" {ARROW} a.test.ts (2 tests | 1 failed) 9ms\n"
     f"     {NO} y 2ms\n       {NO} y 2ms\n" + HEAD + " FAIL  a.test.ts > c > d > y\n\n FAIL  a.test.ts > c > y\n",
     {Y: (1, 0), ("a.test.ts", "c > d > y"): (1, 0)}),
    ("a filter keeps the listing: a describe in the failures is no test",
     f" {NO} a.test.ts > c > y 2ms\n FAIL  a.test.ts > database\n FAIL  a.test.ts > c > y\n", {Y: (1, 0)}),
    ("a filter keeps the counts: describes stand first",
     " FAIL  a.test.ts > database\n FAIL  a.test.ts > c > y\n      Tests  1 failed | 1 passed (2)\n", {Y: (1, 0)}),
    ("filtered failures have a file, the pass of that name has not",
     f"   {OK} c > y 1ms\n   {NO} c > y 2ms\n FAIL  a.test.ts > c > y\n      Tests  1 failed | 1 passed (2)\n",
     {Y: (1, 0), (None, "c > y"): (0, 1)}),
    ("expected failures are counted apart", RUN + f"stdout | a.test.ts > x\nhello\n\n {OK} a.test.ts > c > x 1ms\n"
     f" {OK} a.test.ts > c > y 1ms\n      Tests  1 passed | 1 expected fail (2)\n", {X: (0, 1), Y: (0, 1)}),
    ("version 4: a title of the top level is whole", RUN + f" {ARROW} a.test.ts (1 test | 1 failed) 9ms\n   {NO} y 2ms\n",
     {("a.test.ts", "y"): (1, 0)}),
    ("version 1: file and name below the file", RUN + f" {ARROW} a.test.ts  (7 tests | 1 failed) 8ms\n"
     f"   {ARROW} a.test.ts > c > y\n     \u2192 bad\n", {Y: (1, 0)}),
    ("version 1: a fast time belongs to the title", RUN + f" {OK} a.test.ts > takes 12ms\n {OK} a.test.ts > slow 351ms\n"
     f" {OK} a.test.ts > plain\n",
     {("a.test.ts", "takes 12ms"): (0, 1), ("a.test.ts", "slow"): (0, 1), ("a.test.ts", "plain"): (0, 1)}),
    ("tree reporter: describes above their tests", RUN + f" {OK} a.test.ts (2 tests) 5ms\n   {OK} c (2)\n     {OK} x 0ms\n"
     f"     {OK} d (1)\n       {OK} z 0ms\n", {X: (0, 1), ("a.test.ts", "c > d > z"): (0, 1)}),
    ("project between bars", f" {OK} |api| a.test.ts > c > x 1ms\n FAIL  |api| a.test.ts > c > y\n", {X: (0, 1), Y: (1, 0)}),
    ("project in colours", f" {OK}  api  a.test.ts > c > x 1ms\n", {X: (0, 1)}),
    ("a slow test below a passing file", RUN + f" {OK} a.test.ts (3 tests) 431ms\n   {OK} c > x  420ms\n", {X: (0, 1)}),
    ("a retry before a pass", RUN + f" {OK} a.test.ts > c > x 7ms (retry x2)\n", {X: (2, 1)}),
    ("retries that all failed", RUN + f" {NO} a.test.ts > c > x 7ms (retry x2)\n" + HEAD + " FAIL  a.test.ts > c > x\n" * 3,
     {X: (3, 0)}),
    ("repetitions", RUN + f" {OK} a.test.ts > c > x 7ms (repeat x2)\n", {X: (0, 3)}),
    ("several soft failures of one run", RUN + HEAD + " FAIL  a.test.ts > c > y\nE\n\n FAIL  a.test.ts > c > y\nE\n",
     {Y: (1, 0)}),
    ("failure lines alone, of a loop", " FAIL  a.test.ts > c > y\nError: b\n FAIL  a.test.ts > c > y\nError: b\n", {Y: (2, 0)}),
    ("marks of a filter do not take the file of another", f" {OK} b.test.ts (3 tests) 4ms\n   {OK} c > x 1ms\n"
     f"   {NO} c > y 7ms\n FAIL  a.test.ts > c > y\n", {(None, "c > x"): (0, 1), Y: (1, 0)}),
    ("the heading was cut away", "error\n\n FAIL  a.test.ts > c > y\nError: b\n" + counts(1, 1), {Y: (1, 0)}),
    ("an annotation of GitHub Actions alone",
     "\n::error file=/w/a.test.ts,title=[api] a.test.ts > c > y%2C z,line=3,column=1::bad\n",
     {("a.test.ts", "c > y, z"): (1, 0)}),
    ("two runs", (RUN + f" {OK} a.test.ts > c > x 1ms\n" + counts(0, 1)) * 2, {X: (0, 2)}),
    ("TAP, nested", "TAP version 13\n1..1\nnot ok 1 - a.test.ts # time=3ms {\n    1..1\n    not ok 1 - c # time=2ms {\n"
     "        1..3\n        ok 1 - x # time=1ms\n        not ok 2 - y # time=1ms\n        ok 3 - z # SKIP\n    }\n}\n",
     {X: (0, 1), Y: (1, 0)}),
    ("TAP, flat", "TAP version 13\n1..2\nok 1 - a.test.ts > c > x # time=1.1ms\nnot ok 2 - a.test.ts > c > y # time=1.1ms\n",
     {X: (0, 1), Y: (1, 0)}),
]


@pytest.mark.parametrize(("text", "want"), [row[1:] for row in SPEAKS], ids=[row[0] for row in SPEAKS])
def test_speaks(text, want):
    assert found(text) == want


SILENT = [
    ("files that pass", RUN + f" {OK} a.test.ts (7 tests | 2 skipped) 3ms\n"),
    ("tests that did not run", RUN + " \u2193 a.test.ts > x\n \u25a1 a.test.ts > y\n \u00b7 a.test.ts > z\n"),
    ("a describe that failed", RUN + SUITES + " FAIL  a.test.ts > database\nError: no connection\n"),
    ("a describe whose heading was cut away", f"Error: x\n\n FAIL  a.test.ts > database\nError: y\n{HEAD}"),
    ("a file that does not load", RUN + SUITES + " FAIL  a.test.ts [ a.test.ts ]\n"),
    ("what the list of tests says", "a.test.ts > c > x\na.test.ts > c > y\n"),
    ("captured prints", RUN + f"stdout | a.test.ts > c > x\n {OK} f.test.ts > fake 5ms\n FAIL  f.test.ts > fake\n\n"),
    ("prints of a flat list below files", RUN + f"stdout | a.test.ts > x\nhi\n\n {OK} f.test.ts > fake 5ms\n\n"
     f" {OK} a.test.ts (1 test) 3ms\n"),
    ("prints between dots", RUN + f"\u00b7x\u00b7stdout | a.test.ts > x\nhi\n\n {OK} f.test.ts > fake 5ms\n\n\u00b7\u00b7\n"),
    ("a failure line that a test printed", RUN + f"x\n\n FAIL  f.test.ts > fake\n\n {OK} a.test.ts (1 test) 3ms\n"),
    ("jest's header", " FAIL  test/a.test.js\n"),
    ("mocha's list", f"  calc\n    {OK} adds (5ms)\n    {OK} divides\n\n  2 passing (10ms)\n"),
    ("TAP of node-tap", "TAP version 14\nok 1 - a.test.ts > x # time=1ms\n"),
]


@pytest.mark.parametrize("text", [row[1] for row in SILENT], ids=[row[0] for row in SILENT])
def test_silent(text):
    assert found(text) == {}


def test_a_result_inside_a_message_is_known_by_its_echo():
    message = f"bad\n\n   {OK} fake 5ms\nmore\n"
    text = RUN + f" {ARROW} a.test.ts (2 tests | 1 failed) 9ms\n   {NO} c > y 1ms\n     \u2192 " + message \
        + f"   {OK} c > x 1ms\n" + HEAD + " FAIL  a.test.ts > c > y\nError: " + message
    assert found(text) == {X: (0, 1), Y: (1, 0)}


def test_the_piece_of_print_that_makes_up_the_surplus_is_left_out():
    text = RUN + f"stdout | a.test.ts > x\nhello\n\n {OK} f.test.ts > fake 5ms\n\nbye\n\n" \
        f" {OK} a.test.ts > c > x 1ms\n {OK} a.test.ts > c > y 1ms\n" + counts(0, 2)
    assert found(text) == {X: (0, 1), Y: (0, 1)}


SUMMARIES = [
    ("failed", counts(1, 2), "failed", False),
    ("passed", " Test Files  1 passed (1)\n      Tests  3 passed | 1 skipped (4)\n", "passed", False),
    ("only the tests' counts", "      Tests  3 passed (3)\n", "passed", False),
    ("a file that does not load", " Test Files  1 failed (1)\n      Tests  no tests\n", "failed", False),
    ("unhandled errors", " Test Files  1 passed (1)\n      Tests  2 passed (2)\n     Errors  1 error\n", "failed", False),
    ("no type errors", "      Tests  2 passed (2)\nType Errors  no errors\n", "passed", False),
    ("everything skipped", " Test Files  1 skipped (1)\n      Tests  3 skipped (3)\n", "none", True),
    ("no file", RUN + "No test files found, exiting with code 1\n", "none", True),
    ("coverage below its threshold", " Test Files  1 passed (1)\n      Tests  2 passed (2)\n\n"
     "ERROR: Coverage for lines (66.66%) does not meet global threshold (90%)\n", "failed", False),
    ("no counts", f" {OK} a.test.ts > x 1ms\n", "none", False),
]


@pytest.mark.parametrize(("text", "summary", "idle"), [r[1:] for r in SUMMARIES], ids=[r[0] for r in SUMMARIES])
def test_summary(text, summary, idle):
    report = vitest.read(text)
    assert (report.summary, report.idle) == (summary, idle)


def document(*tests, success=False):
    results = [{"ancestorTitles": ["", *t[:-2]], "title": t[-2], "status": t[-1], "meta": {}} for t in tests]
    return json.dumps({"numTotalTestSuites": 1, "numFailedTestSuites": 0, "numTotalTests": len(tests), "success": success,
                       "testResults": [{"assertionResults": results, "message": "", "name": "/w/a.test.ts"}]})


def test_json():
    report = vitest.read(document(("c", "x", "passed"), ("y", "failed"), ("z", "skipped")) + "\n")
    assert report.results == (("c > x", "/w/a.test.ts", 0, 1), ("y", "/w/a.test.ts", 1, 0))
    assert report.summary == "failed"


def test_json_of_nothing_is_idle():
    assert vitest.read(document(success=True)).idle


def test_json_beside_the_listing_is_the_same_run():
    assert found(RUN + f" {OK} a.test.ts > c > x 1ms\n" + counts(0, 1) + document(("c", "x", "passed"))) == {X: (0, 1)}


def test_json_beside_bare_titles_names_them():
    text = RUN + f" {ARROW} a.test.ts (1 test | 1 failed) 9ms\n     {OK} x 1ms\n" + counts(0, 1)
    assert found(text + document(("c", "x", "passed"))) == {X: (0, 1)}


def test_junit_gives_a_failed_describe_a_case_that_is_no_test():
    text = ('<testsuites name="vitest tests" tests="2" failures="1" errors="0">\n<testsuite name="a.test.ts">\n'
            '<testcase classname="a.test.ts" name="c &gt; x">\n<skipped/>\n</testcase>\n'
            '<testcase classname="a.test.ts" name="c">\n<failure message="no">\n</failure>\n</testcase>\n')
    assert found(text) == {}


def test_junit_with_a_message_of_several_lines():
    text = ('<testsuites name="vitest tests" tests="2" failures="1" errors="0">\n'
            '    <testsuite name="a.test.ts" failures="1">\n'
            '        <testcase classname="a.test.ts" name="c &gt; x" time="0">\n        </testcase>\n'
            '        <testcase classname="a.test.ts" name="c &gt; y" time="0">\n'
            '            <failure message="bad\nmore" type="Error">\nError: bad\n            </failure>\n'
            "        </testcase>\n    </testsuite>\n</testsuites>\n")
    assert found(text) == {X: (0, 1), Y: (1, 0)}
    assert vitest.read(text).summary == "failed"


def test_junit_beside_the_listing_is_the_same_run():
    text = RUN + f" {OK} a.test.ts > c > x 1ms\n" + counts(0, 1) + (
        '<testsuites name="vitest tests" tests="1" failures="0" errors="0">\n    <testsuite name="a.test.ts">\n'
        '        <testcase classname="a.test.ts" name="c &gt; x" time="0">\n            <system-out>\n'
        f" {OK} a.test.ts > c > x 1ms\n            </system-out>\n        </testcase>\n    </testsuite>\n</testsuites>\n")
    assert found(text) == {X: (0, 1)}


def test_junit_names_a_file_that_does_not_load_which_is_no_test():
    text = ('<testsuites name="vitest tests" tests="1" failures="1" errors="0">\n    <testsuite name="a.test.ts">\n'
            '        <testcase classname="a.test.ts" name="a.test.ts" time="0">\n            <failure message="no">\n'
            "            </failure>\n        </testcase>\n    </testsuite>\n</testsuites>\n")
    assert found(text) == {}
    assert vitest.read(text).summary == "failed"


def test_a_retry_is_one_test_and_no_twins():
    assert vitest.read(RUN + f" {OK} a.test.ts > c > x 7ms (retry x2)\n").twins == frozenset()
