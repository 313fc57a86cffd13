"""The lines of VSTest, the terminal logger, the Testing Platform and xunit, and what looks like them."""

from __future__ import annotations

import pytest

from flaky_memory.runners import dotnet

OLD_BANNER = "Microsoft (R) Test Execution Command Line Tool Version 15.9.0\n"


def results(text: str) -> list[tuple]:
    return [tuple(r) for r in dotnet.read(text).results]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("  Failed A.ATests.Works [6 ms]\n", ("A.ATests.Works", None, 1, 0), id="failed"),
        pytest.param("  Passed A.ATests.Works [< 1 ms]\n", ("A.ATests.Works", None, 0, 1), id="passed"),
        pytest.param("  Passed A.ATests.Works [1 m 2 s]\n", ("A.ATests.Works", None, 0, 1), id="slow"),
        pytest.param('  Failed Adds("[1 ms]", 2) [1 s]\n', ('Adds("[1 ms]", 2)', None, 1, 0), id="arguments with brackets"),
        pytest.param("  X A.ATests.Adds(a: 2, b: 2) [1s 20ms]\n", ("A.ATests.Adds(a: 2, b: 2)", None, 1, 0), id="SDK 3"),
        pytest.param("  \u221a A.ATests.Works [< 1ms]\n", ("A.ATests.Works", None, 0, 1), id="SDK 3, passed"),
        pytest.param(OLD_BANNER + "Failed   A.ATests.Adds(a: 2)\n", ("A.ATests.Adds(a: 2)", None, 1, 0), id="SDK 2"),
        pytest.param("failed A.ATests.Works (1s 98ms)\n", ("A.ATests.Works", None, 1, 0), id="Testing Platform"),
        pytest.param("passed A.ATests.Works (2ms)\n", ("A.ATests.Works", None, 0, 1), id="Testing Platform, passed"),
        pytest.param(
            "[xUnit.net 00:00:00.21]     A.ATests.Works [FAIL]\n", ("A.ATests.Works", None, 1, 0), id="the adapter's line alone"
        ),
        pytest.param("    A.ATests.Works [FAIL]\n", ("A.ATests.Works", None, 1, 0), id="xunit's own runner"),
        pytest.param(
            "[xUnit.net 00:00:00.21]     A.ATests.Works [FAIL]\n  Failed A.ATests.Works [6 ms]\n",
            ("A.ATests.Works", None, 1, 0), id="adapter and logger tell one run",
        ),
        pytest.param(
            "  Failed A.ATests.Works [6 ms]\n  Failed A.ATests.Works [5 ms]\n", ("A.ATests.Works", None, 2, 0), id="two targets"
        ),
        pytest.param(
            "    /x/ATests.cs(16): error TESTERROR: \n      A.ATests.Adds(a: 2) (1ms): Error Message: no\n",
            ("A.ATests.Adds(a: 2)", None, 1, 0), id="terminal logger",
        ),
        pytest.param(
            "/x/ATests.cs(16): error TESTERROR: Works (< 1ms): Error Message: no (2ms): Error Message: [/x/A.csproj]\n",
            ("Works", None, 1, 0), id="terminal logger on one line",
        ),
        pytest.param(
            "/x/ATests.cs(16): error TESTERROR: Works (1ms): Error Message: no [/x/A.csproj]\n\nBuild FAILED.\n"
            "/x/ATests.cs(16): error TESTERROR: Works (1ms): Error Message: no [/x/A.csproj]\n",
            ("Works", None, 1, 0), id="MSBuild repeats its errors",
        ),
    ],
)
def test_speaks(text: str, expected: tuple) -> None:
    assert results(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("  Skipped A.ATests.Works [1 ms]\n  ! A.ATests.Works [1ms]\n", id="skipped"),
        pytest.param("skipped A.ATests.Works (0ms)\n", id="skipped by the Testing Platform"),
        pytest.param("    A.ATests.Works [SKIP]\n", id="skipped by xunit"),
        pytest.param("[xUnit.net 00:00:00.21]       Assert.Equal() Failure: [FAIL]\n", id="detail of the adapter"),
        pytest.param("   Failed A.ATests.Works [6 ms]\n", id="standard output of a test is indented by one more"),
        pytest.param("  Failed to load [prefs]\n  Failed A.ATests.Works\n", id="no duration"),
        pytest.param("Failed   A.ATests.Works\n", id="SDK 2 without its banner"),
        pytest.param("/x/A.dll (net10.0|x64) failed with 2 error(s) (812ms)\n", id="an assembly"),
        pytest.param("  A.Tests test net9.0 failed with 2 error(s) (1.2s)\n", id="an assembly in the terminal logger"),
        pytest.param("/x/A.cs(1,2): error CS0103: Works (1ms): Error Message: no\n", id="a compiler error"),
    ],
)
def test_stays_silent(text: str) -> None:
    assert results(text) == []


COUNTS = "{}!  - Failed:     {}, Passed:     {}, Skipped:     {}, Total:     {}, Duration: 3 ms - A.dll (net8.0)\n"


@pytest.mark.parametrize(
    ("text", "summary", "idle"),
    [
        pytest.param(COUNTS.format("Passed", 0, 2, 0, 2), "passed", False, id="passed"),
        pytest.param(COUNTS.format("Failed", 1, 1, 0, 2), "failed", False, id="failed"),
        pytest.param(COUNTS.format("Passed", 0, 2, 0, 2) + COUNTS.format("Failed", 1, 1, 0, 2), "failed", False, id="one failed"),
        pytest.param(COUNTS.format("Skipped", 0, 0, 3, 3).replace("!  -", "! -"), "none", True, id="all skipped"),
        pytest.param(COUNTS.format("Passed", 0, 2, 0, 2) + "Test Run Aborted.\n", "failed", False, id="the host died"),
        pytest.param("The active test run was aborted. Reason: Test host process crashed\n", "failed", False, id="its death alone"),
        pytest.param("Test Run Successful.\nTotal tests: 2\n     Passed: 2\n Total time: 0.7 Seconds\n", "passed", False, id="block"),
        pytest.param("Total tests: 2\n     Passed: 1\n     Failed: 1\n Total time: 0.7 Seconds\n", "failed", False, id="its tail"),
        pytest.param("Test summary: total: 5, failed: 2, succeeded: 3, skipped: 0, duration: 0.9s\n", "failed", False, id="terminal"),
        pytest.param("Test summary: total: 0, failed: 0, succeeded: 0, skipped: 0, duration: 0.9s\n", "none", True, id="terminal, none"),
        pytest.param("Test run summary: Passed!\n  total: 2\n  failed: 0\n  skipped: 0\n  duration: 1s\n", "passed", False, id="platform"),
        pytest.param("Test run summary: Failed!\n", "failed", False, id="platform, failed"),
        pytest.param("  total: 2\n  failed: 1\n  succeeded: 1\n  skipped: 0\n  duration: 1s\n", "failed", False, id="platform, tail"),
        pytest.param("Test run summary: Zero tests ran\n  total: 0\n  failed: 0\n  duration: 1s\n", "none", True, id="platform, none"),
        pytest.param("   A  Total: 5, Errors: 1, Failed: 0, Skipped: 1, Not Run: 0, Time: 0.054s\n", "failed", False, id="xunit"),
        pytest.param("   A  Total: 5, Errors: 0, Failed: 0, Skipped: 1, Not Run: 0, Time: 0.054s\n", "passed", False, id="xunit, passed"),
        pytest.param("No test matches the given testcase filter `X` in A.dll\n", "none", True, id="filter matches nothing"),
        pytest.param(
            "No test matches the given testcase filter `X` in A.dll\n" + COUNTS.format("Passed", 0, 2, 0, 2),
            "passed", False, id="filter matches in one assembly",
        ),
        pytest.param("/x/A.cs(1,2): error CS0103: no\nBuild FAILED.\n    1 Error(s)\n", "none", False, id="a build that failed ran nothing"),
        pytest.param("     Failed: 1\n Total time: 0.7 Seconds\n  failed: 1\n", "none", False, id="numbers without a total"),
    ],
)
def test_summary(text: str, summary: str, idle: bool) -> None:
    report = dotnet.read(text)
    assert (report.summary, report.idle) == (summary, idle)
