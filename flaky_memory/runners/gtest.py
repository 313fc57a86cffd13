"""GoogleTest.

Format: https://github.com/google/googletest/blob/main/googletest/src/gtest.cc,
PrettyUnitTestResultPrinter and BriefUnitTestResultPrinter.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional

PREFIX = "gtest"

# "[  FAILED  ] Zero/1.IsZero, where TypeParam = double (0 ms)"; without the time in the closing list
_RESULT = re.compile(r"\[(       OK |  FAILED  |  SKIPPED )\] ([\w/]+\.[\w/]+)(, where .*?)?( \(\d+ ms\))?$")
# "[==========] 11 tests from 5 test suites ran. (0 ms total)"
_RAN = re.compile(r"\[==========\] (\d+) tests? from \d+ test (?:suite|case)s? ran\.")
# "[  PASSED  ] 5 tests.", "[  SKIPPED ] 1 test, listed below:", "[  FAILED  ] 5 tests, listed below:"
_COUNT = re.compile(r"\[  (PASSED|SKIPPED|FAILED) +\] (\d+) tests?[.,]")
# " 5 FAILED TESTS", " 1 FAILED TEST SUITE"
_FAILED = re.compile(r" ?\d+ FAILED TESTS?(?: SUITES?)?$")


def read(text: str) -> Report:
    """What an output of a GoogleTest program says."""
    reader = _Reader()
    for line in lines(text):
        reader.line(line)
    reader.end_run()
    return reader.tally.report()


class _Reader:
    def __init__(self) -> None:
        self.tally = Tally(PREFIX)
        self.start()

    def start(self) -> None:
        """Forget everything about the run before."""
        self.total: Optional[int] = None
        self.passed: Optional[int] = None
        self.skipped = 0
        self.red = self.listing = False
        self.size: Optional[int] = None  # of the closing list
        self.listed: List[str] = []
        self.shown: List[str] = []
        self.running: Optional[str] = None
        self.framed = False  # has a [ RUN ] or [==========] line been seen?
        self.opened = False  # has the program's first line been seen?
        self.parts = self.part = ""  # "Failure" or "Skipped", of any test and of the next one

    def line(self, line: str) -> None:
        """Read one line."""
        if line.startswith("["):
            self.bracket(line)
        elif line.startswith((" ", "1", "2")) and _FAILED.match(line):
            self.red = True
            self.end_run()
        elif line.endswith((": Failure", ": Skipped")) or ": error: " in line:
            self.parts = self.part = line[-7:] if line.endswith("Skipped") else "Failure"
        elif self.running and line.endswith(" ms)"):
            start = max(line.rfind("[       OK ] "), line.rfind("[  FAILED  ] "))
            if start > 0:
                self.result(line[start:])  # behind what the test printed
        elif line.startswith("Repeating all tests "):
            self.end_run()
            self.opened = True
        elif line.startswith(("Running main() from ", "Note: Google Test filter")):
            self.begin()
            self.opened = True
        elif is_cut(line):
            self.framed = self.opened = self.listing = False
            self.running = None
            self.parts = self.part = ""

    def bracket(self, line: str) -> None:
        if line.startswith("[ RUN      ] "):
            self.begin()
            self.running, self.framed = line[13:].partition(", where ")[0], True
        elif line.startswith("[==========] "):
            self.frame(line)
        elif line.startswith(("[  PASSED", "[  SKIPPED", "[  FAILED")) and self.count(line):
            return
        else:
            self.result(line)

    def begin(self) -> None:
        """A test below the closing lines belongs to another run."""
        if self.total is not None:
            self.end_run()

    def frame(self, line: str) -> None:
        match = _RAN.match(line)
        if match:
            if self.total is not None:
                self.end_run()
            self.total = int(match[1][:9])
        elif line.startswith("[==========] Running "):
            self.end_run()
        self.framed = True

    def count(self, line: str) -> bool:
        match = _COUNT.match(line)
        if not match:
            return False
        if match[1] == "PASSED":
            if self.passed is not None:
                self.end_run()
            self.passed = int(match[2][:9])
        elif match[1] == "SKIPPED":
            self.skipped = int(match[2][:9])
        else:
            self.red = self.listing = True
            self.size, self.listed = int(match[2][:9]), []
        return True

    def result(self, line: str) -> None:
        match = _RESULT.match(line)
        if not match:
            return
        failed = match[1] == "  FAILED  "
        if not match[4]:
            if failed and (self.listing or not (self.framed or self.opened)):
                self.listed.append(match[2])
        elif self.believed(match[2], failed) and match[1] != "  SKIPPED ":
            self.begin()
            if failed:
                self.shown.append(match[2])
            else:
                self.tally.add("line", match[2], None, True)

    def believed(self, name: str, failed: bool) -> bool:
        """True for a result that no test printed: it ends the test that runs, or, in brief mode and
        below a cut, follows what made it fail."""
        part, self.part = self.part, ""
        if self.running is not None:
            right = self.running == name
            self.running = None if right else self.running
            return right
        if self.framed and self.total is None:
            return False
        if self.opened:
            return failed and part == "Failure"
        return not failed or not self.parts or part == "Failure"

    def end_run(self) -> None:
        """Close a run with what its counts say; what its whole list does not have did not fail."""
        done = (self.passed or 0) + self.skipped
        # In brief mode nothing but the total tells that "[  PASSED  ] 5 tests." are not all.
        whole = self.total is not None and self.passed is not None
        if self.red or (whole and done < (self.total or 0)):
            summary = FAILED
        else:
            summary = PASSED if whole and self.passed else NONE
        if summary == NONE and (whole or self.total == 0):
            self.tally.idle = True
        listed = set(self.listed)
        for name in self.shown:
            if name in listed or self.size != len(self.listed):
                self.tally.add("line", name, None, False)
        for name in self.listed:
            self.tally.add("list", name, None, False)
        self.tally.end(summary)
        self.start()
