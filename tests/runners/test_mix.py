"""ExUnit's line shapes: what must speak and what must stay silent."""

import pytest

from flaky_memory.model import FAILED, NONE, PASSED
from flaky_memory.runners import mix

BLOCK = "\n  1) test bad (ATest)\n     test/a_test.exs:4\n     Assertion with == failed\n     left:  1\n\n"
FINISHED = "\nFinished in 0.03 seconds (0.00s async, 0.03s sync)\n"
TRACE = "\nATest [test/a_test.exs]\n  * test ok [L#3]\r  * test ok (0.00ms) [L#3]\n  * test bad [L#4]  * test bad (2.1ms) [L#4]\n"


def results(text):
    return {(r.name, r.scope): (r.failed, r.passed) for r in mix.read(text).results}


BAD, OK = ("test bad (ATest)", "test/a_test.exs"), ("test ok (ATest)", "test/a_test.exs")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(BLOCK, {BAD: (1, 0)}, id="a block"),
        pytest.param(TRACE + BLOCK + FINISHED, {OK: (0, 1), BAD: (1, 0)}, id="trace: the block below says that it failed"),
        pytest.param(TRACE + FINISHED, {OK: (0, 1), BAD: (0, 1)}, id="trace: all passed"),
        pytest.param(TRACE, {OK: (0, 1)}, id="trace cut: the last has no outcome yet"),
        pytest.param((BLOCK + FINISHED + "2 tests, 1 failure\n") * 2, {BAD: (2, 0)}, id="a loop adds up"),
        pytest.param("hello\n  1) test gone (G)\n     test/g_test.exs:1\n" + BLOCK, {BAD: (1, 0)}, id="a print without a blank line above"),
        pytest.param("  1) test bad (ATest)\n     test/a_test.exs:4\n--\n  2) test ok (ATest)\n     test/a_test.exs:3\n", {BAD: (1, 0), OK: (1, 0)}, id="grep -A1"),
    ],
)
def test_speaks(text, expected):
    assert results(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\nATest [test/a_test.exs]\n  * test x [L#3]  * test x (skipped) [L#3]\n  * test y [L#4]  * test y (excluded) [L#4]\n" + FINISHED, id="not run"),
        pytest.param(
            "\nATest [test/a_test.exs]\n  * test ok [L#3]  * test ok (0.00ms) [L#3]\n\n  1) ATest: failure on setup_all callback, all tests have been invalidated\n     ** (RuntimeError) no\n" + FINISHED,
            id="an invalid module",
        ),
        pytest.param("\n  1) Acct closes (soon)\n     Failure/Error: expect(1).to eq 2\n", id="RSpec's block"),
        pytest.param("\nTop 1 slowest (0.0s), 78% of total time:\n\n* test ok (0.1ms) [L#3]\n", id="slowest"),
    ],
)
def test_stays_silent(text):
    assert results(text) == {}


@pytest.mark.parametrize(
    ("line", "summary", "idle"),
    [
        pytest.param("2 doctests, 8 tests, 0 failures, 9 excluded", PASSED, False, id="passed"),
        pytest.param("1 property, 8 tests, 5 failures, 1 skipped", FAILED, False, id="failed"),
        pytest.param("2 tests, 0 failures, 2 invalid", FAILED, False, id="invalid"),
        pytest.param("9 tests, 0 failures, 9 excluded", NONE, True, id="all excluded"),
        pytest.param("There are no tests to run", NONE, True, id="no tests"),
        pytest.param("16 examples, 6 failures", NONE, False, id="RSpec"),
        pytest.param("4 tests, 4 assertions, 1 failures, 0 errors", NONE, False, id="test-unit"),
    ],
)
def test_summary(line, summary, idle):
    report = mix.read(line + "\n")
    assert (report.summary, report.idle) == (summary, idle)
