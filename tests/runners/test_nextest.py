"""cargo nextest: the attempts of a test, counted once however often they are shown."""

from __future__ import annotations

import pytest

from flaky_memory.runners import nextest

RUN = "\u2500" * 12 + "\n Nextest run ID 0-0 with nextest profile: default\n    Starting 3 tests across 1 binary\n"
RULE = "\u2500" * 12 + "\n"
PASSED = "     Summary [   0.031s] 3 tests run: 3 passed (2 flaky), 0 skipped\n"
FAILED = "     Summary [   0.031s] 2 tests run: 1 passed, 1 failed, 0 skipped\n"
CUT = "\n... [20012 characters truncated] ...\n\n"
ONE = ("tests::a", "app")


def found(text: str) -> dict[tuple[str, str | None], tuple[int, int]]:
    return {(r.name, r.scope): (r.failed, r.passed) for r in nextest.read(text).results}


SPEAK = {
    "pass": ("        PASS [   0.007s] (1/6) app tests::a\n", {ONE: (0, 1)}),
    "no counter in old versions": ("        PASS [   0.007s] app tests::a\n", {ONE: (0, 1)}),
    "binary of an integration test": (
        "        FAIL [   0.004s] (4/6) app::smoke opens\n",
        {("opens", "app::smoke"): (1, 0)},
    ),
    "signal": ("     SIGABRT [   0.004s] (1/3) app tests::a\n", {ONE: (1, 0)}),
    "timeout": ("     TIMEOUT [  60.004s] (1/3) app tests::a\n", {ONE: (1, 0)}),
    "leak passes": ("        LEAK [   0.104s] (1/3) app tests::a\n", {ONE: (0, 1)}),
    "list below the summary": (
        RUN + "        FAIL [   0.004s] (1/1) app tests::a\n" + RULE + FAILED
        + "        FAIL [   0.004s] (1/1) app tests::a\nerror: test run failed\n",
        {ONE: (1, 0)},
    ),
    "attempts": (
        RUN + "  TRY 1 FAIL [   0.007s] (\u2500\u2500\u2500) app tests::a\n  TRY 2 SEGV [   0.007s] (\u2500\u2500\u2500) app tests::a\n"
        "  TRY 3 PASS [   0.009s] (1/1) app tests::a\n" + PASSED + "   FLAKY 3/4 [   0.009s] (1/1) app tests::a\n",
        {ONE: (2, 1)},
    ),
    "attempts in the list alone": (PASSED + "   FLAKY 2/3 [   0.009s] (1/1) app tests::a\n", {ONE: (1, 1)}),
    "all attempts failed, list alone": (FAILED + "  TRY 2 FAIL [   0.009s] (1/1) app tests::a\n", {ONE: (2, 0)}),
    "two runs": (2 * (RUN + "        FAIL [   0.004s] (1/1) app tests::a\n" + FAILED), {ONE: (2, 0)}),
    "stress": (
        "        FAIL [   0.466s] [1/2] (1/6) app tests::a\n        PASS [   0.019s] [2/2] (1/6) app tests::a\n",
        {ONE: (1, 1)},
    ),
    "list behind a cut": (
        RUN + "        FAIL [   0.004s] (1/1) app tests::a\n" + CUT + "        FAIL [   0.004s] (1/1) app tests::a\n",
        {ONE: (1, 0)},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "want"), SPEAK.values(), ids=SPEAK)
def test_names(text: str, want: dict[tuple[str, str | None], tuple[int, int]]) -> None:
    assert found(text) == want


SILENT = {
    "captured libtest lines": "    test tests::a ... FAILED\ntest tests::b ... FAILED\n",
    "captured status, not in its columns": "    PASS [   0.007s] (1/6) app tests::a\n",
    "skipped": "        SKIP [         ] (\u2500\u2500\u2500) app tests::a\n",
    "started": "       START [         ] (1/6) app tests::a\n",
    "slow": "        SLOW [> 60.000s] (\u2500\u2500\u2500) app tests::a\n",
    "slow attempt": "  TRY 1 SLOW [> 60.000s] (\u2500\u2500\u2500) app tests::a\n",
    "did not start": "       XFAIL [   0.004s] (1/6) app tests::a\n",
    "setup script": "  SETUP PASS [   0.004s] (1/1) db\n",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_names_nothing(text: str) -> None:
    assert found(text) == {}


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param(RUN + PASSED, "passed", id="passed"),
        pytest.param(RUN + FAILED, "failed", id="failed"),
        pytest.param("     Summary [   1.0s] 2 tests run: 1 passed, 1 timed out\n", "failed", id="timeout"),
        pytest.param("     Summary [   0.9s] 2/2 stress run iterations: 1 passed, 1 failed\n", "failed", id="stress"),
        pytest.param("error: test run failed\n", "failed", id="tail -1"),
        pytest.param(RUN + PASSED + RUN, "none", id="second run without its end"),
        pytest.param(RUN + FAILED + RUN + PASSED, "failed", id="loop"),
        pytest.param("     Summary [   0.0s] 0 tests run: 0 passed, 7 skipped\n", "none", id="nothing ran"),
        pytest.param("error: could not compile `app` (lib test)\n", "none", id="compile error"),
    ],
)
def test_summary(text: str, want: str) -> None:
    assert nextest.read(text).summary == want


def test_idle() -> None:
    nothing = "     Summary [   0.0s] 0 tests run: 0 passed, 7 skipped\nerror: no tests to run\n"
    assert nextest.read(nothing).idle
    assert not nextest.read(nothing + RUN + PASSED).idle
