"""GoogleTest's line shapes: what must speak and what must stay silent."""

import pytest

from flaky_memory.model import FAILED, NONE, PASSED
from flaky_memory.runners import gtest

MAIN = "Running main() from gtest_main.cc\n"
FAILURE = "/a/t.cc:4: Failure\nExpected equality\n"


def results(text):
    return {r.name: (r.failed, r.passed) for r in gtest.read(text).results}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("[ RUN      ] A.Ok\n[       OK ] A.Ok (0 ms)\n[ RUN      ] A.Bad\n" + FAILURE + "[  FAILED  ] A.Bad (0 ms)\n", {"A.Ok": (0, 1), "A.Bad": (1, 0)}, id="plain"),
        pytest.param("[ RUN      ] A.Ok\nhello[       OK ] A.Ok (0 ms)\n", {"A.Ok": (0, 1)}, id="behind a print"),
        pytest.param("[ RUN      ] I/P.T/1\n[  FAILED  ] I/P.T/1, where GetParam() = 3 (0 ms)\n", {"I/P.T/1": (1, 0)}, id="parameters are dropped"),
        pytest.param("[  FAILED  ] A.Bad\n[  FAILED  ] Z/1.Is, where TypeParam = double\n\n 2 FAILED TESTS\n", {"A.Bad": (1, 0), "Z/1.Is": (1, 0)}, id="tail: the list"),
        pytest.param(
            "[ RUN      ] A.Bad\n[  FAILED  ] A.Bad (0 ms)\n[==========] 1 test from 1 test suite ran. (0 ms total)\n[  PASSED  ] 0 tests.\n"
            "[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.Bad\n\n 1 FAILED TEST\n",
            {"A.Bad": (1, 0)},
            id="line and list are one run",
        ),
        pytest.param("[==========] Running 1 test from 1 test suite.\n[ RUN      ] A.Ok\n[       OK ] A.Ok (0 ms)\n" * 3, {"A.Ok": (0, 3)}, id="--gtest_repeat"),
        pytest.param(MAIN + FAILURE + "[  FAILED  ] A.Bad (0 ms)\n", {"A.Bad": (1, 0)}, id="brief"),
    ],
)
def test_speaks(text, expected):
    assert results(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[ RUN      ] A.Crash\nSegmentation fault\n", id="a crash has no outcome"),
        pytest.param("[ RUN      ] A.Noise\n[  FAILED  ] A.Gone (0 ms)\n[  FAILED  ] A.Gone\n", id="a print of another test's result"),
        pytest.param(MAIN + "/a/t.cc:4: Skipped\nno\n[  FAILED  ] A.Old (3 ms)\n", id="brief: nothing failed above it"),
        pytest.param(MAIN + "[       OK ] A.Old (3 ms)\n[  FAILED  ] A.Old\n", id="brief names failures only"),
        pytest.param("[ RUN      ] A.Skip\n[  SKIPPED ] A.Skip (0 ms)\n", id="skipped"),
        pytest.param("[  FAILED  ] C: SetUpTestSuite or TearDownTestSuite\n", id="a suite is no test"),
    ],
)
def test_stays_silent(text):
    assert results(text) == {}


@pytest.mark.parametrize(
    ("text", "summary", "idle"),
    [
        pytest.param("[==========] 2 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 2 tests.\n", PASSED, False, id="passed"),
        pytest.param("[==========] 2 tests from 1 test case ran. (0 ms total)\n[  PASSED  ] 1 test.\n", FAILED, False, id="brief: one is missing"),
        pytest.param(" 5 FAILED TESTS\n", FAILED, False, id="tail"),
        pytest.param("[  PASSED  ] 1 test.\n[  FAILED  ] C: SetUpTestSuite or TearDownTestSuite\n\n 1 FAILED TEST SUITE\n", FAILED, False, id="a suite's setup failed"),
        pytest.param("[  PASSED  ] 5 tests.\n", NONE, False, id="grep: in brief mode some may have failed"),
        pytest.param("[  PASSED  ] 0 tests.\n", NONE, False, id="grep: all may have failed"),
        pytest.param("[==========] 0 tests from 0 test suites ran. (0 ms total)\n[  PASSED  ] 0 tests.\n", NONE, True, id="filtered out"),
        pytest.param("[==========] 1 test from 1 test suite ran. (0 ms total)\n[  PASSED  ] 0 tests.\n[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] A.Skip\n", NONE, True, id="all skipped"),
    ],
)
def test_summary(text, summary, idle):
    report = gtest.read(text)
    assert (report.summary, report.idle) == (summary, idle)


def test_a_whole_list_says_who_failed():
    text = "[  FAILED  ] A.Bad (0 ms)\n[  FAILED  ] A.Gone (0 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.Bad\n 1 FAILED TEST\n"
    assert results(text) == {"A.Bad": (1, 0)}
