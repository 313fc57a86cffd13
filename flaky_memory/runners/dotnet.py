"""dotnet test: VSTest's console logger, the terminal logger, Microsoft.Testing.Platform, xunit's own runner.

VSTest: src/vstest.console/Internal/ConsoleLogger.cs in https://github.com/microsoft/vstest.
Terminal logger: src/Build/Logging/TerminalLogger/TerminalLogger.cs in https://github.com/dotnet/msbuild.
Testing Platform: src/Platform/Microsoft.Testing.Platform/OutputDevice/Terminal/TerminalTestReporter.cs in
https://github.com/microsoft/testfx. xunit: src/xunit.v3.runner.common/Reporters/DefaultRunnerReporter in
https://github.com/xunit/xunit; its VSTest adapter prints the same lines behind "[xUnit.net 00:00:00.21]".

Every assembly prints its own results, several at once, and none says which it belongs to: names
have no scope, and an output is counted as a whole.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional

PREFIX = "dotnet"

# "  Failed Depot.CrateTests.Adds(a: 2, b: 2) [6 ms]", "  X NAME [< 1ms]" in SDK 3, "Failed   NAME" in SDK 2
_RESULT = re.compile(r"(?:  (Failed|Passed|X|V|\u221a) (\S.*) \[[<\d][\d hms.,<]*\]|(Failed|Passed)   (\S.*))$")
# "failed Depot.CrateTests.Adds(a: 2, b: 2) (1s 98ms)"
_PLATFORM = re.compile(r"(failed|passed) (\S.*) \(\d[\d hms.]*\)$")
# "      Depot.CrateTests.Adds(a: 2, b: 2) (1ms): Error Message: Assert.Equal() Failure"
_ERROR = re.compile(r"(\S.*?) \((?:< )?\d[\d hms.,]*\): Error Message:")
# "Failed!  - Failed:     2, Passed:     2, Skipped:     1, Total:     5, Duration: 39 ms - A.dll (net9.0)"
# "Test summary: total: 5, failed: 2, succeeded: 2, skipped: 1, duration: 0.9s"
# "   Depot.Tests  Total: 5, Errors: 0, Failed: 2, Skipped: 1, Not Run: 0, Time: 0.054s"
_NUMBER = re.compile(r"(total|failed|errors|skipped): +(\d{1,9})", re.IGNORECASE)

_ZERO = "Test run summary: Zero tests ran"
_IDLE = ("No test matches the given testcase filter", "No test is available in ", _ZERO)
_TESTERROR = ": error TESTERROR: "


class _Reader:
    """The state between the lines of one output."""

    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.words: List[str] = []
        self.vstest = False  # its banner was there
        self.repeated = False  # MSBuild lists the errors again below its "Build FAILED."
        self.error = False  # the next line names the test of an error
        self.counts: Optional[dict[str, int]] = None  # of a summary over several lines

    def line(self, line: str) -> None:
        """Read one line."""
        if self.error or "TESTERROR" in line:
            self._error(line)
        if line.endswith(("]", ")")) or line.startswith(("Failed   ", "Passed   ")):
            self._result(line)
        elif line.startswith((" ", "Total tests: ")):
            self._indented(line)
        else:
            self._summary(line)

    def _result(self, line: str) -> None:
        if line.endswith((" [FAIL]", " [PASS]")):
            self._xunit(line)
            return
        match = _RESULT.match(line)
        if match and (match[1] or self.vstest):
            self._add("line", match[2] or match[4], (match[1] or match[3]) not in ("Failed", "X"))
            return
        match = _PLATFORM.match(line)
        if match:
            self._add("line", match[2], match[1] == "passed")
        elif line.startswith(("Failed! ", "Passed! ", "Skipped! ")):
            self._summary(line)
        elif line.startswith("Test run for "):
            self.vstest = True

    def _xunit(self, line: str) -> None:
        """ "[xUnit.net 00:00:00.21]     NAME [FAIL]" of the adapter, "    NAME [FAIL]" of the runner."""
        if line.startswith("[xUnit.net "):
            line = line.partition("] ")[2]
        name = line[4:-7]
        if line.startswith("    ") and name[:1].strip():
            self._add("xunit", name, line.endswith("[PASS]"))

    def _error(self, line: str) -> None:
        """ "A.cs(16): error TESTERROR: NAME (1ms): Error Message: ...", the name often a line below."""
        _, found, text = (line + " ").partition(_TESTERROR)
        match = _ERROR.match(text.strip() if found else line.strip())
        self.error = bool(found) and not text.strip()
        if match:
            self._add("repeated" if self.repeated else "error", match[1], False)

    def _add(self, part: str, name: str, passed: bool) -> None:
        self.tally.add(part, name, None, passed)

    def _indented(self, line: str) -> None:
        """Numbers of a summary on lines of their own, as VSTest and the Testing Platform print them."""
        text = line.strip()
        if line.startswith(("Total tests: ", "  total: ")):
            self.counts = {"total": _first_number(text)}
        elif self.counts is not None and line.startswith(("     Failed: ", "  failed: ")):
            self.counts["failed"] = _first_number(text)
        elif self.counts is not None and line.startswith(("    Skipped: ", "  skipped: ")):
            self.counts["skipped"] = _first_number(text)
        elif self.counts is not None and line.startswith((" Total time: ", "  duration: ")):
            self._judge(self.counts)
            self.counts = None
        elif "  Total: " in line and ", Failed: " in line:
            self._numbers(line)
        elif text.startswith("Test Run Aborted"):
            self.words.append(FAILED)

    def _summary(self, line: str) -> None:
        if line.startswith("The active test run was aborted"):
            self.words.append(FAILED)
        elif line.startswith("Test Run "):
            self.words.append(PASSED if line.startswith("Test Run Successful") else FAILED)
        elif line.startswith(("Failed!  - ", "Passed!  - ", "Skipped! - ", "Test summary: total: ")):
            self._numbers(line)
        elif line.startswith("Test run summary: "):
            if not line.startswith((_ZERO, "Test run summary: Passed")):
                self.words.append(FAILED)
        elif line.startswith("Build FAILED."):
            self.repeated = True
        elif line.startswith("Microsoft (R) Test Execution Command Line Tool"):
            self.vstest = True
        elif line.startswith("Tests suite completed successfully in "):
            self.words = [PASSED]  # the platform's retries: what failed before has passed
        if line.startswith(_IDLE):
            self.tally.idle = True

    def _numbers(self, line: str) -> None:
        self._judge({m[1].lower(): int(m[2]) for m in _NUMBER.finditer(line)})

    def _judge(self, counts: dict[str, int]) -> None:
        if counts.get("failed") or counts.get("errors"):
            self.words.append(FAILED)
        elif counts.get("total", 0) > counts.get("skipped", 0):
            self.words.append(PASSED)
        else:
            self.tally.idle = True

    def report(self) -> Report:
        """Sum up."""
        ran = PASSED in self.words and not self.tally.idle
        word = FAILED if FAILED in self.words else PASSED if ran or PASSED in self.words else NONE
        self.tally.end(word)
        report = self.tally.report()
        return report._replace(idle=report.idle and not report.results and word == NONE)


def read(text: str) -> Report:
    """What dotnet test says of its tests."""
    reader = _Reader()
    for line in lines(text):
        if line:
            reader.line(line.rstrip(" "))
    return reader.report()


def _first_number(text: str) -> int:
    digits = text.partition(": ")[2].partition(" ")[0]
    return int(digits) if digits.isdecimal() and len(digits) < 10 else 0
