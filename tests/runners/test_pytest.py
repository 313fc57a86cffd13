"""pytest's result lines, list and closing line; what tests print must name no test."""

from __future__ import annotations

import pytest

from flaky_memory.runners import pytest as reader

HEADER = "============================= test session starts ==============================\n"
FAILURES = "=================================== FAILURES ===================================\n"
LIST = "=========================== short test summary info ============================\n"
ONE_FAILED = "============================== 1 failed in 0.02s ===============================\n"
ONE_PASSED = "============================== 1 passed in 0.02s ===============================\n"
BOTH = "========================= 1 failed, 1 passed in 0.02s ==========================\n"
CUT = "\n... [20012 characters truncated] ...\n\n"


def found(text: str) -> dict[str, tuple[int, int]]:
    return {r.name: (r.failed, r.passed) for r in reader.read(text).results}


SPEAK = {
    "verbose": (HEADER + "t/a.py::test_x PASSED     [100%]\n\n" + ONE_PASSED, {"t/a.py::test_x": (0, 1)}),
    "count style": (HEADER + "t/a.py::test_x PASSED     [ 1/11]\n", {"t/a.py::test_x": (0, 1)}),
    "times style": (HEADER + "t/a.py::test_x FAILED     286.6us\n", {"t/a.py::test_x": (1, 0)}),
    "classic style": (HEADER + "t/a.py::test_x FAILED\n", {"t/a.py::test_x": (1, 0)}),
    "word in the parameter": (HEADER + "t/a.py::test_x[PASSED] FAILED  [ 5%]\n", {"t/a.py::test_x[PASSED]": (1, 0)}),
    "xdist": (
        HEADER + "t/a.py::test_x[a b] \n[gw0] [ 14%] PASSED t/a.py::test_x[a b] \n",
        {"t/a.py::test_x[a b]": (0, 1)},
    ),
    "list cut by tail": ("FAILED t/a.py::test_x - assert 0\n1 failed in 0.02s\n", {"t/a.py::test_x": (1, 0)}),
    "dash in the parameter": (
        LIST + "FAILED t/a.py::test_x[a - b] - assert x[0] - 1\n",
        {"t/a.py::test_x[a - b]": (1, 0)},
    ),
    "brackets in the message": (LIST + "FAILED t/a.py::test_x - assert [1] - [2]\n", {"t/a.py::test_x": (1, 0)}),
    "odd bracket in the parameter": (LIST + "FAILED t/a.py::test_x[[z] - assert\n", {"t/a.py::test_x[[z]": (1, 0)}),
    "line and list are one run": (
        HEADER + "t/a.py::test_x FAILED  [100%]\n" + FAILURES + LIST + "FAILED t/a.py::test_x - no\n" + ONE_FAILED,
        {"t/a.py::test_x": (1, 0)},
    ),
    "two runs add up": (
        2 * (HEADER + "t/a.py::test_x FAILED  [100%]\n" + LIST + "FAILED t/a.py::test_x - no\n" + ONE_FAILED),
        {"t/a.py::test_x": (2, 0)},
    ),
    "reruns": (
        HEADER + "t/a.py::test_x RERUN  [50%]\nt/a.py::test_x RERUN  [50%]\nt/a.py::test_x PASSED  [50%]\n",
        {"t/a.py::test_x": (2, 1)},
    ),
    "plugin flaky names the function": (
        HEADER + "t/a.py::test_x PASSED  [100%]\n===Flaky Test Report===\n\n"
        "test_x failed (1 runs remaining out of 2).\n" + ONE_PASSED,
        {"t/a.py::test_x": (1, 1)},
    ),
    "error in teardown": (
        HEADER + "t/a.py::test_x PASSED  [100%]\nt/a.py::test_x ERROR  [100%]\n" + LIST + "ERROR t/a.py::test_x - E\n",
        {"t/a.py::test_x": (1, 0)},
    ),
    "failed and error in teardown": (
        LIST + "FAILED t/a.py::test_x - A\nERROR t/a.py::test_x - E\n1 failed, 1 error in 0.1s\n",
        {"t/a.py::test_x": (1, 0)},
    ),
    "subtests fail their test": (
        HEADER + "t/a.py::T::test_x SUBPASSED(i=0)  [50%]\nt/a.py::T::test_x SUBFAILED(i=1)  [50%]\n"
        "t/a.py::T::test_x SUBFAILED(i=2)  [50%]\nt/a.py::T::test_x PASSED  [50%]\n",
        {"t/a.py::T::test_x": (1, 0)},
    ),
    "subtests of the plugin": (LIST + "[cell] (x=1) SUBFAIL t/a.py::test_x - assert\n", {"t/a.py::test_x": (1, 0)}),
    "xpass with a reason": (HEADER + "t/a.py::test_x XPASS (bug 18, fixed?)  [25%]\n", {"t/a.py::test_x": (0, 1)}),
    "printed text before the word": (
        HEADER + "t/a.py::test_x loading...FAILED\nt/a.py::test_y first\nsecond\nPASSED\n",
        {"t/a.py::test_x": (1, 0), "t/a.py::test_y": (0, 1)},
    ),
    "live log": (
        HEADER + "t/a.py::test_x \n---- live log call ----\nERROR    root:a.py:5 x FAILED\nPASSED   [100%]\n",
        {"t/a.py::test_x": (0, 1)},
    ),
    "setup-show": (
        HEADER + "t/a.py \n        SETUP    F cart\n        t/a.py::test_x (fixtures used: cart)F\n",
        {"t/a.py::test_x": (1, 0)},
    ),
    "behind a cut": (HEADER + CUT + "FAILED t/a.py::test_x - no\n" + ONE_FAILED, {"t/a.py::test_x": (1, 0)}),
}


@pytest.mark.parametrize(("text", "want"), SPEAK.values(), ids=SPEAK)
def test_names(text: str, want: dict[str, tuple[int, int]]) -> None:
    assert found(text) == want


CAPTURED = "____________________ test_x ____________________\n---- Captured stdout call ----\n"
SILENT = {
    "captured list line": FAILURES + CAPTURED + "FAILED t/fake.py::test_no - no\n",
    "captured result line": FAILURES + CAPTURED + "t/fake.py::test_yes PASSED      [ 50%]\n",
    "captured, its heading cut off": "t/fake.py::test_yes PASSED  [ 50%]\n" + CAPTURED,
    "captured session": FAILURES + CAPTURED + HEADER + "t/fake.py::test_yes PASSED  [ 50%]\n",
    "printed while a test is open": HEADER + "t/a.py::test_x a\nt/fake.py::test_yes PASSED   [ 50%]\n",
    "printed by a green -q -s": "FAILED t/fake.py::test_no - no\n--- FAIL: TestFake (0.00s)\n1 passed in 0.02s\n",
    "skipped and xfailed": HEADER + "t/a.py::test_x SKIPPED (no)  [ 50%]\nt/a.py::test_y XFAIL (bug)  [100%]\n",
    "started only": HEADER + "t/a.py::test_x \n",
    "collected only": "t/a.py::test_x\nt/a.py::test_y\n\n2 tests collected in 0.01s\n",
    "setup-plan": HEADER + "        t/a.py::test_x (fixtures used: cart)\n",
    "module that cannot load": LIST + "ERROR t/a.py - ImportError: x::y\n1 error in 0.01s\n",
    "durations": HEADER + "0.00s call     t/a.py::test_x\n",
    "log record": LIST + "ERROR    worker:a.py:26 FAILED t/fake.py::test_log - retrying\n",
    "other runners": "test fake::works ... FAILED\nerror[E0433]: a::b FAILED\nstd::foo PASSED\n",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_names_nothing(text: str) -> None:
    assert found(text) == {}


def test_a_list_line_in_a_message_names_nothing_when_results_are_listed() -> None:
    text = HEADER + "t/a.py::test_x FAILED [100%]\n" + LIST + "FAILED t/a.py::test_x - E\nFAILED t/fake.py::test_no\n"
    assert found(text + ONE_FAILED) == {"t/a.py::test_x": (1, 0)}


def test_more_passes_than_the_closing_line_counts_are_not_believed() -> None:
    text = HEADER + "t/fake.py::test_a PASSED  [1%]\nt/a.py::test_x PASSED  [100%]\n" + ONE_PASSED
    assert found(text) == {}


SUMMARIES = {
    "framed": (HEADER + BOTH, "failed"),
    "plain": (".F  [100%]\n1 failed, 1 passed in 0.02s\n", "failed"),
    "old": ("==== 2 passed in 0.02 seconds ====\n", "passed"),
    "hours": ("2 passed, 1 warning in 3723.02s (1:02:03)\n", "passed"),
    "tail -1 in a loop": ("1 failed in 0.1s\n1 passed in 0.1s\n", "failed"),
    "missing end": (HEADER + "t/a.py::test_x PASSED  [ 50%]\n", "none"),
    "missing end of the second": (HEADER + ONE_PASSED + HEADER, "none"),
    "captured closing line": (FAILURES + CAPTURED + "9 failed in 0.1s\n" + CAPTURED + "4 passed in 0.1s\n", "passed"),
    "printed, too wide": (HEADER + "======" + ONE_FAILED + ONE_PASSED, "passed"),
    "no tests": ("\nno tests ran in 0.00s\n", "none"),
    "skipped only": ("2 skipped in 0.00s\n", "none"),
    "xfailed": ("1 xfailed in 0.00s\n", "passed"),
    "internal error": ("INTERNALERROR> x\n1 passed in 0.1s\n", "none"),
    "threshold of coverage": (
        "FAIL Required test coverage of 90% not reached. Total coverage: 57.50%\n1 passed in 0.1s\n",
        "failed",
    ),
    "not pytest": ("took 5 in 3s\n5 passing in 3s\n", "none"),
}


@pytest.mark.parametrize(("text", "want"), SUMMARIES.values(), ids=SUMMARIES)
def test_summary(text: str, want: str) -> None:
    assert reader.read(text).summary == want


@pytest.mark.parametrize(
    ("text", "idle"),
    [
        ("no tests ran in 0.00s\n", True),
        ("13 deselected in 0.01s\n", True),
        ("3/5 tests collected (2 deselected) in 0.01s\n", True),
        ("1 passed in 0.01s\n", False),
        ("no tests ran in 0.00s\n1 failed in 0.01s\n", False),
    ],
)
def test_idle(text: str, idle: bool) -> None:
    assert reader.read(text).idle is idle
