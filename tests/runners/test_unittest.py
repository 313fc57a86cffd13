"""unittest: outcomes between and behind what tests print, and headings that count once."""

from __future__ import annotations

import pytest

from flaky_memory.runners import unittest as reader

DOUBLE = "=" * 70 + "\n"
SINGLE = "-" * 70 + "\n"
CUT = "\n... [20012 characters truncated] ...\n\n"
FAKE = "FAIL: test_fake (t.F)\ntest_fake2 (t.F) ... ok\nFAILED (failures=3)\n"


def found(text: str) -> dict[str, tuple[int, int]]:
    return {r.name: (r.failed, r.passed) for r in reader.read(text).results}


def heading(line: str) -> str:
    return DOUBLE + line + "\n" + SINGLE + "Traceback (most recent call last):\nAssertionError\n\n"


def end(count: int, word: str) -> str:
    return SINGLE + f"Ran {count} test{'s' * (count != 1)} in 0.001s\n\n{word}\n"


SPEAK = {
    "verbose, 3.11": ("test_x (t.a.A.test_x) ... ok\n\n" + end(1, "OK"), {"t.a.A.test_x": (0, 1)}),
    "verbose, 3.10": ("test_x (t.a.A) ... FAIL\n", {"t.a.A.test_x": (1, 0)}),
    "docstring": ("test_x (t.A.test_x)\nAdds ... up. ... ok\n" + end(1, "OK"), {"t.A.test_x": (0, 1)}),
    "line and heading are one run": (
        "test_x (t.A.test_x) ... FAIL\n\n" + heading("FAIL: test_x (t.A.test_x)") + end(1, "FAILED (failures=1)"),
        {"t.A.test_x": (1, 0)},
    ),
    "failure and error in teardown": (
        "FE\n" + heading("FAIL: test_x (t.A.test_x)") + heading("ERROR: test_x (t.A.test_x)") + end(1, "FAILED (failures=1, errors=1)"),
        {"t.A.test_x": (1, 0)},
    ),
    "lone ERROR of a teardown": (
        "test_x (t.A) ... hm FAIL\ntest_y (t.A) ... FAIL\nERROR\n" + end(2, "FAILED (failures=2, errors=1)"),
        {"t.A.test_x": (1, 0), "t.A.test_y": (1, 0)},
    ),
    "subtests, 3.11": (
        "test_x (t.A.test_x) ... \n  test_x (t.A.test_x) [m] (i=0) ... FAIL\n  test_x (t.A.test_x) (i=1)\nDoc. ... ERROR\n"
        "test_y (t.A.test_y) ... ok\n" + end(2, "FAILED (failures=2)"),
        {"t.A.test_x": (1, 0), "t.A.test_y": (0, 1)},
    ),
    "subtests, 3.10": (
        "test_x (t.A) ... test_y (t.A) ... ok\n" + heading("FAIL: test_x (t.A) (i=0)") + end(2, "FAILED (failures=1)"),
        {"t.A.test_y": (0, 1), "t.A.test_x": (1, 0)},
    ),
    "unexpected success": (
        "u\n" + DOUBLE + "UNEXPECTED SUCCESS: test_x (t.A.test_x)\n" + end(1, "FAILED (unexpected successes=1)"),
        {"t.A.test_x": (1, 0)},
    ),
    "script": ("test_x (__main__.A.test_x) ... ok\n" + end(1, "OK"), {"__main__.A.test_x": (0, 1)}),
    "grep": ("FAIL: test_x (t.A)\nFAILED (failures=1)\n", {"t.A.test_x": (1, 0)}),
    "tail from a heading on": (
        "FAIL: test_x (t.A.test_x)\nDoc.\n" + SINGLE + "Traceback (most recent call last):\n" + end(9, "FAILED (failures=1)"),
        {"t.A.test_x": (1, 0)},
    ),
    "tail of result lines": ("test_x (t.A.test_x) ... ok\n" + end(9, "OK"), {"t.A.test_x": (0, 1)}),
    "print before the outcome": ("test_x (t.A.test_x) ... loading... FAIL\n", {"t.A.test_x": (1, 0)}),
    "lines before the outcome": (
        "test_x (t.A.test_x) ... " + FAKE + "ok\ntest_y (t.A.test_y) ... ok\n" + end(2, "OK"),
        {"t.A.test_x": (0, 1), "t.A.test_y": (0, 1)},
    ),
    "two runs": (2 * ("test_x (t.A.test_x) ... ok\n" + end(1, "OK")), {"t.A.test_x": (0, 2)}),
    "prints at the end of the first run": (
        "test_x (t.A.test_x) ... ok\n" + end(1, "OK") + FAKE + "test_x (t.A.test_x) ... ok\n" + end(1, "OK"),
        {"t.A.test_x": (0, 2)},
    ),
    "behind a cut": (
        "test_x (t.A.test_x) ... ok\n" + CUT + heading("FAIL: test_y (t.A.test_y)") + end(9, "FAILED (failures=1)"),
        {"t.A.test_x": (0, 1), "t.A.test_y": (1, 0)},
    ),
}


@pytest.mark.parametrize(("text", "want"), SPEAK.values(), ids=SPEAK)
def test_names(text: str, want: dict[str, tuple[int, int]]) -> None:
    assert found(text) == want


SILENT = {
    "printed behind the end": ".\n" + end(1, "OK") + FAKE,
    "printed among dots": "." + FAKE + ".\n" + end(2, "OK"),
    "captured by -b": DOUBLE + "ERROR: setUpClass (t.A)\n" + SINGLE + "Stdout:\n" + FAKE + end(1, "FAILED (errors=1)"),
    "fixtures": heading("ERROR: setUpModule (t.a)") + heading("ERROR: tearDownClass (t.A)") + end(0, "FAILED (errors=2)"),
    "module that cannot load": heading("ERROR: t.a (unittest.loader._FailedTest.t.a)") + end(1, "FAILED (errors=1)"),
    "skipped and expected": "test_x (t.A) ... skipped 'no'\ntest_y (t.A) ... expected failure\n" + end(2, "OK (skipped=1)"),
    "started": "test_x (t.A.test_x) ... \n",
    "more results than tests": "test_f (t.F) ... ok\ntest_x (t.A.test_x) ... ok\n" + end(1, "OK"),
    "durations": "Slowest test durations\n" + SINGLE + "0.003s     test_x (t.A.test_x)\n" + end(1, "OK"),
    "text of another runner": "12 passing\n" + FAKE,
    "prints behind a cut": "F\n" + CUT + "E   x\ntest_fake2 (t.F) ... ok\n",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_names_nothing(text: str) -> None:
    assert found(text) == {}


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("..\n" + end(2, "OK"), "passed", id="passed"),
        pytest.param("Ran 7 tests in 0.001s\n\nFAILED (failures=2)\n", "failed", id="tail -3"),
        pytest.param("FAILED (failures=2)\n", "failed", id="tail -1"),
        pytest.param("OK\n", "passed", id="tail -1, green"),
        pytest.param(".\n" + end(1, "OK") + "F\n" + end(1, "FAILED (failures=1)"), "failed", id="loop"),
        pytest.param(end(0, "OK"), "none", id="no tests before 3.12"),
        pytest.param(end(0, "NO TESTS RAN"), "none", id="no tests"),
        pytest.param("ss\n" + end(2, "OK (skipped=2)"), "none", id="all skipped"),
        pytest.param("..\n" + end(2, "OK") + FAKE, "passed", id="printed behind the end"),
        pytest.param("test_x (t.A.test_x) ... ok\n", "none", id="no end"),
        pytest.param("Everything OK\nFAILED to connect\n", "none", id="not unittest"),
    ],
)
def test_summary(text: str, want: str) -> None:
    assert reader.read(text).summary == want


@pytest.mark.parametrize(
    ("text", "idle"),
    [(end(0, "NO TESTS RAN"), True), (end(2, "OK"), False), (end(0, "OK") + ".\n" + end(1, "OK"), False)],
)
def test_idle(text: str, idle: bool) -> None:
    assert reader.read(text).idle is idle
