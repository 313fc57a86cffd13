"""CTest's line shapes: what must speak and what must stay silent."""

import pytest

from flaky_memory.model import FAILED, NONE, PASSED
from flaky_memory.runners import ctest


def results(text):
    return {r.name: (r.failed, r.passed) for r in ctest.read(text).results}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(" 1/11 Test  #1: a ..........   Passed    0.00 sec\n", {"a": (0, 1)}, id="passed"),
        pytest.param("1/2 Test #10: c d (x) ......***Failed    0.00 sec\n", {"c d (x)": (1, 0)}, id="failed, odd name"),
        pytest.param("1/2 Test #1: a ...***Failed  Required regular expression not found. Regex=[ho\n", {"a": (1, 0)}, id="regular expression"),
        pytest.param("1/2 Test #1: a ...Subprocess aborted***Exception:   0.00 sec\n", {"a": (1, 0)}, id="crash"),
        pytest.param("1/2 Test #1: a ...***Timeout   1.00 sec\n", {"a": (1, 0)}, id="timeout"),
        pytest.param("    Start 1: a\n1/1 Test #1: a ...***Failed    0.00 sec\n    Start 1: a\n    Test #1: a ...   Passed    0.00 sec\n", {"a": (1, 1)}, id="a repeat"),
        pytest.param("1/1 Test #1: a ...***Failed    0.00 sec\n\n0% tests passed, 1 tests failed out of 1\n\nThe following tests FAILED:\n\t  1 - a (Failed)\n", {"a": (1, 0)}, id="line and list are one run"),
        pytest.param("\t  7 - c d (x) (SEGFAULT)\n\t  8 - b (Timeout)    unit slow\n", {"c d (x)": (1, 0), "b": (1, 0)}, id="list only, with labels"),
        pytest.param("\t  1 - a (Failed)\nErrors while running CTest\nTest project /b\n\t  1 - a (Failed)\n", {"a": (2, 0)}, id="a loop adds up"),
    ],
)
def test_speaks(text, expected):
    assert results(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1/2 Test #1: a ...***Skipped   0.00 sec\n2/2 Test #2: b ...***Not Run (Disabled)   0.00 sec\n", id="not run"),
        pytest.param("\t 10 - a (Not Run)\n\t  8 - b (Skipped)\n\t  9 - c (Disabled)\n", id="listed but not run"),
        pytest.param("Test #9: old ....   Passed\n", id="a print at the line's start"),
        pytest.param("    Start 2: a\n1/9 Test #77: gone ....   Passed    0.00 sec\n", id="a print of a test that was not started"),
        pytest.param("2: 1/9 Test #77: gone ....   Passed    0.00 sec\n", id="-V marks what tests print"),
        pytest.param("  Test  #1: a\n  Test #10: b\n\nTotal Tests: 2\n", id="-N only lists"),
    ],
)
def test_stays_silent(text):
    assert results(text) == {}


@pytest.mark.parametrize(
    ("text", "summary", "idle"),
    [
        pytest.param("100% tests passed, 0 tests failed out of 1\n", PASSED, False, id="passed"),
        pytest.param("50% tests passed, 1 tests failed out of 2\n", FAILED, False, id="failed"),
        pytest.param("Errors while running CTest\n", FAILED, False, id="tail without counts"),
        pytest.param("No tests were found!!!\n", NONE, True, id="none found"),
        pytest.param("1/1 Test #1: a ...***Skipped   0.00 sec\n100% tests passed, 0 tests failed out of 1\n", NONE, True, id="all skipped"),
        pytest.param("50% tests passed, 1 tests failed out of 2\n100% tests passed, 0 tests failed out of 2\n", FAILED, False, id="one of two failed"),
    ],
)
def test_summary(text, summary, idle):
    report = ctest.read(text)
    assert (report.summary, report.idle) == (summary, idle)
