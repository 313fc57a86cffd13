"""The table of runners, and the one way to have an output read by them.

Adding a runner: a module in this folder that satisfies `base.Runner`, a row here, the command
forms in `command.py`, and a capture in tests/captures. CONTRIBUTING.md walks through it.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Sequence, Tuple

    from flaky_memory.model import Report


class Entry(NamedTuple):
    """One runner: its id prefix, and strings of which one stands in its output whenever it
    has run behind a command that does not say which runner it starts (`npm test`)."""

    prefix: str
    signs: Tuple[str, ...]


TABLE: Dict[str, Entry] = {
    "go": Entry("go", ("--- FAIL: ", "--- PASS: ", "ok  \t", "FAIL\t", '"Action":"')),
    "pytest": Entry("pytest", ("test session starts", " passed", " failed", "FAILED ", "ERROR ", " error")),
    "jest": Entry("js", (
        "Tests:  ", "Test Suites:", "FAIL ", "PASS ", "\u2715 ", '"numRuntimeErrorTestSuites"',
    )),
    "vitest": Entry("js", (
        " Test Files ", " RUN  v", "      Tests  ", " FAIL  ", "\u00d7 ", "# time=",
        'name="vitest tests"', '"numTotalTestSuites"',
    )),
    "bun": Entry("js", ("bun test v", "(fail) ", "(pass) ", " expect() calls")),
    "cargo": Entry("cargo", ("test result: ", " ... FAILED", " ... ok", '"type": "test"')),
    "nextest": Entry("cargo", ("Nextest run", "    Summary [", " nextest ")),
    "phpunit": Entry("phpunit", ("PHPUnit ", " assertion", "Assertions: ", "FAILURES!", "ERRORS!", "##teamcity[")),
    "deno": Entry("deno", ("running ", " passed | ", "deno ")),
    "dotnet": Entry("dotnet", (
        "Test Run ", "Starting test execution", "VSTest", "Passed!  - ", "Failed!  - ", "Skipped! - ",
        "Total tests: ", "Test summary: total: ", "Test run summary: ", "  succeeded: ", "xUnit.net",
        "TEST EXECUTION SUMMARY", "error TESTERROR",
    )),
    "rspec": Entry("rspec", (" examples, ", " example, ", "Failed examples:", "rspec ./")),
    "maven": Entry("maven", (
        "Tests run: ", "T E S T S", "<<< FAILURE!", "<<< ERROR!", "[INFO] BUILD ", "Tests are skipped.",
        "[ERROR] Failed to execute goal ", "[ERROR] [Help 1] ",
    )),
    "gradle": Entry("gradle", (
        "> Task :", "BUILD FAILED in ", "BUILD SUCCESSFUL in ", " actionable task", " tests completed, ",
        "Execution failed for task ':",
    )),
    "unittest": Entry("unittest", ("\nRan ", "FAIL: ", "ERROR: ", " ... ok", " ... FAIL")),
    "mocha": Entry("mocha", (" passing (", " failing")),
    "node": Entry("node", ("# tests ", "\u2139 tests ", "TAP version 13", "failing tests:")),
    "playwright": Entry("playwright", ("Running ", "npx playwright", "[chromium]")),
    "ava": Entry("ava", (" tests passed", " test passed", " tests failed", " test failed", "Uncaught exception")),
    "tap": Entry("tap", ("TAP version 14", "# { total:", "Asserts:", "Suites:")),
    "minitest": Entry("minitest", (" runs, ", "Run options: --seed", " tests, ")),
    "mix": Entry("mix", ("Running ExUnit", " tests, ", " test, ", "Finished in ")),
    "ctest": Entry("ctest", ("Test project ", "% tests passed", "The following tests FAILED")),
    "gtest": Entry("gtest", ("[==========]", "[  FAILED  ]", "[       OK ]")),
}

# ECMA-48 control sequences, and the operating-system commands that set titles and links.
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78cM])")


def plain(text: str) -> str:
    """A runner's output as the modules expect it: no colours, LF line ends."""
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return text.replace("\r\n", "\n") if "\r" in text else text


def read(text: str, names: Optional[Sequence[str]]) -> List[Report]:
    """What the named runners (rows of TABLE) say in an output, in the table's order.

    With None the command does not tell which runner it starts: every runner whose signs stand
    in the text reads, and only those that found something answer.
    """
    text = plain(text)
    asked = [n for n in TABLE if any(s in text for s in TABLE[n].signs)] if names is None else names
    reports = [_module(name).read(text) for name in asked]
    if names is not None:
        return reports
    return [r for r in reports if r.results or r.summary != NONE or r.idle or r.unrun]


def _module(name: str):  # type: ignore[no-untyped-def]
    import importlib

    return importlib.import_module("flaky_memory.runners." + name)


def summary(reports: Sequence[Report]) -> str:
    """The word of several reports together: FAILED if any failed, else PASSED if any passed."""
    said = {r.summary for r in reports}
    return FAILED if FAILED in said else PASSED if PASSED in said else NONE
