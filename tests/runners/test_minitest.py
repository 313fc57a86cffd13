"""Minitest's line shapes: what must speak and what must stay silent."""

import pytest

from flaky_memory.model import FAILED, NONE, PASSED
from flaky_memory.runners import minitest

START = "Run options: --seed 1\n\n# Running:\n\n"
FINISHED = "\nFinished in 0.000834s, 4794.4614 runs/s, 2397.2307 assertions/s.\n\n"


def results(text):
    return {r.name: (r.failed, r.passed) for r in minitest.read(text).results}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(FINISHED + "  1) Failure:\nATest#test_a [t.rb:3]:\nno\n\n  2) Error:\nATest#test_b:\nRuntimeError: x\n", {"ATest#test_a": (1, 0), "ATest#test_b": (1, 0)}, id="failure and error"),
        pytest.param("ATest#test_a = 0.00 s = F\n" + FINISHED + "  1) Failure:\nATest#test_a [t.rb:3]:\nno\n", {"ATest#test_a": (1, 0)}, id="verbose line and detail are one run"),
        pytest.param("ATest#test_a = hello\nworld\n0.00 s = .\n", {"ATest#test_a": (0, 1)}, id="verbose: prints in the middle"),
        pytest.param("ATest#test_a = x = 0.00 s = .\n", {"ATest#test_a": (0, 1)}, id="verbose: a print that looks like the name's end"),
        pytest.param("x#test_0001_is = 3 = 0.00 s = .\n", {"x#test_0001_is = 3": (0, 1)}, id="verbose: a name of the spec style"),
        pytest.param(FINISHED + "  1) Failure:\nB::when it's full#test_0001_is [odd] [t.rb:3]:\nno\n", {"B::when it's full#test_0001_is [odd]": (1, 0)}, id="brackets in a name"),
        pytest.param(START + ".F\n\nFailure:\nUserTest#test_a [/app/test/user_test.rb:5]:\nno\n\n\nrails test test/user_test.rb:4\n\n.\n", {"UserTest#test_a": (1, 0)}, id="Rails says it at once"),
        pytest.param(("  1) Failure:\nATest#test_a [t.rb:3]:\nno\n\n1 runs, 1 assertions, 1 failures, 0 errors, 0 skips\n") * 2, {"ATest#test_a": (2, 0)}, id="a loop adds up"),
    ],
)
def test_speaks(text, expected):
    assert results(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("ATest#test_a = 0.00 s = S\n" + FINISHED + "  1) Skipped:\nATest#test_a [t.rb:3]:\nno\n", id="skipped"),
        pytest.param(START + ".  1) Failure:\n  1) Failure:\nGone#test_a [t.rb:3]:\n.\n", id="a print while tests run"),
        pytest.param("ATest#test_a = ", id="started only"),
        pytest.param("Failure:\nsomething else:\nat line 3\n", id="no test's name"),
    ],
)
def test_stays_silent(text):
    assert results(text) == {}


@pytest.mark.parametrize(
    ("line", "summary", "idle"),
    [
        pytest.param("8 runs, 7 assertions, 0 failures, 0 errors, 1 skips", PASSED, False, id="passed"),
        pytest.param("8 runs, 7 assertions, 0 failures, 1 errors, 1 skips", FAILED, False, id="an error"),
        pytest.param("0 runs, 0 assertions, 0 failures, 0 errors, 0 skips", NONE, True, id="no test"),
        pytest.param("2 runs, 0 assertions, 0 failures, 0 errors, 2 skips", NONE, True, id="all skipped"),
    ],
)
def test_summary(line, summary, idle):
    report = minitest.read(line + "\n")
    assert (report.summary, report.idle) == (summary, idle)


def test_a_message_quotes_a_report():
    quoted = "old:\n  2) Failure:\nGone#test_x [t.rb:1]:\nno\n3 runs, 3 assertions, 0 failures, 0 errors, 0 skips\n"
    text = FINISHED + "  1) Failure:\nATest#test_a [t.rb:3]:\n" + quoted + "\n  2) Failure:\nATest#test_b [t.rb:4]:\nno\n"
    report = minitest.read(text + "\n2 runs, 2 assertions, 2 failures, 0 errors, 0 skips\n")
    assert {r.name for r in report.results} == {"ATest#test_a", "ATest#test_b"}
    assert report.summary == FAILED
